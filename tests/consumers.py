"""Everything in scikit-learn that takes a scorer, each compared with scores by hand."""

import numpy as np
from carriers import by_hand, close, folds, folds_by_hand, make_data
from estimators import ByColumn, Iterated, Remembering
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.inspection import permutation_importance
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rankscore import QueryKFold, make_multi_rank_scorer, make_rank_scorer

X, Y, QID = make_data()
COLUMNS = [0, 1, 2]
GRID = {"column": COLUMNS}
SCORER = make_rank_scorer("ndcg@10")
MANY = make_multi_rank_scorer(["ndcg@10", "map"])
DICT = {"ndcg@10": make_rank_scorer("ndcg@10"), "map": make_rank_scorer("map")}
CV = QueryKFold(3)
LOUD = {"error_score": "raise"}
CONSUMERS = {}

# For what selects features: the good one is not the first, and all of them are not the best.
_NOISE = np.random.default_rng(1).standard_normal((Y.size, 2))
NOISY = np.column_stack([_NOISE[:, 0], X[:, 1], X[:, 2], _NOISE[:, 1]])
BINARY = (Y > 1).astype(int)


def consumer(name, X=X, y=Y):
    """Register a use of a scorer in scikit-learn, and the rows it is used on."""

    def register(use):
        CONSUMERS[name] = (use, X, y)
        return use

    return register


def check_search(search, c, *, key="score"):
    """Every fold of every candidate as by hand; the good one chosen; search.score on all."""
    c.call(search.fit)
    check_folds(search, key)
    score = c.call(search.score)
    close(score["ndcg@10"] if isinstance(score, dict) else score, by_hand(Y, X[:, 1], QID))


def check_folds(search, key):
    """Check the results of a search that has been fitted."""
    results = search.cv_results_
    for at, parameters in enumerate(results["params"]):
        column = next(iter(parameters.values()))
        got = [results[f"split{fold}_test_{key}"][at] for fold in range(3)]
        close(got, folds_by_hand(Y, X[:, column], QID))
    assert next(iter(search.best_params_.values())) == 1


@consumer("cross_validate")
def _(c):
    for scoring, key in ((SCORER, "score"), (DICT, "ndcg@10"), (MANY, "ndcg@10")):
        scores = c.validate(cross_validate, ByColumn(1), scoring=scoring, cv=CV, **LOUD)
        close(scores[f"test_{key}"], folds_by_hand(Y, X[:, 1], QID))


@consumer("cross_val_score")
def _(c):
    scores = c.validate(cross_val_score, ByColumn(1), scoring=SCORER, cv=CV, **LOUD)
    close(scores, folds_by_hand(Y, X[:, 1], QID))


@consumer("GridSearchCV")
def _(c):
    check_search(GridSearchCV(ByColumn(), GRID, scoring=SCORER, cv=CV, **LOUD), c)
    for scoring in (DICT, MANY):
        search = GridSearchCV(
            ByColumn(), GRID, scoring=scoring, refit="ndcg@10", cv=CV, n_jobs=2, **LOUD
        )
        check_search(search, c, key="ndcg@10")


@consumer("RandomizedSearchCV")
def _(c):
    search = RandomizedSearchCV(
        ByColumn(), GRID, n_iter=3, scoring=MANY, refit="ndcg@10", cv=CV, **LOUD
    )
    check_search(search, c, key="ndcg@10")


HALVING = {"resource": "max_iter", "min_resources": 1, "max_resources": 3, "factor": 3}


@consumer("HalvingGridSearchCV")
def _(c):
    check_halving(HalvingGridSearchCV(Iterated(), GRID, scoring=SCORER, cv=CV, **HALVING), c)


@consumer("HalvingRandomSearchCV")
def _(c):
    search = HalvingRandomSearchCV(
        Iterated(), GRID, n_candidates=3, scoring=SCORER, cv=CV, random_state=0, **HALVING
    )
    check_halving(search, c)


