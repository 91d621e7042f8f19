"""Which pairs of rows are in the right order?"""

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._options import MIN_RELEVANCE, option
from sklearn_rankscore.metrics._ranking.pairs import count_pairs
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._rows.validation import number_that

MIN_JUDGED = option(
    number_that(np.isfinite, "a finite number or None"),
    "float",
    "A row of lower grade counts as not judged, so not at all. None: every row is judged.",
    None,
    {"trec_eval": 0.0},
)


def pairwise_accuracy(r: Ranking) -> Array:
    """Pairwise accuracy: the share of pairs of different grade that are in the right order.

    PA = pairs of rows of different grade in which the higher grade has the higher score / all
    pairs of different grade. A tie counts half. Rows that were not retrieved (score -inf) stand
    below all others and are tied with each other.

    Range: 0 to 1. Undefined for a query whose rows are all of one grade.

    References
    ----------
    TensorFlow Ranking, OPAMetric (ordered pair accuracy), with equal weights.

    Examples
    --------
    >>> from sklearn_rankscore import pairwise_accuracy
    >>> round(pairwise_accuracy([[2, 0, 1]], [[3, 2, 1]]), 4)
    0.6667
    """
    pairs = count_pairs(r)
    different = pairs.every - pairs.tied_grade
    wrong = pairs.discordant + (pairs.tied_score - pairs.tied_both) / 2
    value: Array = 1.0 - wrong / np.maximum(different, 1)
    value[different == 0] = np.nan
    return value


def roc_auc(r: Ranking, *, min_relevance: float | None = MIN_RELEVANCE) -> Array:
    """ROC AUC: the probability that a relevant row is ranked above one that is not.

    AUC = pairs of a relevant row and another in which the relevant row has the higher score / all
    such pairs of the query. A tie counts half. Rows that were not retrieved (score -inf) stand
    below all others and are tied with each other.

    Range: 0 to 1. Undefined for a query without relevant rows, or with no others.

    References
    ----------
    `sklearn.metrics.roc_auc_score` of each query; CatBoost, QueryAUC.

    Examples
    --------
    >>> from sklearn_rankscore import roc_auc
    >>> round(roc_auc([[1, 0, 1, 0]], [[4, 3, 2, 1]]), 4)
    0.75
    """
    hits = r.hits(min_relevance)
    relevant, others = hits.n_relevant, r.n_rows - hits.n_relevant
    before, tied = hits.count_others_above()
    below = hits.add_up(others[:, None] - before - tied / 2)
    missed = relevant - hits.add_up(np.ones(before.shape))
    missed_others = others - (r.n_ranked - (relevant - missed))
    pairs = relevant * others
    value = (below + missed * missed_others / 2) / np.maximum(pairs, 1)
    value[pairs == 0] = np.nan
    return np.asarray(np.clip(value, 0.0, 1.0))


def bpref(
    r: Ranking,
    *,
    min_relevance: float | None = MIN_RELEVANCE,
    min_judged: float | None = MIN_JUDGED,
) -> Array:
    """Binary preference: how seldom rows that are not relevant stand above relevant ones.

    bpref = 1/R x sum over the relevant rows that were retrieved of 1 - min(a, R) / min(N, R). The
    query has R relevant and N other rows, of which a stand above the relevant row. Leave out rows
    that nobody has judged.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    C. Buckley, E. M. Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004;
    trec_eval, measure bpref.

    Examples
    --------
    >>> from sklearn_rankscore import bpref
    >>> bpref([[1, 0, 1, 0]], [[4, 3, 2, 1]])
    0.75
    """
    hits = r.hits(min_relevance)
    relevant = hits.n_relevant
    is_relevant = r.relevant(min_relevance) > 0
    is_judged = r.present if min_judged is None else r.relevant(min_judged) > 0
    is_other = is_judged & ~is_relevant
    others = is_other.sum(axis=1)
    # As one value, which the best order inside a tie sorts by: relevant, not judged, other.
    value = is_relevant.astype(np.float64) - is_other
    before, tied = hits.count_others_above(r.in_order(value) < 0)
    most = relevant[:, None]
    # Any number from 0 to `tied` of the tied others may stand above; from `under` on, R count.
    under = np.clip(most - before, 0, tied + 1)
    counted = under * before + under * (under - 1) / 2 + (tied + 1 - under) * most
    above = counted / (tied + 1)
    lost = above / np.maximum(np.minimum(others, relevant), 1)[:, None]
    return hits.share(np.maximum(hits.add_up(1.0 - lost), 0.0), relevant)
