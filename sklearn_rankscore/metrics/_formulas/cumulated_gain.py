"""Formulas over a Ranking: how much do the grades add up to?

A formula takes a block of ranked queries and returns one value per query, NaN where the metric
is undefined. Its keyword-only parameters are the metric's own options; its docstring opens the
public one (`_docs.py` adds the sections that all metrics share).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._ranking.gain import Discount, Gain
    from sklearn_rankscore.metrics._ranking.ranking import Ranking
    from sklearn_rankscore.metrics._rows.validation import Array


def cumulative_gain(r: Ranking, *, k: int | None = None, gain: Gain = "linear") -> Array:
    """Cumulative gain: the gains of the top k rows, added up.

    CG@k = sum over ranks i = 1..k of g(grade_i).

    Range: 0 to the sum of all gains, in units of gain. Always defined: 0 where nothing is
    relevant.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques,
    ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from sklearn_rankscore import cumulative_gain
    >>> cumulative_gain([[3, 2, 3, 0, 1]], [[5, 4, 3, 2, 1]], k=3)
    8.0
    """
    return np.asarray(r.expected(r.gain(gain))[:, :k].sum(axis=1))


def dcg(
    r: Ranking, *, k: int | None = None, gain: Gain = "linear", discount: Discount = "log2"
) -> Array:
    """Discounted cumulative gain: gains count less the lower they are ranked.

    DCG@k = sum over ranks i = 1..k of g(grade_i) d(i).

    Range: 0 to the ideal DCG, in units of gain. Always defined: 0 where nothing is relevant.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques,
    ACM TOIS 20(4), 2002. Tied scores as in `sklearn.metrics.dcg_score`: F. McSherry, M. Najork,
    Computing information retrieval performance measures efficiently in the presence of tied
    scores, ECIR 2008.

    Examples
    --------
    >>> from sklearn_rankscore import dcg
    >>> round(dcg([[3, 2, 3, 0, 1]], [[5, 4, 3, 2, 1]], discount="jarvelin"), 2)
    7.32
    """
    return r.expected(r.gain(gain))[:, :k] @ r.discount(discount)[:k]


def ideal_dcg(
    r: Ranking, *, k: int | None = None, gain: Gain = "linear", discount: Discount = "log2"
) -> Array:
    """Ideal DCG: the DCG of the rows in the best order, whatever their scores.

    IDCG@k = sum over ranks i = 1..k of g(grade_(i)) d(i), the grades by falling gain. Relevant
    rows that were not retrieved (score -inf) count.

    Range: 0 upwards, in units of gain. Always defined: 0 where nothing is relevant.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques,
    ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from sklearn_rankscore import ideal_dcg
    >>> round(ideal_dcg([[3, 2, 3, 0, 1]], [[5, 4, 3, 2, 1]], discount="jarvelin"), 2)
    7.76
    """
    return r.ideal(r.gain(gain))[:, :k] @ r.discount(discount)[:k]


def ndcg(
    r: Ranking, *, k: int | None = None, gain: Gain = "linear", discount: Discount = "log2"
) -> Array:
    """Normalised discounted cumulative gain: DCG as a share of the best DCG possible.

    nDCG@k = DCG@k / IDCG@k, both cut at k. Finite for exponential gains of any grade.

    Range: 0 to 1. Undefined for a query in which no row has any gain.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques,
    ACM TOIS 20(4), 2002. Equal to `sklearn.metrics.ndcg_score` query by query.

    Examples
    --------
    >>> from sklearn_rankscore import ndcg
    >>> round(ndcg([3, 2, 0, 1, 0], [5, 4, 3, 2, 1], qid=["a", "a", "a", "b", "b"]), 4)
    1.0
    >>> round(ndcg([3, 2, 0, 0, 1], [2, 3, 1, 2, 1], qid=["a", "a", "a", "b", "b"], k=1), 4)
    0.3333
    """
    value = r.gain(gain, relative=True)
    discounts = r.discount(discount)[:k]
    return _ratio(r.expected(value)[:, :k] @ discounts, r.ideal(value)[:, :k] @ discounts)


def _ratio(value: Array, total: Array) -> Array:
    share = np.full(len(value), np.nan)
    np.divide(value, total, out=share, where=total > 0)
    return np.asarray(np.minimum(share, 1.0))  # not above 1 by rounding