def check_halving(search, c):
    """Mean of each candidate as by hand, in each round."""
    c.call(search.set_params(error_score="raise").fit)
    for parameters, mean in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        close(mean, np.mean(folds_by_hand(Y, X[:, parameters["column"]], QID)))
    assert len(search.cv_results_["params"]) == 4  # three, then the best of them
    assert search.best_params_["column"] == 1
    close(c.call(search.score), by_hand(Y, X[:, 1], QID))


@consumer("learning_curve")
def _(c):
    scorer = make_rank_scorer("ndcg@10", on_split_query="ignore")  # it takes rows of train singly
    _, train, test = c.validate(
        learning_curve, ByColumn(1), train_sizes=[40, 80], scoring=scorer, cv=CV, **LOUD
    )
    close(test, [folds_by_hand(Y, X[:, 1], QID)] * 2)
    cut = [fold[0][:40] for fold in folds(QID)]
    close(train[0], [by_hand(Y[rows], X[rows, 1], QID[rows]) for rows in cut])


@consumer("validation_curve")
def _(c):
    _, test = c.validate(
        validation_curve,
        ByColumn(),
        param_name="column",
        param_range=COLUMNS,
        scoring=SCORER,
        cv=CV,
        **LOUD,
    )
    close(test, [folds_by_hand(Y, X[:, column], QID) for column in COLUMNS])


@consumer("permutation_test_score")
def _(c):
    score, permuted, pvalue = c.validate(
        permutation_test_score,
        ByColumn(1),
        scoring=SCORER,
        cv=CV,
        n_permutations=5,
        random_state=0,
    )
    close(score, np.mean(folds_by_hand(Y, X[:, 1], QID)))
    rng = np.random.RandomState(0)
    for got in permuted:
        shuffle = rng.permutation(Y.size)
        # Ids on y are shuffled with it, as is their split; others stay with X.
        on_y = hasattr(c.y, "qid") or hasattr(c.y, "index")
        qid = QID[shuffle] if on_y else QID
        close(got, np.mean(folds_by_hand(Y[shuffle], X[:, 1], qid)))
    assert pvalue == 1 / 6


@consumer("permutation_importance")
def _(c):
    Remembering.predicted.clear()
    result = c.call(
        permutation_importance, Remembering(1), scoring=SCORER, n_repeats=3, random_state=0
    )
    base, *scores = (by_hand(Y, predicted, QID) for predicted in Remembering.predicted)
    close(base, by_hand(Y, X[:, 1], QID))
    close(result.importances.ravel(), base - np.array(scores))
    assert result.importances_mean.argmax() == 1


@consumer("Pipeline in a search")
def _(c):
    pipeline = make_pipeline(StandardScaler(), ByColumn())
    grid = {"bycolumn__column": COLUMNS}
    check_search(GridSearchCV(pipeline, grid, scoring=SCORER, cv=CV, **LOUD), c)


@consumer("search in a Pipeline")
def _(c):
    search = GridSearchCV(ByColumn(), GRID, scoring=SCORER, cv=CV, **LOUD)
    c.call(make_pipeline(StandardScaler(), search).fit)
    check_folds(search, key="score")


@consumer("nested cross-validation")
def _(c):
    search = GridSearchCV(ByColumn(), GRID, scoring=SCORER, cv=QueryKFold(2), **LOUD)
    scores = c.validate(
        cross_validate, search, scoring=SCORER, cv=CV, return_estimator=True, **LOUD
    )
    close(scores["test_score"], folds_by_hand(Y, X[:, 1], QID))
    for inner, (train, _) in zip(scores["estimator"], folds(QID), strict=True):
        assert inner.best_params_ == {"column": 1}
        want = folds_by_hand(Y[train], X[train, 1], QID[train], n_splits=2)
        close(inner.best_score_, np.mean(want))


@consumer("check_scoring")
def _(c):
    model = ByColumn(1).fit(X, Y)
    close(c.call(check_scoring(model, scoring=SCORER), model), by_hand(Y, X[:, 1], QID))
    if hasattr(check_scoring(model, scoring=DICT), "_scorers") and c.routing:
        return  # a dict of scorers takes what is routed through a search only
    close(c.call(check_scoring(model, scoring=DICT), model)["ndcg@10"], by_hand(Y, X[:, 1], QID))
