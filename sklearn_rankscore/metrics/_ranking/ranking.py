"""One block of ranked queries, and all that is to be known about tied scores.

A tied score says nothing of the order inside the tie. Under ``ties="average"`` every value here
is therefore an expectation over all orders of each block of tied rows, in closed form; the other
policies choose one order. Formulas are written over these values as in a textbook and need not
know which policy holds.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._ranking.ties import Chosen, Hits, TieBlocks
from sklearn_rankscore.metrics._rows.rows import Queries, Rows

# A block of about this many cells stays in the processor's cache while it is worked on.
_CELLS = 1 << 16
_MANY_CELLS = 1 << 19
# Below this size a block costs more to start than its padding costs to carry.
_SMALL = 1 << 12
# In a block that is not small, at least this share of the cells hold rows.
_FILLED = 0.85


@dataclass(frozen=True)
class Block:
    """Queries of similar length, to be laid out as a rectangle: a line per query."""

    queries: Array | slice  # (n,) number of each query
    starts: Array  # (n,) its first row
    lengths: Array  # (n,) its number of rows, rising
    width: int  # columns of the rectangle: rows of the longest query

    def lay_out(self, values: Array, fill: float = 0) -> Array:
        """Lay out one value per row, in input order; `fill` stands beyond each query's end."""
        width, step = self.width, values.itemsize
        n_runs = len(values) - width + 1
        if self.starts.max() < n_runs:
            # A view of every run of `width` values: a query is one copy of contiguous memory.
            runs = np.ndarray((n_runs, width), values.dtype, values, strides=(step, step))
            laid_out = runs[self.starts]
        else:  # the last query of all is too short for its block
            laid_out = np.take(values, self.starts[:, None] + np.arange(width), mode="clip")
        shortest = int(self.lengths[0])
        if shortest < width:
            laid_out[:, shortest:][np.arange(shortest, width) >= self.lengths[:, None]] = fill
        return laid_out


