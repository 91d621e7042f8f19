"""Times, cut-offs and spans as plain NumPy: int64, float64, or dates in UTC.

Dates are datetime64 in microseconds, or in nanoseconds if a date has a fraction of a microsecond.
"""

import re
from datetime import UTC, date, datetime, timedelta
from numbers import Integral, Real
from typing import Any

import numpy as np

from sklearn_rankscore._foreign import (
    check_same_order,
    count_rows,
    drop_time_zone,
    get_index_of_dates,
    unwrap_date,
)
from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.validation import (
    as_numbers,
    check_not_masked,
    check_same_length,
)
from sklearn_rankscore.model_selection._ids.lookup import describe_what_came, find

_LENGTH = re.compile(r"(?P<number>\d+) ?(?P<unit>W|D|h|m|s|ms|us|ns)")
_LARGEST = np.iinfo(np.int64).max


def find_times(name: str, X: Any, y: Any, passed: Any) -> Array | None:
    """Find the time of each row: metadata by its name, else an index of dates of y or X."""
    found = find(name, X, y, passed)
    for rows in (y, X):
        found = get_index_of_dates(rows) if found is None else found
    if found is None:
        return None
    check_same_order(X=X, y=y, times=found)
    times = read_times(found, "times")
    check_same_length("times", len(times), count_rows(X))
    return times


def describe_missing_times(name: str, X: Any, y: Any, seeker: str) -> str:
    """Write the error for times that were not found: list the ways to give them."""
    return (
        f"{seeker} found no times. {describe_what_came(name, 'times', X, y)}Give them as "
        f"RankTarget(y, qid=…, {name}=…), as a column {name!r} of X, as an index of dates or by "
        "metadata routing; see 'Honest splits' in the README."
    )


def read_times(values: Any, name: str) -> Array:
    """Convert numbers or dates of any library; refuse text, missing values and tables."""
    check_not_masked(values, name)
    is_list = isinstance(values, (list, tuple))
    array = np.array(values, dtype=object) if is_list else np.asarray(drop_time_zone(values))
    first = next((value for value in array.flat if value is not None), None)
    if isinstance(first, (str, timedelta, np.timedelta64)) or array.dtype.kind in "USm":
        raise ValueError(
            f"{name} must be numbers or dates. Got {describe(values)} instead; convert text to "
            "dates by pandas.to_datetime(…) or numpy.array(…, dtype='datetime64[s]')."
        )
    if array.ndim != 1:
        raise ValueError(f"{name} must be flat, one per row. Got shape {array.shape} instead.")
    if array.dtype.kind == "M" or isinstance(first, np.datetime64) or hasattr(first, "year"):
        return _read_dates(array, name)
    numbers = as_numbers(array, name)
    if numbers.dtype.kind == "f":
        return numbers.astype(np.float64)
    if numbers.size and int(numbers.max()) > _LARGEST:
        raise ValueError(
            f"{name} must fit into 64-bit signed integers. Got {numbers.max()}; subtract a "
            "common start, or use a coarser unit."
        )
    return numbers.astype(np.int64)


def _read_dates(array: Array, name: str) -> Array:
    """Convert datetime64 of any unit, or date objects, which may be of mixed units."""
    parts = [array]
    if array.dtype == object:
        parts = [_as_datetime64(moment, name) for moment in array]
        if len({moment.dtype for moment in parts}) == 1:
            parts = [np.array(parts)]
    missing = np.hstack([np.isnat(part) for part in parts])
    if missing.any():
        raise ValueError(f"{name} must not be missing. Got none in row {missing.argmax()}.")
    try:
        return np.hstack([_convert(part, "us", name) for part in parts])
    except ValueError:  # a fraction of a microsecond
        return np.hstack([_convert(part, "ns", name) for part in parts])


def _as_datetime64(moment: Any, name: str) -> Any:
    """Convert a date object of Python, pandas or NumPy; a period becomes its start."""
    moment = unwrap_date(moment)
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    if moment is None or isinstance(moment, (date, np.datetime64)):
        return np.datetime64(moment)
    raise ValueError(f"{name} must be numbers or dates. Got {describe(moment)} among dates.")


def _convert(values: Any, unit: str, what: str) -> Any:
    """Convert dates or spans to another unit; refuse those that it would wrap or round."""
    converted = values.astype(f"{values.dtype.kind}8[{unit}]")
    if not (converted.astype(values.dtype) == values).all():
        raise ValueError(_describe_misfit(values, unit, what))
    return converted


