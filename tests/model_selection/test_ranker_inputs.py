"""QueryRanker at the edges: what is sorted along and what is not, and rankers of odd kinds."""

import functools

import numpy as np
import pytest
import sklearn
from carriers import CARRIERS, make_data
from conftest import needs
from consumers import QID, X, Y
from rankers import GroupIdRanker, IdsRanker, SizesRanker
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    BaggingRegressor,
    HistGradientBoostingRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_rankscore import QueryKFold, QueryRanker, RankTarget

ORDER = np.argsort(QID, kind="stable")


class Hearing(BaseEstimator):
    """Remembers every parameter of its fit."""

    def fit(self, X, y, qid=None, **heard):
        self.heard_ = {"X": X, "y": y, "qid": qid, **heard}
        return self

    def predict(self, X):
        return np.asarray(X)[:, 1].astype(float)


def heard(**parameters):
    """What a ranker hears of unsorted rows."""
    return QueryRanker(Hearing()).fit(X, Y, qid=QID, **parameters).ranker_.heard_


@pytest.mark.parametrize(
    "values",
    [
        list(range(Y.size)),
        tuple(range(Y.size)),
        np.arange(Y.size),
        np.arange(2 * Y.size).reshape(-1, 2),
    ],
    ids=["list", "tuple", "array", "two columns"],
)
def test_values_of_rows_are_sorted_along(values):
    """In whatever they come."""
    got = heard(retrieval_score=values)["retrieval_score"]
    np.testing.assert_array_equal(got, np.asarray(values)[ORDER])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("feature_weights", np.arange(Y.size)),
        ("feature_name", [f"f{at}" for at in range(Y.size)]),
        ("callbacks", [print] * Y.size),
        ("pairs_weight", np.arange(Y.size)),
        ("verbose", False),
        ("early_stopping_rounds", np.int64(3)),
        ("note", "x" * Y.size),
        ("table", dict.fromkeys(range(Y.size))),
        ("start", np.float32(0.5)),
    ],
)
def test_anything_else_stays_as_it_is(name, value):
    """Even if there are as many of them as rows."""
    assert heard(**{name: value})[name] is value


def test_numbers_of_rows_follow_the_rows():
    """CatBoost's pairs of a better and a worse row."""
    pairs = np.array([[at, other] for at in range(0, 60, 7) for other in range(1, 50, 9)])
    got = heard(pairs=pairs)
    np.testing.assert_array_equal(got["X"][got["pairs"]], X[pairs])
    assert heard(pairs="a file of pairs")["pairs"] == "a file of pairs"
    sorted_rows = QueryRanker(Hearing()).fit(X[ORDER], Y[ORDER], qid=QID[ORDER], pairs=pairs)
    assert sorted_rows.ranker_.heard_["pairs"] is pairs


