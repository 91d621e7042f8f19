"""Times of rows, and lengths of time: numbers or dates of any library, made comparable."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore.metrics._rows import check_same_length
from sklearn_rankscore.metrics._validation import as_numbers, got
from sklearn_rankscore.model_selection._lookup import find, n_rows

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._validation import Array


def find_times(name: str, X: Any, y: Any, passed: Any) -> Array | None:
    """Time of each row: where all metadata is found, else a DatetimeIndex of y or X, else None."""
    found = find(name, X, y, passed)
    for rows in (y, X):
        index = getattr(rows, "index", None)
        if found is None and getattr(getattr(index, "dtype", None), "kind", "") == "M":
            found = index
    if found is None:
        return None
    times = as_times(found, "times")
    check_same_length("times", len(times), n_rows(X))
    return times


def times_not_found(name: str, seeker: str) -> str:
    """Say where times are looked for."""
    return (
        f"{seeker} found no times. Give them in one of these ways: y = RankTarget(y, qid=…, "
        f"{name}=…); a level {name!r} of the pandas index of y or X, or a DatetimeIndex; a column "
        f"{name!r} of X; or, with scikit-learn's metadata routing enabled, fit(X, y, {name}=…)."
    )


def as_times(values: Any, name: str) -> Array:
    """Numbers as they are, dates as datetime64 in UTC; nothing missing, one dimension."""
    dtype = getattr(values, "dtype", None)
    zoned = getattr(dtype, "kind", "") == "M" and not isinstance(dtype, np.dtype)
    # A pandas column with a time zone gives objects unless it is asked for dates.
    array = np.asarray(values, dtype="datetime64[ns]") if zoned else np.asarray(values)
    if array.dtype == object and array.size and _is_date(array.ravel()[0]):
        array = _dates(array)
    if array.dtype.kind == "M":
        if np.isnat(array).any():
            raise ValueError(f"{name} must not be missing. Got NaT at {np.isnat(array).argmax()}.")
    elif array.dtype.kind in "USm":
        raise ValueError(
            f"{name} must be numbers or dates. Got {got(values)} instead; text becomes dates by "
            "pandas.to_datetime(…) or numpy.array(…, dtype='datetime64[s]')."
        )
    else:
        array = as_numbers(array, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be flat, one per row. Got shape {array.shape} instead.")
    if array.dtype.kind not in "bu":
        return array
    # Unsigned, a cut-off less a gap would not go below zero; Python's integers hold any.
    fits = not array.size or int(array.max()) <= np.iinfo(np.int64).max
    return array.astype(np.int64 if fits else object)


def as_span(span: Any, times: Array, name: str) -> Any:
    """Give a length of time in the unit of the times; None: no length was given."""
    if span is None:
        return None
    if times.dtype.kind == "M":
        if not isinstance(span, (timedelta, np.timedelta64)):
            raise TypeError(
                f"The {name!r} parameter must be a length of time, such as "
                f"numpy.timedelta64(7, 'D') or datetime.timedelta(days=7), as times are dates. "
                f"Got {got(span)} instead."
            )
        to_numpy = getattr(span, "to_timedelta64", None)  # of pandas, to the nanosecond
        length: Any = to_numpy() if to_numpy else np.timedelta64(span)
        if np.datetime_data(length.dtype)[0] in {"Y", "M", "generic"}:
            raise TypeError(
                f"The {name!r} parameter must have a fixed length, which months and years have "
                f"not. Got {got(span)} instead; say it in days."
            )
    elif isinstance(span, Real):
        length = span
    else:
        raise TypeError(
            f"The {name!r} parameter must be a number, as times are numbers. Got {got(span)} "
            "instead."
        )
    if not length >= 0 * length:
        raise ValueError(f"The {name!r} parameter must not be negative. Got {got(span)} instead.")
    return length


def _is_date(value: Any) -> bool:
    return hasattr(value, "year") and hasattr(value, "month")


def _dates(objects: Array) -> Array:
    """Dates of Python and pandas; those with a time zone in UTC, periods by their start."""
    try:
        return np.array([_date(value) for value in objects.tolist()], dtype="datetime64[us]")
    except (TypeError, ValueError) as error:
        raise ValueError(f"times must be numbers or dates: {error}.") from error


def _date(value: Any) -> Any:
    if hasattr(value, "to_timestamp"):
        return value.to_timestamp()
    zoned = isinstance(value, datetime) and value.tzinfo is not None
    return value.astimezone(UTC).replace(tzinfo=None) if zoned else value
