"""Ids of any type, of queries and of items: what can be compared and numbered of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore._messages import describe

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._rows.validation import Array

# Kinds of NumPy's dtypes that hold values of a plain type as they are.
_KINDS = {bool: "b", int: "iu", float: "f", str: "U"}


def encode_ids(ids: Any, name: str) -> tuple[Array, Array | None]:
    """Comparable codes of ids, and the ids by code (None where they are the codes)."""
    if hasattr(ids, "factorize") and not isinstance(ids.dtype, np.dtype):
        if ids.dtype.kind != "f":
            return _encode_objects(ids, name)  # by pandas, which is quicker than a loop
        # Not by the hash tables of Arrow, which tell two zeros apart and take NaN for an id.
        ids = ids.to_numpy(dtype=np.float64, na_value=np.nan)
    # A list goes in as objects: NumPy would turn [1, "1"] into two equal strings.
    array = np.asarray(ids) if hasattr(ids, "__array__") else as_objects(ids, name)
    if np.ma.isMaskedArray(ids) and np.ma.getmaskarray(ids).any():
        raise ValueError(_missing_id(name, int(np.ma.getmaskarray(ids).argmax())))
    if array.ndim != 1:
        raise ValueError(
            f"{name} must have one id per row, shape (n_rows,). Got shape {array.shape} instead."
        )
    if array.dtype.kind in "OTV":
        return _encode_objects(array, name)
    if array.dtype.kind in "fcmM" and (array != array).any():  # noqa: PLR0124 - NaN and NaT
        row = int(np.flatnonzero(array != array)[0])  # noqa: PLR0124
        raise ValueError(_missing_id(name, row))
    return array, None


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
        array = np.asarray(listed)
        # Large integers beside small ones would turn into floats, text would lose its last NUL.
        if array.dtype.kind in kind and array.tolist() == listed:
            return array
    return objects


def as_python_values(ids: Array) -> list[Any]:
    """Ids as Python has them, but dates as NumPy does."""
    # NumPy would turn dates of nanoseconds into numbers.
    return list(ids) if ids.dtype.kind in "mM" else ids.tolist()


def _encode_objects(objects: Any, name: str) -> tuple[Array, Array]:
    try:
        rows, distinct = _numbered(objects)
    except TypeError as error:
        raise TypeError(
            f"{name} must hold hashable ids (numbers, text, dates, tuples): {error}."
        ) from error
    missing = [code for code, query in enumerate(distinct) if is_missing(query)]
    gaps = np.isin(rows, [-1, *missing])
    if gaps.any():
        raise ValueError(_missing_id(name, int(gaps.argmax())))
    return rows, narrow_dtype(distinct) if distinct.dtype == object else distinct


def _numbered(objects: Any) -> tuple[Array, Array]:
    """Codes of ids, -1 of one that is missing, and the distinct ones."""
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


def _missing_id(name: str, row: int) -> str:
    if "qid" not in name:
        return f"{name} must not be missing: row {row} has no item id. Drop such rows."
    return (
        f"{name} must not be missing: row {row} has no query id. Drop such rows, or give each of "
        "them an id of its own."
    )
