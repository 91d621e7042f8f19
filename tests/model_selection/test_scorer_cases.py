"""Public bug reports about ids, folds, scorers and weights: small inputs and right values."""

import json

import numpy as np
import pytest
import sklearn
from conftest import DATA, needs
from estimators import ByColumn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_rankscore import (
    QueryKFold,
    QuerySplitWarning,
    RankTarget,
    TemporalSplit,
    get_metric,
    make_rank_scorer,
    split_report,
)

FAMILIES = ("group ids and cross-validation", "scorer plumbing", "weights")
# Names and values in the cases, and those of the package.
NAMES = {"rr": "reciprocal_rank"}
EMPTY = {"skip": np.nan, "zero": 0.0, "one": 1.0}
GAINS = {"linear": "linear", "exp": "exponential"}


LINES = (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()
CASES = {case["id"]: case for case in map(json.loads, LINES)}


def test_every_case_of_these_families_is_tested():
    """No case is left out."""
    ours = {name for name, case in CASES.items() if case["family"] in FAMILIES}
    assert ours == {*VALUES, *OTHERS}


def rows(case, check):
    """Give grades, scores, ids and all that is given; a check may replace what its case has."""
    given = {**case["input"], **check["params"]}
    return np.asarray(given["y_true"]), np.asarray(given["y_score"]), given["qid"], given


VALUES = ["B22", "B34", "B54", "B55", "B57", "B58", "B59", "B61", "B63", "B66", "B78", "B79"]
OTHERS = ["B56", "B65", "B67"]


CHECKS = [
    pytest.param(name, check, id=f"{name}: {check['label']}")
    for name in VALUES
    for check in CASES[name]["expected"]["checks"]
]


def test_every_listed_case_has_checks():
    """No case is listed without a value."""
    assert all(CASES[name]["expected"]["checks"] for name in VALUES)


@pytest.mark.filterwarnings("ignore:Any order of these lists wins")  # B54: ids of the wrong things
@pytest.mark.parametrize(("name", "check"), CHECKS)
def test_values(name, check):
    """The metric, and a scorer with ids on the target, give the right value."""
    y, score, qid, given = rows(CASES[name], check)
    options = {"k": given.get("k"), "replace_undefined_by": EMPTY[given.get("empty", "skip")]}
    metric = get_metric(NAMES.get(check["metric"], check["metric"]), **options)
    if "gain" in check["params"]:
        metric = metric.bind(gain=GAINS[check["params"]["gain"]])
    weight = None
    if "weight" in given:
        _, number = np.unique(qid, return_inverse=True)
        weight = np.asarray(given["weight"], dtype=float)[number]
    if given.get("aggregate") == "per_query":
        got = metric.per_query(y, score, qid=qid).value
    else:
        got = metric(y, score, qid=qid, sample_weight=weight)
        scorer = make_rank_scorer(metric).set_score_request(sample_weight=True)
        more = {} if weight is None else {"sample_weight": weight}
        X = np.column_stack([score, score])
        assert scorer(ByColumn(0), X, RankTarget(y, qid=qid, **more)) == got
    np.testing.assert_allclose(got, check["value"], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "copied", [lambda scorer: scorer, lambda s: clone(s, safe=False)], ids=["itself", "clone"]
)
def test_scorers_keep_their_parameters(copied):
    """B34: a cutoff and a gain change the value, show in the repr, and survive copies."""
    y, score, qid, _ = rows(CASES["B34"], {"params": {}})
    X = np.column_stack([score, score])
    scorer = make_rank_scorer("ndcg@2", gain="exponential")
    assert repr(scorer) == "make_rank_scorer('ndcg@2', gain='exponential')"
    want = next(c for c in CASES["B34"]["expected"]["checks"] if c["label"] == "k=2 exp")["value"]
    assert abs(copied(scorer)(ByColumn(0), X, RankTarget(y, qid=qid)) - want) < 1e-12


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda X, y, sizes: get_metric("ndcg")(y, X[:, 0], qid=sizes), id="metric"),
        pytest.param(
            lambda X, y, sizes: make_rank_scorer("ndcg")(ByColumn(0), X, y, qid=sizes), id="scorer"
        ),
        pytest.param(
            lambda X, y, sizes: next(QueryKFold(2).split(X, y, qid=sizes)), id="splitter"
        ),
        pytest.param(lambda X, y, sizes: RankTarget(y, qid=sizes), id="target"),
    ],
)
def test_sizes_in_place_of_ids(use):
    """B56: metric, scorer, splitter and target refuse group sizes and say that they are none."""
    given = CASES["B56"]["input"]
    score = np.asarray(given["y_score"])
    with pytest.raises(ValueError, match="Query ids are wanted, one per row, not group sizes"):
        use(np.column_stack([score, score]), given["y_true"], given["qid"])


def test_categories_that_do_not_occur():
    """B59: only ids that occur count, in a fold as well."""
    pd = needs("pandas")
    given = CASES["B59"]["input"]
    qid = pd.Categorical(given["qid"], categories=given["categories"])
    y, score = given["y_true"], np.asarray(given["y_score"])
    frame = pd.DataFrame({"score": score, "qid": qid})
    model, scorer = ByColumn(0), make_rank_scorer("ndcg")
    assert scorer(model, frame, y) == 1.0
    scores = cross_validate(model, frame, y, scoring=scorer, cv=QueryKFold(2), error_score="raise")
    assert scores["test_score"].tolist() == [1.0, 1.0]


