"""Searches of other libraries, with each carrier of ids that they let through."""

import numpy as np
import pytest
from carriers import CARRIERS, close, folds_by_hand
from conftest import needs
from consumers import CV, NOISY, QID, SCORER, X, Y
from estimators import Blend, Sum

from sklearn_rankscore import QueryKFold, QueryRanker, RankTarget

# What these libraries warn of is theirs; what we or scikit-learn say of scores is not.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.filterwarnings("error::sklearn_rankscore.QuerySplitWarning"),
    pytest.mark.filterwarnings("error:Scoring failed"),
]


def optuna_search(estimator, name):
    """Make OptunaSearchCV, and a function that gives what it tried."""
    optuna, integration = needs("optuna"), needs("optuna_integration")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    search = integration.OptunaSearchCV(
        estimator,
        {name: optuna.distributions.FloatDistribution(0, 1)},
        n_trials=8,
        scoring=SCORER,
        cv=CV,
        random_state=0,
        error_score="raise",
    )
    return search, lambda: [(trial.params[name], trial.value) for trial in search.trials_]


def skopt_search(estimator, name):
    """Make BayesSearchCV, likewise."""
    search = needs("skopt").BayesSearchCV(
        estimator,
        {name: (0.0, 1.0)},
        n_iter=8,
        scoring=SCORER,
        cv=CV,
        random_state=0,
        error_score="raise",
    )
    return search, lambda: tried(search, name)


def dask_search(estimator, name):
    """Make GridSearchCV of dask-ml, likewise."""
    search = needs("dask_ml.model_selection").GridSearchCV(
        estimator,
        {name: [0.0, 0.9, 0.5]},
        scoring=SCORER,
        cv=CV,
        error_score="raise",
        scheduler="synchronous",
    )
    return search, lambda: tried(search, name)


def genetic_search(estimator, name):
    """Make GASearchCV of sklearn-genetic-opt, likewise."""
    needs("sklearn_genetic")
    from sklearn_genetic import GASearchCV
    from sklearn_genetic.space import Continuous

    search = GASearchCV(
        estimator=estimator,
        param_grid={name: Continuous(0, 1)},
        scoring=SCORER,
        cv=CV,
        population_size=4,
        generations=2,
        error_score="raise",
        verbose=False,
        n_jobs=1,
    )
    return search, lambda: tried(search, name)


def tried(search, name):
    """Give the values of the parameter, and the mean score of each."""
    results = search.cv_results_
    return [
        (parameters[name], mean)
        for parameters, mean in zip(results["params"], results["mean_test_score"], strict=True)
    ]


SEARCHES = [optuna_search, skopt_search, dask_search, genetic_search]
# Where routed ids do not get through: what is seen instead, and what to do.
NOT_ROUTED = {
    dask_search: (ValueError, "found no query ids"),
    genetic_search: (TypeError, "fit.* got an unexpected keyword argument 'qid'"),
}


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("make", SEARCHES)
@pytest.mark.parametrize("ranker", [False, True], ids=["model", "QueryRanker"])
def test_a_search_of_another_library(make, carrier, ranker):
    """Every score of the search equals that by hand, and the search chooses the best."""
    name = "ranker__weight" if ranker else "weight"
    search, results = make(QueryRanker(Blend()) if ranker else Blend(), name)
    carried = CARRIERS[carrier](X, Y, QID)
    if carried.routing and make in NOT_ROUTED:
        error, message = NOT_ROUTED[make]
        with pytest.raises(error, match=message):
            carried.call(search.fit)
        return
    if carried.routing and make is optuna_search and not ranker:
        # It passes what is routed to the model's fit as well when it refits.
        with pytest.raises(TypeError, match=r"fit.* got an unexpected keyword argument 'qid'"):
            carried.call(search.fit)
        search, results = make(Blend(), name)
        search.refit = False
    carried.call(search.fit)
    scores = results()
    assert len(scores) > 2
    for weight, score in scores:
        close(score, np.mean(folds_by_hand(Y, Blend(weight).predict(X), QID)))
    assert search.best_score_ == max(score for _, score in scores)
    assert search.best_params_[name] > 0.5


# mlxtend turns X into an array, and knows no polars.
NOT_ON_X = {
    "X column": (ValueError, "found no query ids"),
    "X column, polars": (AttributeError, "'DataFrame' object has no attribute 'ndim'"),
    "X index": (ValueError, "found no query ids"),
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_mlxtend_selects_features(carrier):
    """Its selector takes the good feature, not the first; its scores equal those by hand."""
    needs("mlxtend")
    from mlxtend.feature_selection import SequentialFeatureSelector

    selector = SequentialFeatureSelector(Sum(), k_features=1, scoring=SCORER, cv=CV, verbose=0)
    carried = CARRIERS[carrier](NOISY, Y, QID)
    if carrier in NOT_ON_X:
        error, message = NOT_ON_X[carrier]
        with pytest.raises(error, match=message):
            carried.call(selector.fit)
        return
    carried.call(selector.fit)
    assert selector.k_feature_idx_ == (1,)
    close(selector.subsets_[1]["cv_scores"], folds_by_hand(Y, NOISY[:, 1], QID))


def test_the_search_scores_with_its_scorer():
    """search.score uses the scorer of the search."""
    search = needs("skopt").BayesSearchCV(
        Blend(),
        {"weight": (0.0, 1.0)},
        n_iter=4,
        scoring=SCORER,
        cv=QueryKFold(3),
        random_state=0,
    )
    search.fit(X, RankTarget(Y, qid=QID))
    assert search.score(X, RankTarget(Y, qid=QID)) == SCORER(
        search.best_estimator_, X, RankTarget(Y, qid=QID)
    )
