"""Formulas over a Ranking: does the order of the scores agree with that of the grades?"""

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._ranking.pairs import (
    count_pairs,
    number_values,
    order_by_falling_score,
)
from sklearn_rankscore.metrics._ranking.ranking import Ranking


def kendall_tau_b(r: Ranking) -> Array:
    """Kendall's tau-b: pairs in the right order less pairs in the wrong one, ties allowed for.

    tau-b = (C - D) / sqrt((n0 - n1)(n0 - n2)). Of the n0 pairs, C are in the right order, D in
    the wrong one, n1 are tied in score and n2 in grade. With ``ties="average"``, equal scores are
    ties in the sense of tau-b; the metric takes no expectation over their orders. Rows that were
    not retrieved (score -inf) stand below all others and are tied with each other.

    Range: -1 to 1. Undefined for a query whose rows are all of one grade, or all of one score.

    References
    ----------
    M. G. Kendall, The treatment of ties in ranking problems, Biometrika 33(3), 1945;
    `scipy.stats.kendalltau` of each query.

    Examples
    --------
    >>> from sklearn_rankscore import kendall_tau_b
    >>> round(kendall_tau_b([[2, 0, 1]], [[3, 2, 1]]), 4)
    0.3333
    """
    pairs = count_pairs(r)
    in_order = pairs.every - pairs.tied_score - pairs.tied_grade + pairs.tied_both
    spread = np.sqrt(pairs.every - pairs.tied_score) * np.sqrt(pairs.every - pairs.tied_grade)
    return _compute_coefficient(in_order - 2 * pairs.discordant, spread)


def spearman_rho(r: Ranking) -> Array:
    """Spearman's rho: the correlation of the ranks of the scores with the ranks of the grades.

    rho = Pearson's correlation of both ranks. Rows of equal grade, or of equal score, share the
    mean of their ranks; the metric takes no expectation over the orders of equal scores. Rows that
    were not retrieved (score -inf) share the lowest ranks. Where each query is a day of trading,
    finance calls it the information coefficient.

    Range: -1 to 1. Undefined for a query whose rows are all of one grade, or all of one score.

    References
    ----------
    C. Spearman, The proof and measurement of association between two things, 1904;
    `scipy.stats.spearmanr` of each query.

    Examples
    --------
    >>> from sklearn_rankscore import spearman_rho
    >>> round(spearman_rho([[2, 0, 1]], [[3, 2, 1]]), 4)
    0.5
    """
    of_grade, of_score = _centre_ranks(r)
    spread = np.sqrt((of_grade**2).sum(axis=1)) * np.sqrt((of_score**2).sum(axis=1))
    return _compute_coefficient((of_grade * of_score).sum(axis=1), spread)


def _centre_ranks(r: Ranking) -> tuple[Array, Array]:
    """Rank the grades, and the scores, of each query; subtract the mean rank of the query."""
    score = r.score
    if r.ties != "average":  # the policy chose one order: rank the retrieved rows by it
        order = order_by_falling_score(number_values(r.grade, r.present), score, r.present, r.ties)
        place = np.argsort(order, axis=1)
        score = np.where(score > -np.inf, -place, -np.inf)
    return _centre(r.grade, r.present), _centre(score, r.present)


def _centre(value: Array, present: Array) -> Array:
    """Rank the values of each line and subtract the mean rank; 0 where there is no row."""
    from scipy.stats import rankdata  # noqa: PLC0415 - slow to import

    number = number_values(value, present)
    ranks = rankdata(np.where(present, number, value.shape[1]), axis=1)  # the padding comes last
    middle = (np.count_nonzero(present, axis=1) + 1) / 2
    return np.where(present, ranks - middle[:, None], 0.0)


def _compute_coefficient(agreement: Array, spread: Array) -> Array:
    value = np.full(len(spread), np.nan)
    np.divide(agreement, spread, out=value, where=spread > 0)
    return np.asarray(np.clip(value, -1.0, 1.0))
