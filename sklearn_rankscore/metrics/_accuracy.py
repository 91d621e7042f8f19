"""Formulas over a Ranking: how well are the relevant rows ranked?

A formula takes a block of ranked queries and returns one value per query, NaN where the metric
is undefined. Its keyword-only parameters are the metric's own options; its docstring opens the
public one (`_docs.py` adds the sections that all metrics share).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._gain import Discount, Gain
    from sklearn_rankscore.metrics._ranking import Hits, Ranking
    from sklearn_rankscore.metrics._validation import Array


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
    return r.expected(r.gain(gain))[:, :k].sum(axis=1)


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


def precision(
    r: Ranking,
    *,
    k: int | None = None,
    min_relevance: float | None = None,
    denominator: str = "k",
) -> Array:
    """Precision: the share of relevant rows among the top k.

    P@k = relevant rows among the top k / k; without k, / the number of rows retrieved.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    trec_eval, measure P. `denominator="attainable"` as in XGBoost and CatBoost.

    Examples
    --------
    >>> from sklearn_rankscore import precision
    >>> precision([[1, 0, 2, 0]], [[4, 3, 2, 1]], k=4)
    0.5
    """
    hits = r.hits(min_relevance)
    return _share(hits, hits.hit[:, :k].sum(axis=1), _cutoff(r, k, denominator))


def recall(
    r: Ranking,
    *,
    k: int | None = None,
    min_relevance: float | None = None,
    denominator: str = "relevant",
) -> Array:
    """Recall: the share of the relevant rows that the top k hold.

    R@k = relevant rows among the top k / R, R being all relevant rows of the query, those that
    were not retrieved (score -inf) included.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    trec_eval, measure recall. `denominator="attainable"` is BEIR's capped recall.

    Examples
    --------
    >>> from sklearn_rankscore import recall
    >>> recall([[1, 0, 2, 0]], [[4, 3, 2, 1]], k=1)
    0.5
    """
    hits = r.hits(min_relevance)
    return _share(hits, hits.hit[:, :k].sum(axis=1), _relevant(hits, k, denominator))


def f1(r: Ranking, *, k: int | None = None, min_relevance: float | None = None) -> Array:
    """F1: the harmonic mean of precision and recall at k.

    F1@k = 2 P@k R@k / (P@k + R@k) = 2 x relevant rows among the top k / (k + R).

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, 2nd ed., 1979.

    Examples
    --------
    >>> from sklearn_rankscore import f1
    >>> f1([[1, 0, 2, 0]], [[4, 3, 2, 1]], k=2)
    0.5
    """
    hits = r.hits(min_relevance)
    found = hits.hit[:, :k].sum(axis=1)
    return _share(hits, 2 * found, _cutoff(r, k, "k") + hits.n_relevant)


def average_precision(
    r: Ranking,
    *,
    k: int | None = None,
    min_relevance: float | None = None,
    denominator: str = "relevant",
) -> Array:
    """Average precision: the mean of the precision at the rank of each relevant row.

    AP@k = sum over the ranks i <= k that hold a relevant row of P@i / R, R being all relevant
    rows of the query: one that was not retrieved or stands below k adds 0. The mean over queries
    is MAP.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    trec_eval, measures map and map_cut. `denominator="attainable"` as in XGBoost and LightGBM.

    Examples
    --------
    >>> from sklearn_rankscore import average_precision
    >>> round(average_precision([[1, 0, 1, 0]], [[4, 3, 2, 1]]), 4)
    0.8333
    """
    hits = r.hits(min_relevance)
    found = (hits.hit * hits.hits_if_hit / r.rank)[:, :k].sum(axis=1)
    return _share(hits, found, _relevant(hits, k, denominator))


def reciprocal_rank(
    r: Ranking, *, k: int | None = None, min_relevance: float | None = None
) -> Array:
    """Reciprocal rank: one over the rank of the first relevant row.

    RR@k = 1 / min{i <= k : row i is relevant}, 0 if the top k hold none. The mean over queries
    is MRR.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    E. M. Voorhees, The TREC-8 question answering track report, TREC 1999.

    Examples
    --------
    >>> from sklearn_rankscore import reciprocal_rank
    >>> reciprocal_rank([[0, 1, 2, 0]], [[4, 3, 2, 1]])
    0.5
    """
    hits = r.hits(min_relevance)
    first_here = -np.diff(hits.none_through, axis=1, prepend=1.0)
    return _share(hits, (first_here / r.rank)[:, :k].sum(axis=1))


def hit_rate(r: Ranking, *, k: int | None = None, min_relevance: float | None = None) -> Array:
    """Hit rate: is any of the top k rows relevant?

    HR@k = 1 if the top k hold a relevant row, else 0. Also known as success@k.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    trec_eval, measure success.

    Examples
    --------
    >>> from sklearn_rankscore import hit_rate
    >>> hit_rate([[0, 1, 2, 0]], [[4, 3, 2, 1]], k=1)
    0.0
    """
    hits = r.hits(min_relevance)
    return _share(hits, 1.0 - hits.none_through[:, :k][:, -1])


def _cutoff(r: Ranking, k: int | None, denominator: str) -> Array:
    """Where the list is cut: at k, or at its end if that comes first and counts."""
    if k is None:
        return r.n_ranked
    return np.full(len(r.n_ranked), k) if denominator == "k" else np.minimum(r.n_ranked, k)


def _relevant(hits: Hits, k: int | None, denominator: str) -> Array:
    """How many relevant rows there are, or at most can be found."""
    if k is None or denominator == "relevant":
        return hits.n_relevant
    return np.minimum(hits.n_relevant, k)


def _ratio(value: Array, total: Array) -> Array:
    return np.divide(value, total, out=np.full(len(value), np.nan), where=total > 0)


def _share(hits: Hits, found: Array, total: Array | int = 1) -> Array:
    """Give found / total, 0 where nothing was retrieved, NaN where nothing is relevant."""
    return np.where(hits.n_relevant > 0, found / np.maximum(total, 1), np.nan)
