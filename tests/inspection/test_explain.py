"""Explanations: their value is the metric's, their columns add up to it, they can be read."""

import html.parser
import itertools
from importlib.util import find_spec

import numpy as np
import pytest
from conftest import needs

from sklearn_rankscore import Explanation, RankTarget, explain, get_metric, ndcg
from sklearn_rankscore.inspection._explain.explained_ranking import ExplainedRanking
from sklearn_rankscore.inspection._explain.explanation import format_number
from sklearn_rankscore.inspection._explain.layouts import LAYOUTS
from sklearn_rankscore.metrics._ranking.ranking import Ranking, cut_into_blocks
from sklearn_rankscore.metrics._rows.rows import Rows

POLICIES = ("average", "optimistic", "pessimistic", "first", "last")
OPTIONS = {
    "k": (None, 1, 3, 50),
    "gain": ("linear", "exponential", [0.0, 5.0, 1.0, 2.0]),
    "discount": ("log2", "jarvelin"),
    "min_relevance": (None, 2),
    "denominator": (None, "attainable"),
    "persistence": (0.8, 0.3),
    "max_grade": (4.0,),
}


def draw(seed):
    """Ragged, interleaved queries with ties, rows not retrieved, queries of zeros."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(12), rng.integers(1, 9, 12)))
    grade = rng.integers(0, 4, qid.size) * (qid % 5 > 0)
    score = rng.integers(0, 4, qid.size).astype(float)
    score[rng.random(qid.size) < 0.15] = -np.inf
    return grade, score, qid


def combinations(metric):
    """Every combination of the metric's own options."""
    own = [option for option in metric.options if option in OPTIONS]
    for values in itertools.product(*(OPTIONS[option] for option in own)):
        options = dict(zip(own, values, strict=True))
        if options.get("denominator", "") is None:
            del options["denominator"]
        yield options


@pytest.mark.parametrize("ties", POLICIES)
@pytest.mark.parametrize("name", LAYOUTS)
def test_the_value_is_that_of_the_metric(name, ties):
    """For every option, each query, the undefined ones too; the last step gives it."""
    metric = get_metric(name)
    compared = 0
    for seed, options in enumerate(combinations(metric)):
        grade, score, qid = draw(seed)
        want = metric.per_query(
            grade, score, qid=qid, ties=ties, replace_undefined_by=np.nan, **options
        )
        for query, value in zip(want.qid[:6], want.value, strict=False):
            got = explain(grade, score, qid=qid, query=query, metric=name, ties=ties, **options)
            np.testing.assert_allclose(got.value, value, rtol=0, atol=1e-12)
            assert ("undefined" in got.steps[-1]) == np.isnan(value)
            if not np.isnan(value):
                assert float(got.steps[-1].rsplit("= ", 1)[1]) == pytest.approx(
                    value, rel=1e-5, abs=1e-9
                )
            compared += 1
    assert compared >= 12


@pytest.mark.parametrize("name", LAYOUTS)
def test_an_undefined_value_is_one_step(name):
    """Nothing is relevant: the sums and the shares have a value only where they are defined."""
    explanation = explain([[0, 0, 0]], [[1, 2, 3]], metric=name)
    if np.isnan(explanation.value):
        assert len(explanation.steps) == 1
        assert explanation.steps[0].endswith("is undefined.")
    else:
        assert name in ("cumulative_gain", "dcg", "ideal_dcg")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("average_precision", "precision at relevant"),
        ("reciprocal_rank", "counts"),
        ("expected_reciprocal_rank", "counts"),
        ("cumulative_gain", "gain"),
        ("dcg", "discounted gain"),
    ],
)
def test_the_last_column_adds_up_to_the_value(name, column):
    """Over all ranks, times the divisor of average precision; ties have their expectations."""
    explanation = explain([[1, 0, 2, 1, 0]], [[3, 3, 2, 2, 1]], metric=name)
    table = explanation.tables[0]
    total = sum(line[table.columns.index(column)] for line in table.lines)
    divisor = 3 if name == "average_precision" else 1
    assert explanation.value == pytest.approx(total / divisor, abs=1e-12)


