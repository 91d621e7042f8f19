"""One spelling for each id: equal ids, of whatever type, are spelled alike in every process."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from numbers import Integral, Number
from typing import Any
from uuid import UUID

import numpy as np

# Attoseconds, the finest unit that NumPy has, in each of the units of fixed length.
_UNITS = {"as": 1, "fs": 10**3, "ps": 10**6, "ns": 10**9, "us": 10**12, "ms": 10**15}
_UNITS |= {"s": 10**18, "m": 60 * 10**18, "h": 3600 * 10**18, "D": 86_400 * 10**18}

_LONGEST = 4000  # bits of a number that is written out, or digits; of more, equality says enough


def canonical(one: Any) -> Any:
    """Give what has the same repr for all equal ids; None for one that cannot be spelled."""
    for types, spell in _SPELLED:
        if isinstance(one, types):
            return spell(one)
    return None


def _number(one: Any) -> Any:
    if isinstance(one, (np.bool_, np.integer, Integral)):
        return int(one) if int(one).bit_length() <= _LONGEST else None
    if one.imag:
        return "complex", _number(one.real), _number(one.imag)
    try:
        numerator, denominator = one.real.as_integer_ratio()
    except (OverflowError, ValueError):  # infinite
        return str(float(one.real))
    exact = int(numerator), int(denominator)
    if max(map(int.bit_length, exact)) > _LONGEST:
        return None
    return exact[0] if exact[1] == 1 else exact


def _decimal(one: Decimal) -> Any:
    if one and abs(one.adjusted()) > _LONGEST:  # written out it may not fit into memory
        return None
    return _number(one)


def _date(one: Any) -> Any:
    if not isinstance(one, datetime):
        return "date", _attoseconds(np.datetime64(one))
    if not hasattr(one, "to_datetime64"):  # equal whichever it is of the two hours when clocks go
        one = one.replace(fold=0)  # back; to pandas they are not
    ahead = one.utcoffset() or timedelta(0)
    one = one.replace(tzinfo=None)
    one = one.to_datetime64() if hasattr(one, "to_datetime64") else np.datetime64(one)
    return "date", _attoseconds(one) - _attoseconds(np.timedelta64(ahead))


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
    (Decimal, _decimal),
    ((Number, np.number, np.bool_), _number),
    ((tuple, frozenset), _several),
    (UUID, lambda one: ("uuid", one.int)),
)


def same_id(one: Any, other: Any) -> bool:
    """Whether two ids are of the same query."""
    spelled = canonical(one)
    return bool(one == other) if spelled is None else spelled == canonical(other)
