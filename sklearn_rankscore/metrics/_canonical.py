"""One spelling for each id: equal ids, of whatever type, are spelled alike in every process."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from numbers import Integral, Number
from typing import Any
from uuid import UUID

import numpy as np

# Attoseconds, the finest unit that NumPy has, in each of the units of fixed length.
_UNITS = {"as": 1, "fs": 10**3, "ps": 10**6, "ns": 10**9, "us": 10**12, "ms": 10**15}
_UNITS |= {"s": 10**18, "m": 60 * 10**18, "h": 3600 * 10**18, "D": 86_400 * 10**18}


def canonical(one: Any) -> Any:
    """Give what has the same repr for all equal ids; None for one of a type that is not known."""
    for types, spell in _SPELLED:
        if isinstance(one, types):
            return spell(one)
    return None


def _number(one: Any) -> Any:
    if isinstance(one, (np.bool_, np.integer, Integral)):
        return int(one)
    if one.imag:
        return "complex", _number(one.real), _number(one.imag)
    try:
        numerator, denominator = one.real.as_integer_ratio()
    except (OverflowError, ValueError):  # infinite
        return str(float(one.real))
    exact = int(numerator), int(denominator)
    return exact[0] if exact[1] == 1 else exact


def _date(one: Any) -> Any:
    if isinstance(one, datetime):
        one = one.astimezone(UTC).replace(tzinfo=None) if one.tzinfo else one
        one = one.to_datetime64() if hasattr(one, "to_datetime64") else one
    return "date", _attoseconds(np.datetime64(one))


def _duration(one: Any) -> Any:
    one = one.to_timedelta64() if hasattr(one, "to_timedelta64") else one
    return "duration", _attoseconds(np.timedelta64(one))


def _attoseconds(one: Any) -> Any:
    unit, count = np.datetime_data(one.dtype)
    if unit not in _UNITS and one.dtype.kind == "M":  # weeks, months, years
        one, (unit, count) = one.astype("datetime64[D]"), ("D", 1)
    if unit not in _UNITS:
        return unit, count * int(one.astype(np.int64))
    return _UNITS[unit] * count * int(one.astype(np.int64))


def _several(many: Any) -> Any:
    spelled = [canonical(one) for one in many]
    if None in spelled:
        return None
    return tuple(spelled) if isinstance(many, tuple) else ("set", *sorted(map(repr, spelled)))


_SPELLED: tuple[tuple[Any, Any], ...] = (
    (str, "".join),  # of its own type, whatever a subclass writes
    (bytes, bytes),
    ((date, np.datetime64), _date),
    ((timedelta, np.timedelta64), _duration),
    ((Number, np.number, np.bool_), _number),
    ((tuple, frozenset), _several),
    (UUID, lambda one: ("uuid", one.int)),
)


def same_id(one: Any, other: Any) -> bool:
    """Whether two ids are of the same query."""
    spelled = canonical(one)
    return bool(one == other) if spelled is None else spelled == canonical(other)
