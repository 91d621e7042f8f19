"""Scorers in scikit-learn: every carrier of ids, one metric and many, against folds by hand."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import sklearn
from conftest import needs
from estimators import ByColumn
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

from sklearn_rankscore import (
    MultiRankScorer,
    QueryKFold,
    QuerySplitWarning,
    RankScorer,
    RankTarget,
    UninformativeRankingWarning,
    average_precision,
    fall_out,
    get_metric,
    make_multi_rank_scorer,
    make_rank_scorer,
    ndcg,
)


def make_data(seed=0, n_queries=30):
    """Draw queries whose rows are mixed; column 0 is constant, 1 is good, 2 is noise."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat([f"q{i}" for i in range(n_queries)], 8))
    y = rng.integers(0, 4, qid.size)
    X = np.column_stack(
        [np.zeros(qid.size), y + rng.standard_normal(qid.size), rng.standard_normal(qid.size)]
    )
    return X, y, qid


X, Y, QID = make_data()
GRID = {"column": [0, 1, 2]}


def by_hand(column, k=10):
    """Average scikit-learn's nDCG of the queries of each fold."""
    folds = []
    for _, test in GroupKFold(5).split(X, Y, groups=QID):
        values = [
            ndcg_score([Y[test][rows]], [X[test][rows, column]], k=k)
            for rows in (QID[test] == query for query in np.unique(QID[test]))
        ]
        folds.append(np.mean(values))
    return np.array(folds)


def carriers():
    """Give each way to pass ids: its name, X, y, fit parameters, and whether routing is on."""
    yield "RankTarget", X, RankTarget(Y, qid=QID), {}, False
    yield "RankTarget, routing on", X, RankTarget(Y, qid=QID), {}, True
    yield "routed", X, Y, {"qid": QID}, True
    yield "routed as list", X, Y, {"qid": list(QID)}, True
    yield "routed with groups", X, Y, {"qid": QID, "groups": QID}, True


FRAMES = (
    "y index",
    "y index of two levels",
    "X column",
    "X column, categorical",
    "X index",
    "polars X column",
    "routed Series",
    "routed polars",
)


def frames():
    """Give the same in pandas and polars."""
    pd, pl = needs("pandas"), needs("polars")
    frame = pd.DataFrame(X, columns=list("abc"))
    level = pd.MultiIndex.from_arrays([QID, range(QID.size)], names=["qid", "row"])
    yield "y index", X, pd.Series(Y, index=pd.Index(QID, name="qid")), {}, False
    yield "y index of two levels", frame.set_index(level), pd.Series(Y, index=level), {}, False
    yield "X column", frame.assign(qid=QID), Y, {}, False
    yield "X column, categorical", frame.assign(qid=pd.Categorical(QID)), pd.Series(Y), {}, False
    yield "X index", frame.set_index(level), Y, {}, False
    yield (
        "polars X column",
        pl.DataFrame(X, schema=list("abc")).with_columns(qid=pl.Series(QID)),
        Y,
        {},
        False,
    )
    yield "routed Series", frame, pd.Series(Y), {"qid": pd.Series(QID)}, True
    yield "routed polars", X, Y, {"qid": pl.Series(QID)}, True


def check_search(X_, y, parameters, routing, n_jobs=None, scoring=None, **kwargs):
    """Search over the grid, and check that every fold has the score by hand."""
    search = GridSearchCV(
        ByColumn(),
        GRID,
        scoring=scoring or make_rank_scorer("ndcg@10"),
        cv=QueryKFold(5),
        error_score="raise",
        n_jobs=n_jobs,
        **kwargs,
    )
    with sklearn.config_context(enable_metadata_routing=routing):
        search.fit(X_, y, **parameters)
    name = "ndcg@10" if kwargs else "score"
    for at, column in enumerate(GRID["column"]):
        got = [search.cv_results_[f"split{fold}_test_{name}"][at] for fold in range(5)]
        np.testing.assert_allclose(got, by_hand(column), rtol=0, atol=1e-12)
    assert search.best_params_ == {"column": 1}
    return search


CARRIERS = list(carriers())


@pytest.mark.parametrize("carrier", CARRIERS, ids=[carrier[0] for carrier in CARRIERS])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search_with_each_carrier(carrier, n_jobs):
    """Fold scores equal those by hand, and the good candidate wins, not the first."""
    _, X_, y, parameters, routing = carrier
    check_search(X_, y, parameters, routing, n_jobs)


def test_no_frame_is_forgotten():
    """The names of the parametrized tests are those of the frames."""
    assert tuple(frame[0] for frame in frames()) == FRAMES


