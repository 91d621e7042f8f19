"""scikit-learn's own make_scorer around a metric, and weights of queries."""

import numpy as np
import pytest
import sklearn
from carriers import CARRIERS, by_hand, close, folds, folds_by_hand
from consumers import BINARY, CV, GRID, QID, X, Y
from estimators import ByColumn, Remembering, Threshold
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)

from sklearn_rankscore import (
    RankTarget,
    average_precision,
    make_multi_rank_scorer,
    make_rank_scorer,
    ndcg,
    reciprocal_rank,
)

PLAIN = make_scorer(ndcg, k=10)


def routed(scorer):
    """Ask for ids, which scikit-learn allows with routing enabled only."""
    with sklearn.config_context(enable_metadata_routing=True):
        return scorer.set_score_request(qid=True)


@pytest.mark.parametrize("carrier", ["routed", "RankTarget", "y index"])
@pytest.mark.parametrize("key", ["score", "ndcg"], ids=["one scorer", "two scorers"])
def test_it_finds_the_ids_that_reach_a_metric(key, carrier):
    """They come from RankTarget, from the index of y, or routed, in a search."""
    carried = CARRIERS[carrier](X, Y, QID)
    plain = routed(make_scorer(ndcg, k=10)) if carried.routing else PLAIN
    one = key == "score"
    search = GridSearchCV(
        ByColumn(),
        GRID,
        scoring=plain if one else {"ndcg": plain, "again": plain},
        refit=True if one else key,
        cv=CV,
        error_score="raise",
    )
    carried.call(search.fit)
    assert search.best_params_ == {"column": 1}
    got = [search.cv_results_[f"split{fold}_test_{key}"][1] for fold in range(3)]
    close(got, folds_by_hand(Y, X[:, 1], QID))


@pytest.mark.parametrize("carrier", ["X column", "X index"])
def test_ids_on_x_do_not_reach_a_metric(carrier):
    """The error says that the metric got no ids, and what to do."""
    carried = CARRIERS[carrier](X, Y, QID)
    with pytest.raises(ValueError, match=r"no query ids were given.*RankTarget\(y, qid=…\)"):
        carried.call(PLAIN, ByColumn(1))


def test_scikit_learn_predicts_once_for_all_of_them():
    """Its cache of predictions serves scorers made by make_scorer."""
    scoring = {
        "ndcg": PLAIN,
        "map": make_scorer(average_precision),
        "mrr": make_scorer(reciprocal_rank),
    }
    Remembering.predicted.clear()
    scores = cross_validate(Remembering(1), X, RankTarget(Y, qid=QID), scoring=scoring, cv=CV)
    assert len(Remembering.predicted) == 3
    close(scores["test_ndcg"], folds_by_hand(Y, X[:, 1], QID))
    # As probabilities too, of a classifier.
    plain = make_scorer(ndcg, k=10, response_method="predict_proba")
    scores = cross_val_score(Threshold(), X, RankTarget(BINARY, qid=QID), scoring=plain, cv=CV)
    close(scores, folds_by_hand(BINARY, X[:, 1], QID))


@pytest.mark.parametrize("carrier", ["routed", "RankTarget", "y index"])
def test_a_threshold_is_tuned_for_a_ranking_metric(carrier):
    """TunedThresholdClassifierCV scores every threshold as a loop by hand does."""
    carried = CARRIERS[carrier](X, BINARY, QID)
    thresholds = [0.05, 0.5, 0.9, 0.99]
    tuned = TunedThresholdClassifierCV(
        Threshold(),
        scoring=routed(make_scorer(ndcg, k=10)) if carried.routing else PLAIN,
        thresholds=thresholds,
        cv=CV,
        store_cv_results=True,
    )
    carried.call(tuned.fit)
    high = Threshold().fit(X, BINARY).predict_proba(X)[:, 1]
    want = [
        np.mean(folds_by_hand(BINARY, (high >= threshold).astype(int), QID))
        for threshold in thresholds
    ]
    close(tuned.cv_results_["scores"], want)
    assert tuned.best_threshold_ == 0.9


def test_a_rank_scorer_tunes_no_threshold():
    """The error names the scorer that does."""
    tuned = TunedThresholdClassifierCV(Threshold(), scoring=make_rank_scorer("ndcg"), cv=CV)
    with pytest.raises(AttributeError, match=r"Pass scoring=sklearn.metrics.make_scorer\(ndcg"):
        tuned.fit(X, RankTarget(BINARY, qid=QID))


WEIGHT = np.array([float(query % 5) for query in QID])


def weighted_by_hand(column):
    """Compute the weighted mean of the queries' nDCG in each fold."""
    scores = []
    for _, test in folds(QID):
        queries = np.unique(QID[test])
        values = [
            by_hand(Y[rows], X[rows, column], QID[rows])
            for rows in (np.flatnonzero(np.equal(QID, query)) for query in queries)
        ]
        scores.append(np.average(values, weights=queries % 5))
    return scores


