"""Tied scores: expectations over all orders of the rows of each tie, in closed form."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._ranking.highest_precision import MixedTies


class Hits:
    """Relevant rows by rank.

    In a block of t tied rows, r of them relevant and b relevant before the block, position
    i = 1..t of the block holds

    ==================  =====================================================================
    `hit`               P(row at this rank is relevant) = r / t
    `hits_if_hit`       E[relevant rows up to here | hit here] = b + 1 + (i-1)(r-1)/(t-1)
    `none_through`      P(no relevant row up to here) = C(t-r, i)/C(t, i), 0 if b > 0
    ==================  =====================================================================

    Without ties (t = 1), and under a policy that chooses one order, these are the plain facts.
    """

    def __init__(
        self, relevant: Array, n_relevant: Array, blocks: "TieBlocks | None", n_ranks: int
    ) -> None:
        self.n_relevant = n_relevant
        self._relevant = relevant
        self._blocks = blocks
        self._n_ranks = n_ranks

    @cached_property
    def hit(self) -> Array:
        """P(row at this rank is relevant)."""
        mean = self._relevant if self._blocks is None else self._blocks.mean(self._relevant)
        return mean[:, : self._n_ranks]

    @cached_property
    def hits_if_hit(self) -> Array:
        """Expected relevant rows up to and with this rank, given that it holds one."""
        before = np.cumsum(self._relevant, axis=1) - self._relevant
        if self._blocks is None:
            return (before + 1.0)[:, : self._n_ranks]
        size, position = self._blocks.size, self._blocks.position
        others = self._blocks.total(self._relevant) - 1.0
        share = (position - 1.0) / np.maximum(size - 1.0, 1.0)
        return (self._blocks.first(before) + 1.0 + share * others)[:, : self._n_ranks]

    def share(self, found: Array, total: Array | int = 1) -> Array:
        """Give found / total, 0 where nothing was retrieved, NaN where nothing is relevant."""
        value: Array = np.minimum(found / np.maximum(total, 1), 1.0)  # not above 1 by rounding
        value[self.n_relevant == 0] = np.nan
        return value

    def count_others_above(self, others: Array | None = None) -> tuple[Array, Array]:
        """Count the others (None: all not relevant) above the tie of each rank, and in the tie.

        All of the first stand above a relevant row of the tie. Of the second, 0, 1, … or all stand
        above it, each with equal probability.
        """
        others = 1.0 - self._relevant if others is None else others.astype(np.float64)
        before = np.cumsum(others, axis=1) - others
        if self._blocks is None:
            return before, np.zeros_like(before)
        return self._blocks.first(before), self._blocks.total(others)

    def count_through_ties(self) -> tuple[Array, Array]:
        """Count the relevant rows, and all rows, down to the end of the tie of each rank."""
        through = np.cumsum(self._relevant, axis=1)
        rank = np.arange(1.0, self._relevant.shape[1] + 1.0)
        if self._blocks is None:
            return through, np.broadcast_to(rank, through.shape)
        before = self._blocks.first(through - self._relevant)
        last = rank - self._blocks.position + self._blocks.size
        return before + self._blocks.total(self._relevant), last

    def find_mixed_ties(self) -> MixedTies:
        """Find the ties that hold relevant rows and other rows."""
        if self._blocks is None:
            return MixedTies(*np.empty((5, 0), dtype=np.intp))
        before = np.cumsum(self._relevant, axis=1) - self._relevant
        inside = self._blocks.total(self._relevant)
        mixed = (self._blocks.position == 1) & (inside > 0) & (inside < self._blocks.size)
        query, rows = np.nonzero(mixed)
        return MixedTies(query, rows, before[mixed], self._blocks.size[mixed], inside[mixed])

    def add_up(self, value: Array) -> Array:
        """Add up, over the relevant rows that are ranked, a value that is equal inside ties."""
        return np.asarray((self._relevant * value).sum(axis=1))

    @cached_property
    def none_through(self) -> Array:
        """P(no relevant row up to and with this rank)."""
        if self._blocks is None:
            hazard = self._relevant
        else:  # r of the t - i + 1 rows still to come in this block are relevant, if none came yet
            left = self._blocks.size - self._blocks.position + 1.0
            hazard = np.minimum(self._blocks.total(self._relevant) / left, 1.0)
        return np.cumprod(1.0 - hazard, axis=1)[:, : self._n_ranks]


class Chosen(NamedTuple):
    """Which rows are among the first k: rows that surely are, and the tie at rank k."""

    certain: Array  # (n_queries, width) by rank
    tied: Array  # (n_queries, width), of the one tie that reaches over rank k
    free: Array  # (n_queries,) how many of the tied rows are among the first k
    length: Array  # (n_queries,) how many rows are

    @property
    def chance(self) -> Array:
        """P(row is among the first k)."""
        size = np.maximum(self.tied.sum(axis=1), 1)
        return np.asarray(self.certain + self.tied * (self.free / size)[:, None])


class TieBlocks:
    """Runs of tied cells in a rectangle of sorted rows.

    `tied` says of each cell but the first of a line whether it ties with the cell to its left.
    """

    def __init__(self, tied: Array) -> None:
        new = np.ones((tied.shape[0], tied.shape[1] + 1), dtype=bool)
        np.logical_not(tied, out=new[:, 1:])
        self._new = new
        self._starts = np.flatnonzero(new)
        self._counts = np.diff(self._starts, append=new.size)

    @cached_property
    def number(self) -> Array:
        """Number of the tie block of each cell."""
        return np.cumsum(self._new, axis=1)

    @cached_property
    def size(self) -> Array:
        """Rows of the tie block of each cell."""
        return self._spread(self._counts.astype(np.float64))

    @cached_property
    def position(self) -> Array:
        """Place of each cell in its tie block, from 1."""
        cells = np.arange(1.0, self._new.size + 1.0).reshape(self._new.shape)
        return cells - self._spread(self._starts)

    def total(self, value: Array) -> Array:
        """Give each cell the sum over its tie block."""
        return self._spread(np.add.reduceat(value.ravel(), self._starts))

    def mean(self, value: Array) -> Array:
        """Give each cell the mean over its tie block."""
        return self._spread(np.add.reduceat(value.ravel(), self._starts) / self._counts)

    def first(self, value: Array) -> Array:
        """Give each cell the first value of its tie block."""
        return self._spread(value.ravel()[self._starts])

    def products(self, value: Array, depth: int) -> Array:
        """Give the expected product of the values through each of the first `depth` ranks."""
        before = np.ones_like(value)
        before[:, 1:] = np.cumprod(value, axis=1)[:, :-1]
        return (self.first(before) * self._mean_products(value, depth))[:, :depth]

    def _mean_products(self, value: Array, depth: int) -> Array:
        """Give the mean product of i values of a tie, at its position i: e_i / C(t, i).

        e_i is the elementary symmetric polynomial of the t values. The loop adds one value after
        another and keeps means, so that nothing grows or cancels.
        """
        means = value.ravel().copy()
        cells = np.flatnonzero(self.size > 1)
        cells = cells[cells % value.shape[1] < depth]
        position, size = self.position.ravel()[cells], self.size.ravel()[cells]
        first = cells - position.astype(np.intp) + 1
        values, mean = value.ravel(), np.ones(len(cells))
        for m in range(1, int(size.max(initial=0)) + 1):
            live = (position <= m) & (m <= size)
            shorter = np.concatenate(([1.0], mean[:-1]))
            shorter[position == 1] = 1.0
            added = values[np.where(live, first + m - 1, first)]
            longer = ((m - position) * mean + position * added * shorter) / m
            mean = np.where(live, longer, mean)
        means[cells] = mean
        return means.reshape(value.shape)

    def _spread(self, per_block: Array) -> Array:
        return np.repeat(per_block, self._counts).reshape(self._new.shape)
