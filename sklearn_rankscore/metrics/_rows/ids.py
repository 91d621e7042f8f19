"""Ids that NumPy does not hold as they are: objects, and columns of pandas' own types."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array

_WIDE = 1 << 20  # letters that text of fixed width may take, whatever its lengths
# Kinds of NumPy's dtypes that hold values of a plain type as they are.
_KINDS = {bool: "b", int: "iu", float: "f", str: "U"}


def as_objects(values: Any, name: str) -> Array:
    """Take a list as it is, one object per row."""
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
        raise TypeError(
            f"{name} must be an array or a list, one value per row. Got {describe(values)} "
            "instead."
        )
    return np.fromiter(values, dtype=object, count=len(values))


def narrow_dtype(objects: Array) -> Array:
    """Give objects of one plain type their own dtype, where that keeps every value."""
    listed = objects.tolist()
    kinds = {_KINDS.get(type(value)) for value in listed}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is not None:
        if kind == "U" and len(listed) * max(map(len, listed)) > _WIDE + 8 * sum(map(len, listed)):
            return objects  # one long text would make all of them as wide
        array = np.asarray(listed)
        # Large integers beside small ones would turn into floats, text would lose its last NUL.
        if array.dtype.kind in kind and array.tolist() == listed:
            return array
    return objects


def as_python_values(ids: Array) -> list[Any]:
    """Give ids as Python has them, but dates as NumPy does."""
    # NumPy turns dates of nanoseconds into numbers.
    return list(ids) if ids.dtype.kind in "mM" else ids.tolist()


def encode_objects(objects: Any, name: str) -> tuple[Array, Array]:
    """Give the number of each id, and the distinct ids; refuse a missing one."""
    try:
        rows, distinct = _number_objects(objects)
    except TypeError as error:
        raise TypeError(
            f"{name} must hold hashable ids (numbers, text, dates, tuples): {error}."
        ) from error
    missing = [code for code, query in enumerate(distinct) if is_missing(query)]
    gaps = np.isin(rows, [-1, *missing])
    if gaps.any():
        raise ValueError(describe_missing_id(name, int(gaps.argmax())))
    return rows, narrow_dtype(distinct) if distinct.dtype == object else distinct


def _number_objects(objects: Any) -> tuple[Array, Array]:
    """Give the number of each id, -1 for one that is missing, and the distinct ids."""
    if hasattr(objects, "factorize"):
        rows, distinct = objects.factorize()
        return rows, np.asarray(distinct)
    codes: dict[Any, int] = {}
    rows = [codes.setdefault(query, len(codes)) for query in objects]
    distinct = np.fromiter(codes, dtype=object, count=len(codes))
    return np.asarray(rows, dtype=np.intp), distinct


def is_missing(query: Any) -> bool:
    """Whether a value is None, NaN, NaT or NA, or a tuple with one."""
    if isinstance(query, tuple):
        return any(map(is_missing, query))
    try:
        return query is None or bool(query != query)  # noqa: PLR0124 - NaN and NaT
    except (TypeError, ValueError):  # pandas.NA compares to neither
        return True


def describe_missing_id(name: str, row: int) -> str:
    """Say which row has no id, for an error message."""
    if "qid" not in name:
        return f"{name} must not be missing: row {row} has none. Drop such rows."
    return (
        f"{name} must not be missing: row {row} has no query id. Drop such rows, or give each of "
        "them an id of its own."
    )


def check_same_kind_of_ids(ids: Array, before: str = "") -> str:
    """Name the kind of the ids of one part of a column; refuse another kind than `before`."""
    return check_same_kind(name_kind_of_ids(ids), before)


def check_same_kind(kind: str, before: str) -> str:
    """Refuse ids of another kind than `before`, the kind of earlier parts ("" if none)."""
    if before and kind != before:
        raise ValueError(
            f"Query ids must be of one type in all parts of a column. Got {kind} beside {before}; "
            "cast the column, for example to text by astype(str)."
        )
    return kind


def name_kind_of_ids(ids: Array) -> str:
    """Name the kind of ids: whole numbers, floats, text, dates of one unit, or one type.

    Within one kind, Python tells whether two ids are equal, wherever they come from.
    """
    if ids.dtype.kind in "biu":
        return "uint64" if ids.dtype == np.uint64 else "whole numbers"
    if ids.dtype.kind in "mM":
        return str(ids.dtype)
    if ids.dtype.kind in "fcUS":
        return {"f": "floats", "c": "complex numbers", "U": "text", "S": "bytes"}[ids.dtype.kind]
    types = sorted({type(one).__name__ for one in ids.tolist()})
    if len(types) > 1:
        raise ValueError(
            f"Query ids must be of one type. Got {' and '.join(types)}; cast them, for example to "
            "text by astype(str)."
        )
    return "text" if types == ["str"] else types[0]