def _describe_misfit(value: Any, unit: str, what: str) -> str:
    return (
        f"{what} must be a whole number of {'micro' if unit == 'us' else 'nano'}seconds, the unit "
        f"of these times, of at most 64 bits. Got {describe(value)} instead."
    )


def _get_unit(times: Array) -> str:
    return np.datetime_data(times.dtype)[0]


def read_cutoffs(values: Any, times: Array) -> list[Any]:
    """Convert cut-offs to the unit of the times: rising numbers, or dates, also as ISO text."""
    given, are_dates = np.atleast_1d(np.asarray(values)), times.dtype.kind == "M"
    if are_dates and all(isinstance(cutoff, str) for cutoff in given.tolist()):
        try:
            given = np.array(given.tolist(), dtype="datetime64")
        except ValueError as error:
            raise ValueError(
                f"cutoffs must be dates such as '2026-01-31'. Got {describe(values)} instead."
            ) from error
    cutoffs = read_times(given, "cutoffs")
    if (cutoffs.dtype.kind == "M") != are_dates:
        kind = "dates" if are_dates else "numbers"
        raise ValueError(f"cutoffs must be {kind}, as times are. Got {describe(values)} instead.")
    if are_dates:
        cutoffs = _convert(cutoffs, _get_unit(times), "cutoffs")
    if (cutoffs[1:] <= cutoffs[:-1]).any():
        raise ValueError(f"cutoffs must rise. Got {describe(values)} instead.")
    return list_moments(cutoffs)


def list_moments(times: Array) -> list[Any]:
    """List times as scalars: numpy.datetime64, or Python numbers, whose sums never overflow."""
    return list(times) if times.dtype.kind == "M" else times.tolist()


def read_span(span: Any, name: str, times: Array) -> Any:
    """Convert a length of time to the unit of the times; refuse a negative one."""
    what = f"The {name!r} parameter"
    if times.dtype.kind == "M":
        converted = _convert(_as_timedelta64(span, what), _get_unit(times), what)
        negative = converted < np.timedelta64(0)
    elif isinstance(span, Real):
        converted = int(span) if isinstance(span, Integral) else float(span)
        negative = not converted >= 0  # NaN too
    else:
        raise TypeError(
            f"{what} must be a number, as times are numbers. Got {describe(span)} instead."
        )
    if negative:
        raise ValueError(f"{what} must not be negative. Got {describe(span)} instead.")
    return converted


def _as_timedelta64(span: Any, what: str) -> Any:
    """Convert a timedelta of Python, pandas or NumPy; refuse one that has no fixed length."""
    span = unwrap_date(span)
    if isinstance(span, str) and (match := _LENGTH.fullmatch(span)):
        unit: Any = match["unit"]
        span = np.timedelta64(int(match["number"]), unit)
    if isinstance(span, timedelta):
        microseconds = span // timedelta(microseconds=1)
        if abs(microseconds) > _LARGEST:
            raise ValueError(_describe_misfit(span, "us", what))
        return np.timedelta64(microseconds, "us")
    if not isinstance(span, np.timedelta64):
        raise TypeError(
            f"{what} must be a length of time, such as '7D', '12h' or datetime.timedelta(days=7), "
            f"as times are dates. Got {describe(span)} instead."
        )
    if np.isnat(span) or np.datetime_data(span.dtype)[0] in {"Y", "M", "generic"}:
        raise TypeError(
            f"{what} must have a fixed length, which months and years have not. Got "
            f"{describe(span)} instead; give it in days."
        )
    return span


def add_span(moment: Any, span: Any) -> Any:
    """Add a span, which may be negative; refuse a date that 64 bits cannot hold."""
    if isinstance(moment, np.datetime64):
        ticks = int(moment.astype(np.int64)) + int(span.astype(np.int64))
        if abs(ticks) > _LARGEST:
            raise ValueError(f"{moment} and the span {span} add up to a date beyond 64 bits.")
    return moment + span


def format_moment(moment: Any) -> str:
    """Write a date without the zeros of its time of day, or a number."""
    is_date = isinstance(moment, np.datetime64)
    return str(np.datetime_as_string(moment, unit="auto") if is_date else moment)
