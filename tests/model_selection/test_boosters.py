"""LightGBM, XGBoost and CatBoost through QueryRanker, against their own fit, called by hand."""

import inspect
import pickle
import re

import numpy as np
import pytest
import sklearn
from carriers import CARRIERS, by_hand, close, folds, make_data
from conftest import DATA, needs
from consumers import SCORER
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from sklearn_rankscore import QueryKFold, QueryRanker, RankTarget, make_rank_scorer
from sklearn_rankscore.datasets import load_letor

# CatBoost says so on every fit, of its own settings.
pytestmark = pytest.mark.filterwarnings("ignore:.*feature_importances_:UserWarning")


def lightgbm(**parameters):
    """LGBMRanker that is quick, quiet and the same each time."""
    ranker = needs("lightgbm").LGBMRanker
    return ranker(n_estimators=15, n_jobs=1, verbose=-1, **parameters)


def xgboost(**parameters):
    """XGBRanker, likewise."""
    return needs("xgboost").XGBRanker(n_estimators=15, n_jobs=1, **parameters)


def catboost(**parameters):
    """CatBoostRanker, likewise."""
    ranker = needs("catboost").CatBoostRanker
    quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return ranker(iterations=15, random_seed=0, **quiet, **parameters)


BOOSTERS = {"lightgbm": lightgbm, "xgboost": xgboost, "catboost": catboost}
GRIDS = {
    "lightgbm": {"num_leaves": [7, 15, 31]},
    "xgboost": {"max_depth": [2, 4, 6]},
    "catboost": {"depth": [2, 4, 6]},
}


def native(ranker, rows, evaluation=None, weight=None):
    """Fit a ranker as its own documentation says: sort, then sizes, ids, or a pool."""
    X, y, qid = rows
    order = np.argsort(qid, kind="stable")
    X, y, qid = X[order], y[order], np.unique(qid[order], return_inverse=True)[1]
    weight = None if weight is None else weight[order]
    kind = type(ranker).__name__
    sizes = np.bincount(qid)
    if kind == "LGBMRanker":
        more = {"group": sizes, "sample_weight": weight}
        if evaluation:
            X_, y_, qid_ = evaluation
            more |= {"eval_group": [np.bincount(qid_)]}
            newer = "eval_X" in inspect.signature(ranker.fit).parameters  # since LightGBM 4.7
            more |= {"eval_X": X_, "eval_y": y_} if newer else {"eval_set": [(X_, y_)]}
    elif kind == "XGBRanker":
        first = np.cumsum(sizes) - sizes
        more = {"qid": qid, "sample_weight": None if weight is None else weight[first]}
        if evaluation:
            X_, y_, qid_ = evaluation
            more |= {"eval_set": [(X_, y_)], "eval_qid": [qid_]}
    else:
        more = {"group_id": qid, "sample_weight": weight}
        if evaluation:
            X_, y_, qid_ = evaluation
            more |= {"eval_set": needs("catboost").Pool(X_, y_, group_id=qid_)}
    return clone(ranker).fit(X, y, **more)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_a_search_equals_a_loop_by_hand(booster):
    """On real data: sort, size, fit, predict, and scikit-learn's nDCG query by query."""
    X, y, qid = load_letor(DATA / "letor" / "first_30_queries.svm")
    ranker = BOOSTERS[booster]()
    (name, values), *_ = GRIDS[booster].items()
    search = GridSearchCV(
        QueryRanker(ranker),
        {f"ranker__{name}": values},
        scoring=make_rank_scorer("ndcg@10"),
        cv=GroupKFold(5),
        error_score="raise",
    )
    search.fit(X, RankTarget(y, qid=qid), groups=qid)
    differences = []
    for at, value in enumerate(values):
        for fold, (train, test) in enumerate(folds(qid, 5)):
            model = native(ranker.set_params(**{name: value}), (X[train], y[train], qid[train]))
            want = by_hand(y[test], model.predict(X[test]), qid[test])
            got = search.cv_results_[f"split{fold}_test_score"][at]
            differences.append(abs(got - want))
    assert max(differences) < 1e-12
    assert len({round(mean, 6) for mean in search.cv_results_["mean_test_score"]}) > 1


def shuffled(seed=0, n_queries=30):
    """Rows in no order, their ids text; grades that take more than a few trees."""
    X, y, qid = make_data(seed, n_queries)
    X[:, 1] += 3 * X[:, 2]
    return X, y, np.array([f"q{query}" for query in qid])


@pytest.mark.parametrize("booster", BOOSTERS)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_text_ids_of_shuffled_rows(booster, carrier):
    """Equal to the ranker's own fit, wherever the ids are; predictions in the order of rows."""
    X, y, qid = shuffled()
    carried = CARRIERS[carrier](X, y, qid)
    if (booster, carrier) == ("xgboost", "X column, polars"):
        needs("pyarrow")
    model = carried.call(QueryRanker(BOOSTERS[booster]()).fit)
    want = native(BOOSTERS[booster](), (X, y, qid)).predict(X)
    np.testing.assert_array_equal(model.predict(carried.X), want)
    close(carried.call(model.score), by_hand(y, want, qid, k=None))
    search = GridSearchCV(
        QueryRanker(BOOSTERS[booster]()),
        {f"ranker__{name}": values[:2] for name, values in GRIDS[booster].items()},
        scoring=SCORER,
        cv=QueryKFold(3),
        n_jobs=2 if carrier == "RankTarget" else 1,
        error_score="raise",
    )
    carried.call(search.fit)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("booster", BOOSTERS)
