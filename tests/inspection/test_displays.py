"""Displays: what is drawn is what was computed; scikit-learn's conventions; any way of ids."""

import io
import sys

import numpy as np
import pytest
from conftest import needs
from estimators import ByColumn

from sklearn_rankscore import (
    MetricAtKDisplay,
    PrecisionRecallDisplay,
    QueryDifferenceDisplay,
    RankTarget,
    ndcg,
    precision,
)

RNG = np.random.default_rng(0)
QID = np.repeat(np.arange(40), 9)
GRADE = RNG.integers(0, 3, QID.size)
SCORES = {"good": GRADE + RNG.normal(size=QID.size), "noise": RNG.normal(size=QID.size)}


@pytest.fixture(autouse=True)
def _no_window():
    matplotlib = needs("matplotlib")
    matplotlib.use("Agg")
    yield
    needs("matplotlib.pyplot").close("all")


def test_a_metric_against_k():
    """Each point is the metric at that cutoff, inside its interval; a legend of several models."""
    display = MetricAtKDisplay.from_predictions(
        GRADE, SCORES, qid=QID, k=[1, 3, 5], gain="exponential", random_state=0
    )
    for name, scores in SCORES.items():
        want = [ndcg(GRADE, scores, qid=QID, k=k, gain="exponential") for k in (1, 3, 5)]
        np.testing.assert_allclose(display.mean[name], want, atol=1e-12)
        assert (display.low[name] <= want).all()
        assert (want <= display.high[name]).all()
    lines = dict(zip(SCORES, display.ax_.lines, strict=True))
    np.testing.assert_allclose(lines["good"].get_ydata(), display.mean["good"])
    assert display.ax_.get_xlabel() == "k"
    assert display.ax_.get_ylabel() == "ndcg@k"
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == list(SCORES)
    assert display.figure_ is display.ax_.figure


def test_one_model_at_one_cutoff():
    """A point without a legend, its interval a vertical line."""
    single = MetricAtKDisplay.from_predictions(GRADE, SCORES["good"], qid=QID, metric="p", k=[2])
    assert single.ax_.get_legend() is None
    assert single.mean["model"][0] == pytest.approx(precision(GRADE, SCORES["good"], qid=QID, k=2))


def test_eleven_points():
    """The mean interpolated precision never rises."""
    display = PrecisionRecallDisplay.from_predictions(GRADE, SCORES, qid=QID)
    for values in display.precision.values():
        assert len(values) == 11
        assert (np.diff(values) <= 1e-12).all()


def test_the_path_of_one_query():
    """A point for each rank, hollow where the row is not relevant."""
    rows = ([1, 0, 1, 0, 1], [5, 4, 3, 2, -np.inf])
    path = PrecisionRecallDisplay.from_predictions(*rows, qid=["q"] * 5, query="q", name="one")
    np.testing.assert_allclose(path.precision["one"], [1, 1 / 2, 2 / 3, 2 / 4])
    np.testing.assert_allclose(path.recall["one"], [1 / 3, 1 / 3, 2 / 3, 2 / 3])
    assert path.relevant["one"].tolist() == [True, False, True, False]
    filled, hollow = path.ax_.collections
    assert len(filled.get_offsets()) == len(hollow.get_offsets()) == 2
    assert hollow.get_facecolor().tolist() == [[1, 1, 1, 1]]


def test_who_wins_where():
    """Sorted differences, their mean, and how many each wins."""
    display = QueryDifferenceDisplay.from_predictions(GRADE, SCORES, qid=QID, metric="ndcg@3")
    one, two = (ndcg.per_query(GRADE, s, qid=QID, k=3).value for s in SCORES.values())
    np.testing.assert_allclose(display.difference, two - one)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts[0] == f"noise is better: {int((two > one).sum())} queries"
    assert texts[2] == f"mean: {(two - one).mean():+.4f}"
    assert display.ax_.get_ylabel() == "ndcg@3: noise less good"


