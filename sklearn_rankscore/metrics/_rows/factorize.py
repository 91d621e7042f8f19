"""Factorize ids: which distinct ids there are, and the number of each row's id."""

import numpy as np

from sklearn_rankscore._typing import Array

ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def factorize(values: Array) -> tuple[Array, Array, Array]:
    """Give the distinct ids of numbers, dates or texts, the number of each row's id, and counts.

    The numbers are of 32 bits where they fit, to halve the memory that is moved.
    """
    if values.dtype.kind in "biu":
        low, high = int(values.min()), int(values.max())
        if high - low <= 8 * values.size + 1000:  # counting is faster than hashing
            return _number_by_counting(values, low)
        ids, numbers = number_by_hash_table(values)
    elif values.dtype.kind in "US":
        ids, numbers = _number_text(values)
    else:
        ids, numbers = number_by_sorting(values)
    return ids, numbers, np.bincount(numbers)


def number_by_sorting(values: Array) -> tuple[Array, Array]:
    """Number ids in their order."""
    ids, numbers = np.unique(values, return_inverse=True)
    return ids, _in_32_bits(numbers.ravel(), len(ids))


def number_by_hash_table(values: Array) -> tuple[Array, Array]:
    """Number integers with a one-probe hash table; the few that collide are sorted.

    Much faster than sorting all of them.
    """
    slots = 1 << min(max(len(values).bit_length() - 2, 4), 22)
    wide = values.astype(np.int64 if values.dtype.kind != "u" else np.uint64, copy=False)
    slot = ((wide.view(np.uint64) * ODD) >> np.uint64(65 - slots.bit_length())).astype(np.intp)
    holder = np.zeros(slots, dtype=wide.dtype)
    holder[slot] = wide
    held = np.zeros(slots, dtype=bool)
    held[slot] = True
    taken = np.flatnonzero(held)
    number_of = np.zeros(slots, dtype=np.int32)
    number_of[taken] = np.arange(len(taken))
    numbers = number_of[slot]
    others = np.flatnonzero(holder[slot] != wide)
    ids, numbers[others] = number_by_sorting(wide[others])
    numbers[others] += len(taken)
    return np.concatenate((holder[taken], ids)).astype(values.dtype), numbers


def _number_by_counting(values: Array, low: int) -> tuple[Array, Array, Array]:
    """Number integers of a narrow range by counting each of them."""
    wide = values.dtype if values.dtype.kind == "u" else np.dtype(np.int64)
    above_low = values.astype(wide, copy=False)
    if low:
        above_low = above_low - wide.type(low)
    above_low = above_low.astype(np.int64, copy=False)
    counts = np.bincount(above_low)
    present = counts > 0
    ids = np.flatnonzero(present).astype(wide) + wide.type(low)
    if len(ids) == len(present):
        return ids, _in_32_bits(above_low, len(ids)), counts
    numbers = _in_32_bits(np.cumsum(present) - 1, len(ids))
    return ids, numbers[above_low], counts[present]


def _number_text(text: Array) -> tuple[Array, Array]:
    """Number texts by a hash of their characters.

    If two different texts share a hash, sort them all instead.
    """
    text = np.ascontiguousarray(text)
    width = text.dtype.itemsize // (4 if text.dtype.kind == "U" else 1)
    letters: Array = text.view(np.uint32 if text.dtype.kind == "U" else np.uint8)
    key = np.zeros(len(text), dtype=np.uint64)
    for column in letters.reshape(-1, width).T:
        key += column
        key *= ODD
        key ^= key >> _SHIFT
    distinct, numbers = number_by_hash_table(key)
    row = np.empty(len(distinct), dtype=np.intp)
    row[numbers] = np.arange(len(text))
    ids = text[row]
    return (ids, numbers) if (ids[numbers] == text).all() else number_by_sorting(text)


def _in_32_bits(numbers: Array, n_ids: int) -> Array:
    return numbers.astype(np.int32 if n_ids < 2**31 else np.int64, copy=False)
