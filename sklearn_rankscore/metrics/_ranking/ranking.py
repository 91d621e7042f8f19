"""One block of ranked queries, and all that is to be known about tied scores.

A tied score says nothing of the order inside the tie. Under ``ties="average"`` every value here
is therefore an expectation over all orders of each block of tied rows, in closed form; the other
policies choose one order. Formulas are written over these values as in a textbook and need not
know which policy holds.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore.metrics._ranking.gain import discount_of, gain_of
from sklearn_rankscore.metrics._ranking.pairs import (
    Pairs,
    by_falling_score,
    dense_codes,
    mean_ranks,
)
from sklearn_rankscore.metrics._ranking.ties import Chosen, Hits, TieBlocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from sklearn_rankscore.metrics._rows.queries import Block
    from sklearn_rankscore.metrics._rows.rows import Rows
    from sklearn_rankscore.metrics._rows.validation import Array

TIES = ("average", "optimistic", "pessimistic", "first", "last")


class Ranking:
    """A rectangle of queries: rows are queries, columns are ranks 1, 2, 3 … by falling score.

    Parameters
    ----------
    block : Block
        Which queries, and how long each is.
    rows : Rows
        All rows, each query's together; -inf scores are not retrieved.
    ties : str
        One of TIES.
    depth : int or None
        How many ranks are wanted; None for all.
    """

    def __init__(self, block: Block, rows: Rows, ties: str, depth: int | None) -> None:
        self._block = block
        self._rows = rows
        self._grade = block.take(rows.grade, fill=0.0)  # (n_queries, width), in input order
        self._score = block.take(rows.score, fill=-np.inf)
        self.n_ranks = block.width if depth is None else min(depth, block.width)
        cells, key = _candidates(self._score, self.n_ranks)
        order = _sort(key, ties) + np.arange(0, key.size, key.shape[1])[:, None]
        self._cells = np.take(cells, order)
        key = np.take(key, order)
        self._hole = key == np.inf
        self.ties = ties
        self._optimistic = ties == "optimistic"
        self._sorted_inside = ties in ("optimistic", "pessimistic")
        tied = (key[:, 1:] == key[:, :-1]) & ~self._hole[:, 1:]
        split = ties not in ("first", "last") and tied.any()
        self._blocks = TieBlocks(tied) if split else None
        # What several metrics ask for, once: with what it was made of, which keeps its address.
        self._hits: dict[float | None, Hits] = {}
        self._gains: dict[tuple[str, bool], Array] = {}
        self._made: dict[tuple[str, int], tuple[Array, Array]] = {}

    @property
    def rank(self) -> Array:
        """Ranks 1, 2, 3 …, one per column."""
        return np.arange(1, self.n_ranks + 1)

    @property
    def n_rows(self) -> Array:
        """How many rows each query has, retrieved or not."""
        return self._block.lengths

    @cached_property
    def n_ranked(self) -> Array:
        """How many rows of each query were retrieved."""
        return np.asarray(np.count_nonzero(self._score > -np.inf, axis=1))

    def gain(self, gain: Any, *, relative: bool = False) -> Array:
        """Gain of each row, in input order; see `gain_of`."""
        if isinstance(gain, str):  # g(0) = 0, so that places without a row gain nothing
            key = gain, relative
            if key not in self._gains:
                self._gains[key] = gain_of(self._grade, gain, relative=relative)
            return self._gains[key]
        value = np.zeros(self._grade.shape)
        present = ~self._block.beyond()
        value[present] = gain_of(self._grade[present], gain)
        return value

    @cached_property
    def weight(self) -> Array:
        """Weight of each query."""
        weight = self._rows.weight
        return np.ones(len(self.n_rows)) if weight is None else weight[self._block.queries]

    def errors(self) -> Array:
        """Score, as a number, less grade of each row, in input order; 0 beyond a query's end."""
        error = self.lay_out(self._rows.predictions) - self._grade
        return np.where(self._present, error, 0.0)

    def row(self, name: str) -> Array:
        """Give what else belongs to each row, in input order: number of its item, similarity."""
        return self.lay_out(self._rows.column(name))

    def lay_out(self, value: Array) -> Array:
        """Lay out a value of each row, given for all rows, in input order."""
        return self._block.take(value, fill=0)

    @property
    def n_items(self) -> int:
        """How many items there are in all rows."""
        return self._rows.n_items

    def judged(self) -> Array:
        """Whether each row was judged, in input order."""
        return np.asarray(~np.isnan(self._grade) & self._present).astype(np.float64)

    def discount(self, discount: Any) -> Array:
        """Discount of each rank."""
        return discount_of(self.rank, discount)

    def ideal(self, value: Array) -> Array:
        """Give the values of all rows in the best order, the rows not retrieved included."""
        return self._once("ideal", value, self._best)

    def _best(self, value: Array) -> Array:
        best = np.sort(value, axis=1)[:, ::-1][:, : self.n_ranks]
        return best.astype(np.float64, copy=False)

    def _once(self, what: str, value: Array, make: Callable[[Array], Array]) -> Array:
        key = what, id(value)
        if key not in self._made:
            self._made[key] = value, make(value)
        return self._made[key][1]

    def expected(self, value: Array) -> Array:
        """Give the expected value at each rank of a value per row; 0 where no row is ranked."""
        return self._once("expected", value, self._expected)

    def _expected(self, value: Array) -> Array:
        value = self.in_order(value)
        if self._averaged is not None:
            value = self._averaged.mean(value)
        return value[:, : self.n_ranks]

    @property
    def _averaged(self) -> TieBlocks | None:
        """Ties, where it is all their orders that count."""
        return None if self._sorted_inside else self._blocks

    def at_ranks(self, value: Array) -> Array:
        """Give the value of the row at each rank, in some order inside ties."""
        return np.take(value, self._cells)

    def spans(self) -> tuple[Array, Array]:
        """First rank of the tie at each rank, and its size."""
        rank = np.arange(1.0, self._cells.shape[1] + 1.0)
        if self._averaged is None:
            return np.broadcast_to(rank, self._cells.shape), np.ones(self._cells.shape)
        return rank - self._averaged.position + 1.0, self._averaged.size

    def n_listed(self, k: int | None) -> Array:
        """How many rows each query has among the first k."""
        return self.n_ranked if k is None else np.minimum(self.n_ranked, k)

    def chosen(self, k: int | None) -> Chosen:
        """Which rows are among the first k."""
        first, size = self.spans()
        length = self.n_listed(k)
        above = first - 1.0
        tied = ~self._hole & (above < length[:, None]) & (length[:, None] < above + size)
        certain = ~self._hole & (above + size <= length[:, None])
        return Chosen(certain, tied, length - certain.sum(axis=1), length)

    @cached_property
    def _present(self) -> Array:
        return np.asarray(~self._block.beyond())

    @cached_property
    def pairs(self) -> Pairs:
        """Counts of the pairs of rows that agree, do not agree, or tie."""
        return Pairs.count(self._grade, self._score, self._present, self.ties)

    def centred_ranks(self) -> tuple[Array, Array]:
        """Ranks of the grades, and of the scores, less their mean; 0 where there is no row."""
        code = dense_codes(self._grade, self._present)
        order = by_falling_score(code, self._score, self._present, self.ties)
        tied = (
            self._score
            if self.ties == "average"
            else np.where(self._score > -np.inf, np.arange(self._score.shape[1]), -np.inf)
        )
        by_grade = np.lexsort((code, ~self._present))
        return (
            mean_ranks(code, by_grade, self._present),
            -mean_ranks(tied, order, self._present),
        )

    def continue_through(self, stop: Array) -> Array:
        """E[product of (1 - stop) over the rows up to and with each rank], of a value per row."""
        go_on = 1.0 - self.in_order(stop)
        if self._averaged is None:
            return np.asarray(np.cumprod(go_on, axis=1)[:, : self.n_ranks])
        return self._averaged.products(go_on, self.n_ranks)

    def relevant(self, min_relevance: float | None) -> Array:
        """Whether each row is relevant, in input order: of grade >= min_relevance (None: > 0)."""
        if min_relevance is None:
            return np.asarray(self._grade > 0).astype(np.float64)
        # In the precision of the grades: 0.7 is the float32 nearest to it.
        own = self._grade.dtype if self._grade.dtype.kind == "f" else np.float64
        with np.errstate(over="ignore"):
            threshold = np.array([min_relevance]).astype(own)
        if min_relevance > 0 and not threshold.any():  # too small for that precision
            threshold = np.nextafter(threshold, np.ones_like(threshold))
        return np.asarray((self._grade >= threshold) & self._present).astype(np.float64)

    def hits(self, min_relevance: float | None) -> Hits:
        """Where the relevant rows are."""
        if min_relevance not in self._hits:
            relevant = self.relevant(min_relevance)
            self._hits[min_relevance] = Hits(
                self.in_order(relevant), relevant.sum(axis=1), self._averaged, self.n_ranks
            )
        return self._hits[min_relevance]

    def in_order(self, value: Array) -> Array:
        """Sort values by falling score, and inside ties as the policy wants it."""
        value = np.take(value, self._cells).astype(np.float64, copy=False)
        value[self._hole] = 0.0
        if self._blocks is not None and self._sorted_inside:
            inside = np.lexsort((-value if self._optimistic else value, self._blocks.number))
            value = np.take_along_axis(value, inside, axis=1)
        return value


def _candidates(score: Array, n_ranks: int) -> tuple[Array, Array]:
    """Cells that can be among the first ranks, in input order, and their sort keys.

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
    """Order of each line by rising key; stable only where that counts."""
    if ties == "last":
        return np.asarray(key.shape[1] - 1 - _sort(key[:, ::-1], "first"))
    return np.argsort(key, axis=1, kind="stable" if ties == "first" else "quicksort")
