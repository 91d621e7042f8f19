"""Pairs of rows of a query: how many agree in score and grade, disagree, or tie."""

from typing import NamedTuple

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._ranking.ranking import Ranking


class Pairs(NamedTuple):
    """Counts of pairs, one of each per query.

    Rows that were not retrieved stand below all others and are tied with each other. Retrieved
    rows of equal score are tied under ``ties="average"``; any other policy puts them in order.
    """

    every: Array
    tied_score: Array
    tied_grade: Array
    tied_both: Array
    discordant: Array  # the higher grade has the lower score


def count_pairs(r: Ranking) -> Pairs:
    """Count the pairs of each query."""
    pairs: Pairs = r.once("pairs", _count_pairs, r.grade, r.score, r.present, r.ties)
    return pairs


def _count_pairs(grade: Array, score: Array, present: Array, ties: str) -> Pairs:
    code = number_values(grade, present)
    order = order_by_falling_score(code, score, present, ties)
    code, score, present = (
        np.take_along_axis(values, order, axis=1) for values in (code, score, present)
    )
    tied = (score[:, 1:] == score[:, :-1]) & present[:, 1:]
    if ties != "average":
        tied &= score[:, 1:] == -np.inf
    grades = np.sort(code, axis=1)
    same = code[:, 1:] == code[:, :-1]
    rows = np.count_nonzero(present, axis=1)
    return Pairs(
        every=rows * (rows - 1) / 2,
        tied_score=_count_pairs_in_runs(tied),
        tied_grade=_count_pairs_in_runs((grades[:, 1:] == grades[:, :-1]) & (grades[:, 1:] >= 0)),
        tied_both=_count_pairs_in_runs(tied & same),
        discordant=_count_rising_pairs(np.where(present, code, 0)),
    )


def number_values(values: Array, present: Array) -> Array:
    """Number the different values of each line, rising from 0; -1 where there is no row."""
    codes = np.empty(values.shape, dtype=np.int64)
    order = np.lexsort((values, ~present))
    ranked = np.take_along_axis(values, order, axis=1)
    steps = np.zeros(values.shape, dtype=np.int64)
    steps[:, 1:] = np.cumsum(ranked[:, 1:] != ranked[:, :-1], axis=1)
    np.put_along_axis(codes, order, steps, axis=1)
    codes[~present] = -1
    return codes


def order_by_falling_score(code: Array, score: Array, present: Array, ties: str) -> Array:
    """Order each line by falling score, and inside ties as the policy wants it."""
    place = np.broadcast_to(np.arange(code.shape[1]), code.shape)
    inside = {"pessimistic": code, "first": place, "last": -place}.get(ties, -code)
    inside = np.where(score > -np.inf, inside, -code)  # not retrieved: no order
    return np.asarray(np.lexsort((inside, -score, ~present)))


def _count_pairs_in_runs(same: Array) -> Array:
    """Count pairs within runs of cells; `same` says which cell continues the run to its left."""
    place = np.arange(1, same.shape[1] + 1)
    start = np.maximum.accumulate(np.where(same, 0, place), axis=1)
    return np.asarray(((place - start) * same).sum(axis=1, dtype=np.float64))


def _count_rising_pairs(code: Array) -> Array:
    """Count the pairs of cells of each line in which the right one has the higher code.

    Go bit by bit from the highest. Cells that agree so far lie together, in order; among them, a
    cell with the bit set makes such a pair with each cell before it that has the bit clear.
    """
    lines, width = code.shape
    value, rising = code.ravel(), np.zeros(lines)
    place = np.arange(value.size)
    first, size = place - place % width, np.full(value.size, width)
    for bit in reversed(range(int(code.max(initial=0)).bit_length())):
        one = (value >> bit) & 1
        zeros = np.concatenate(([0], np.cumsum(1 - one)))
        before = zeros[place] - zeros[first]
        n_zeros = zeros[first + size] - zeros[first]
        rising += (before * one).reshape(lines, width).sum(axis=1)
        to = first + np.where(one, n_zeros + (place - first) - before, before)
        first, size = first + one * n_zeros, np.where(one, size - n_zeros, n_zeros)
        moved = np.empty_like(value), np.empty_like(first), np.empty_like(size)
        for target, source in zip(moved, (value, first, size), strict=True):
            target[to] = source
        value, first, size = moved
    return rising
