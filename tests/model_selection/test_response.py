"""How a scorer gets one number per row from any estimator."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import DBSCAN
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_rankscore import average_precision, make_rank_scorer, ndcg

RNG = np.random.default_rng(0)
QID = np.repeat(np.arange(30), 6)
X = RNG.standard_normal((180, 3))
GRADED = np.clip(np.round(X[:, 0] + 1 + 0.7 * RNG.standard_normal(180)), 0, 3).astype(int)
BINARY = (GRADED > 1).astype(int)
score = make_rank_scorer("ndcg@3")


def check(model, y, rows):
    """The scorer ranks a fitted model by these numbers."""
    assert score(model, X, y, qid=QID) == ndcg(y, rows, qid=QID, k=3)


def test_regressors_predict():
    """Their predictions may be flat or one column."""
    model = Ridge().fit(X, GRADED)
    check(model, GRADED, model.predict(X))
    column = LinearRegression().fit(X, GRADED[:, None])
    assert column.predict(X).shape == (180, 1)
    check(column, GRADED, column.predict(X).ravel())


@pytest.mark.parametrize(
    "y", [BINARY, BINARY * 3, BINARY.astype(bool)], ids=["0 and 1", "0 and 3", "bool"]
)
def test_binary_classifiers_decide_or_give_a_probability(y):
    """They are never ranked by predicted class; the two grades may be any numbers."""
    model = LogisticRegression().fit(X, y)
    check(model, y, model.decision_function(X))
    svc = LinearSVC().fit(X, y)
    check(svc, y, svc.decision_function(X))
    forest = RandomForestClassifier(random_state=0).fit(X, y)
    check(forest, y, forest.predict_proba(X)[:, 1])


def test_pipelines_and_searches_decide_as_their_classifier_does():
    """They are ranked by the decision function of what is inside."""
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, BINARY)
    check(pipeline, BINARY, pipeline.decision_function(X))
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}).fit(X, BINARY)
    check(search, BINARY, search.decision_function(X))


@pytest.mark.parametrize(
    "y", [GRADED, np.where(GRADED == 1, 2, GRADED)], ids=["all grades", "no grade 1"]
)
def test_graded_classifiers_are_ranked_by_expected_grade(y):
    """The sum of p(grade) * grade over classes_, whatever grades a fold happens to have."""
    model = LogisticRegression().fit(X, y)
    expected = sum(
        p * grade for p, grade in zip(model.predict_proba(X).T, model.classes_, strict=True)
    )
    assert score(model, X, y, qid=QID) == pytest.approx(ndcg(y, expected, qid=QID, k=3))
    assert score(model, X, y, qid=QID) > ndcg(y, model.predict(X), qid=QID, k=3)


def test_a_classifier_that_saw_one_grade_scores_the_expectation():
    """A constant model wins nothing."""
    model = DecisionTreeClassifier().fit(X, np.ones(180))
    check(model, GRADED, np.zeros(180))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_a_method_may_be_chosen(method):
    """The scorer ranks by the method that response_method names."""
    model = LogisticRegression().fit(X, BINARY)
    rows = getattr(model, method)(X)
    rows = rows[:, 1] if method == "predict_proba" else rows
    scorer = make_rank_scorer("map", response_method=method)
    assert scorer(model, X, BINARY, qid=QID) == average_precision(BINARY, rows, qid=QID)


class Backwards:
    """A classifier that lists the higher grade first, and has no tags."""

    def __init__(self, *, decides, classes=(1, 0)):
        self.classes_ = np.array(classes, dtype=object)
        if decides:
            self.decision_function = lambda X: -X[:, 0]

    def predict(self, X):
        raise AssertionError("ranked by predicted class")

    def predict_proba(self, X):
        high = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([high, 1 - high])


@pytest.mark.parametrize("decides", [True, False])
def test_the_order_of_classes_does_not_matter(decides):
    """The higher grade is the higher, wherever it stands in classes_."""
    check(Backwards(decides=decides), BINARY, X[:, 0])
    with pytest.raises(ValueError, match="they must be numbers"):
        score(Backwards(decides=decides, classes=("10", "9")), X, BINARY, qid=QID)


def test_outlier_detectors_decide():
    """They are ranked by their decision function, not by -1 and 1."""
    model = IsolationForest(n_estimators=10, random_state=0).fit(X)
    check(model, GRADED, model.decision_function(X))


class Bare:
    """No scikit-learn estimator at all: only predict."""

    def predict(self, X):
        return list(X[:, 0])


def test_anything_that_predicts_is_ranked():
    """A scorer needs no tags."""
    check(Bare(), GRADED, X[:, 0])


class Diverged(Bare):
    def predict(self, X):
        return np.full(len(X), np.nan)


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (
            LinearSVC().fit(X, GRADED),
            GRADED,
            "LinearSVC has no predict_proba.*more than two grades.*CalibratedClassifierCV",
        ),
        (DBSCAN(), GRADED, "DBSCAN has no predict, so its rows cannot be ranked"),
        (
            LinearRegression().fit(X, X[:, :2]),
            GRADED,
            r"predict must give one score per row to rank by. Got shape \(180, 2\)",
        ),
        (
            LogisticRegression().fit(X, np.array(list("abcd"))[GRADED]),
            GRADED,
            "they must be numbers. Got classes array",
        ),
        (Diverged(), GRADED, "y_score must not be missing. Got NaN in 180 of 180 values"),
    ],
)
def test_models_that_cannot_rank(model, y, message):
    """Each error says what is missing."""
    with pytest.raises(ValueError, match=message):
        score(model, X, y, qid=QID)


def test_the_cure_for_a_classifier_without_probabilities_works():
    """A calibrated classifier, which the error recommends, can be ranked."""
    model = CalibratedClassifierCV(LinearSVC(), cv=3).fit(X, GRADED)
    assert score(model, X, GRADED, qid=QID) > 0.8