def test_early_stopping_and_weights(booster):
    """eval_set with eval_qid, in any order of rows, stops where the ranker itself would."""
    stopping = {
        "lightgbm": {"early_stopping_round": 3},
        "xgboost": {"early_stopping_rounds": 3, "eval_metric": "ndcg@5"},
        "catboost": {"early_stopping_rounds": 3, "eval_metric": "NDCG:top=5"},
    }[booster]
    count = "iterations" if booster == "catboost" else "n_estimators"
    ranker = BOOSTERS[booster](learning_rate=0.05, **stopping).set_params(**{count: 300})
    rows, (X_, y_, qid_) = shuffled(), shuffled(1, 10)
    order = np.argsort(qid_, kind="stable")
    numbers = np.unique(qid_[order], return_inverse=True)[1]
    # CatBoost's losses of pairs take no weights.
    weight = (
        None if booster == "catboost" else np.unique(rows[2], return_inverse=True)[1] % 3 + 1.0
    )
    alone = native(ranker, rows, (X_[order], y_[order], numbers), weight)
    more = {"verbose": False} if booster == "xgboost" else {}
    for told in (
        {"eval_set": [(X_, y_)], "eval_qid": [qid_]},
        {"eval_set": (X_, y_), "eval_qid": qid_},
        {"eval_set": [(X_, RankTarget(y_, qid=qid_))]},
    ):
        model = QueryRanker(ranker).fit(
            rows[0], rows[1], qid=rows[2], sample_weight=weight, **told, **more
        )
        np.testing.assert_array_equal(model.predict(X_), alone.predict(X_))
    best = model.ranker_.best_iteration if booster == "xgboost" else model.best_iteration_
    assert 0 < best < 290
    # Through a search, with and without routing.
    search = GridSearchCV(
        QueryRanker(ranker), {f"ranker__{count}": [300]}, cv=QueryKFold(3), error_score="raise"
    )
    target = RankTarget(rows[1], qid=rows[2])
    off = search.fit(rows[0], target, eval_set=[(X_, y_)], eval_qid=[qid_], **more)
    predicted = off.predict(X_)
    with sklearn.config_context(enable_metadata_routing=True):
        on = clone(search).fit(
            rows[0], rows[1], qid=rows[2], eval_set=[(X_, y_)], eval_qid=[qid_], **more
        )
    np.testing.assert_array_equal(on.predict(X_), predicted)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_copies_pipelines_and_what_is_learned(booster):
    """Pickled, cloned, in a pipeline; importances and names of features are the ranker's own."""
    X, y, qid = shuffled()
    y = RankTarget(y, qid=qid)
    model = QueryRanker(BOOSTERS[booster]()).fit(X, y)
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.feature_importances_, model.ranker_.feature_importances_)
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
    scaled = StandardScaler().fit_transform(X)
    pipeline = make_pipeline(StandardScaler(), QueryRanker(BOOSTERS[booster]())).fit(X, y)
    want = QueryRanker(BOOSTERS[booster]()).fit(scaled, y).predict(scaled)
    np.testing.assert_array_equal(pipeline.predict(X), want)
    frame = CARRIERS["X column"](X, np.asarray(y), qid)
    model = frame.call(QueryRanker(BOOSTERS[booster]()).fit)
    if booster != "catboost":  # which calls them feature_names_
        assert list(model.feature_names_in_) == list("abc")
    assert model.n_features_in_ == 3


def test_rankers_meet_grades_that_they_cannot_learn_from():
    """LightGBM wants whole grades; a pointwise regressor takes any."""
    X, y, qid = shuffled()
    with pytest.raises(ValueError, match=r"LGBMRanker learns from whole grades.*the grade \d\.5"):
        QueryRanker(lightgbm()).fit(X, y + 0.5, qid=qid)
    QueryRanker(lightgbm()).fit(X, y.astype(float), qid=qid)
    QueryRanker(needs("lightgbm").LGBMRegressor(n_estimators=2, verbose=-1)).fit(X, y + 0.5)


class OneQuery(QueryRanker):
    """Takes all rows for one query, as scikit-learn's checks know of no ids."""

    def fit(self, X, y, **parameters):
        return super().fit(X, y, qid=one_query(X), **parameters)

    def score(self, X, y, **parameters):
        return super().score(X, y, qid=one_query(X), **parameters)


def one_query(X):
    """Give the same id to each row."""
    return np.zeros(X.shape[0] if hasattr(X, "shape") else len(np.asarray(X)), dtype=int)


# Checks of regressors give grades such as 1.44842, from which these two do not learn.
WHOLE_GRADES = "learns from whole grades|label must be either 0 or positive integer"


@pytest.mark.filterwarnings("ignore")  # what the boosters say of rows made to be refused
@pytest.mark.parametrize("booster", BOOSTERS)
def test_check_estimator(booster):
    """scikit-learn's own checks: nothing fails but what the library itself does not pass."""
    failed = failures(OneQuery(BOOSTERS[booster]()))
    if booster == "catboost":
        bare = needs("catboost").CatBoostRegressor(
            iterations=15, verbose=0, allow_writing_files=False
        )
        assert failed.keys() <= failures(bare).keys()
    else:
        assert all(re.search(WHOLE_GRADES, str(error)) for error in failed.values())
        assert len(failed) <= 7


def failures(estimator):
    """Checks that an estimator fails, and how."""
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(results) > 40
    return {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
