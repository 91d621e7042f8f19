"""Conventions, precedence of options, and the metric as an object."""

import numpy as np
import pytest

from sklearn_rankscore import average_precision, get_metric, ndcg, precision, recall

ALL_ZERO = [[1, 0], [0, 0]], [[2, 1], [2, 1]]


@pytest.mark.parametrize(
    ("convention", "value"),
    # In the order of the rows 1/1; averaged (1 + 1/log2(3) + 1/2) / 3; for the worst 1/2.
    [
        ("sklearn", (1 + 1 / np.log2(3) + 0.5) / 3),
        ("trec_eval", 1.0),
        ("lightgbm", 1.0),
        ("xgboost", 1.0),
        ("catboost", 0.5),
    ],
)
def test_ties_of_each_program(convention, value):
    """Three rows with one score, the relevant one first."""
    assert ndcg([[1, 0, 0]], [[5, 5, 5]], convention=convention) == pytest.approx(value)


def test_xgboost_settles_ties_by_input_order():
    """The relevant row last is ranked last."""
    assert ndcg([[0, 0, 1]], [[5, 5, 5]], convention="xgboost") == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("metric", "convention", "value"),
    [
        ("ndcg", "sklearn", 0),
        ("ndcg", "trec_eval", 0),
        ("ndcg", "lightgbm", 1),
        ("ndcg", "xgboost", 1),
        ("ndcg", "catboost", 1),
        ("map", "trec_eval", 0),
        ("map", "lightgbm", 1),
        ("map", "xgboost", 1),
        ("map", "catboost", 0),
        ("recall", "trec_eval", 0),
        ("recall", "catboost", 1),
        ("dcg", "trec_eval", 0),
        ("dcg", "catboost", 0),
    ],
)
def test_a_query_without_relevant_rows_in_each_program(metric, convention, value):
    """The second query has no relevant row, and scores what the program gives it."""
    per_query = get_metric(metric).per_query(*ALL_ZERO, convention=convention)
    assert per_query.value[1] == value


TWO_RELEVANT = [[1, 3, 0]], [[3, 2, 1]]
LINEAR = (1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3))
EXPONENTIAL = (1 + 7 / np.log2(3)) / (7 + 1 / np.log2(3))


@pytest.mark.parametrize(
    ("convention", "value"),
    [
        ("sklearn", LINEAR),
        ("trec_eval", LINEAR),
        ("catboost", LINEAR),
        ("lightgbm", EXPONENTIAL),
        ("xgboost", EXPONENTIAL),
    ],
)
def test_the_gain_of_each_program(convention, value):
    """LightGBM and XGBoost have exponential gain, the others linear gain."""
    assert ndcg(*TWO_RELEVANT, convention=convention) == pytest.approx(value)


@pytest.mark.parametrize(
    ("metric", "k", "convention", "value"),
    [
        (average_precision, 1, "trec_eval", 1 / 2),
        (average_precision, 1, "xgboost", 1),
        (average_precision, 1, "lightgbm", 1),
        (average_precision, 1, "catboost", 1),
        (precision, 6, "trec_eval", 2 / 6),
        (precision, 6, "xgboost", 2 / 3),
        (precision, 6, "catboost", 2 / 3),
    ],
    ids=str,
)
def test_the_denominator_of_each_program(metric, k, convention, value):
    """The boosters divide by what k rows can attain, trec_eval by what is relevant or by k."""
    got = metric(*TWO_RELEVANT, k=k, convention=convention)
    assert got == (value if metric is average_precision else pytest.approx(value))


def test_an_option_beside_a_convention_wins():
    """An explicit option overrides the convention, and that the default, bound or in the call."""
    rows = [[1, 3, 0]], [[3, 2, 1]]
    linear = ndcg(*rows)
    assert ndcg(*rows, convention="xgboost", gain="linear") == linear
    assert ndcg.bind(gain="linear")(*rows, convention="xgboost") == linear
    assert ndcg.bind(convention="xgboost")(*rows, gain="linear") == linear
    assert ndcg.bind(convention="xgboost")(*rows, convention=None) == linear
    values = ndcg.per_query(*ALL_ZERO, convention="xgboost", replace_undefined_by=np.nan).value
    assert np.isnan(values[1])


def test_gains_given_as_table_list_and_function_agree():
    """A list, an array, a dict and a function give the same gains."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (20, 6)), rng.random((20, 6))
    want = ndcg(*rows, gain=[0, 1, 10])
    assert ndcg(*rows, gain=np.array([0.0, 1, 10])) == want
    assert ndcg(*rows, gain={2: 10, 0: 0, 1: 1}) == want
    assert ndcg(*rows, gain=lambda grade: np.where(grade == 2, 10, grade)) == pytest.approx(want)
    assert ndcg(*rows, gain="exponential") == ndcg(*rows, gain=lambda grade: 2**grade - 1)


def test_a_gain_of_grade_zero_is_not_given_to_places_without_a_row():
    """Short queries beside long ones gain only by their rows."""
    gain = {0: 1, 1: 2}
    ragged = get_metric("cumulative_gain").per_query(
        [0, 1, 0, 0, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7], qid=[0, 0, 1, 1, 1, 1, 1], gain=gain
    )
    assert ragged.value.tolist() == [3, 7]
    assert recall(
        [0, 1, 1, 0, 0, 0], [2, 1, 3, 2, 1, 0], qid=[0, 0, 1, 1, 1, 1], k=1, min_relevance=-1
    ) == pytest.approx((1 / 2 + 1 / 4) / 2)


def test_metrics_show_what_is_set():
    """The repr shows the name and every other option that is set."""
    assert str(ndcg) == "ndcg"
    assert (
        repr(get_metric("NDCG@10", gain="exponential")) == "<Metric ndcg@10, gain='exponential'>"
    )
    assert repr(get_metric("map")) == "<Metric average_precision>"
    assert get_metric("map") is average_precision
    assert get_metric(average_precision) is average_precision


def test_options_do_not_leak_between_calls():
    """A bound metric is a new one."""
    before = dict(ndcg.bound)
    ndcg.bind(k=1)
    ndcg([[1, 0]], [[1, 2]], k=1)
    assert ndcg.bound == before == {}


@pytest.mark.parametrize("name", ["ndcg-", "ndcg@10-", "map@5-"])
def test_the_minus_of_xgboost_is_explained(name):
    """There it sets the score of undefined queries; the error names the option for that."""
    with pytest.raises(ValueError, match=r"XGBoost's '-' means .* replace_undefined_by=0\.0"):
        get_metric(name)
    rows = [[0, 0], [1, 0]], [[2, 1], [2, 1]]
    assert get_metric("ndcg", convention="xgboost")(*rows) == 1.0
    assert get_metric("ndcg", convention="xgboost", replace_undefined_by=0.0)(*rows) == 0.5