def cut_into_blocks(queries: Queries, *, large: bool = False) -> list[Block]:
    """Cut the queries, ordered by length, into rectangles with little padding.

    Large blocks leave the cache, but keep threads from waiting for each other.
    """
    n_cells = _MANY_CELLS if large else _CELLS
    longest = queries.lengths.max(initial=0)
    level = longest == queries.lengths.min(initial=longest)
    short = np.uint16 if longest < 2**16 else np.int64  # NumPy sorts 16 bits by counting
    by_length = None if level else np.argsort(queries.lengths.astype(short), kind="stable")
    lengths = queries.lengths if by_length is None else queries.lengths[by_length]
    blocks, begin = [], 0
    while begin < len(lengths):
        ahead = lengths[begin : begin + n_cells // lengths[begin] + 1]
        cells = ahead * np.arange(1, len(ahead) + 1)
        similar = np.searchsorted(ahead, ahead[0] / _FILLED, side="right")
        fits = np.searchsorted(cells, n_cells, side="right")
        small = np.searchsorted(cells, _SMALL, side="right")
        end = begin + max(1, int(small), int(min(similar, fits)))
        chosen = slice(begin, end) if by_length is None else by_length[begin:end]
        width = int(lengths[end - 1])
        blocks.append(Block(chosen, queries.starts[chosen], lengths[begin:end], width))
        begin = end
    return blocks


class Ranking:
    """A rectangle of queries: lines are queries, columns are ranks 1, 2, 3 … by falling score.

    `ties` is one of TIE_POLICIES, `depth` how many ranks are wanted at most. Rows whose score is
    -inf were not retrieved: they have no rank.
    """

    def __init__(self, block: Block, rows: Rows, ties: str, depth: int) -> None:
        self.rows = rows
        self.ties = ties
        self.n_rows = block.lengths  # rows of each query, retrieved or not
        self.lay_out = block.lay_out
        self.grade = block.lay_out(rows.grade)  # (n_queries, width), in input order
        self.score = block.lay_out(rows.score, fill=-np.inf)
        self.n_ranks = min(depth, block.width)
        self.rank = np.arange(1, self.n_ranks + 1)  # ranks 1, 2, 3 …, one per column
        self._block = block
        cells, key = _find_candidates(self.score, self.n_ranks)
        order = _sort(key, ties) + np.arange(0, key.size, key.shape[1])[:, None]
        self._cells = np.take(cells, order)
        key = np.take(key, order)
        self._hole = key == np.inf
        self._sorted_inside = ties in ("optimistic", "pessimistic")
        tied = (key[:, 1:] == key[:, :-1]) & ~self._hole[:, 1:]
        split = ties not in ("first", "last") and tied.any()
        self._blocks = TieBlocks(tied) if split else None
        # The ties, where all their orders count; None where there is one order.
        self._averaged = None if self._sorted_inside else self._blocks
        self._kept: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[..., Any], *args: Any) -> Any:
        """Make what several metrics ask for, once."""
        if key not in self._kept:
            # Keep the arguments: a key has the id() of one, which a new object could take over.
            self._kept[key] = make(*args), args
        return self._kept[key][0]

    def note(self, **quantities: Any) -> None:
        """Keep nothing here; an explanation overrides this to keep the quantities of a formula."""

    @cached_property
    def n_ranked(self) -> Array:
        """How many rows of each query were retrieved."""
        return np.asarray(np.count_nonzero(self.score > -np.inf, axis=1))

    @cached_property
    def present(self) -> Array:
        """Which cells hold a row, in input order."""
        return np.asarray(np.arange(self._block.width) < self.n_rows[:, None])

    @cached_property
    def weight(self) -> Array:
        """Weight of each query, as a share of the largest of all."""
        weight = self.rows.relative_weight
        return np.ones(len(self.n_rows)) if weight is None else weight[self._block.queries]

    def ideal(self, value: Array) -> Array:
        """Give the values of all rows in the best order, the rows not retrieved included."""
        return np.asarray(self.once(("ideal", id(value)), self._put_in_best_order, value))

    def _put_in_best_order(self, value: Array) -> Array:
        best = np.sort(value, axis=1)[:, ::-1][:, : self.n_ranks]
        return best.astype(np.float64, copy=False)

    def expected(self, value: Array) -> Array:
        """Give the expected value of the row at each rank; 0 where no row is ranked."""
        return np.asarray(self.once(("expected", id(value)), self._expect, value))

    def _expect(self, value: Array) -> Array:
        value = self.in_order(value)
        if self._averaged is not None:
            value = self._averaged.mean(value)
        return value[:, : self.n_ranks]

    def at_ranks(self, value: Array) -> Array:
        """Give the value of the row at each rank, in some order inside ties."""
        return np.take(value, self._cells)

    def in_order(self, value: Array) -> Array:
        """Sort values by falling score, and inside ties as the policy wants it."""
        value = np.take(value, self._cells).astype(np.float64, copy=False)
        value[self._hole] = 0.0
        if self._blocks is not None and self._sorted_inside:
            best_first = self.ties == "optimistic"
            inside = np.lexsort((-value if best_first else value, self._blocks.number))
            value = np.take_along_axis(value, inside, axis=1)
        return value

    def tie_spans(self) -> tuple[Array, Array]:
        """Give the first rank of the tie at each rank, and its size."""
        rank = np.arange(1.0, self._cells.shape[1] + 1.0)
        if self._averaged is None:
            return np.broadcast_to(rank, self._cells.shape), np.ones(self._cells.shape)
        return rank - self._averaged.position + 1.0, self._averaged.size

    def n_listed(self, k: int | None) -> Array:
        """How many rows each query has among the first k."""
        return self.n_ranked if k is None else np.minimum(self.n_ranked, k)

    def chosen(self, k: int | None) -> Chosen:
        """Which rows are among the first k."""
        first, size = self.tie_spans()
        length = self.n_listed(k)
        above = first - 1.0
        tied = ~self._hole & (above < length[:, None]) & (length[:, None] < above + size)
        certain = ~self._hole & (above + size <= length[:, None])
        return Chosen(certain, tied, length - certain.sum(axis=1), length)

    def continue_through(self, stop: Array) -> Array:
        """Compute E[product of (1 - stop) through each rank], from one `stop` per row."""
        go_on = 1.0 - self.in_order(stop)
        if self._averaged is None:
            return np.asarray(np.cumprod(go_on, axis=1)[:, : self.n_ranks])
        return self._averaged.products(go_on, self.n_ranks)

    def relevant(self, min_relevance: float | None) -> Array:
        """Whether each row is relevant, in input order: of grade >= min_relevance (None: > 0)."""
        if min_relevance is None:
            return np.asarray(self.grade > 0).astype(np.float64)
        # In the precision of the grades: 0.7 is the float32 nearest to it.
        own = self.grade.dtype if self.grade.dtype.kind == "f" else np.float64
        with np.errstate(over="ignore"):
            threshold = np.array([min_relevance]).astype(own)
        if min_relevance > 0 and not threshold.any():  # too small for that precision
            threshold = np.nextafter(threshold, np.ones_like(threshold))
        return np.asarray((self.grade >= threshold) & self.present).astype(np.float64)

    def hits(self, min_relevance: float | None) -> Hits:
        """Where the relevant rows are."""
        hits: Hits = self.once(("hits", min_relevance), self._find_hits, min_relevance)
        return hits

    def _find_hits(self, min_relevance: float | None) -> Hits:
        relevant = self.relevant(min_relevance)
        in_order, n_relevant = self.in_order(relevant), relevant.sum(axis=1)
        return Hits(in_order, n_relevant, self._averaged, self.n_ranks)


def _find_candidates(score: Array, n_ranks: int) -> tuple[Array, Array]:
    """Find the cells that can be among the first ranks, in input order, and their sort keys.

    A falling score is a rising key, exactly; inf is the key of a place without a row. A tie that
    reaches over the last rank goes in whole.
    """
    n_queries, width = score.shape
    if 2 * n_ranks >= width:
        return np.arange(score.size).reshape(score.shape), -score
    at = width - n_ranks
    last = np.partition(score, at, axis=1)[:, at, None]
    keep = score >= np.maximum(last, np.finfo(score.dtype).min)  # not -inf
    kept = np.flatnonzero(keep)
    counts = np.diff(np.searchsorted(kept, np.arange(n_queries + 1) * width))
    if (counts == n_ranks).all():
        cells = kept.reshape(n_queries, n_ranks)
        return cells, -np.take(score, cells)
    place = np.arange(max(n_ranks, counts.max())) < counts[:, None]
    cells = np.zeros(place.shape, dtype=np.intp)
    key = np.full(place.shape, np.inf, dtype=score.dtype)
    cells[place] = kept
    key[place] = -np.take(score, kept)
    return cells, key


def _sort(key: Array, ties: str) -> Array:
    """Order each line by rising key; stably only where that counts."""
    if ties == "last":
        return np.asarray(key.shape[1] - 1 - _sort(key[:, ::-1], "first"))
    return np.argsort(key, axis=1, kind="stable" if ties == "first" else "quicksort")