def test_series_in_another_order_are_refused():
    """B63: by position the value is right only if nobody meant the index."""
    pd = needs("pandas")
    given = CASES["B63"]["input"]
    y = pd.Series(given["y_true"], index=given["index_y"])
    qid = pd.Series(given["qid"], index=given["index_qid"])
    want = CASES["B63"]["expected"]["checks"][0]["value"]
    with pytest.raises(ValueError, match="y_true and qid have the same index in different orders"):
        get_metric("ndcg")(y, given["y_score"], qid=qid)
    by_position = get_metric("ndcg")(y, given["y_score"], qid=qid.to_numpy())
    assert abs(by_position - want) < 1e-12


class Lengths:
    """A scorer that remembers how many ids each call gave it."""

    seen: list = []  # noqa: RUF012 - shared by all copies

    def __init__(self):
        self.scorer = make_rank_scorer("ndcg")

    def get_metadata_routing(self):
        return self.scorer.get_metadata_routing()

    def __call__(self, estimator, X, y, *, qid):
        self.seen.append(len(qid))
        return self.scorer(estimator, X, y, qid=qid)


def test_ids_reach_nested_searches():
    """B65: each fold, outer or inner, gets its own ids; an error says how to route them."""
    given = CASES["B65"]["input"]
    qid = np.asarray(given["qid"])
    y = np.arange(qid.size) % 3
    X = np.column_stack([y, qid]).astype(float)
    Lengths.seen.clear()
    search = GridSearchCV(
        Ridge(), {"alpha": [1.0, 2.0]}, scoring=Lengths(), cv=QueryKFold(given["inner_splits"])
    )
    with sklearn.config_context(enable_metadata_routing=True):
        cross_validate(
            search,
            X,
            y,
            params={"qid": qid},
            scoring=Lengths(),
            cv=QueryKFold(given["outer_splits"]),
            error_score="raise",
        )
    assert Lengths.seen == CASES["B65"]["expected"]["functions"][0]["value"]
    plain = GridSearchCV(
        Ridge(), {"alpha": [1.0]}, scoring=make_rank_scorer("ndcg"), cv=QueryKFold(2)
    )
    with pytest.raises(ValueError, match="metadata routing"):
        plain.fit(X, y)


def test_fragments_of_a_query_are_noticed():
    """B66: two fragments score 1, the whole query does not; scorer and report notice the cut."""
    given = CASES["B66"]["input"]
    y = RankTarget(given["y_true"], qid=given["qid"])
    score = np.asarray(given["y_score"])
    X = np.column_stack([score, score])
    folds = [(other, test) for test, other in (given["folds"], given["folds"][::-1])]
    with pytest.warns(QuerySplitWarning, match="cut through queries"):
        scores = cross_validate(ByColumn(0), X, y, cv=folds, scoring=make_rank_scorer("ndcg"))
    assert scores["test_score"].tolist() == [1.0, 1.0]
    report = split_report(folds, X, y)
    assert not report.honest
    assert [fold.cut_queries for fold in report.folds] == [1, 1]


def test_the_future_in_train():
    """B67: holding out each user's last event trains on the future; one date for all does not."""
    given = CASES["B67"]["input"]
    want = [function["value"] for function in CASES["B67"]["expected"]["functions"]]
    times, users = np.asarray(given["time"]), np.asarray(given["user"])
    X, test = np.zeros((times.size, 1)), np.asarray(given["per_user_test"])
    y = RankTarget(np.ones(times.size, dtype=int), qid=users, times=times)
    train = np.setdiff1d(np.arange(times.size), test)
    last_item = split_report([(train, test)], X, y)
    assert last_item.folds[0].future_rows == want[0]
    assert not last_item.honest
    cut_off = split_report(TemporalSplit(cutoffs=[given["global_cutoff"]], queries="any"), X, y)
    assert cut_off.folds[0].future_rows == want[1]


class Graded(ClassifierMixin, BaseEstimator):
    """A classifier that predicts the probabilities it was made with."""

    def __init__(self, proba=None, classes=(0, 1)):
        self.proba = proba
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.asarray(self.classes)
        return self

    def predict_proba(self, X):
        return np.asarray(self.proba)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.parametrize(
    "check",
    [check for check in CASES["B78"]["expected"]["checks"] if check["label"] == "probabilities"],
    ids=lambda check: check["metric"],
)
def test_binary_classifiers_are_ranked_by_probability(check):
    """B78: a classifier is ranked by its probability of the higher class, not by the class."""
    given = CASES["B78"]["input"]
    y = RankTarget(given["y_true"], qid=given["qid"])
    high = np.asarray(given["y_score"])
    model = Graded(np.column_stack([1 - high, high])).fit(None, None)
    scorer = make_rank_scorer(NAMES.get(check["metric"], check["metric"]))
    assert abs(scorer(model, np.zeros((4, 1)), y) - check["value"]) < 1e-12


@pytest.mark.parametrize("columns", [[0, 1, 2], [2, 0, 1]], ids=str)
def test_graded_classifiers_are_ranked_by_all_probabilities(columns):
    """B79: the probabilities of all grades count, whatever the order of their columns."""
    given = CASES["B79"]["input"]
    y = RankTarget(given["y_true"], qid=given["qid"])
    want = CASES["B79"]["expected"]["checks"][0]["value"]
    classes = np.asarray(given["classes"])[columns]
    model = Graded(np.asarray(given["proba"])[:, columns], classes).fit(None, None)
    assert abs(make_rank_scorer("ndcg")(model, np.zeros((3, 1)), y) - want) < 1e-12
