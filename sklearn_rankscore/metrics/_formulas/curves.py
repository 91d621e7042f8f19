"""What is the highest precision at each recall or beyond it?"""

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._options import MIN_RELEVANCE, option
from sklearn_rankscore.metrics._ranking.highest_precision import expect_rise
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._ranking.ties import Hits
from sklearn_rankscore.metrics._rows.validation import number_that

RECALL_LEVEL = option(
    number_that(lambda level: 0 <= level <= 1, "a recall, from 0 to 1"),
    "float",
    "Share of the relevant rows that must be found, from 0 to 1.",
    0.5,
)


def interpolated_precision(
    r: Ranking, *, min_relevance: float | None = MIN_RELEVANCE, recall_level: float = RECALL_LEVEL
) -> Array:
    """Interpolated precision: the best precision that can be had at a recall or beyond it.

    IP(level) = the highest precision at any rank by which the list holds at least level x R of
    the R relevant rows; 0 if the retrieved rows hold fewer. With ties averaged, it is the
    expectation of that highest precision over all orders. `sklearn.metrics.precision_recall_curve`
    lets rows of equal score enter the list together and therefore gives less. For a tie of t rows,
    r of them relevant, time grows as (r (t - r + 1))²: 0.02 s for 50 of 100.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    `sklearn.metrics.precision_recall_curve`; trec_eval, measure iprec_at_recall. trec_eval rounds
    level x R in floating point, and differently from version to version (2 in place of 3 at 0.7
    of R = 3); this package does not imitate that.

    Examples
    --------
    >>> from sklearn_rankscore import interpolated_precision
    >>> interpolated_precision([[0, 1, 1, 0]], [[4, 3, 2, 1]], recall_level=0.1) * 3
    2.0
    """
    hits = r.hits(min_relevance)
    return hits.share(_interpolate(hits, [recall_level])[:, 0])


def eleven_point_precision(r: Ranking, *, min_relevance: float | None = MIN_RELEVANCE) -> Array:
    """11-point precision: interpolated precision, averaged over recalls of 0, 0.1, … and 1.

    11pt = mean of IP(level) over level = 0, 0.1, 0.2, …, 1. See `interpolated_precision` for
    IP(level), and for the time that long ties take.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    trec_eval, measure 11pt_avg, but for its rounding; see `interpolated_precision`.

    Examples
    --------
    >>> from sklearn_rankscore import eleven_point_precision
    >>> eleven_point_precision([[1, 0, 0, 1]], [[4, 3, 2, 1]]) * 22
    17.0
    """
    hits = r.hits(min_relevance)
    return hits.share(_interpolate(hits, [level / 10 for level in range(11)]).mean(axis=1))


def _interpolate(hits: Hits, levels: list[float]) -> Array:
    """Give the interpolated precision at each level of recall, shape (n_queries, n_levels)."""
    found, rows = hits.count_through_ties()
    best = np.maximum.accumulate((found / rows)[:, ::-1], axis=1)[:, ::-1]
    best = np.concatenate((best, np.zeros((len(best), 1))), axis=1)  # below the last rank
    ties = hits.find_mixed_ties()
    value = np.empty((len(best), len(levels)))
    for at, level in enumerate(levels):
        wanted = np.ceil(level * hits.n_relevant - 1e-9)  # 0.7 x 10 is 7
        begin = np.count_nonzero(found < wanted[:, None], axis=1)
        surely = best[np.arange(len(best)), begin]
        value[:, at] = surely + expect_rise(ties, wanted, surely)
    return value
