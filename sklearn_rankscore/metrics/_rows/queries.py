"""From query ids to runs of rows, and from runs to rectangular blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rankscore._messages import format_id
from sklearn_rankscore.metrics._rows.factorize import factorize
from sklearn_rankscore.metrics._rows.ids import encode_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sklearn_rankscore.metrics._rows.validation import Array

# A block of about this many cells stays in the processor's cache while it is worked on.
_CELLS = 1 << 16
_MANY_CELLS = 1 << 19
# Below this size a block costs more to start than its padding costs to carry.
_SMALL = 1 << 12
# Rows that tell whether the rest is in order.
_FEW = 1000
# At least this share of a block's cells hold rows.
_FILLED = 0.85


@dataclass(frozen=True)
class Block:
    """Queries of similar length, to be laid out as a rectangle: a line per query."""

    queries: Array | slice  # (n,) number of each query
    starts: Array  # (n,) its first row
    lengths: Array  # (n,) its number of rows, rising

    @property
    def width(self) -> int:
        """Columns of the rectangle: rows of the longest query."""
        return int(self.lengths[-1])

    def take(self, values: Array, fill: float) -> Array:
        """Lay out one value per row; `fill` stands beyond each query's end."""
        width, step = self.width, values.itemsize
        n_runs = len(values) - width + 1
        if self.starts.max() < n_runs:
            # A view of every run of `width` values: a query is one copy of contiguous memory.
            runs = np.ndarray((n_runs, width), values.dtype, values, strides=(step, step))
            taken = runs[self.starts]
        else:  # the last query of all is too short for its block
            taken = np.take(values, self.starts[:, None] + np.arange(width), mode="clip")
        shortest = int(self.lengths[0])
        if shortest < width:
            taken[:, shortest:][self.beyond(shortest)] = fill
        return taken

    def beyond(self, column: int = 0) -> Array:
        """Cells beyond each query's end, from a column on."""
        return np.arange(column, self.width) >= self.lengths[:, None]