def test_catboost_learns_from_pairs_of_unsorted_rows():
    """As it does from sorted ones."""
    ranker = needs("catboost").CatBoostRanker(
        loss_function="PairLogit", iterations=10, verbose=0, allow_writing_files=False
    )
    pairs = [
        (a, b)
        for query in np.unique(QID)
        for a in np.flatnonzero(query == QID)
        for b in np.flatnonzero(query == QID)
        if Y[a] > Y[b]
    ]
    model = QueryRanker(ranker).fit(X, Y, qid=QID, pairs=pairs)
    place = np.argsort(ORDER)
    alone = ranker.copy().fit(X[ORDER], Y[ORDER], group_id=QID[ORDER], pairs=place[pairs])
    np.testing.assert_allclose(model.predict(X), alone.predict(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "shape", [list, lambda parts: dict(enumerate(parts))], ids=["list", "dict"]
)
def test_what_belongs_to_evaluation_sets(shape):
    """In a list or by number, each in the order of its own set, also where sizes are equal."""
    x, y, qid = make_data(seed=1, n_queries=30)
    weights = shape([np.arange(y.size), np.arange(Y.size) + 0.5])
    model = QueryRanker(SizesRanker()).fit(
        X, Y, qid=QID, eval_set=[(x, y), (X, Y)], eval_qid=[qid, QID], eval_sample_weight=weights
    )
    got = model.ranker_.heard_
    np.testing.assert_array_equal(got["eval_sample_weight"][0], np.argsort(qid, kind="stable"))
    np.testing.assert_array_equal(got["eval_sample_weight"][1], ORDER + 0.5)
    np.testing.assert_array_equal(got["eval_set"][1][0], X[ORDER])


@pytest.mark.parametrize(
    ("eval_set", "eval_qid"),
    [
        ((X, Y), QID),
        ((X, Y), [QID]),
        ((X, Y), list(QID)),
        ([(X, Y)], QID),
        ([[X, Y]], [list(QID)]),
        (((X, Y),), [QID]),
        ([(X, RankTarget(Y, qid=QID))], None),
        ([(X, RankTarget(Y, qid=QID))], [None]),
    ],
)
def test_ways_to_give_one_evaluation_set(eval_set, eval_qid):
    """Alone, in a list, in a tuple."""
    model = QueryRanker(IdsRanker()).fit(X, Y, qid=QID, eval_set=eval_set, eval_qid=eval_qid)
    ((x, y),) = model.ranker_.heard_["eval_set"]
    np.testing.assert_array_equal(x, X[ORDER])
    np.testing.assert_array_equal(y, Y[ORDER])


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        (
            {"group": np.full(30, 8)},
            TypeError,
            "QueryRanker itself passes the queries to the ranker. Got group",
        ),
        ({"group_id": QID}, TypeError, r"Got group_id; pass qid=…, one id per row"),
        ({"qid": QID, "eval_group": [[8]]}, TypeError, "Got eval_group"),
        ({"qid": QID, "eval_qid": [QID]}, ValueError, r"must come with eval_set=\[\(X, y\)\]"),
        ({"qid": QID, "eval_set": 5}, ValueError, r"eval_set must be a pair \(X, y\) or a list"),
        (
            {"qid": QID, "eval_set": [(X, Y)], "eval_qid": [QID, QID]},
            ValueError,
            "of each of the 1 evaluation sets. Got 2",
        ),
        (
            {"qid": QID, "eval_set": [(X, Y)], "eval_qid": [QID[1:]]},
            ValueError,
            r"eval_qid\[0\] must have one value per row. Got 239 values for 240 rows",
        ),
        (
            {"qid": QID, "eval_set": [(X, Y)]},
            ValueError,
            r"QueryRanker, without eval_qid, for eval_set\[0\] found no query ids",
        ),
    ],
)
def test_mistakes(parameters, error, message):
    """Each is named as it was made."""
    with pytest.raises(error, match=message):
        QueryRanker(SizesRanker()).fit(X, Y, **parameters)


@pytest.mark.parametrize("qid", [[1, 1, 2, 2], [2, 1, 2, 1]], ids=["sorted", "unsorted"])
def test_mixed_lists_stay_mixed(qid):
    """Numbers beside text are not made text by sorting."""
    rows = [[2, "a"], [1, "b"], [2, "a"], [1, "b"]]
    model = QueryRanker(make_pipeline(OneHotEncoder(), SizesRanker()))
    model.fit(rows, [1, 0, 1, 0], qid=qid)
    assert model.ranker_[0].categories_[0].tolist() == [1, 2]


MASKED = np.ma.array(Y, mask=np.arange(Y.size) == 3)
USES_OF_MASKED = {
    "grades": lambda: QueryRanker(IdsRanker()).fit(X, MASKED, qid=QID),
    "weights": lambda: QueryRanker(IdsRanker()).fit(X, Y, qid=QID, sample_weight=MASKED),
    "metadata": lambda: RankTarget(Y, qid=QID, sample_weight=MASKED),
    "grades of a target": lambda: RankTarget(MASKED, qid=QID),
}


@pytest.mark.parametrize("use", USES_OF_MASKED)
def test_masked_values_are_missing(use):
    """In grades, weights and metadata."""
    with pytest.raises(ValueError, match=r"must not be missing\. Got"):
        USES_OF_MASKED[use]()


def ids_first():
    """A frame whose first column are the ids."""
    carried = CARRIERS["X column"](X, Y, QID)
    carried.X = carried.X[["qid", "a", "b", "c"]]
    return carried


BY_NUMBER = {
    "fit": lambda: (QueryRanker(Hearing()), {"cat_features": [0]}),
    "fit, by array": lambda: (QueryRanker(Hearing()), {"categorical_feature": np.array([1])}),
    "model": lambda: (QueryRanker(HistGradientBoostingRegressor(categorical_features=[2])), {}),
    "constraints": lambda: (
        QueryRanker(HistGradientBoostingRegressor(monotonic_cst=[0, 1, 0])),
        {},
    ),
    "groups": lambda: (
        QueryRanker(HistGradientBoostingRegressor(interaction_cst=[[0, 1], [2]])),
        {},
    ),
    "step": lambda: (
        QueryRanker(make_pipeline(ColumnTransformer([("a", "passthrough", [1])]), Ridge())),
        {},
    ),
    "text": lambda: (
        QueryRanker(needs("lightgbm").LGBMRegressor(categorical_column="2", verbose=-1)),
        {},
    ),
}