def test_who_wins_where_less_is_better():
    """The model with the lower fall-out."""
    less = QueryDifferenceDisplay.from_predictions(
        [1, 0, 0], {"bad": [0, 2, 1], "good": [2, 1, 0]}, qid=[1] * 3, metric="fall_out@1"
    )
    assert "good is better: 1 query" in less.ax_.get_legend().get_texts()[1].get_text()


def test_a_difference_is_of_two_models():
    """Of one there is none."""
    with pytest.raises(ValueError, match="A difference is of two models"):
        QueryDifferenceDisplay.from_predictions(GRADE, {"a": SCORES["good"]}, qid=QID)


def test_differences_that_are_all_undefined_are_not_drawn():
    """No query has a relevant row."""
    rows = ([0, 0], {"a": [1, 2], "b": [2, 1]})
    with pytest.raises(ValueError, match="undefined for every query"):
        QueryDifferenceDisplay.from_predictions(*rows, qid=[1, 1], replace_undefined_by=np.nan)


def test_from_estimators():
    """One by its class, several by their names; ids found as a scorer finds them; axes given."""
    X = np.column_stack(list(SCORES.values()))
    plt = needs("matplotlib.pyplot")
    _, ax = plt.subplots()
    y = RankTarget(GRADE, qid=QID)
    models = {"first": ByColumn(0).fit(X, y), "second": ByColumn(1).fit(X, y)}
    display = MetricAtKDisplay.from_estimator(models, X, y, k=[2], ax=ax, random_state=0)
    assert display.ax_ is ax
    assert display.mean["second"][0] == pytest.approx(ndcg(GRADE, X[:, 1], qid=QID, k=2))
    one = PrecisionRecallDisplay.from_estimator(models["first"], X, GRADE, qid=QID)
    assert list(one.precision) == ["ByColumn"]
    with pytest.raises(ValueError, match="MetricAtKDisplay found no query ids"):
        MetricAtKDisplay.from_estimator(models, X, GRADE)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": []}, "k must be one or more cutoffs"),
        ({"k": 5}, "k must be one or more cutoffs"),
        ({"confidence_level": 95}, "confidence_level must be above 0"),
        ({"replace_undefined_by": np.nan}, "undefined for every query"),
    ],
)
def test_wrong_arguments_of_a_metric_at_k(wrong, message):
    """Each says what is wrong."""
    with pytest.raises(ValueError, match=message):
        MetricAtKDisplay.from_predictions([0, 0], [1, 2], qid=[1, 1], **wrong)


