"""QueryRanker: what rankers of each dialect are told, wherever ids and however rows lie."""

import pickle

import numpy as np
import pytest
import sklearn
from carriers import CARRIERS, by_hand, close, folds_by_hand, make_data
from conftest import needs
from consumers import BINARY, CV, QID, SCORER, X, Y
from estimators import ByColumn
from rankers import GroupIdRanker, IdsRanker, SizesRanker
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from sklearn_rankscore import (
    QueryKFold,
    QueryRanker,
    QuerySplitWarning,
    RankTarget,
    make_rank_scorer,
)

RANKERS = [SizesRanker, IdsRanker, GroupIdRanker]
ORDER = np.argsort(QID, kind="stable")
SIZES = np.unique(QID, return_counts=True)[1]
NUMBERS = np.repeat(np.arange(SIZES.size), SIZES)


def check_told(heard, qid=QID, y=Y, x=X):
    """Rows sorted by query, stably, and the queries said in the ranker's dialect."""
    order = np.argsort(qid, kind="stable")
    np.testing.assert_array_equal(np.asarray(heard["X"], dtype=float), x[order])
    check_queries(heard, qid, y)


def check_queries(heard, qid=QID, y=Y):
    """Grades and queries alone."""
    np.testing.assert_array_equal(heard["y"], y[np.argsort(qid, kind="stable")])
    sizes = np.unique(qid, return_counts=True)[1]
    numbers = np.repeat(np.arange(sizes.size), sizes)
    told = {"group": sizes, "qid": numbers, "group_id": numbers}
    for name in told.keys() & heard.keys():
        np.testing.assert_array_equal(heard[name], told[name])
    assert type(heard["y"]) is np.ndarray


@pytest.mark.parametrize("ranker", RANKERS)
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("text", [False, True])
def test_the_ids_are_found_where_scorers_find_them(ranker, carrier, text):
    """All five places; rows in any order; integers and text; a column of ids is no feature."""
    qid = np.array([f"q{query}" for query in QID]) if text else QID
    carried = CARRIERS[carrier](X, Y, qid)
    fitted = carried.call(QueryRanker(ranker()).fit)
    check_told(fitted.ranker_.heard_, qid)
    # Predictions stay in the order of the rows, with the column of ids or without.
    np.testing.assert_array_equal(fitted.predict(carried.X), X[:, 1])
    np.testing.assert_array_equal(fitted.predict(X), X[:, 1])
    score = carried.call(fitted.score)
    close(score, by_hand(Y, X[:, 1], QID, k=None))


def test_sorted_rows_are_passed_as_they_are():
    """No copy where none is needed."""
    x, y, qid = X[ORDER], Y[ORDER], QID[ORDER]
    heard = QueryRanker(SizesRanker()).fit(x, y, qid=qid).ranker_.heard_
    assert heard["X"] is x
    check_told(heard, qid, y, x)


@pytest.mark.parametrize("ranker", RANKERS)
def test_a_column_of_ids_is_dropped_whoever_tells_the_ids(ranker):
    """Ids are no feature, wherever they were found; other names are features."""
    frame = needs("pandas").DataFrame(X, columns=list("abc")).assign(user=QID)
    y = RankTarget(Y, qid=QID)
    fitted = QueryRanker(ranker(), qid="user").fit(frame, y)
    assert list(fitted.ranker_.heard_["X"].columns) == list("abc")
    fitted = QueryRanker(ranker()).fit(frame, y)
    assert list(fitted.ranker_.heard_["X"].columns) == ["a", "b", "c", "user"]


def test_what_has_one_value_per_row_is_sorted_along():
    """Weights, initial scores; of the evaluation sets too; anything else stays as it is."""
    x, y, qid = make_data(seed=1, n_queries=5)
    weight, start = QID % 4 + 1.0, np.arange(Y.size)
    order = np.argsort(qid, kind="stable")
    callbacks = [print]
    heard = (
        QueryRanker(SizesRanker())
        .fit(
            X, Y, qid=QID, sample_weight=list(weight), init_score=start, callbacks=callbacks,
            eval_set=[(x, y), (X, RankTarget(Y, qid=QID))], eval_qid=[qid, None],
            eval_sample_weight=[np.arange(y.size), weight],
        )
        .ranker_.heard_
    )  # fmt: skip
    np.testing.assert_array_equal(heard["sample_weight"], weight[ORDER])
    np.testing.assert_array_equal(heard["init_score"], start[ORDER])
    assert heard["callbacks"] is callbacks
    np.testing.assert_array_equal(heard["eval_set"][0][0], x[order])
    np.testing.assert_array_equal(heard["eval_set"][1][1], Y[ORDER])
    np.testing.assert_array_equal(heard["eval_group"][0], [8] * 5)
    np.testing.assert_array_equal(heard["eval_sample_weight"][0], order)
    np.testing.assert_array_equal(heard["eval_sample_weight"][1], weight[ORDER])
    # XGBoost takes a weight for each query.
    heard = (
        QueryRanker(IdsRanker())
        .fit(
            X, Y, qid=QID, sample_weight=weight, eval_set=(X, Y), eval_qid=QID,
            sample_weight_eval_set=[weight],
        )
        .ranker_.heard_
    )  # fmt: skip
    want = np.unique(QID) % 4 + 1
    np.testing.assert_array_equal(heard["sample_weight"], want)
    np.testing.assert_array_equal(heard["sample_weight_eval_set"][0], want)
    np.testing.assert_array_equal(heard["eval_qid"][0], NUMBERS)
    with pytest.raises(ValueError, match="must be the same on all rows of a query"):
        QueryRanker(IdsRanker()).fit(X, Y, qid=QID, sample_weight=start)


