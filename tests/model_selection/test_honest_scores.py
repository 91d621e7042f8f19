"""Nothing is silently wrong: constant models, cut queries, lost ids, large arrays in processes."""

import functools
import warnings

import numpy as np
import pytest
import sklearn
from carriers import CARRIERS, by_hand, close, folds_by_hand, make_data
from consumers import CV, GRID, HALVING, NOISY, QID, SCORER, X, Y
from estimators import ByColumn, Iterated, Remembering, Sum
from sklearn.dummy import DummyRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)

from sklearn_rankscore import (
    QueryKFold,
    QuerySplitWarning,
    RankTarget,
    make_multi_rank_scorer,
    make_rank_scorer,
)

ORDERS = {
    "as it is": np.arange(Y.size),
    "best first": np.argsort(-Y, kind="stable"),
    "worst first": np.argsort(Y, kind="stable"),
}


@pytest.mark.parametrize("order", ORDERS)
def test_a_constant_model_scores_the_expectation(order):
    """Each rank has the mean gain, whatever the order of rows."""
    rows = ORDERS[order]
    y, qid = Y[rows], QID[rows]
    discounts = 1 / np.log2(np.arange(2, 12))
    want = {}
    for query in np.unique(qid):
        grades = np.sort(y[qid == query])[::-1]
        top = discounts[: grades.size]
        want[query] = grades.mean() * top.sum() / (grades * top).sum()
    scores = cross_validate(
        DummyRegressor(),
        X[rows],
        RankTarget(y, qid=qid),
        scoring=SCORER,
        cv=CV,
        return_indices=True,
    )
    for got, test in zip(scores["test_score"], scores["indices"]["test"], strict=True):
        expected = np.mean([want[query] for query in np.unique(qid[test])])
        close(got, expected)
        assert expected < 0.85


def test_the_multi_scorer_predicts_once_per_fold():
    """A dict of scorers gives the same numbers from a prediction for each scorer."""
    names = ["ndcg@10", "map", "mrr"]
    counted = {}
    scores = {}
    for scoring in (make_multi_rank_scorer(names), {n: make_rank_scorer(n) for n in names}):
        Remembering.predicted.clear()
        kind = type(scoring).__name__
        scores[kind] = cross_validate(
            Remembering(1), X, RankTarget(Y, qid=QID), scoring=scoring, cv=CV, error_score="raise"
        )
        counted[kind] = len(Remembering.predicted)
    assert counted == {"MultiRankScorer": 3, "dict": 9}
    for name in names:
        one, each = (result[f"test_{name}"] for result in scores.values())
        np.testing.assert_array_equal(one, each)


class Table:
    """A large table that nobody copies."""

    def __init__(self):
        self.gains = np.arange(3_000_000, dtype=float)  # 24 MB

    def __call__(self, grades):
        return self.gains[grades.astype(int)]

    def refuse(self, memo):
        raise AssertionError("the table was copied")

    __copy__ = __deepcopy__ = __reduce_ex__ = refuse


@pytest.mark.parametrize(
    ("make", "metrics"),
    [(make_rank_scorer, "ndcg"), (make_multi_rank_scorer, ["ndcg", "map"])],
    ids=["one metric", "several metrics"],
)
def test_the_routing_request_copies_nothing(make, metrics):
    """A search asks for it many times; the scorer's table of gains is never copied."""
    scorer = make(metrics, gain=Table())
    for _ in range(20):
        assert scorer.get_metadata_routing().score.requests["qid"] is not None
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(ByColumn(), GRID, scoring=scorer, refit=False, cv=CV)
        for _ in range(20):
            sklearn.utils.metadata_routing.get_routing_for_object(search)


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_lost_ids_are_said_where_scikit_learn_goes_on():
    """scikit-learn's other splitters turn the error into NaN and a warning of the same words."""
    search = GridSearchCV(ByColumn(), GRID, scoring=SCORER, cv=GroupKFold(3))
    with pytest.warns(UserWarning, match="found no query ids"):
        search.fit(X, Y, groups=QID)
    with pytest.raises(ValueError, match="found no query ids"):
        search.set_params(error_score="raise").fit(X, Y, groups=QID)
    with pytest.raises(ValueError, match="found no query ids"):
        search.set_params(error_score=np.nan, cv=QueryKFold(3)).fit(X, Y)
    frame = CARRIERS["X index"](NOISY, Y, QID)
    selector = SequentialFeatureSelector(Sum(), n_features_to_select=1, scoring=SCORER, cv=3)
    with pytest.warns(UserWarning, match="found no query ids"):
        frame.call(selector.fit)


