"""How far down does a person read?"""

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._formulas.cumulated_gain import compute_gains
from sklearn_rankscore.metrics._options import MIN_RELEVANCE, K, option
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._rows.validation import number_that

PERSISTENCE = option(
    number_that(lambda p: 0 <= p < 1, "a probability, at least 0 and below 1"),
    "float",
    "Probability p of going on to the next row, at least 0 and below 1.",
    0.8,
    {"trec_eval": 0.9},
)
MAX_GRADE = option(
    number_that(
        lambda grade: 0 < grade <= 1000,
        "the highest grade that a row can have, above 0 and at most 1000",
    ),
    "float",
    "Highest grade that a row can have; no row may have a higher one.",
    4.0,
)


def reciprocal_rank(
    r: Ranking, *, k: int | None = K, min_relevance: float | None = MIN_RELEVANCE
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
    counted = (first_here / r.rank)[:, :k]
    r.note(hits=hits, first_here=first_here, counted=counted)
    return hits.share(counted.sum(axis=1))


def hit_rate(
    r: Ranking, *, k: int | None = K, min_relevance: float | None = MIN_RELEVANCE
) -> Array:
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
    none_so_far = hits.none_through[:, :k]
    r.note(hits=hits, none_so_far=none_so_far)
    return hits.share(1.0 - none_so_far[:, -1])


def rank_biased_precision(
    r: Ranking,
    *,
    k: int | None = K,
    min_relevance: float | None = MIN_RELEVANCE,
    persistence: float = PERSISTENCE,
) -> Array:
    """Rank-biased precision: relevant rows per row read by a person who reads on with chance p.

    RBP@k = (1 - p) x sum of p^(i-1) over the ranks i = 1..k that hold a relevant row. p is the
    `persistence`.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    A. Moffat, J. Zobel, Rank-biased precision for measurement of retrieval effectiveness,
    ACM TOIS 27(1), 2008.

    Examples
    --------
    >>> from sklearn_rankscore import rank_biased_precision
    >>> round(rank_biased_precision([[1, 0, 1, 0]], [[4, 3, 2, 1]], persistence=0.5), 4)
    0.625
    """
    hits = r.hits(min_relevance)
    hit, reads = hits.hit[:, :k], (persistence ** (r.rank - 1.0))[:k]
    r.note(hits=hits, hit=hit, reads=reads)
    return hits.share((1 - persistence) * (hit @ reads))


def expected_reciprocal_rank(
    r: Ranking, *, k: int | None = K, max_grade: float = MAX_GRADE
) -> Array:
    """Expected reciprocal rank: expected value of 1 / (rank at which a person is satisfied).

    ERR@k = sum over ranks i = 1..k of 1/i x p_i x product over j < i of (1 - p_j), a row of grade
    g satisfying with probability p = (2^g - 1) / 2^max_grade. With ties averaged, the expected
    products are exact (by elementary symmetric polynomials); their time grows with the square of
    the longest tie's length, less with a cutoff.

    Range: 0 to 1. Undefined for a query in which no row can satisfy.

    References
    ----------
    O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan, Expected reciprocal rank for graded relevance,
    CIKM 2009.

    Examples
    --------
    >>> from sklearn_rankscore import expected_reciprocal_rank
    >>> round(expected_reciprocal_rank([[4, 0, 2]], [[3, 2, 1]]), 4)
    0.9414
    """
    satisfied = compute_gains(r, "exponential") / 2.0**max_grade
    on = r.continue_through(satisfied)[:, :k]
    stops_here, worth = -np.diff(on, axis=1, prepend=1.0), 1.0 / r.rank[:k]
    r.note(stops_here=stops_here, worth=worth)
    value = np.clip(stops_here @ worth, 0.0, 1.0)
    value[~satisfied.any(axis=1)] = np.nan
    return np.asarray(value)