@pytest.mark.parametrize("how", BY_NUMBER)
def test_columns_by_number_where_one_is_dropped(how):
    """Their numbers change, unless the ids come last, or not on X."""
    model, parameters = BY_NUMBER[how]()
    carried = ids_first()
    with pytest.raises(ValueError, match=r"must name its columns where .*'qid', is dropped"):
        model.fit(carried.X, Y, **parameters)
    model.fit(CARRIERS["X column"](X, Y, QID).X, Y, **parameters)
    model.fit(X, RankTarget(Y, qid=QID), **parameters)


def test_columns_by_name_where_one_is_dropped():
    """Names do not shift."""
    QueryRanker(Hearing()).fit(ids_first().X, Y, cat_features=["a"])
    model = HistGradientBoostingRegressor(monotonic_cst={"b": 1}, categorical_features=["a"])
    assert QueryRanker(model).fit(ids_first().X, Y).is_categorical_.tolist() == [
        True,
        False,
        False,
    ]


def test_numbers_of_rows_are_refused_in_a_search():
    """A fold has other rows under the same numbers."""
    pairs = [[0, 1]]
    y = RankTarget(Y, qid=QID)
    QueryRanker(Hearing()).fit(X, y, pairs=pairs)
    search = GridSearchCV(QueryRanker(Hearing()), {}, cv=QueryKFold(3), error_score="raise")
    with pytest.raises(ValueError, match="pairs holds row numbers, and these rows were chosen"):
        search.fit(X, y, pairs=pairs)
    with sklearn.config_context(enable_metadata_routing=True):
        assert (
            "pairs"
            not in QueryRanker(needs("catboost").CatBoostRanker())
            .get_metadata_routing()
            .fit.requests
        )


@pytest.mark.parametrize(
    "weights",
    [{2: np.arange(Y.size)}, [np.arange(Y.size)] * 3, [np.arange(Y.size)]],
    ids=["another number", "too many", "too few"],
)
def test_weights_of_no_evaluation_set(weights):
    """Numbers of sets start from 0; a list has a part for each, and none is cut in silence."""
    y = RankTarget(Y, qid=QID)
    sets = [(X, y), (X, y)]
    with pytest.raises(ValueError, match=r"for each of the 2 evaluation sets"):
        QueryRanker(SizesRanker()).fit(X, y, eval_set=sets, eval_sample_weight=weights)


def test_weights_of_the_only_evaluation_set():
    """One set needs no list around its weights, as it needs none around its ids."""
    y, weights = RankTarget(Y, qid=QID), np.arange(Y.size)
    heard = [
        QueryRanker(SizesRanker()).fit(X, y, eval_set=(X, y), eval_sample_weight=given)
        for given in (weights, weights.tolist(), [weights], {0: weights})
    ]
    for ranker in heard:
        got = ranker.ranker_.heard_["eval_sample_weight"][0]
        np.testing.assert_array_equal(got, weights[ORDER])
    for given in ([], weights[1:]):
        with pytest.raises(ValueError, match="each of the 1 evaluation sets"):
            QueryRanker(SizesRanker()).fit(X, y, eval_set=(X, y), eval_sample_weight=given)


def test_a_last_step_without_fit():
    """A pipeline that ends in no estimator."""
    y = RankTarget(Y, qid=QID)
    with pytest.raises(ValueError, match=r"A ranker must have a method fit. Got 'passthrough'"):
        QueryRanker(make_pipeline(StandardScaler(), "passthrough")).fit(X, y)


class Steps(SizesRanker):
    """Has a parameter that a Pipeline has too."""

    def __init__(self, steps=10):
        self.steps = steps
        self.column = 1


class Duck:
    """No estimator of scikit-learn's kind, but with the two methods."""

    def get_params(self, *, deep=True):
        return {}

    def set_params(self, **parameters):
        return self

    def fit(self, X, y, group):
        assert sum(group) == len(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 1]


def decorated(fit):
    """Wrap as a decorator does."""

    @functools.wraps(fit)
    def wrapper(*args, **kwargs):
        return fit(*args, **kwargs)

    return wrapper


class Decorated(SizesRanker):
    """Says its parameters through the wrapper."""

    fit = decorated(SizesRanker.fit)


