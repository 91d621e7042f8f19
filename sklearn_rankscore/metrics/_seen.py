"""Which ids have come before, kept in few bytes each."""

from __future__ import annotations

from hashlib import blake2b
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rankscore.metrics._ids import plain, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sklearn_rankscore.metrics._validation import Array

_END = 2**63  # above every whole number of 64 bits


class Seen:
    """Distinct ids of batches; an id of a later batch must be new."""

    def __init__(self) -> None:
        # Sorted runs by dtype, each at least twice as long as the next, so that there are few.
        self._runs: dict[np.dtype[Any], list[_Run]] = {}

    def add(self, ids: Array) -> None:
        """Refuse an id that has come before, and remember the others."""
        for place, keys in _keys(ids):
            runs = self._runs.setdefault(keys.dtype, [])
            for run in runs:
                again = run.has(keys)
                if again.any():
                    query = shown(ids[place[again.argmax()]])
                    raise ValueError(
                        f"Query {query} comes back in a later batch: all rows of a query must "
                        "come in one, as part of a list is scored like a shorter list. If "
                        "batches cut through queries in order, pass whole_queries(batches); if "
                        "not, sort the rows by query first."
                    )
            runs.append(_Run.of(keys, keys))
            while len(runs) > 1 and len(runs[-2].first) < 2 * len(runs[-1].first):
                runs[-2:] = [_Run.of(*map(np.concatenate, zip(*runs[-2:], strict=True)))]


class _Run(NamedTuple):
    """Keys in order; whole numbers that follow each other are kept as the first and last."""

    first: Array
    last: Array

    @classmethod
    def of(cls, first: Array, last: Array) -> _Run:
        order = np.argsort(first, kind="stable")
        first, last = first[order], last[order]
        if first.dtype.kind == "i":
            begins = np.append(True, first[1:] - 1 > last[:-1])
            first, last = first[begins], last[np.append(begins[1:], True)]
        return cls(first, last)

    def has(self, keys: Array) -> Array:
        """Whether each key is among them."""
        near = np.searchsorted(self.first, keys, side="right") - 1
        return (near >= 0) & (keys <= self.last[near])


def _keys(ids: Array) -> Iterator[tuple[Array, Array]]:
    """Whole numbers in 64 bits, 128 bits that stand for what is none; where each of them is."""
    kind = ids.dtype.kind
    if kind in "bi":
        whole = np.ones(len(ids), dtype=bool)
    elif kind in "uf":
        whole = (ids < _END) & (ids >= -_END) & (ids == np.floor(ids))
    else:
        whole = np.array([kind == "O" and _is_whole(one) for one in ids])
    place = np.flatnonzero(whole)
    if len(place):
        yield place, ids[place].astype(np.int64)
    place = np.flatnonzero(~whole)
    if len(place):
        digests = [blake2b(_spelled(one), digest_size=16).digest() for one in plain(ids[place])]
        yield place, np.array(digests, dtype="S16")


def _is_whole(one: Any) -> bool:
    if isinstance(one, float):
        return -_END <= one < _END and one.is_integer()
    return isinstance(one, Integral) and -_END <= int(one) < _END


def _spelled(one: Any) -> bytes:
    if isinstance(one, np.datetime64):  # in one unit, whichever it came in
        one = one.astype("datetime64[ns]")
    elif isinstance(one, np.generic):
        one = one.item()
    return f"{type(one).__name__} {one!r}".encode()