def test_a_display_made_of_means_alone_has_no_band():
    """Intervals may be left out."""
    display = MetricAtKDisplay("ndcg", [1, 2], {"a": [0.5, 0.6]}, {}, {}).plot()
    assert not display.ax_.collections


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch):
    """By the name of the display."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="MetricAtKDisplay draws with matplotlib: pip install"):
        MetricAtKDisplay("ndcg", [1], {"a": [0.5]}, {}, {}).plot()


def test_the_path_of_a_query_of_which_nothing_was_found():
    """Recall stays 0."""
    nothing = PrecisionRecallDisplay.from_predictions(
        [1, 0, 0], {"a": [-np.inf, 1, 0]}, qid=[1] * 3, query=1
    )
    assert nothing.recall["a"].tolist() == [0, 0]


def test_nothing_is_drawn_twice_and_plot_gives_itself():
    """A display can be drawn again, on other axes."""
    display = QueryDifferenceDisplay.from_predictions(GRADE, SCORES, qid=QID)
    first = display.ax_
    assert display.plot() is display
    assert display.ax_ is not first


NAMES = ["_base", "$\\frac$", "a|b"]


@pytest.mark.parametrize("display", [MetricAtKDisplay, PrecisionRecallDisplay])
def test_names_are_shown_letter_by_letter(display):
    """Matplotlib would hide names that begin with _, and set those with $ as formulas."""
    needs("matplotlib").use("Agg")
    rng, y, qid = np.random.default_rng(0), [1, 0, 0, 1] * 5, np.repeat(np.arange(10), 2)
    drawn = display.from_predictions(y, {name: rng.random(20) for name in NAMES}, qid=qid)
    assert [text.get_text() for text in drawn.ax_.get_legend().get_texts()] == NAMES
    drawn.figure_.savefig(io.BytesIO())


def test_differences_of_rounding_are_no_wins():
    """As in a report: up to 1e-12 queries are equal."""
    needs("matplotlib").use("Agg")
    rng = np.random.default_rng(2)
    grade, qid = rng.choice([0.1, 0.3, 0.7, 0.6], (200, 10)), np.repeat(np.arange(200), 10)
    models = {"A": grade.ravel(), "$B": (grade + rng.random(grade.shape) * 0.01).ravel()}
    drawn = QueryDifferenceDisplay.from_predictions(
        grade.ravel(), models, qid=qid, metric="dcg@10"
    )
    assert 0 < np.abs(drawn.difference).max() < 1e-12
    labels = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert labels[:2] == ["$B is better: 0 queries", "A is better: 0 queries"]
    assert "(200 equal)" in drawn.ax_.get_xlabel()
    drawn.figure_.savefig(io.BytesIO())


def test_a_query_of_which_nothing_was_retrieved():
    """Its path has no points, or its recall is undefined; it is no IndexError."""
    needs("matplotlib").use("Agg")
    drawn = PrecisionRecallDisplay.from_predictions(
        [0, 0, 1, 0], [-np.inf, -np.inf, 1, 2], qid=[1, 1, 2, 2], query=1
    )
    assert len(drawn.precision["model"]) == 0


def test_cutoffs_that_are_none():
    """The error names k."""
    with pytest.raises(ValueError, match="k must be a positive integer"):
        MetricAtKDisplay.from_predictions([1, 0], [1, 2], qid=[1, 1], k=[1, "a"])


WEIGHTED = RankTarget([1, 0, 0, 1, 1, 0], qid=[1, 1, 2, 2, 3, 3], sample_weight=[1, 1, 3, 3, 0, 0])
IN_PAIRS = {
    "a": [2, 1, 2, 1, 1, 2],
    "b": [1, 2, 1, 2, 1, 2],
}  # reciprocal ranks 1, 1/2, 1/2; 1/2, 1


@pytest.mark.parametrize("passed", [True, False])
def test_pictures_weight_queries(passed):
    """By the weights passed or carried by y, as metrics do; weight 0 leaves a query out."""
    needs("matplotlib")
    weights = {"sample_weight": [1, 1, 3, 3, 0, 0]} if passed else {}
    y, rows = (np.asarray(WEIGHTED) if passed else WEIGHTED), {"qid": WEIGHTED.qid, **weights}
    curve = MetricAtKDisplay.from_predictions(y, IN_PAIRS, metric="mrr", k=[2], **rows)
    assert curve.mean["a"] == pytest.approx([(1 + 3 / 2) / 4], rel=1e-14)
    difference = QueryDifferenceDisplay.from_predictions(y, IN_PAIRS, metric="mrr", **rows)
    assert difference.difference.tolist() == [-0.5, 0.5]
    assert difference.qid.tolist() == [1, 2]
    texts = [text.get_text() for text in difference.ax_.get_legend().get_texts()]
    assert "mean: +0.2500" in texts  # (-1/2 + 3 x 1/2) / 4
    recall = PrecisionRecallDisplay.from_predictions(y, IN_PAIRS["a"], **rows)
    assert recall.precision["model"] == pytest.approx([(1 + 3 / 2) / 4] * 11, rel=1e-14)


def test_pictures_of_estimators_weight_queries():
    """The weights that y carries reach the picture."""
    needs("matplotlib")
    X = np.array([IN_PAIRS["a"]], dtype=float).T
    model = ByColumn(0).fit(X, WEIGHTED)
    display = MetricAtKDisplay.from_estimator(model, X, WEIGHTED, metric="mrr", k=[1])
    assert display.mean["ByColumn"] == pytest.approx([1 / 4], rel=1e-14)
