"""Which ids have come before, kept in few bytes each."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from sklearn_rankscore._messages import format_id
from sklearn_rankscore.metrics._rows.canonical import canonical
from sklearn_rankscore.metrics._rows.ids import as_python_values

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._rows.validation import Array

_END = 2**63  # above every whole number of 64 bits


class Seen:
    """Distinct ids of batches; an id of a later batch must be new."""

    def __init__(self) -> None:
        # Sorted runs by dtype, each at least twice as long as the next, so that there are few.
        self._runs: dict[np.dtype[Any], list[_Run]] = {}
        self._others: set[Any] = set()  # of types that are not known, kept as they are

    def add(self, ids: Array) -> None:
        """Refuse an id that has come before, and remember the others."""
        if ids.dtype.kind in "bi" or (ids.dtype.kind in "uf" and _are_whole(ids)):
            self._add(ids, np.arange(len(ids)), ids.astype(np.int64))
            return
        whole, digests = _Keys([], []), _Keys([], [])
        for at, one in enumerate(as_python_values(ids)):
            spelled = canonical(one)
            if isinstance(spelled, int) and -_END <= spelled < _END:
                whole.add(at, spelled)
            elif spelled is not None:
                digests.add(at, blake2b(repr(spelled).encode(), digest_size=16).digest())
            elif one in self._others:
                _refuse(one)
            else:
                self._others.add(one)
        for keys, dtype in ((whole, np.dtype(np.int64)), (digests, np.dtype("S16"))):
            self._add(ids, np.array(keys.place, dtype=np.intp), np.array(keys.keys, dtype=dtype))

    def _add(self, ids: Array, place: Array, keys: Array) -> None:
        if not len(place):
            return
        runs = self._runs.setdefault(keys.dtype, [])
        for run in runs:
            again = run.has(keys)
            if again.any():
                _refuse(ids[place[again.argmax()]])
        runs.append(_Run.of(keys, keys))
        while len(runs) > 1 and len(runs[-2].first) < 2 * len(runs[-1].first):
            runs[-2:] = [_Run.of(*map(np.concatenate, zip(*runs[-2:], strict=True)))]


def _refuse(query: Any) -> NoReturn:
    raise ValueError(
        f"Query {format_id(query)} comes back in a later batch: all rows of a query must come "
        "in one, "
        "as part of a list is scored like a shorter list. If batches cut through queries in "
        "order, pass whole_queries(batches); if not, sort the rows by query first."
    )


class _Run(NamedTuple):
    """Keys in order; of whole numbers that follow each other, the first and the last."""

    first: Array
    last: Array

    @classmethod
    def of(cls, first: Array, last: Array) -> _Run:
        """Put keys in order."""
        order = np.argsort(first, kind="stable")
        first = first[order]
        if first.dtype.kind != "i":
            return cls(first, first)
        last = last[order]
        begins = np.append(True, first[1:] - 1 > last[:-1])
        return cls(first[begins], last[np.append(begins[1:], True)])

    def has(self, keys: Array) -> Array:
        """Whether each key is among them."""
        near = np.searchsorted(self.first, keys, side="right") - 1
        return (near >= 0) & (keys <= self.last[near])


class _Keys(NamedTuple):
    """Keys of ids, and where each of these is."""

    place: list[int]
    keys: list[Any]

    def add(self, place: int, key: Any) -> None:
        """Add a key."""
        self.place.append(place)
        self.keys.append(key)


def _are_whole(ids: Array) -> bool:
    """Whether all are whole numbers of 64 bits."""
    return bool(((ids < _END) & (ids >= -_END) & (ids == np.floor(ids))).all())