def weighted(make):
    """Make a scorer that asks for weights."""
    return make().set_score_request(sample_weight=True)


WEIGHTED = {
    "score": lambda: weighted(lambda: make_rank_scorer("ndcg@10")),
    "ndcg@10": lambda: weighted(lambda: make_multi_rank_scorer(["ndcg@10", "map"])),
    "ndcg": lambda: {
        "ndcg": weighted(lambda: make_rank_scorer("ndcg@10")),
        "map": make_rank_scorer("map").set_score_request(sample_weight=False),
    },
}


@pytest.mark.parametrize("key", WEIGHTED)
def test_weights_that_are_routed(key):
    """With routing enabled, a scorer that asks for weights gets them."""
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            ByColumn().set_fit_request(sample_weight=False),
            GRID,
            scoring=WEIGHTED[key](),
            refit=False if key == "score" else key,
            cv=CV,
            error_score="raise",
        )
        search.fit(X, Y, qid=QID, sample_weight=WEIGHT)
    check_weighted(search, key)


@pytest.mark.parametrize("key", WEIGHTED)
def test_weights_on_the_target(key):
    """Without routing they travel as the ids do, in every version of scikit-learn."""
    y = RankTarget(Y, qid=QID, sample_weight=WEIGHT)
    search = GridSearchCV(
        ByColumn(), GRID, scoring=WEIGHTED[key](), refit=False, cv=CV, error_score="raise"
    )
    check_weighted(search.fit(X, y), key)
    weighted = make_rank_scorer("ndcg@10")(ByColumn(1), X, y)  # without a request too
    assert WEIGHTED["score"]()(ByColumn(1), X, y) == weighted
    assert weighted != make_rank_scorer("ndcg@10")(ByColumn(1), X, RankTarget(Y, qid=QID))


def check_weighted(search, key):
    """Check that the score of each fold equals that by hand."""
    for at, column in enumerate(GRID["column"]):
        got = [search.cv_results_[f"split{fold}_test_{key}"][at] for fold in range(3)]
        close(got, weighted_by_hand(column))


@pytest.mark.filterwarnings("ignore:.*does not support sample_weight")
@pytest.mark.parametrize("key", WEIGHTED)
def test_weights_of_fit_reach_the_scorers_that_ask(key):
    """With routing off, scikit-learn passes fit(sample_weight=…) on to them since 1.7."""
    y = RankTarget(Y, qid=QID)
    forwards = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 7)
    search = GridSearchCV(
        ByColumn(), GRID, scoring=WEIGHTED[key](), refit=False, cv=CV, error_score="raise"
    ).fit(X, y, sample_weight=WEIGHT)
    got = [search.cv_results_[f"split{fold}_test_{key}"][1] for fold in range(3)]
    close(got, weighted_by_hand(1) if forwards else folds_by_hand(Y, X[:, 1], QID))


@pytest.mark.filterwarnings("ignore:.*does not support sample_weight")
@pytest.mark.parametrize(
    "scoring",
    [
        make_rank_scorer("ndcg@10"),
        {"a": make_rank_scorer("ndcg@10"), "b": make_rank_scorer("map")},
        make_multi_rank_scorer(["ndcg@10"]),
    ],
    ids=["one scorer", "two scorers", "multi-scorer"],
)
def test_weights_of_fit_do_not_reach_other_scorers(scoring):
    """A scorer that asks for no weights takes none; weights of rows are the model's alone."""
    search = GridSearchCV(
        ByColumn(), GRID, scoring=scoring, refit=False, cv=CV, error_score="raise"
    )
    search.fit(X, RankTarget(Y, qid=QID), sample_weight=np.arange(Y.size))
    first = next(name for name in search.cv_results_ if name.startswith("split0_test"))
    close(search.cv_results_[first][1], folds_by_hand(Y, X[:, 1], QID)[0])


def test_weights_must_be_those_of_queries():
    """All rows of a query have one weight; anything else is an error."""
    y = RankTarget(Y, qid=QID, sample_weight=np.arange(Y.size))
    with pytest.raises(ValueError, match=r"the same on all rows of a query\. Got different"):
        WEIGHTED["score"]()(ByColumn(1), X, y)
    # Not found is not weighted, as everywhere in scikit-learn.
    close(WEIGHTED["score"]()(ByColumn(1), X, RankTarget(Y, qid=QID)), by_hand(Y, X[:, 1], QID))
    named = make_rank_scorer("ndcg@10").set_score_request(sample_weight="w")
    y = RankTarget(Y, qid=QID, w=WEIGHT)
    assert named(ByColumn(1), X, y) == WEIGHTED["score"]()(ByColumn(1), X, y, sample_weight=WEIGHT)
