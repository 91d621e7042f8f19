"""Ids, numbered: what distinct ids there are, and the number of each row's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._validation import Array

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def number(values: Array) -> tuple[Array, Array]:
    """Distinct ids of an array of numbers, dates or texts, and the number of each value's.

    The numbers are 32-bit where they fit, to halve the memory that is moved.
    """
    if values.dtype.kind in "biu":
        low, high = int(values.min()), int(values.max())
        if high - low <= 8 * values.size + 1000:  # counted faster than sorted
            return _count(values, low)
    if values.dtype.kind in "US":
        return _by_hash(values)
    ids, numbers = np.unique(values, return_inverse=True)
    return ids, _short(numbers.ravel(), len(ids))


def _count(values: Array, low: int) -> tuple[Array, Array]:
    wide = values.dtype if values.dtype.kind == "u" else np.dtype(np.int64)
    above_low = values.astype(wide, copy=False)
    if low:
        above_low = above_low - wide.type(low)
    above_low = above_low.astype(np.int64, copy=False)
    present = np.bincount(above_low) > 0
    ids = np.flatnonzero(present).astype(wide) + wide.type(low)
    if len(ids) == len(present):
        return ids, _short(above_low, len(ids))
    return ids, _short(np.cumsum(present) - 1, len(ids))[above_low]


def _by_hash(text: Array) -> tuple[Array, Array]:
    """Tell texts apart by a hash of their characters.

    That equal hashes are equal texts is checked; where it fails, they are sorted.
    """
    text = np.ascontiguousarray(text)
    width = text.dtype.itemsize // (4 if text.dtype.kind == "U" else 1)
    letters: Array = text.view(np.uint32 if text.dtype.kind == "U" else np.uint8)
    key = np.zeros(len(text), dtype=np.uint64)
    for column in letters.reshape(-1, width).T:
        key += column
        key *= _ODD
        key ^= key >> _SHIFT
    distinct, numbers = np.unique(key, return_inverse=True)
    numbers = _short(numbers.ravel(), len(distinct))
    row = np.empty(len(distinct), dtype=np.intp)
    row[numbers] = np.arange(len(text))
    ids = text[row]
    if not (ids[numbers] == text).all():
        ids, numbers = np.unique(text, return_inverse=True)
    return ids, _short(numbers.ravel(), len(ids))


def _short(numbers: Array, n_ids: int) -> Array:
    return numbers.astype(np.int32 if n_ids < 2**31 else np.int64, copy=False)