@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "list"])
def test_kinds_of_tables(kind):
    """Sparse matrices that cannot be indexed, and lists of lists."""
    x = X.tolist() if kind == "list" else sparse.coo_array(X).asformat(kind)
    heard = QueryRanker(GroupIdRanker()).fit(x, Y, qid=list(QID)).ranker_.heard_
    got = np.asarray(heard["X"]) if kind == "list" else heard["X"].toarray()
    np.testing.assert_array_equal(got, X[ORDER])


@pytest.mark.parametrize("ranker", RANKERS)
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("scoring", "k"), [(SCORER, 10), (None, None)], ids=["scorer", "own"])
def test_searched_like_any_regressor(ranker, carrier, n_jobs, scoring, k):
    """Nested parameters, in processes, by a scorer or by its own score."""
    carried = CARRIERS[carrier](X, Y, QID)
    search = GridSearchCV(
        QueryRanker(ranker()),
        {"ranker__column": [0, 1, 2]},
        scoring=scoring,
        cv=CV,
        n_jobs=n_jobs,
        error_score="raise",
    )
    carried.call(search.fit)
    assert search.best_params_ == {"ranker__column": 1}
    got = [search.cv_results_[f"split{fold}_test_score"][1] for fold in range(3)]
    close(got, folds_by_hand(Y, X[:, 1], QID, k=k))


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("ranker", RANKERS)
def test_in_pipelines_and_around_them(ranker, routing):
    """The steps are fitted once, on what they should see."""
    y = RankTarget(Y, qid=QID)
    with sklearn.config_context(enable_metadata_routing=routing):
        outside = make_pipeline(StandardScaler(), QueryRanker(ranker())).fit(X, y)
        inside = QueryRanker(make_pipeline(StandardScaler(), ranker())).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(outside[-1].ranker_.heard_["X"], scaled[ORDER], atol=1e-12)
    np.testing.assert_allclose(inside.ranker_[-1].heard_["X"], scaled[ORDER], atol=1e-12)
    np.testing.assert_allclose(inside.predict(X), outside.predict(X), atol=1e-12)
    check_queries(inside.ranker_[-1].heard_)
    with pytest.raises(ValueError, match=r"eval_set would reach the last step .* untransformed"):
        QueryRanker(make_pipeline(StandardScaler(), SizesRanker())).fit(X, y, eval_set=(X, y))


def test_a_pointwise_model_is_fitted_as_it_is():
    """No ids are needed, rows are not sorted, weights go through; a column of ids is dropped."""
    want = Ridge().fit(X, Y, sample_weight=QID % 3)
    got = QueryRanker(Ridge()).fit(X, Y, sample_weight=QID % 3)
    np.testing.assert_array_equal(got.predict(X), want.predict(X))
    np.testing.assert_array_equal(got.coef_, want.coef_)
    carried = CARRIERS["X column"](X, Y, QID)
    scores = carried.validate(cross_val_score, QueryRanker(Ridge()), cv=CV, scoring=SCORER)
    y = RankTarget(Y, qid=QID)
    np.testing.assert_array_equal(scores, cross_val_score(Ridge(), X, y, cv=CV, scoring=SCORER))


@pytest.mark.parametrize("model", [LogisticRegression(), Ridge()], ids=lambda m: type(m).__name__)
def test_a_pointwise_model_scores_as_it_does_alone(model):
    """A classifier by its probabilities."""
    y = RankTarget(BINARY, qid=QID)
    got = cross_val_score(QueryRanker(model), X, y, cv=CV, scoring=SCORER)
    np.testing.assert_array_equal(got, cross_val_score(model, X, y, cv=CV, scoring=SCORER))
    assert is_classifier(QueryRanker(model)) is is_classifier(model)
    assert is_regressor(QueryRanker(model)) is is_regressor(model)


def test_rankers_and_pointwise_models_in_one_grid():
    """The model itself is a parameter."""
    search = GridSearchCV(
        QueryRanker(Ridge()),
        {"ranker": [ByColumn(0), SizesRanker(), Ridge()]},
        scoring=SCORER,
        cv=CV,
        error_score="raise",
    ).fit(X, RankTarget(Y, qid=QID))
    close(search.cv_results_["split0_test_score"][1], folds_by_hand(Y, X[:, 1], QID)[0])
    assert search.best_index_ > 0


