"""Formulas over a Ranking: does the order of the scores agree with that of the grades?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._ranking.ranking import Ranking
    from sklearn_rankscore.metrics._rows.validation import Array


def kendall_tau_b(r: Ranking) -> Array:
    """Kendall's tau-b: pairs in the right order less pairs in the wrong one, ties allowed for.

    tau-b = (C - D) / sqrt((n0 - n1)(n0 - n2)), of n0 pairs C in the right order, D in the wrong
    one, n1 tied in score, n2 tied in grade. With ties averaged, equal scores are ties as tau-b
    has them, not an expectation over their orders. Rows that were not retrieved (score -inf) are
    below all others and tied with each other.

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
    pairs = r.pairs
    in_order = pairs.every - pairs.tied_score - pairs.tied_grade + pairs.tied_both
    spread = np.sqrt(pairs.every - pairs.tied_score) * np.sqrt(pairs.every - pairs.tied_grade)
    return _coefficient(in_order - 2 * pairs.discordant, spread)


def spearman_rho(r: Ranking) -> Array:
    """Spearman's rho: the correlation of the ranks of the scores with the ranks of the grades.

    rho = Pearson's correlation of both ranks, rows of equal grade or score sharing the mean of
    their ranks. With ties averaged, that is not an expectation over the orders of equal scores.
    Rows that were not retrieved (score -inf) share the lowest ranks. Where the queries are days,
    it is known as the information coefficient.

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
    of_grade, of_score = r.centred_ranks()
    spread = np.sqrt((of_grade**2).sum(axis=1)) * np.sqrt((of_score**2).sum(axis=1))
    return _coefficient((of_grade * of_score).sum(axis=1), spread)


def _coefficient(agreement: Array, spread: Array) -> Array:
    value = np.full(len(spread), np.nan)
    np.divide(agreement, spread, out=value, where=spread > 0)
    return np.asarray(np.clip(value, -1.0, 1.0))
