"""The highest precision down to any row, expected over all orders inside ties.

The ties of a query are in random order, independently of each other. Therefore

    P(highest <= h) = product over ties of P(no row of the tie is reached at a precision above h)
    E[highest]      = integral over h of 1 - P(highest <= h)

and P changes only at heights that some order reaches. For one tie, P is the share of the C(t, r)
ways to place r relevant rows among t tied ones that keep below the height: a count of paths.
"""

from typing import NamedTuple

import numpy as np

from sklearn_rankscore._typing import Array

_CELLS = 1 << 16  # of paths that are counted at once
_MOST = 10**10  # steps that one tie may take, about half a minute
_TINY = np.finfo(np.float64).tiny  # the smallest chance whose logarithm is taken


class MixedTies(NamedTuple):
    """Ties that hold relevant and other rows; one entry for each tie.

    `query` is the line of its query. Above the tie stand `rows` rows, `found` of them relevant;
    the tie itself has `size` rows, `relevant` of them relevant.
    """

    query: Array
    rows: Array
    found: Array
    size: Array
    relevant: Array

    def take(self, which: Array) -> "MixedTies":
        return MixedTies(*(column[which] for column in self))


def expect_rise(ties: MixedTies, wanted: Array, best: Array) -> Array:
    """Compute by how much the expected highest precision of each query exceeds `best`.

    Every order reaches `best`. A rank counts if `wanted` relevant rows stand at or above it.
    """
    through = ties.found + ties.relevant
    matters = through / (ties.rows + ties.relevant) > best[ties.query]
    ties = ties.take(matters & (through >= wanted[ties.query]))
    kind, kinds = np.unique([ties.size, ties.relevant], axis=1, return_inverse=True)
    steps = [
        _find_steps(ties.take(kinds.ravel() == at), wanted, best) for at in range(kind.shape[1])
    ]
    if not steps:
        return np.zeros(len(best))
    query, height, log_step = map(np.concatenate, zip(*steps, strict=True))
    order = np.lexsort((-height, query))
    return _integrate(query[order], height[order], log_step[order], best)


def _find_steps(ties: MixedTies, wanted: Array, best: Array) -> tuple[Array, Array, Array]:
    """Give the steps of log P(highest <= h): query, height, and change as h falls below it.

    The ties must be of one size and have one number of relevant rows.
    """
    relevant = int(ties.relevant[0])
    width = int(ties.size[0]) - relevant + 1
    if (relevant * width) ** 2 > _MOST:
        raise ValueError(
            f"The expectation over all orders of {relevant + width - 1} rows of equal score, "
            f"{relevant} of them relevant, would take too long. Pass ties='optimistic', "
            "'pessimistic', 'first' or 'last'."
        )
    nth = np.arange(1.0, relevant + 1.0)[:, None]
    found = ties.found[:, None, None] + nth
    height = found / (ties.rows[:, None, None] + nth + np.arange(width))
    floor = best[ties.query][:, None, None]
    height = np.where(found >= wanted[ties.query][:, None, None], np.maximum(height, floor), floor)
    reached = np.sort(height.reshape(len(height), -1), axis=1)[:, ::-1]
    reached = np.concatenate((reached, floor[:, 0]), axis=1)
    live = reached > floor[:, 0]
    live[:, -1] = True  # the floor itself
    tie = np.nonzero(live)[0]
    reached = reached[live]
    log = np.log(np.maximum(_chance_below(height, tie, reached), _TINY))
    follows = tie[1:] == tie[:-1]
    return ties.query[tie[:-1][follows]], reached[:-1][follows], np.diff(log)[follows]


def _chance_below(height: Array, tie: Array, limit: Array) -> Array:
    """Give P(no relevant row of the tie is reached at a height above the limit).

    ``paths[d]`` is the share of all ways to place the first n relevant rows that keep below the
    limit and have d other rows above the n-th. It is a sum over the ways that have d or fewer
    others above the relevant row before it.
    """
    _, relevant, width = height.shape
    chance = np.empty(len(tie))
    chunk = max(_CELLS // width, 1)
    for begin in range(0, len(tie), chunk):
        part = slice(begin, begin + chunk)
        paths = np.zeros((len(tie[part]), width))
        paths[:, 0] = 1.0
        for n in range(relevant):
            paths = np.cumsum(paths, axis=1) * ((n + 1) / (n + width))
            paths *= height[tie[part], n] <= limit[part, None]
        chance[part] = paths.sum(axis=1)
    return chance


def _integrate(query: Array, height: Array, log_step: Array, best: Array) -> Array:
    """Integrate 1 - P(highest <= h) over h above best; the heights of each query fall."""
    value = np.zeros(len(best))
    counts = np.bincount(query, minlength=len(best))
    starts = np.cumsum(counts) - counts
    for power in np.unique(np.ceil(np.log2(counts[counts > 0]))):  # queries of similar length
        lines = np.flatnonzero((counts > 0) & (np.ceil(np.log2(np.maximum(counts, 1))) == power))
        place = np.arange(counts[lines].max()) < counts[lines, None]
        cells = (starts[lines, None] + np.arange(place.shape[1]))[place]
        falls = np.zeros((len(lines), place.shape[1] + 1))
        falls += best[lines, None]
        falls[:, :-1][place] = height[cells]
        log = np.zeros(place.shape)
        log[place] = log_step[cells]
        above = -np.expm1(np.cumsum(log, axis=1))
        value[lines] = (above * (falls[:, :-1] - falls[:, 1:])).sum(axis=1)
    return value
