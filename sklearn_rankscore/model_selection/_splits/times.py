"""Times of rows, cut-offs, lengths of time: numbers or dates of any library, compared exactly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import ceil, isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore._foreign import count_rows, drop_time_zone
from sklearn_rankscore._messages import describe
from sklearn_rankscore.metrics._rows.validation import (
    as_numbers,
    check_not_masked,
    check_same_length,
)
from sklearn_rankscore.model_selection._ids.lookup import describe_what_came, find

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._rows.validation import Array

# Attoseconds in NumPy's units of time; months and years have no fixed length.
_UNITS = {"as": 1, "fs": 10**3, "ps": 10**6, "ns": 10**9, "us": 10**12, "ms": 10**15, "s": 10**18}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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
                raise ValueError(_missing(name, int(np.isnat(array).argmax())))
            array = _of_fixed_ticks(array)
            return cls(array.astype(np.int64), _size_of(array.dtype))
        if array.dtype == object and _is_date(_first_known(array)):
            return cls._of_objects(array.tolist(), name)
        if array.dtype == object and all(type(number) is int for number in array):
            return cls(array)
        numbers = as_numbers(array, name)
        return cls(numbers.astype(np.float64 if numbers.dtype.kind == "f" else _short(numbers)))

    @classmethod
    def _of_objects(cls, dates: list[Any], name: str) -> Times:
        """Dates of Python and pandas, which may be of different units."""
        moments = np.empty(len(dates), dtype=object)
        for at, date in enumerate(dates):
            moment = _moment(date, name)
            if moment is None:
                raise ValueError(_missing(name, at))
            moments[at] = moment
        for tick in (_UNITS["us"], _UNITS["ns"]):
            if not (moments % tick).any() and abs(moments // tick).max() <= np.iinfo(np.int64).max:
                return cls((moments // tick).astype(np.int64), tick)
        return cls(moments, 1)

    def moments(self, at: Any = slice(None)) -> list[Any]:
        """Give chosen times as moments."""
        return [_exact(ticks * (self.tick or 1)) for ticks in self.ticks[at].tolist()]

    def before(self, moment: Any) -> Array:
        """Whether each time is before a moment."""
        if self.ticks.dtype.kind == "f":
            moment = float(moment)
        elif isinstance(moment, (int, Fraction)) or isfinite(
            moment
        ):  # the first tick that is not before it
            moment = ceil(Fraction(moment) / (self.tick or 1))
        return np.asarray(self.ticks < moment, dtype=bool)

    def span(self, length: Any, name: str) -> Any:
        """Give a length of time as a difference of moments."""
        if self.tick is not None:
            return _attoseconds(length, name)
        if not isinstance(length, Real):
            raise TypeError(
                f"The {name!r} parameter must be a number, as times are numbers. Got "
                f"{describe(length)} instead."
            )
        if not float(length) >= 0:
            raise ValueError(
                f"The {name!r} parameter must not be negative. Got {describe(length)} instead."
            )
        return _exact(length)

    def show(self, moment: Any) -> str:
        """Write a moment as a date, where times are dates."""
        if self.tick is None:
            return str(moment if isinstance(moment, int) else float(moment))
        whole = [unit for unit, size in _UNITS.items() if moment % size == 0 and unit != "W"]
        ticks = np.array([moment // _UNITS[whole[-1]]])
        return str(ticks.astype(f"datetime64[{whole[-1]}]")[0])


def _exact(number: Any) -> Any:
    """A number that adds up without rounding; infinity as it is."""
    if isinstance(number, Integral):
        return int(number)
    return Fraction(float(number)) if isfinite(number) else float(number)


def _short(numbers: Array) -> type:
    """Dtype that holds the integers."""
    fits = not numbers.size or int(numbers.max()) <= np.iinfo(np.int64).max
    return np.int64 if fits else object


def _missing(name: str, row: int) -> str:
    return f"{name} must not be missing. Got none in row {row}."


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
    check_same_length("times", len(times.ticks), count_rows(X))
    return times


def times_not_found(name: str, X: Any, y: Any, seeker: str) -> str:
    """Say where times are looked for."""
    return (
        f"{seeker} found no times. {describe_what_came(name, 'times', X, y)}Give them in one of "
        f"these ways: y = RankTarget(y, qid=…, {name}=…); a level {name!r} of the pandas index of y or "
        f"X, or an index of dates; a column {name!r} of X; or, with scikit-learn's metadata "
        f"routing enabled, fit(X, y, {name}=…)."
    )


def _as_array(values: Any, name: str) -> Array:
    """Numbers, datetime64, or the dates and whole numbers of Python and pandas as objects."""
    plain = isinstance(values, (list, tuple))
    array = np.array(values, dtype=object) if plain else np.asarray(drop_time_zone(values))
    first = _first_known(array)
    if isinstance(first, (str, timedelta, np.timedelta64)) or array.dtype.kind in "USm":
        raise ValueError(
            f"{name} must be numbers or dates. Got {describe(values)} instead; text becomes "
            "dates by pandas.to_datetime(…) or numpy.array(…, dtype='datetime64[s]')."
        )
    return array


def _first_known(array: Array) -> Any:
    return next((value for value in array.flat if value is not None), None)


def _is_date(value: Any) -> bool:
    return isinstance(value, np.datetime64) or hasattr(value, "year")


def _size_of(dtype: Any) -> int:
    """Attoseconds in a tick of a dtype of dates."""
    unit, step = np.datetime_data(dtype)
    return _UNITS[unit] * step


def _of_fixed_ticks(dates: Any) -> Any:
    """Dates whose unit has a fixed length: years and months begin on a day."""
    calendar = np.datetime_data(dates.dtype)[0] in {"Y", "M"}
    return dates.astype("datetime64[D]") if calendar else dates


def _moment(date: Any, name: str) -> int | None:
    """Attoseconds since 1970, in UTC, of a date of Python, pandas or NumPy; a period's start."""
    if hasattr(date, "to_timestamp"):
        date = date.to_timestamp()
    if hasattr(date, "to_datetime64"):
        date = date.to_datetime64()
    if date is None or (isinstance(date, np.datetime64) and np.isnat(date)):
        return None
    if isinstance(date, np.datetime64):
        date = _of_fixed_ticks(date)
        return int(date.astype(np.int64)) * _size_of(date.dtype)
    if isinstance(date, datetime):
        zoned = date if date.tzinfo else date.replace(tzinfo=UTC)
        return (zoned - _EPOCH) // timedelta(microseconds=1) * _UNITS["us"]
    if hasattr(date, "toordinal"):
        return (int(date.toordinal()) - _EPOCH.toordinal()) * _UNITS["D"]
    raise ValueError(f"{name} must be numbers or dates. Got {describe(date)} among them.")


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
                f"not. Got {describe(length)} instead; say it in days."
            )
        length, size = int(length.astype(np.int64)), _UNITS[unit] * step
    else:
        raise TypeError(
            f"The {name!r} parameter must be a length of time, such as "
            f"numpy.timedelta64(7, 'D') or datetime.timedelta(days=7), as times are dates. "
            f"Got {describe(length)} instead."
        )
    if length < 0:
        raise ValueError(f"The {name!r} parameter must not be negative. Got {length} instead.")
    return int(length) * size