def carrier_of(name):
    """Give X, y, fit parameters and whether routing is on, from arrays or frames."""
    found = [*carriers(), *(frames() if name in FRAMES else ())]
    return next(carrier[1:] for carrier in found if carrier[0] == name)


@pytest.mark.parametrize("name", FRAMES)
def test_grid_search_with_carriers_of_pandas_and_polars(name):
    """Index levels, columns and Series give the same scores."""
    check_search(*carrier_of(name))


SCORINGS = {
    "test_score": lambda: make_rank_scorer("ndcg@10"),
    "test_a": lambda: {"a": make_rank_scorer("ndcg@10")},
    "test_ndcg@10": lambda: make_multi_rank_scorer(["ndcg@10", "map"]),
}


@pytest.mark.parametrize("key", SCORINGS)
@pytest.mark.parametrize("name", [*(carrier[0] for carrier in CARRIERS), *FRAMES])
def test_cross_validate_with_each_carrier(name, key):
    """A scorer, a dict of scorers and a multi-scorer give each fold its score by hand."""
    X_, y, parameters, routing = carrier_of(name)
    with sklearn.config_context(enable_metadata_routing=routing):
        scores = cross_validate(
            ByColumn(1),
            X_,
            y,
            scoring=SCORINGS[key](),
            cv=QueryKFold(5),
            params=parameters,
            error_score="raise",
        )[key]
    np.testing.assert_allclose(scores, by_hand(1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_multi_metric_search_with_refit_by_name(n_jobs):
    """A dict of scorers and one multi-scorer give the same numbers."""
    names = ["ndcg@10", "map", "mrr"]
    one = check_search(
        X,
        RankTarget(Y, qid=QID),
        {},
        False,
        n_jobs,
        make_multi_rank_scorer(names),
        refit="ndcg@10",
    )
    many = check_search(
        X,
        RankTarget(Y, qid=QID),
        {},
        False,
        n_jobs,
        {name: make_rank_scorer(name) for name in names},
        refit="ndcg@10",
    )
    for name in names:
        np.testing.assert_array_equal(
            one.cv_results_[f"mean_test_{name}"], many.cv_results_[f"mean_test_{name}"]
        )


def test_the_multi_scorer_predicts_once_and_sorts_once(monkeypatch):
    """It makes one prediction and one Ranking per block, however many metrics it has."""
    from sklearn_rankscore.metrics._metric import engine

    made = []
    real = engine.Ranking
    monkeypatch.setattr(engine, "Ranking", lambda *a: made.append(1) or real(*a))
    y = RankTarget(Y, qid=QID)
    ByColumn.calls = 0
    scores = make_multi_rank_scorer(["ndcg@5", "map", "mrr", "p@5"])(ByColumn(1).fit(X, y), X, y)
    assert ByColumn.calls == 1
    assert sum(made) == 1
    assert list(scores) == ["ndcg@5", "map", "mrr", "p@5"]
    assert scores["map"] == average_precision(Y, X[:, 1], qid=QID)


def test_the_search_scores_and_clones():
    """search.score, clone and pickle of a search keep the scorer."""
    y = RankTarget(Y, qid=QID)
    search = check_search(X, y, {}, False)
    want = ndcg(Y, X[:, 1], qid=QID, k=10)
    assert search.score(X, y) == want
    assert pickle.loads(pickle.dumps(search)).score(X, y) == want
    assert clone(search).fit(X, y).score(X, y) == want
    with sklearn.config_context(enable_metadata_routing=True):
        assert search.score(X, Y, qid=QID) == want


def test_a_pipeline_inside_a_search():
    """The scorer sees the ids, the steps do not."""
    search = GridSearchCV(
        make_pipeline(SelectKBest(k=1), Ridge()),
        {"selectkbest__k": [1, 2]},
        scoring=make_rank_scorer("ndcg@10"),
        cv=QueryKFold(5),
        error_score="raise",
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Features .* are constant")
        warnings.filterwarnings("ignore", "invalid value")
        search.fit(X, RankTarget(Y, qid=QID))
    assert search.best_score_ > by_hand(2).mean()


def test_ids_under_another_name():
    """`qid="user"` names metadata, index level and column; "groups" feeds splitter and scorer."""
    scorer = make_rank_scorer("ndcg@10", qid="user")
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_validate(
            ByColumn(1),
            X,
            Y,
            scoring=scorer,
            cv=QueryKFold(5, qid="user"),
            params={"user": QID},
            error_score="raise",
        )["test_score"]
        np.testing.assert_allclose(scores, by_hand(1), rtol=0, atol=1e-12)
        scores = cross_validate(
            ByColumn(1),
            X,
            Y,
            cv=GroupKFold(5),
            error_score="raise",
            scoring=make_rank_scorer("ndcg@10", qid="groups"),
            params={"groups": QID},
        )["test_score"]
        np.testing.assert_allclose(scores, by_hand(1), rtol=0, atol=1e-12)
    pd = needs("pandas")
    model = ByColumn(1).fit(X, Y)
    want = pytest.approx(ndcg(Y, X[:, 1], qid=QID, k=10), abs=1e-15)  # queries in any order
    frame = pd.DataFrame(X)
    assert scorer(model, frame.assign(user=QID), Y) == want
    assert scorer(model, frame.set_index(pd.Index(QID, name="user")), Y) == want
    assert scorer(model, X, pd.Series(Y, index=pd.Index(QID, name="user"))) == want
    assert scorer(model, X, RankTarget(Y, qid=QID)) == want
    assert scorer(model, X, RankTarget(Y, qid=np.arange(Y.size), user=QID)) == want


def test_the_first_place_wins():
    """The order is: passed, RankTarget, index of y, column of X, index of X."""
    pd = needs("pandas")
    scorer, model = make_rank_scorer("ndcg"), ByColumn(1)
    ids = [np.arange(Y.size) % size for size in (2, 3, 4, 5, 6)]
    want = [ndcg(Y, X[:, 1], qid=qid) for qid in ids]
    indexed = pd.DataFrame(X, index=pd.Index(ids[4], name="qid"))
    columned = indexed.assign(qid=ids[3])
    series = pd.Series(Y, index=pd.Index(ids[2], name="qid"))
    target = RankTarget(Y, qid=ids[1])
    assert scorer(model, columned, target, qid=ids[0]) == want[0]
    assert scorer(model, columned, target) == want[1]
    assert scorer(model, columned, series) == want[2]
    assert scorer(model, columned, Y) == want[3]
    assert scorer(model, indexed, Y) == want[4]


def test_groups_are_never_taken_for_queries():
    """Without ids the search raises an error; it does not score by group."""
    search = GridSearchCV(
        ByColumn(), GRID, scoring=make_rank_scorer("ndcg"), cv=GroupKFold(3), error_score="raise"
    )
    with pytest.raises(
        ValueError,
        match=r"RankScorer found no query ids.*RankTarget\(y, qid=…\).*groups=… alone",
    ):
        search.fit(X, Y, groups=QID)
    # Splitting by one thing, ranking by another.
    users = np.array([int(query[1:]) // 3 for query in QID])
    scores = cross_val_score(
        ByColumn(1),
        X,
        RankTarget(Y, qid=QID),
        groups=users,
        scoring=make_rank_scorer("ndcg@10"),
        cv=QueryKFold(5),
    )
    want = [
        ndcg(Y[test], X[test, 1], qid=QID[test], k=10)
        for _, test in GroupKFold(5).split(X, Y, users)
    ]
    np.testing.assert_allclose(scores, want, rtol=0, atol=1e-12)


def test_ids_of_another_length_are_refused():
    """scikit-learn passes such metadata on uncut, and the scorer raises an error."""
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(
            ValueError, match=r"qid must have one value per row. Got 30 values.*not group sizes"
        ),
    ):
        cross_validate(
            ByColumn(),
            X,
            Y,
            scoring=make_rank_scorer("ndcg"),
            cv=KFold(3),
            params={"qid": np.full(30, 8)},
            error_score="raise",
        )


def test_a_split_that_cuts_queries_is_noticed():
    """The scorer warns with count and cure, raises, or ignores it; whole queries pass silently."""
    y = RankTarget(Y, qid=QID)
    model, half = ByColumn(1), np.arange(Y.size) % 2 == 0
    with pytest.warns(
        QuerySplitWarning,
        match=r"queries, 30 in this part, .*Use cv=QueryKFold\(…\)",
    ):
        make_rank_scorer("ndcg")(model, X[half], y[half])
    with pytest.raises(ValueError, match="The split has cut through queries, 30 in this part"):
        make_multi_rank_scorer(["ndcg"], on_split_query="raise")(model, X[half], y[half])
    make_rank_scorer("ndcg", on_split_query="ignore")(model, X[half], y[half])
    # Only of its own queries does a RankTarget know the size.
    rows = RankTarget(Y, qid=np.arange(Y.size), session=QID)[half]
    make_rank_scorer("ndcg", qid="session", on_split_query="raise")(model, X[half], rows)
    with pytest.warns(QuerySplitWarning):
        cross_val_score(model, X, y, scoring=make_rank_scorer("ndcg"), cv=KFold(3))
    with sklearn.config_context(enable_metadata_routing=True), pytest.warns(QuerySplitWarning):
        cross_validate(
            model, X, y, scoring=make_rank_scorer("ndcg"), cv=KFold(3), params={"qid": QID}
        )


@pytest.mark.parametrize(
    ("scorer", "text"),
    [
        (make_rank_scorer("ndcg@10"), "make_rank_scorer('ndcg@10')"),
        (
            make_rank_scorer("map", min_relevance=2, qid="user", on_split_query="raise"),
            (
                "make_rank_scorer('average_precision', min_relevance=2.0, qid='user', "
                "on_split_query='raise')"
            ),
        ),
        (
            make_multi_rank_scorer(["ndcg@10", "map"], response_method="predict"),
            "make_multi_rank_scorer(['ndcg@10', 'map'], response_method='predict')",
        ),
    ],
    ids=["plain", "with options", "multi"],
)
@pytest.mark.parametrize(
    "duplicate",
    [
        pytest.param(lambda scorer: pickle.loads(pickle.dumps(scorer)), id="pickle"),
        pytest.param(copy.deepcopy, id="deepcopy"),
        pytest.param(lambda scorer: clone(scorer, safe=False), id="clone"),
    ],
)
def test_scorers_copy_pickle_and_show_themselves(scorer, text, duplicate):
    """A scorer is what its repr says, and so is a copy of it."""
    y, other = RankTarget(Y, qid=QID), duplicate(scorer)
    assert repr(scorer) == repr(other) == text
    assert other(ByColumn(1), X, y) == scorer(ByColumn(1), X, y)


def test_the_factories_take_names_and_metrics():
    """They return scorers of the public classes."""
    assert isinstance(make_rank_scorer(ndcg), RankScorer)
    assert make_rank_scorer("map@3").metric == get_metric("average_precision@3")
    assert isinstance(make_multi_rank_scorer(["map"]), MultiRankScorer)


def test_the_multi_scorer_takes_names_metrics_and_dicts():
    """Keys are as given; options go to the metrics that have them."""
    y, model = RankTarget(Y, qid=QID), ByColumn(1)
    scores = make_multi_rank_scorer(
        {"linear": "ndcg@5", "steep": get_metric("ndcg@5", gain="exponential")}
    )(model, X, y)
    assert scores == {
        "linear": ndcg(Y, X[:, 1], qid=QID, k=5),
        "steep": ndcg(Y, X[:, 1], qid=QID, k=5, gain="exponential"),
    }
    scores = make_multi_rank_scorer([ndcg, "map"], gain="exponential", min_relevance=3)(
        model, X, y
    )
    assert scores == {
        "ndcg": ndcg(Y, X[:, 1], qid=QID, gain="exponential"),
        "map": average_precision(Y, X[:, 1], qid=QID, min_relevance=3),
    }


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: make_rank_scorer("ndgc"), ValueError, "Did you mean 'ndcg'"),
        (lambda: make_rank_scorer("ndcg", cutoff=1), TypeError, "ndcg has no option 'cutoff'"),
        (lambda: make_rank_scorer("ndcg@5", k=10), ValueError, "has a cutoff already"),
        (
            lambda: make_rank_scorer("ndcg", response_method="proba"),
            ValueError,
            "'response_method' parameter must be one of 'auto', 'predict', .* Got 'proba'",
        ),
        (
            lambda: make_rank_scorer("ndcg", on_split_query="error"),
            ValueError,
            "'on_split_query' parameter must be one of 'warn', 'raise', 'ignore'. Got 'error'",
        ),
        (
            lambda: make_rank_scorer("ndcg", qid=QID),
            TypeError,
            r"must be a name, under which the values.*RankTarget\(y, qid=…\)",
        ),
        (
            lambda: make_rank_scorer("ndcg").set_score_request(groups=True),
            TypeError,
            "unexpected keyword argument 'groups'",
        ),
        (lambda: make_multi_rank_scorer("ndcg"), TypeError, r"pass \['ndcg'\]"),
        (lambda: make_multi_rank_scorer([]), ValueError, "one or more different metrics"),
        (lambda: make_multi_rank_scorer(["map", "map"]), ValueError, "different metrics"),
        (lambda: make_multi_rank_scorer(["map"], gain="linear"), TypeError, "no option 'gain'"),
    ],
)
def test_scorers_that_cannot_be_made(make, error, message):
    """The error comes when they are made, not in the middle of a search."""
    with pytest.raises(error, match=message):
        make()


def test_a_metric_of_which_less_is_better_is_negated():
    """A search that maximizes then prefers less of it."""
    y, model = RankTarget(Y, qid=QID), ByColumn(1)
    want = -fall_out(Y, X[:, 1], qid=QID, k=6)
    assert make_rank_scorer("fall_out@6")(model, X, y) == want < 0
    scores = make_multi_rank_scorer(["fall_out@6", "ndcg@3"])(model, X, y)
    assert scores == {"fall_out@6": want, "ndcg@3": ndcg(Y, X[:, 1], qid=QID, k=3)}
    search = GridSearchCV(
        ByColumn(), GRID, scoring=make_rank_scorer("fall_out@6"), cv=QueryKFold(5)
    )
    assert search.fit(X, y).best_params_ == {"column": 1}


def test_scorers_have_names():
    """Displays of scikit-learn write them on an axis."""
    needs("matplotlib").use("Agg")
    from sklearn.model_selection import LearningCurveDisplay, ValidationCurveDisplay

    scorer = make_rank_scorer("ndcg@10", on_split_query="ignore")
    assert scorer.__name__ == "ndcg@10"
    assert make_multi_rank_scorer(["map", "p@5"]).__name__ == "map, p@5"
    y, options = RankTarget(Y, qid=QID), {"scoring": scorer, "cv": QueryKFold(3)}
    display = LearningCurveDisplay.from_estimator(Ridge(), X, y, train_sizes=[0.5, 1], **options)
    assert "ndcg@10" in display.ax_.get_ylabel().lower()
    display = ValidationCurveDisplay.from_estimator(
        Ridge(), X, y, param_name="alpha", param_range=[1, 2], **options
    )
    assert "ndcg@10" in display.ax_.get_ylabel().lower()


def test_weights_on_the_grades_need_no_request():
    """Those of a RankTarget are used, unless the scorer is told not to."""
    weight = np.random.default_rng(0).random(len(set(QID)))[np.unique(QID, return_inverse=True)[1]]
    y, model = RankTarget(Y, qid=QID, sample_weight=weight), Ridge().fit(X, Y)
    scorer = make_rank_scorer("ndcg")
    plain = scorer(model, X, RankTarget(Y, qid=QID))
    want = ndcg(Y, model.predict(X), qid=QID, sample_weight=weight)
    assert scorer(model, X, y) == pytest.approx(want, abs=1e-12)
    assert want != pytest.approx(plain, abs=1e-6)
    scorer.set_score_request(sample_weight=False)
    assert scorer(model, X, y) == pytest.approx(plain, abs=1e-12)


def test_a_rectangle_is_told_to_be_flat():
    """scikit-learn cuts rows, not lines."""
    with pytest.raises(ValueError, match=r"y is a rectangle, shape \(2, 3\)"):
        make_rank_scorer("ndcg")(Ridge(), np.zeros((2, 3)), np.zeros((2, 3)))


def test_ids_by_another_name_are_suggested():
    """The column is there, the name is not the scorer's."""
    pd = needs("pandas")
    table = pd.DataFrame({"query": QID, "x": X[:, 0]})
    with pytest.raises(ValueError, match="If 'query' holds the query ids, pass qid='query'"):
        make_rank_scorer("ndcg")(Ridge(), table, Y)


def test_estimators_of_several_outputs_are_refused():
    """They give an array for each output."""
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.naive_bayes import GaussianNB

    rows = np.random.default_rng(0).random((12, 2))
    y = [0, 1, 2] * 4
    model = MultiOutputClassifier(GaussianNB()).fit(rows, np.column_stack([y, [0, 1] * 6]))
    with pytest.raises(ValueError, match="gives 2 arrays, one per output"):
        make_rank_scorer("ndcg")(model, rows, RankTarget(y, qid=[0] * 12))


def test_a_search_warns_once_of_models_that_order_nothing():
    """However many candidates and folds there are; the lists are said once too."""
    y, scorer = RankTarget(np.ones(Y.size), qid=QID), make_multi_rank_scorer(["ndcg@10", "map"])
    search = GridSearchCV(
        ByColumn(), {"column": [0, 0, 0]}, scoring=scorer, refit=False, cv=QueryKFold(3)
    )
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        search.fit(np.zeros_like(X), y)
    texts = [str(one.message) for one in heard if one.category is UninformativeRankingWarning]
    assert len(texts) == 2
    assert "a random model has ndcg@10 1.0000, average_precision 1.0000" in texts[0]
    assert texts[1].startswith("ByColumn gives all rows of each query the same score")
