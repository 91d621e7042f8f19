"""A new metric is a formula, with the records of its options beside it, and a line of the table.

What is written here would stand in two files: the formula's, and metrics/__init__.py.
"""

import inspect

import numpy as np
import pytest

from sklearn_rankscore import Metric, RankTarget, evaluate, make_rank_scorer
from sklearn_rankscore.metrics._options import MIN_RELEVANCE, K, option
from sklearn_rankscore.metrics._rows.validation import number_that

BETA = option(
    number_that(lambda beta: beta > 0, "a number above 0"),
    "float",
    "How many times as much recall counts as precision.",
    1.0,
    {"trec_eval": 2.0},
)


def f_beta(r, *, k=K, min_relevance=MIN_RELEVANCE, beta=BETA):
    """F-beta: precision and recall in one number.

    Range: 0 to 1. Undefined for a query without relevant rows.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, 2nd ed., 1979.

    Examples
    --------
    None here.
    """
    hits = r.hits(min_relevance)
    found = hits.hit[:, :k].sum(axis=1)
    listed = np.full(len(found), k) if k else r.n_ranked
    return hits.share((1 + beta**2) * found, listed + beta**2 * hits.n_relevant)


METRIC = Metric(f_beta, aliases=("fb",))
ROWS = [[1, 0, 1, 1, 0]], [[5, 4, 3, 2, 1]]


def by_hand(beta, k):
    """From precision and recall: two of the first three rows, of three that are relevant."""
    precision, recall = {2: (1 / 2, 1 / 3), 3: (2 / 3, 2 / 3)}[k]
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("k", [2, 3])
def test_its_options_reach_the_formula(beta, k):
    """In a call, bound, by evaluate and by a scorer."""
    want = pytest.approx(by_hand(beta, k))
    assert METRIC(*ROWS, k=k, beta=beta) == want
    assert METRIC.bind(beta=beta)(*ROWS, k=k) == want
    assert evaluate(*ROWS, metrics=[METRIC], k=k, beta=beta) == {"f_beta": want}

    class Scores:
        def predict(self, X):
            return X[:, 0]

    X, y = np.array(ROWS[1]).T, RankTarget(ROWS[0][0], qid=[7] * 5)
    assert make_rank_scorer(METRIC, k=k, beta=beta)(Scores(), X, y) == want


def test_the_record_says_all_there_is_to_an_option():
    """Default, check, convention, signature, docstring."""
    assert METRIC(*ROWS, k=2) == pytest.approx(by_hand(1.0, 2))
    assert METRIC(*ROWS, k=2, convention="trec_eval") == pytest.approx(by_hand(2.0, 2))
    assert METRIC(*ROWS, k=2, convention="trec_eval", beta=3) == pytest.approx(by_hand(3.0, 2))
    with pytest.raises(
        ValueError,
        match=r"The 'beta' parameter of f_beta must be a number above 0\. Got 0 instead",
    ):
        METRIC.bind(beta=0)
    assert inspect.signature(METRIC).parameters["beta"].default == 1.0
    assert "beta : float, default=1.0\n    How many times as much recall" in METRIC.__doc__
    assert METRIC.__doc__.index("Parameters\n") < METRIC.__doc__.index("References\n")


def test_a_formula_whose_option_has_no_record_is_refused():
    """A plain default has no check and no words."""

    def depth(r, *, k=None):
        """Depth."""

    with pytest.raises(TypeError, match=r"parameter of depth must be an Option. Got None for k"):
        Metric(depth)
