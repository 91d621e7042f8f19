"""Times of rows, cut-offs, lengths of time: numbers or dates of any library, compared exactly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore.metrics._rows import check_same_length
from sklearn_rankscore.metrics._validation import as_numbers, check_not_masked, got, without_zone
from sklearn_rankscore.model_selection._lookup import find, n_rows, what_came

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._validation import Array

# Attoseconds in NumPy's units of time; months and years have no fixed length.
_UNITS = {"as": 1, "fs": 10**3, "ps": 10**6, "ns": 10**9, "us": 10**12, "ms": 10**15, "s": 10**18}
_UNITS |= {"m": 60 * 10**18, "h": 3600 * 10**18, "D": 86_400 * 10**18, "W": 604_800 * 10**18}


@dataclass(frozen=True)
class Times:
    """Times as numbers: dates by their ticks, so that no sum of a date and a length overflows.

    A moment is a number, of attoseconds where times are dates; Python's integers hold any.
    """

    ticks: Array  # (n,) int64, float64, or Python's integers where int64 is too short
    tick: int | None = None  # attoseconds of a tick; None: times are numbers

    @classmethod
    def read(cls, values: Any, name: str) -> Times:
        """Numbers as they are, dates in UTC; nothing missing, one dimension."""
        check_not_masked(values, name)
        array = _as_array(values, name)
        if array.ndim != 1:
            raise ValueError(f"{name} must be flat, one per row. Got shape {array.shape} instead.")
        if array.dtype.kind == "M":
            if np.isnat(array).any():
                missing = np.isnat(array).argmax()
                raise ValueError(f"{name} must not be missing. Got NaT at {missing}.")
            unit, step = np.datetime_data(array.dtype)
            if unit in {"Y", "M"}:  # dates of a calendar, which begin on a day
                array, unit, step = array.astype("datetime64[D]"), "D", 1
            return cls(array.view(np.int64), _UNITS[unit] * step)
        numbers = as_numbers(array, name)
        if numbers.dtype.kind == "f":
            return cls(numbers.astype(np.float64))
        fits = not numbers.size or int(numbers.max()) <= np.iinfo(np.int64).max
        return cls(numbers.astype(np.int64 if fits else object))

    def moments(self, at: Any = slice(None)) -> list[Any]:
        """Give chosen times as moments."""
        return [ticks * (self.tick or 1) for ticks in self.ticks[at].tolist()]

    def before(self, moment: Any) -> Array:
        """Whether each time is before a moment."""
        if self.tick is not None:
            moment = -(-moment // self.tick)  # the first tick that is not before it
        return np.asarray(self.ticks < moment, dtype=bool)

    def span(self, length: Any, name: str) -> Any:
        """Give a length of time as a difference of moments."""
        if self.tick is not None:
            return _attoseconds(length, name)
        if not isinstance(length, Real):
            raise TypeError(
                f"The {name!r} parameter must be a number, as times are numbers. Got "
                f"{got(length)} instead."
            )
        if not float(length) >= 0:
            raise ValueError(
                f"The {name!r} parameter must not be negative. Got {got(length)} instead."
            )
        return int(length) if isinstance(length, Integral) else float(length)

    def show(self, moment: Any) -> str:
        """Write a moment as a date, where times are dates."""
        if self.tick is None:
            return str(moment)
        whole = [unit for unit, size in _UNITS.items() if moment % size == 0 and unit != "W"]
        ticks = np.array([moment // _UNITS[whole[-1]]])
        return str(ticks.astype(f"datetime64[{whole[-1]}]")[0])


def find_times(name: str, X: Any, y: Any, passed: Any) -> Times | None:
    """Time of each row: where metadata is found, else an index of dates of y or X, else None."""
    found = find(name, X, y, passed)
    for rows in (y, X):
        index = getattr(rows, "index", None)
        dates = getattr(getattr(index, "dtype", None), "kind", "") == "M"
        if found is None and (dates or hasattr(index, "to_timestamp")):
            found = index
    if found is None:
        return None
    times = Times.read(found, "times")
    check_same_length("times", len(times.ticks), n_rows(X))
    return times


def times_not_found(name: str, X: Any, y: Any, seeker: str) -> str:
    """Say where times are looked for."""
    return (
        f"{seeker} found no times. {what_came(name, 'times', X, y)}Give them in one of these "
        f"ways: y = RankTarget(y, qid=…, {name}=…); a level {name!r} of the pandas index of y or "
        f"X, or an index of dates; a column {name!r} of X; or, with scikit-learn's metadata "
        f"routing enabled, fit(X, y, {name}=…)."
    )


def _as_array(values: Any, name: str) -> Array:
    """Numbers or datetime64, from dates of NumPy, pandas, polars and Python."""
    array = np.asarray(without_zone(values))
    known = (value for value in array.flat if value is not None)
    first = next(known, None) if array.dtype == object else None
    if isinstance(first, str) or array.dtype.kind in "USm":
        raise ValueError(
            f"{name} must be numbers or dates. Got {got(values)} instead; text becomes dates by "
            "pandas.to_datetime(…) or numpy.array(…, dtype='datetime64[s]')."
        )
    if isinstance(first, np.datetime64) or hasattr(first, "year"):
        try:
            array = np.array([_date(value) for value in array.tolist()], dtype="datetime64")
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must be numbers or dates: {error}.") from error
    return array


def _date(value: Any) -> Any:
    """A date of Python or pandas for NumPy: in UTC, a period by its start."""
    if hasattr(value, "to_timestamp"):
        value = value.to_timestamp()
    if hasattr(value, "to_datetime64"):
        return value.to_datetime64()
    zoned = isinstance(value, datetime) and value.tzinfo is not None
    return value.astimezone(UTC).replace(tzinfo=None) if zoned else value


def _attoseconds(length: Any, name: str) -> int:
    if hasattr(length, "to_timedelta64"):  # of pandas, to the nanosecond
        length = length.to_timedelta64()
    if isinstance(length, timedelta):
        length, size = length // timedelta(microseconds=1), _UNITS["us"]
    elif isinstance(length, np.timedelta64):
        unit, step = np.datetime_data(length.dtype)
        if unit not in _UNITS or np.isnat(length):
            raise TypeError(
                f"The {name!r} parameter must have a fixed length, which months and years have "
                f"not. Got {got(length)} instead; say it in days."
            )
        length, size = int(length.astype(np.int64)), _UNITS[unit] * step
    else:
        raise TypeError(
            f"The {name!r} parameter must be a length of time, such as "
            f"numpy.timedelta64(7, 'D') or datetime.timedelta(days=7), as times are dates. "
            f"Got {got(length)} instead."
        )
    if length < 0:
        raise ValueError(f"The {name!r} parameter must not be negative. Got {length} instead.")
    return int(length) * size