@dataclass(frozen=True)
class Queries:
    """Which rows belong together."""

    ids: Array  # (n_queries,)
    starts: Array  # (n_queries,) first row of each query, once the rows are arranged; rising
    lengths: Array  # (n_queries,)
    codes: Array | None = None  # (n_rows,) query of each row; None: the rows lie together
    rectangular: bool = False  # given as a rectangle, a line per query

    @classmethod
    def from_ids(cls, qid: Any) -> Queries:
        """Group rows by id; ids that are already contiguous cost one comparison pass."""
        if isinstance(qid, str):
            raise TypeError(f"qid must be the ids themselves, one per row. Got the text {qid!r}.")
        values, ids = encode_ids(qid, "qid")
        if not len(values):
            return cls(values, values.astype(np.intp), values.astype(np.intp))
        # Rows in random order are told by the first few.
        starts = None if _comes_back(values[:_FEW]) else _run_starts(values)
        if starts is None or _comes_back(values, starts):
            distinct, codes, lengths = factorize(values)
            starts = np.cumsum(lengths) - lengths
            return cls(distinct if ids is None else ids[distinct], starts, lengths, codes)
        heads = values[starts]
        lengths = np.empty_like(starts)
        np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
        lengths[-1] = len(values) - starts[-1]
        return cls(heads if ids is None else ids[heads], starts, lengths)

    @classmethod
    def from_rectangle(cls, shape: tuple[int, ...]) -> Queries:
        """Take each row of a rectangle as a query."""
        n_queries, width = shape
        ids = np.arange(n_queries)
        return cls(ids, ids * width, np.full(n_queries, width), rectangular=True)

    @property
    def n_rows(self) -> int:
        """How many rows they have."""
        return int(self.lengths.sum())

    @cached_property
    def _order(self) -> Array:
        """Row numbers that bring each query's rows together, by a counting sort of the codes.

        The sort is that by which a sparse matrix of one column, an entry for each row, is stored
        by its lines.
        """
        codes = np.asarray(self.codes)
        row = np.arange(len(codes), dtype=np.int32 if len(codes) < 2**31 else np.int64)
        entries = (row, codes, np.array([0, len(codes)]))
        return np.asarray(sparse.csc_matrix(entries, shape=(len(self.ids), 1)).tocsr().data)

    def arrange_both(self, score: Array, grade: Array) -> tuple[Array, Array]:
        """Arrange scores and grades; short grades are moved with the scores, in one pass."""
        if self.codes is None or grade.dtype != np.int16:
            return self.arrange(score), self.arrange(grade)
        lowest, highest = int(grade.min()), int(grade.max())
        column = grade.astype(np.int32)  # what indices of a matrix are
        if lowest < 0:
            column -= lowest
            highest -= lowest
        shape = (len(self.ids), highest + 1)
        entries = sparse.coo_matrix((score, (self.codes, column)), shape=shape)
        entries.has_canonical_format = True  # rows of one grade stay apart
        lines = entries.tocsr()
        arranged = lines.indices.astype(np.int16)
        if lowest < 0:
            arranged += np.int16(lowest)  # what wrapped around comes back
        return lines.data, arranged

    def arrange(self, values: Array) -> Array:
        """Put one value per row in the order in which each query's rows lie together."""
        if self.codes is None:
            return np.ascontiguousarray(values)
        return np.ascontiguousarray(values).take(self._order)

    def in_order_of_appearance(self, values: Array) -> Array:
        """Put one value per query in the order in which the queries are first met."""
        if self.codes is None:
            return values
        return values[np.argsort(self._order[self.starts])]

    def per_row(self, values: Array) -> Array:
        """Give each row, in input order, the value of its query."""
        if self.codes is None:
            return np.repeat(values, self.lengths)
        return values[self.codes]

    def weight_per_query(self, weight: Array) -> Array:
        """Weight of each query, from one per row, the same on all rows of a query."""
        of_query = self.arrange(weight)[self.starts]
        differs = weight != self.per_row(of_query)
        if differs.any():
            query = format_id(self.per_row(self.ids)[differs.argmax()])
            raise ValueError(
                "sample_weight is the weight of a query and must be the same on all rows of a "
                f"query. Got different weights in query {query} instead."
            )
        return of_query

    def blocks(self, *, large: bool = False) -> Iterator[Block]:
        """Cut the queries, ordered by length, into rectangles with little padding.

        Large ones leave the cache, but keep threads from waiting for each other.
        """
        n_cells = _MANY_CELLS if large else _CELLS
        longest = self.lengths.max(initial=0)
        level = longest == self.lengths.min(initial=longest)
        short = np.uint16 if longest < 2**16 else np.int64  # 16 bits are sorted by counting
        by_length = None if level else np.argsort(self.lengths.astype(short), kind="stable")
        sorted_lengths = self.lengths if by_length is None else self.lengths[by_length]
        begin = 0
        while begin < len(sorted_lengths):
            end = _block_end(sorted_lengths, begin, n_cells)
            queries = slice(begin, end) if by_length is None else by_length[begin:end]
            yield Block(queries, self.starts[queries], sorted_lengths[begin:end])
            begin = end


def _run_starts(values: Array) -> Array:
    """Find the rows at which a run of equal ids begins."""
    begins = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return np.flatnonzero(begins)


def _comes_back(values: Array, starts: Array | None = None) -> bool:
    """Whether an id has more than one run."""
    heads = values[_run_starts(values) if starts is None else starts]
    return not (heads[1:] > heads[:-1]).all() and len(np.unique(heads)) < len(heads)


def _block_end(sorted_lengths: Array, begin: int, n_cells: int) -> int:
    """Where the block that starts at `begin` ends: similar lengths, or few cells."""
    ahead = sorted_lengths[begin : begin + n_cells // sorted_lengths[begin] + 1]
    cells = ahead * np.arange(1, len(ahead) + 1)
    similar = np.searchsorted(ahead, ahead[0] / _FILLED, side="right")
    fits = np.searchsorted(cells, n_cells, side="right")
    small = np.searchsorted(cells, _SMALL, side="right")
    return begin + max(1, int(small), int(min(similar, fits)))