def test_the_error_names_the_columns_that_are_there():
    """A misspelt name is found by comparison."""
    carried = CARRIERS["X column"](X, Y, QID)
    message = (
        r"only the names \['a', 'b', 'c', 'qid'\]. Did you mean qid='qid'\?.*a column 'qids' of X"
    )
    with pytest.raises(ValueError, match=message):
        make_rank_scorer("ndcg", qid="qids")(ByColumn(1), carried.X, Y)


CUT = {
    "KFold": lambda y: cross_val_score(ByColumn(1), X, y, scoring=SCORER, cv=KFold(3)),
    "halving rows": lambda y: HalvingGridSearchCV(
        Iterated(), GRID, scoring=SCORER, cv=CV, min_resources=60, factor=3
    ).fit(X, y),
    "learning_curve": lambda y: learning_curve(
        ByColumn(1), X, y, train_sizes=[41], scoring=SCORER, cv=CV
    ),
    "permutation_importance of some rows": lambda y: permutation_importance(
        ByColumn(1), X, y, scoring=SCORER, max_samples=0.5
    ),
    "QueryKFold by other ids": lambda y: cross_val_score(
        ByColumn(1), X, y, scoring=SCORER, cv=QueryKFold(3), groups=np.arange(Y.size)
    ),
}


@pytest.mark.parametrize("cut", CUT)
def test_a_cut_query_is_noticed(cut):
    """A RankTarget knows how large its queries were, and warns when a part of one is scored."""
    message = "some of their rows are missing or repeated, so that they are not scored whole"
    with pytest.warns(QuerySplitWarning, match=message):
        CUT[cut](RankTarget(Y, qid=QID))
    # No other carrier knows; this is what the README says of it.
    with warnings.catch_warnings(action="error", category=QuerySplitWarning):
        CUT[cut](CARRIERS["y index"](X, Y, QID).y)


def test_halving_by_another_resource_cuts_nothing():
    """A search that spends iterations or trees gives every candidate all rows."""
    search = HalvingGridSearchCV(Iterated(), GRID, scoring=SCORER, cv=CV, **HALVING)
    assert search.fit(X, RankTarget(Y, qid=QID)).best_params_ == {"column": 1, "max_iter": 3}


LARGE = make_data(n_queries=1200, n_rows=120)
COPIES = {
    "cross_validate": lambda c: c.validate(
        cross_validate, ByColumn(1), scoring=SCORER, cv=CV, n_jobs=2, error_score="raise"
    )["test_score"],
    "search": lambda c: [
        c.call(
            GridSearchCV(
                ByColumn(), GRID, scoring=SCORER, cv=CV, n_jobs=2, error_score="raise"
            ).fit
        ).cv_results_[f"split{fold}_test_score"][1]
        for fold in range(3)
    ],
}


@functools.cache
def large_scores():
    """Compute the scores by hand, once for all tests."""
    big, y, qid = LARGE
    return folds_by_hand(y, big[:, 1], qid)


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("use", COPIES)
def test_large_arrays_in_processes(use, carrier):
    """Above 1 MB joblib maps arrays into memory; rows and ids stay together."""
    assert min(values.nbytes for values in LARGE) > 2**20
    close(COPIES[use](CARRIERS[carrier](*LARGE)), large_scores())


@pytest.mark.parametrize("carrier", ["RankTarget", "y index", "X index"])
def test_large_arrays_of_permutation_importance(carrier):
    """The copies of X that it shuffles in processes keep their ids."""
    big, y, qid = LARGE
    carried = CARRIERS[carrier](*LARGE)
    result = carried.call(
        permutation_importance, ByColumn(1), scoring=SCORER, n_repeats=1, n_jobs=2, random_state=0
    )
    base, shuffled = by_hand(y, big[:, 1], qid), by_hand(y, np.zeros(y.size), qid)
    close(result.importances_mean[[0, 2]], 0)
    # Shuffled, the good column is worth no more than chance, over 1200 queries.
    assert abs(base - result.importances_mean[1] - shuffled) < 0.01
