"""How high is the precision at each recall, where a higher one further down counts?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sklearn_rankscore.metrics._options import MIN_RELEVANCE, option
from sklearn_rankscore.metrics._ranking.highest_precision import expected_rise
from sklearn_rankscore.metrics._rows.validation import number_that

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._ranking.ranking import Ranking
    from sklearn_rankscore.metrics._ranking.ties import Hits
    from sklearn_rankscore.metrics._rows.validation import Array


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

    IP(level) = the highest precision down to any row by which at least level x R of the R relevant
    rows are found; 0 if the rows retrieved do not hold so many. With ties averaged, the highest is
    expected over all orders, not taken of averages: more than where rows of equal score enter the
    list together, as in `sklearn.metrics.precision_recall_curve`. A tie of t rows, r of them
    relevant, takes time in (r (t - r + 1))²: 0.02 s for 50 of 100.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    `sklearn.metrics.precision_recall_curve`; trec_eval, measure iprec_at_recall. That rounds the
    rows wanted, level x R, in floating point and differently from version to version (2 in place
    of 3 at 0.7 of R = 3); this is not imitated.

    Examples
    --------
    >>> from sklearn_rankscore import interpolated_precision
    >>> interpolated_precision([[0, 1, 1, 0]], [[4, 3, 2, 1]], recall_level=0.1) * 3
    2.0
    """
    hits = r.hits(min_relevance)
    return hits.share(_at_recall(hits, [recall_level])[:, 0])


def eleven_point_precision(r: Ranking, *, min_relevance: float | None = MIN_RELEVANCE) -> Array:
    """11-point precision: interpolated precision, averaged over recalls of 0, 0.1, … and 1.

    11pt = mean of IP(level) over level = 0, 0.1, 0.2, …, 1; see `interpolated_precision`, also for
    the time that long ties take.

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
    return hits.share(_at_recall(hits, [level / 10 for level in range(11)]).mean(axis=1))


def _at_recall(hits: Hits, levels: list[float]) -> Array:
    """Interpolated precision at each level of recall, shape (n_queries, n_levels)."""
    found, rows = hits.thresholds()
    best = np.maximum.accumulate((found / rows)[:, ::-1], axis=1)[:, ::-1]
    best = np.concatenate((best, np.zeros((len(best), 1))), axis=1)  # beyond all that was found
    ties = hits.mixed_ties()
    value = np.empty((len(best), len(levels)))
    for at, level in enumerate(levels):
        wanted = np.ceil(level * hits.n_relevant - 1e-9)  # 0.7 x 10 is 7
        begin = np.count_nonzero(found < wanted[:, None], axis=1)
        surely = best[np.arange(len(best)), begin]
        value[:, at] = surely + expected_rise(ties, wanted, surely)
    return value