def test_what_the_ranker_learned_is_asked_of_it():
    """Only once it is fitted, and only what is learned."""
    model = QueryRanker(SizesRanker())
    assert not hasattr(model, "feature_importances_")
    model.fit(X, Y, qid=QID)
    assert model.n_features_in_ == 3
    assert model.feature_importances_.tolist() == [0, 1, 2]
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="'QueryRanker' object has no attribute 'column'"):
        _ = model.column
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, Y, qid=QID)):
        np.testing.assert_array_equal(other.predict(X), X[:, 1])
    assert "QueryRanker(ranker=SizesRanker())" in repr(model)


def test_requests_of_routing():
    """Ids by their name, all that the ranker takes; weights only when they are asked for."""
    requests = QueryRanker(SizesRanker(), qid="user").get_metadata_routing()
    assert requests.fit.requests["qid"] == requests.score.requests["qid"] == "user"
    assert requests.fit.requests["callbacks"] is True
    assert requests.fit.requests["sample_weight"] is None
    assert "group" not in requests.fit.requests
    with sklearn.config_context(enable_metadata_routing=True):
        model = QueryRanker(SizesRanker()).set_fit_request(sample_weight=True, qid="id")
        assert model.get_metadata_routing().fit.requests["qid"] == "id"
        search = GridSearchCV(
            QueryRanker(SizesRanker(), qid="user").set_fit_request(sample_weight=True),
            {"ranker__column": [0, 1]},
            # scikit-learn 1.6 would ask the ranker's own score for "qid".
            scoring=make_rank_scorer("ndcg", qid="user").set_score_request(sample_weight=False),
            cv=QueryKFold(3, qid="user"),
            error_score="raise",
        )
        search.fit(X, Y, user=QID, sample_weight=QID % 2, callbacks=[print])
    assert search.best_params_ == {"ranker__column": 1}
    heard = search.best_estimator_.ranker_.heard_
    np.testing.assert_array_equal(heard["sample_weight"], (QID % 2)[ORDER])
    assert heard["callbacks"] == [print]


@pytest.mark.parametrize(
    ("fit", "error", "message"),
    [
        (dict, ValueError, r"QueryRanker found no query ids.*RankTarget\(y, qid=…\)"),
        (lambda: {"qid": SIZES}, ValueError, "30 values for 240 rows instead.*not group sizes"),
        (lambda: {"qid": QID, "y": Y[1:]}, ValueError, r"inconsistent numbers of samples"),
        (lambda: {"qid": QID, "y": None}, ValueError, "requires y to be passed"),
        (lambda: {"qid": QID, "y": Y * np.nan}, ValueError, "Input y contains NaN"),
        (lambda: {"qid": QID, "eval_set": X}, ValueError, r"must be a pair \(X, y\) or a list"),
        (lambda: {"qid": QID, "eval_set": (X, Y)}, ValueError, "found no query ids"),
        (
            lambda: {"qid": QID, "eval_set": [(X, Y)] * 2, "eval_qid": [QID]},
            ValueError,
            "ids of each of the 2 evaluation sets. Got 1",
        ),
    ],
)
def test_what_cannot_be_fitted(fit, error, message):
    """Each says what is wrong, before the ranker has to."""
    arguments = {"y": Y, **fit()}
    with pytest.raises(error, match=message):
        QueryRanker(SizesRanker()).fit(X, arguments.pop("y"), **arguments)


def test_names_are_checked_when_fitted():
    """Ids in place of their name."""
    with pytest.raises(TypeError, match="must be a name, under which the values"):
        QueryRanker(SizesRanker(), qid=QID).fit(X, Y)


def test_a_ranker_that_learns_from_parts_of_queries_says_so():
    """The split cut through them."""
    y = RankTarget(Y, qid=QID)
    quiet = make_rank_scorer("ndcg", on_split_query="ignore")
    with pytest.warns(QuerySplitWarning, match="so that the ranker learns from parts of them"):
        cross_val_score(QueryRanker(SizesRanker()), X, y, cv=KFold(3), scoring=quiet)
    QueryRanker(SizesRanker()).fit(X, y)  # whole: silent


# A score needs query ids, which these checks do not give. All else passes.
EXPECTED = dict.fromkeys(
    (
        "check_fit_score_takes_y",
        "check_n_features_in_after_fitting",
        "check_pipeline_consistency",
    ),
    "the score of a ranking needs query ids",
)


@pytest.mark.parametrize("model", [Ridge(), ByColumn()], ids=["Ridge", "not validating"])
def test_check_estimator(model):
    """scikit-learn's own checks, of a model that needs no ids."""
    bare = failures(model)
    assert failures(QueryRanker(model)) - set(EXPECTED) <= bare
    assert failures(QueryRanker(Ridge())) == set(EXPECTED)


def failures(estimator):
    """Names of the checks that an estimator fails."""
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    return {result["check_name"] for result in results if result["status"] == "failed"}