def test_a_ranking_keeps_what_is_noted_only_for_an_explanation():
    """The engine's own Ranking throws it away; the formula's value is the same."""
    rows = Rows.collect([[2, 0, 1]], [[1, 2, 3]])
    plain = Ranking(cut_into_blocks(rows.queries)[0], rows, "average", 3)
    explained = ExplainedRanking(rows.grade, rows.score, "average")
    options = {"k": None, "gain": "linear", "discount": "log2"}
    assert ndcg.formula(plain, **options) == ndcg.formula(explained, **options)
    assert not hasattr(plain, "noted")
    assert explained.noted["gain"].tolist() == [[1, 0, 2]]
    assert explained.noted["ideal_gain"].tolist() == [[2, 1, 0]]


def test_the_columns_add_up():
    """Running DCG is the sum of discounted gains, which are gains times discounts."""
    grade, score, qid = draw(3)
    frame_of = needs("pandas").DataFrame
    for query in np.unique(qid):
        explanation = explain(grade, score, qid=qid, query=query, metric="ndcg")
        if np.isnan(explanation.value) or not explanation.tables[0].lines:
            continue
        ranked, ideal = (frame_of(t.lines, columns=t.columns) for t in explanation.tables)
        for table in (ranked, ideal):
            np.testing.assert_allclose(table["gain"] * table["discount"], table["discounted gain"])
            np.testing.assert_allclose(table["discounted gain"].cumsum(), table["running DCG"])
        assert ranked["running DCG"].iloc[-1] / ideal["running DCG"].iloc[-1] == pytest.approx(
            explanation.value
        )
        retrieved = (qid == query) & (score > -np.inf)
        assert sorted(ranked["row"]) == np.flatnonzero(retrieved).tolist()
        assert ranked["score"].tolist() == sorted(score[retrieved], reverse=True)
        assert sorted(ideal["row"]) == np.flatnonzero(qid == query).tolist()


def test_average_precision_as_on_a_blackboard():
    """Relevant at ranks 1 and 3 of four, one of three relevant rows not retrieved."""
    explanation = explain(
        [1, 0, 2, 0, 1], [9, 8, 7, 6, -np.inf], qid=["q"] * 5, metric="map", item=list("abcde")
    )
    assert explanation.value == pytest.approx((1 + 2 / 3) / 3)
    assert [line[:4] for line in explanation.tables[0].lines] == [
        ["1", "a", 9, 1],
        ["2", "b", 8, 0],
        ["3", "c", 7, 2],
        ["4", "d", 6, 0],
    ]
    assert explanation.steps == (
        "sum of the precisions at relevant rows = 1.6667",
        "1 relevant row is not retrieved, and counts 0",
        "divisor = 3 relevant rows",
        "AP = 1.6667 / 3 = 0.555556",
    )


def test_tied_rows_are_marked_and_have_their_expected_gain():
    """Two rows of grades 1 and 2 share ranks 2 and 3: 1.5 each."""
    explanation = explain([[3, 1, 2, 0]], [[4, 2, 2, 1]], metric="ndcg")
    table = explanation.tables[0]
    assert [line[0] for line in table.lines] == ["1", "2=", "3=", "4"]
    assert [line[table.columns.index("gain")] for line in table.lines] == [3, 1.5, 1.5, 0]
    assert "expected over all orders" in str(explanation)
    assert (
        "=" not in explain([[1, 0]], [[1, 1]], metric="ndcg", ties="first").tables[0].lines[0][0]
    )


