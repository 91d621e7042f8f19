"""Where are the relevant rows? See `cumulated_gain` for grades that add up."""

from dataclasses import replace

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._options import MIN_RELEVANCE, K, option
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._ranking.ties import Hits
from sklearn_rankscore.metrics._rows.validation import one_of

K_DENOMINATOR = option(
    one_of("k", "attainable"),
    '{"k", "attainable"}',
    "Divisor of the relevant rows in the top k: k, or min(k, rows retrieved).",
    "k",
    {"xgboost": "attainable", "catboost": "attainable"},
)
RELEVANT_DENOMINATOR = option(
    one_of("relevant", "attainable"),
    '{"relevant", "attainable"}',
    "Divisor in the formula above: all relevant rows, or min(k, relevant rows).",
    "relevant",
)
# The boosters divide average precision by what is attainable, but not recall.
AP_DENOMINATOR = replace(
    RELEVANT_DENOMINATOR,
    conventions=dict.fromkeys(("lightgbm", "xgboost", "catboost"), "attainable"),
)


def precision(
    r: Ranking,
    *,
    k: int | None = K,
    min_relevance: float | None = MIN_RELEVANCE,
    denominator: str = K_DENOMINATOR,
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
    found, listed = hits.hit[:, :k].sum(axis=1), _count_listed(r, k, denominator)
    r.note(hits=hits, found=found, listed=listed)
    return hits.share(found, listed)


def recall(
    r: Ranking,
    *,
    k: int | None = K,
    min_relevance: float | None = MIN_RELEVANCE,
    denominator: str = RELEVANT_DENOMINATOR,
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
    found, divisor = hits.hit[:, :k].sum(axis=1), _count_attainable(hits, k, denominator)
    r.note(hits=hits, found=found, divisor=divisor)
    return hits.share(found, divisor)


def f1(r: Ranking, *, k: int | None = K, min_relevance: float | None = MIN_RELEVANCE) -> Array:
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
    found, listed = hits.hit[:, :k].sum(axis=1), _count_listed(r, k, "k")
    r.note(hits=hits, found=found, listed=listed)
    return hits.share(2 * found, listed + hits.n_relevant)


def average_precision(
    r: Ranking,
    *,
    k: int | None = K,
    min_relevance: float | None = MIN_RELEVANCE,
    denominator: str = AP_DENOMINATOR,
) -> Array:
    """Average precision: the mean of the precision at the rank of each relevant row.

    AP@k = 1/R x sum of P@i over the ranks i <= k that hold a relevant row. R counts all relevant
    rows of the query; one that was not retrieved or stands below k adds 0. The mean over queries
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
    counted = (hits.hit * hits.hits_if_hit / r.rank)[:, :k]
    total, divisor = counted.sum(axis=1), _count_attainable(hits, k, denominator)
    r.note(hits=hits, counted=counted, total=total, divisor=divisor)
    return hits.share(total, divisor)


def r_precision(r: Ranking, *, min_relevance: float | None = MIN_RELEVANCE) -> Array:
    """R-precision: the share of relevant rows among the top R, R being all relevant rows.

    RP = relevant rows among the top R / R: precision and recall at the rank where both are equal.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    trec_eval, measure Rprec.

    Examples
    --------
    >>> from sklearn_rankscore import r_precision
    >>> r_precision([[1, 0, 1, 0]], [[4, 3, 2, 1]])
    0.5
    """
    hits = r.hits(min_relevance)
    top = r.rank <= hits.n_relevant[:, None]
    found = (hits.hit * top).sum(axis=1)
    r.note(hits=hits, found=found, depth=hits.n_relevant)
    return hits.share(found, hits.n_relevant)


def fall_out(
    r: Ranking, *, k: int | None = K, min_relevance: float | None = MIN_RELEVANCE
) -> Array:
    """Fall-out: of all rows that are not relevant, the share in the top k. Less is better.

    FO@k = rows among the top k that are not relevant / all rows that are not relevant, those not
    retrieved (score -inf) included. By default an undefined query scores 0, the best value here;
    with ``replace_undefined_by=1`` it scores the worst.

    Range: 0 to 1. Undefined for a query in which every row is relevant.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, 2nd ed., 1979.

    Examples
    --------
    >>> from sklearn_rankscore import fall_out
    >>> fall_out([[1, 0, 1, 0]], [[4, 3, 2, 1]], k=2)
    0.5
    """
    hits = r.hits(min_relevance)
    others = r.n_rows - hits.n_relevant
    found = _count_listed(r, k, "attainable") - hits.hit[:, :k].sum(axis=1)
    value: Array = np.clip(found / np.maximum(others, 1), 0.0, 1.0)
    value[others == 0] = np.nan
    return value


def judged(r: Ranking, *, k: int | None = K) -> Array:
    """Judged: the share of the top k rows that somebody has judged.

    J@k = rows among the top k with a grade / min(k, rows retrieved). A grade of NaN or -inf (or a
    masked one) says that nobody has judged the row. If many rows are unjudged, other metrics of
    the same ranking say little.

    Range: 0 to 1. Undefined for a query of which no row was retrieved.

    References
    ----------
    ir_measures, Judged.

    Examples
    --------
    >>> from sklearn_rankscore import judged
    >>> judged([[1, float("nan"), 0, 2]], [[4, 3, 2, 1]], k=2)
    0.5
    """
    total = _count_listed(r, k, "attainable")
    known = np.asarray(~np.isnan(r.grade) & r.present).astype(np.float64)  # in input order
    value: Array = r.expected(known)[:, :k].sum(axis=1) / np.maximum(total, 1)
    value[total == 0] = np.nan
    return value


def _count_listed(r: Ranking, k: int | None, denominator: str) -> Array:
    """Count the rows of the top k: k itself, or those that were retrieved."""
    if k is None:
        return r.n_ranked
    if denominator == "k":
        return np.full(len(r.n_ranked), float(k))
    return np.minimum(r.n_ranked, k)


def _count_attainable(hits: Hits, k: int | None, denominator: str) -> Array:
    """Count the relevant rows: all of them, or only as many as the top k can hold."""
    if k is None or denominator == "relevant":
        return hits.n_relevant
    return np.minimum(hits.n_relevant, k)