class Hidden(BaseEstimator):
    """Does not say its parameters."""

    def fit(self, *args, **kwargs):
        raise AssertionError("is not to be fitted")


@pytest.mark.parametrize("ranker", [Steps(), Duck(), Decorated()], ids=lambda r: type(r).__name__)
def test_rankers_of_odd_kinds(ranker):
    """The arguments of fit tell the dialect."""
    model = QueryRanker(ranker).fit(X, Y, qid=QID)
    np.testing.assert_array_equal(model.predict(X), X[:, 1])
    assert model.score(X, Y, qid=QID) > 0.8


def test_a_ranker_at_the_end_of_two_pipelines():
    """Found, however deep."""
    deep = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), GroupIdRanker()))
    inner = QueryRanker(deep).fit(X, Y, qid=QID).ranker_[-1][-1].heard_
    np.testing.assert_array_equal(inner["y"], Y[ORDER])


def test_rankers_whose_dialect_is_unknown():
    """Refused, where they would learn from all rows as one query."""
    with pytest.raises(
        ValueError, match=r"which argument of Hidden.fit takes the queries.*\*\*kwargs"
    ):
        QueryRanker(Hidden()).fit(X, Y, qid=QID)
    regressor = needs("xgboost").XGBRegressor(objective="rank:ndcg")
    with pytest.raises(
        ValueError, match=r"XGBRegressor with objective='rank:ndcg' would take all"
    ):
        QueryRanker(regressor).fit(X, Y, qid=QID)


def test_grades_that_xgboost_cannot_learn_from():
    """Said before XGBoost does, and only where it would."""
    ranker = needs("xgboost").XGBRanker
    with pytest.raises(ValueError, match=r"XGBRanker learns from whole grades.*'rank:ndcg'"):
        QueryRanker(ranker()).fit(X, Y + 0.5, qid=QID)
    QueryRanker(ranker(n_estimators=1, ndcg_exp_gain=False)).fit(X, Y + 0.5, qid=QID)


# Which estimators of scikit-learn around a QueryRanker let ids through to it; the README says so.
AROUND = {
    "StackingRegressor": (
        lambda model: StackingRegressor([("a", model)], Ridge(), cv=3),
        {"X column", "X index"},
    ),
    "VotingRegressor": (
        lambda model: VotingRegressor([("a", model)]),
        {"routed", "X column", "X index"},
    ),
    "BaggingRegressor": (lambda model: BaggingRegressor(model, n_estimators=2), {"routed"}),
    "RFE": (lambda model: RFE(model, n_features_to_select=1), {"routed"}),
    "SelectFromModel": (
        SelectFromModel,
        {"routed", "RankTarget", "y index", "X column", "X index"},
    ),
}


@pytest.mark.filterwarnings("ignore:Feature names")
@pytest.mark.parametrize("carrier", ["routed", "RankTarget", "y index", "X column", "X index"])
@pytest.mark.parametrize("around", AROUND)
def test_estimators_around_a_ranker(around, carrier):
    """They fit it on whole queries, or it says that the ids were lost on the way."""
    make, works = AROUND[around]
    carried = CARRIERS[carrier](X, Y, QID)
    estimator = make(QueryRanker(SizesRanker()))
    if carrier in works:
        carried.call(estimator.fit)
        return
    with pytest.raises((ValueError, TypeError), match=r"found no query ids|not routed|qid"):
        carried.call(estimator.fit)


def test_caches_see_the_ids(tmp_path):
    """Equal grades of other queries are another target to joblib."""
    joblib = pytest.importorskip("joblib")
    one, same = (RankTarget([1, 0, 0, 2], qid=[1, 1, 2, 2]) for _ in range(2))
    other = RankTarget([1, 0, 0, 2], qid=[1, 2, 1, 2])
    more = RankTarget([1, 0, 0, 2], qid=[1, 1, 2, 2], times=[1, 2, 3, 4])
    assert joblib.hash(one) == joblib.hash(same)
    assert len({joblib.hash(target) for target in (one, other, more, one[:2])}) == 4
    cached = joblib.Memory(tmp_path, verbose=0).cache(lambda y: y.qid)
    assert [cached(target).tolist() for target in (one, other, same)] == [
        [1, 1, 2, 2],
        [1, 2, 1, 2],
        [1, 1, 2, 2],
    ]
    with pytest.raises(ValueError, match="read-only"):
        one.qid[:] = 7
    assert sklearn.clone(Ridge()).fit(np.zeros((4, 1)), one).intercept_ == 0.75