class Balance(html.parser.HTMLParser):
    """Tags that are open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_html_is_well_formed_and_escaped():
    """In a notebook; names that look like tags stay text."""
    explanation = explain([1, 0], [1, 2], qid=["<b>"] * 2, metric="map", item=["<i>", "&amp;"])
    seen = Balance(explanation._repr_html_())
    assert not seen.open
    assert "<i>" in seen.text
    assert "&amp;" in seen.text
    assert "query '<b>'" in seen.text


def test_frames():
    """Numbers as they are, the rank as index."""
    needs("pandas")
    frame = explain([1, 0], [1, 2], qid=[7, 7], metric="mrr").to_frame()
    assert frame.index.tolist() == [1, 2]
    assert frame["counts"].tolist() == [0.0, 0.5]


@pytest.mark.parametrize(
    ("qid", "query", "value"),
    [
        (["a", "a", "b"], "a", 0.5),
        ([5, 5, 6], np.int64(6), 1),
        (np.array(["2020-01-01"] * 2 + ["2020-01-02"], "M8[D]"), np.datetime64("2020-01-01"), 0.5),
        ([6, 5, 6], 6, 1),
    ],
    ids=["text", "integer", "date", "interleaved"],
)
def test_the_query_is_found_by_its_id(qid, query, value):
    """Of any type."""
    assert explain([1, 0, 1], [1, 2, 3], qid=qid, query=query, metric="mrr").value == value


def test_the_query_of_a_rectangle_is_the_number_of_its_line():
    """From 0."""
    assert explain([[0, 1], [1, 0]], [[2, 1], [2, 1]], query=1, metric="mrr").value == 1


def test_items_of_a_target_are_the_names_of_rows():
    """A Metric object is as good as its name."""
    target = RankTarget([1, 0, 1], qid=["a", "a", "b"], item=["x", "y", "z"])
    explanation = explain(target, [1, 2, 3], query="a", metric="mrr")
    assert [line[1] for line in explanation.tables[0].lines] == ["y", "x"]
    assert isinstance(explanation, Explanation)
    same = explain(target, [1, 2, 3], query="a", metric=get_metric("mrr"))
    assert same == explanation


@pytest.mark.parametrize(
    ("ties", "names"),
    [
        ("average", "abc"),
        ("first", "abc"),
        ("last", "cba"),
        ("optimistic", "bca"),
        ("pessimistic", "acb"),
    ],
)
@pytest.mark.parametrize("metric", ["ndcg", "map", "err"])
def test_tied_rows_stand_in_the_order_of_the_policy(metric, ties, names):
    """For each value that metrics rank: gains, relevance, probabilities."""
    grade = [[0, 1, 1]] if metric == "map" else [[0, 2, 1]]
    if metric == "map":
        names = {"pessimistic": "abc"}.get(ties, names)
    explanation = explain(grade, [[1, 1, 1]], metric=metric, ties=ties, item=[list("abc")])
    assert "".join(line[1] for line in explanation.tables[0].lines) == names


def test_exponential_gains_are_shown_in_full():
    """2^g - 1, although the formula divides them by a power of two."""
    explanation = explain([[1, 3, 2]], [[3, 2, 1]], metric="ndcg", gain="exponential")
    ranked, ideal = explanation.tables
    assert [line[ranked.columns.index("gain")] for line in ranked.lines] == [1, 7, 3]
    assert [line[ideal.columns.index("gain")] for line in ideal.lines] == [7, 3, 1]
    assert explanation.steps[0].startswith("DCG = sum of the discounted gains = 6.91")


def test_large_grades_are_explained_finitely():
    """As the metric itself is finite; their gains stay divided, and the first step says so."""
    rows = ([[2000, 1999, 0]], [[1, 2, 3]])
    got = explain(*rows, metric="ndcg", gain="exponential")
    assert got.value == pytest.approx(ndcg(*rows, gain="exponential"), abs=1e-12)
    assert "divided by a power of two" in got.steps[0]


def test_small_numbers_are_shown_with_their_digits():
    """Not as 0 / 0."""
    tiny = str(explain([2e-5, 1e-5], [1e-5, 2e-5], qid=[1, 1], metric="ndcg"))
    assert "0 / 0" not in tiny
    assert "1e-05" in tiny


def test_long_lists_are_shown_by_their_ends():
    """A screen, not 5000 lines."""
    rng = np.random.default_rng(0)
    long = explain([rng.integers(0, 3, 5000)], [rng.random(5000)], metric="map")
    assert len(str(long).splitlines()) < 80
    assert "…" in str(long)


def test_names_of_rows_may_be_anything():
    """Each on one line."""
    named = explain([1, 0], [1, 2], qid=[1, 1], item=[("a", 1), "two\nlines"], metric="mrr")
    assert "('a', 1)" in str(named)
    assert "two lines" in str(named)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: explain([1, 0], [1, 2], qid=["a", "b"], query="c"), ValueError, "no query 'c'"),
        (lambda: explain([1, 0], [1, 2], qid=["a", "b"], query=1), ValueError, "such as 'a'"),
        (lambda: explain([[1, 0]], [[1, 2]], metric="auc"), ValueError, "roc_auc has no working"),
        (
            lambda: explain([1, 0], [1, 2], qid=[1, 1], item=["a"]),
            ValueError,
            "item must have one",
        ),
        (lambda: explain([[3, -3]], [[1, 2]], metric="ndcg"), ValueError, "must not be negative"),
        (lambda: explain([1, 0], [1, 2], qid=[1, 1], query=[1]), TypeError, "id of one query"),
    ],
)
def test_what_cannot_be_explained_is_said(call, error, message):
    """And what can be done."""
    with pytest.raises(error, match=message):
        call()


def test_a_flat_list_is_one_query():
    """Without ids; and without scores in the order given."""
    grades, scores = [3, 0, 2], [0.3, 0.2, 0.1]
    want = explain([grades], [scores], metric="ndcg")
    assert str(explain(grades, scores, metric="ndcg")) == str(want)
    assert explain(grades, metric="ndcg").value == want.value == ndcg([grades], [scores])
    ordered = explain(grades, metric="ndcg").tables[0]
    assert ordered.caption == "In the order given"
    assert ordered.columns[:3] == ["rank", "row", "grade"]
    assert [line[2] for line in ordered.lines] == grades


def test_several_queries_are_shown_as_a_mean():
    """The value of each, and how they make the metric."""
    rows = {"y_true": [1, 0, 0, 1], "y_score": [2, 1, 2, 1], "qid": ["a", "a", "b", "b"]}
    shown = explain(**rows, metric="map")
    assert shown.value == 0.75
    assert shown.tables[0].lines == [["a", 1], ["b", 0.5]]
    assert shown.steps == ("mean over queries = 1.5 / 2 = 0.75",)
    assert str(shown).startswith("average_precision\n")
    if find_spec("pandas"):
        assert shown.to_frame()["average_precision"].tolist() == [1, 0.5]


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (1 / 3, "0.3333"), (12.34567, "12.3457"), (1234.5678, "1234.57"), (2e9, "2e+09")],
)
def test_numbers_have_at_most_six_digits(number, text):
    """Longer ones cannot be compared at a glance."""
    assert format_number(number) == text


def test_precision_and_recall_at_each_rank():
    """Side by side, as a lecturer draws them."""
    (table,) = explain([1, 0, 1, 0], [4, 3, 2, 1], metric="recall").tables
    at = table.columns.index("precision")
    assert [line[at : at + 2] for line in table.lines] == [
        [1, 0.5],
        [0.5, 0.5],
        [pytest.approx(2 / 3), 1],
        [0.5, 1],
    ]


def test_the_mean_of_weighted_queries():
    """With the weight of each, and nothing to explain where no query has a value."""
    y = RankTarget([1, 0, 0, 1, 0, 0], qid=[1, 1, 2, 2, 3, 3], sample_weight=[1, 1, 3, 3, 0, 0])
    got = explain(y, [1, 0, 1, 0, 1, 2], metric="map")
    assert got.value == pytest.approx((1 * 1 + 3 / 2) / 4, rel=1e-14)
    assert got.steps == ("mean over queries = 2.5 / 4 = 0.625",)
    assert got.tables[0].columns[2:] == ["weight", "weight * average_precision"]
    with pytest.raises(ValueError, match="undefined for every query: no mean to explain"):
        explain([0] * 4, [1, 2, 1, 2], qid=[1, 1, 2, 2], metric="map", replace_undefined_by=np.nan)


def test_scores_of_trec_eval_are_explained_in_32_bits():
    """As the metric ranks them: the two scores are one number there."""
    rows = [0, 1], [0.123456789, 0.1234567891]
    metric = get_metric("mrr", convention="trec_eval")
    assert explain(*rows, metric=metric).value == 0.5 == metric([rows[0]], [rows[1]])


def test_a_rectangle_of_several_queries():
    """Its lines are the queries."""
    assert explain([[1, 0], [0, 1]], [[2, 1], [2, 1]], metric="mrr").value == 0.75
