"""Ids that are text, numbered at the speed of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._validation import Array

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def text_codes(text: Array) -> tuple[Array, Array]:
    """Distinct texts of a "U" or "S" array, and the number of each text among them.

    Texts are told apart by a hash of their characters; that equal hashes are equal texts is
    checked, and where it fails they are sorted.
    """
    text = np.ascontiguousarray(text)
    width = text.dtype.itemsize // (4 if text.dtype.kind == "U" else 1)
    letters: Array = text.view(np.uint32 if text.dtype.kind == "U" else np.uint8)
    key = np.zeros(len(text), dtype=np.uint64)
    for column in letters.reshape(-1, width).T:
        key += column
        key *= _ODD
        key ^= key >> _SHIFT
    distinct, codes = np.unique(key, return_inverse=True)
    codes = codes.ravel()
    row = np.empty(len(distinct), dtype=np.intp)
    row[codes] = np.arange(len(text))
    ids = text[row]
    if not (ids[codes] == text).all():
        ids, codes = np.unique(text, return_inverse=True)
        codes = codes.ravel()
    return ids, codes
