"""Inputs that once gave a wrong number, or a huge array, without a word."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from conftest import needs
from rankers import SizesRanker
from sklearn.linear_model import LinearRegression

from sklearn_rankscore import (
    QueryKFold,
    QueryRanker,
    RankTarget,
    TemporalSplit,
    UninformativeRankingWarning,
    evaluate,
    evaluate_batches,
    evaluate_per_query,
    explain,
    get_metric,
    item_popularity,
    make_rank_scorer,
    ndcg,
    novelty,
    profile_similarity,
    rank_report,
    recall,
    reciprocal_rank,
    split_report,
    whole_queries,
)
from sklearn_rankscore.metrics._rows.ids import narrow_dtype

ROWS = {"y_true": [1, 0, 0, 1], "y_score": [1, 2, 1, 2], "qid": ["a", "a", "b", "b"]}


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f2", ">f2"])
def test_grades_of_either_order_of_bytes(dtype):
    """Compared in their own precision."""
    grade = np.array([[0.7, 0]], dtype=dtype)
    assert recall(grade, [[1, 2]], min_relevance=0.7) == 1
    assert get_metric("dcg", gain={0.7: 5, 0: 0})(grade, [[2, 1]]) == 5


@pytest.mark.parametrize(
    "scores",
    [
        [Decimal("0.1"), Decimal("0.1000000000000000000001")],
        [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)],
        [2**70, 2**70 + 1],
        np.array([2**70, 2**70 + 1], dtype=object),
        [2**63, 2**63 + 1],
    ],
    ids=["decimals", "fractions", "long integers", "objects", "beyond int64"],
)
def test_scores_that_floats_do_not_tell_apart(scores):
    """They keep their order."""
    assert reciprocal_rank([0, 1], scores, qid=[0, 0]) == 1
    assert reciprocal_rank([0, 1, 0], [*scores, -1], qid=[0, 0, 0]) == 1
    assert reciprocal_rank([1, 0], scores, qid=[0, 0]) == 0.5


def test_decimals_of_polars_and_arrow():
    """Columns of decimals keep their order too."""
    pl, pd, pa = needs("polars"), needs("pandas"), needs("pyarrow")
    fine = [Decimal("0.1"), Decimal("0.1000000000000000000001")]
    for scores in (
        pl.Series(fine, dtype=pl.Decimal(30, 25)),
        pd.Series(fine, dtype=pd.ArrowDtype(pa.decimal128(30, 25))),
    ):
        assert reciprocal_rank([0, 1], scores, qid=[0, 0]) == 1


def test_one_long_text_does_not_widen_the_others():
    """NumPy's text of fixed width would take as much memory for each of them."""
    ids = np.array(["x" * 20_000, *map(str, range(2000))], dtype=object)
    assert narrow_dtype(ids).dtype == object
    assert narrow_dtype(ids[1:]).dtype.kind == "U"
    grade, score = np.tile([1, 0], 2001), np.tile([1.0, 2.0], 2001)
    assert ndcg(grade, score, qid=np.repeat(ids, 2).tolist()) == pytest.approx(1 / np.log2(3))


@pytest.mark.parametrize(
    ("popularity", "message"),
    [
        ({"a": np.inf, "b": 1}, "must be finite"),
        (np.array(3), "one line per item"),
        (np.float32(0.5), "one line per item"),
    ],
)
def test_popularity_that_is_none(popularity, message):
    """An infinite count made every share NaN; a single number is no table."""
    with pytest.raises(ValueError, match=message):
        novelty(None, [2, 1], qid=[0, 0], item=["a", "b"], popularity=popularity)


@pytest.mark.parametrize(
    ("item", "qid", "without_history", "message"),
    [
        (["a"], [1], 5, "from -1 to 1"),
        (["zz"], [1], 0.0, "item 'zz' is not in"),
        (["a", "a"], [1], 0.0, "one value per row"),
    ],
)
def test_an_empty_history_is_checked_as_any_other(item, qid, without_history, message):
    """Items, lengths and the value that stands for no history."""
    past = {"history_item": [], "history_qid": [], "item_features": {"a": [1, 0]}}
    with pytest.raises(ValueError, match=message):
        profile_similarity(item, qid, without_history=without_history, **past)


def test_trec_eval_ranks_by_single_precision():
    """1.00000001 and 1 are tied there; other metrics of the same call keep the difference."""
    rows = {"y_true": [[1, 0]], "y_score": [[1.0, 1.00000001]]}
    plain = get_metric("mrr")
    metrics = {"theirs": get_metric("mrr", convention="trec_eval"), "ours": plain}
    assert evaluate(**rows, metrics=metrics) == {"theirs": 1.0, "ours": 0.5}
    far = {"y_true": [[1, 0]], "y_score": [[-1e300, -np.inf]]}
    assert get_metric("mrr", convention="trec_eval")(**far) == 1.0


def test_weights_on_the_grades_are_used():
    """As if they were passed: by metrics, evaluate, batches and reports."""
    weight = [3, 3, 1, 1]
    y = RankTarget(ROWS["y_true"], qid=ROWS["qid"], sample_weight=weight)
    score = ROWS["y_score"]
    want = ndcg(**ROWS, sample_weight=weight)
    assert want != ndcg(**ROWS)
    assert ndcg(y, score) == want
    assert evaluate(y, score, metrics=["ndcg"])["ndcg"] == want
    assert evaluate_batches([(y, score)], metrics=["ndcg"])["ndcg"] == pytest.approx(want)
    assert evaluate_per_query(y, score, metrics=["ndcg"])["sample_weight"].tolist() == [3, 1]
    report = rank_report(y, {"one": score}, metrics=["ndcg"], random_state=0)
    assert report.rows[0]["mean"] == pytest.approx(want)


def test_series_of_one_index_in_two_orders_are_refused():
    """Values would be ranked under other rows' grades; other indexes say nothing."""
    pd = needs("pandas")
    y, score = pd.Series(ROWS["y_true"]), pd.Series(ROWS["y_score"])
    assert ndcg(y, score, qid=ROWS["qid"]) == ndcg(**ROWS)
    with pytest.raises(ValueError, match="y_true and y_score have the same index"):
        ndcg(y, score[::-1], qid=ROWS["qid"])
    with pytest.raises(ValueError, match="y_true and qid have the same index"):
        evaluate(y, score, qid=pd.Series(ROWS["qid"])[::-1], metrics=["ndcg"])
    assert ndcg(y, score.set_axis([7, 8, 9, 10]), qid=ROWS["qid"]) == ndcg(**ROWS)


PLACES = {
    "target": lambda _, __, y, qid: RankTarget(y, qid=qid[::-1]),
    "scorer": lambda model, X, y, qid: make_rank_scorer("ndcg")(model, X, y, qid=qid[::-1]),
    "grades": lambda model, X, y, qid: make_rank_scorer("ndcg")(model, X, y[::-1], qid=list(qid)),
    "ranker": lambda _, X, y, qid: QueryRanker(SizesRanker()).fit(X, y, qid=qid[::-1]),
    "report": lambda _, X, y, qid: split_report(QueryKFold(2), X, y, qid=qid[::-1]),
    "pointwise": lambda model, X, y, qid: QueryRanker(model).fit(X, y[::-1], qid=qid),
    "weights": lambda _, X, y, qid: QueryRanker(SizesRanker()).fit(
        X, y, qid=qid, sample_weight=y[::-1]
    ),
    "groups": lambda _, X, y, qid: next(QueryKFold(2).split(X, y, groups=qid[::-1])),
    "times": lambda _, X, y, qid: next(
        TemporalSplit(1, queries="any").split(X, y, times=y[::-1].cumsum(), qid=qid)
    ),
    "groups of a report": lambda _, X, y, qid: split_report(
        QueryKFold(2), X, y, qid=list(qid), groups=qid[::-1]
    ),
    "weights of a scorer": lambda model, X, y, qid: make_rank_scorer("ndcg").set_score_request(
        sample_weight=True
    )(model, X, list(y), qid=list(qid), sample_weight=y[::-1]),
    "neither is that of X": lambda _, X, y, qid: next(
        QueryKFold(2).split(X.to_numpy(), y, qid=qid[::-1])
    ),
    "names of an explanation": lambda _, __, y, qid: explain(
        y, y, qid=qid, query=0, item=qid[::-1]
    ),
}


@pytest.mark.parametrize("index", [range(4), list("abcd"), [1, "a", 2.5, "b"], [0, 0, 1, 1]])
@pytest.mark.parametrize("place", PLACES)
def test_one_index_in_two_orders_is_refused_wherever_rows_meet(place, index):
    """X, y and ids are of the same rows: on targets, in scorers, rankers and splits."""
    pd = needs("pandas")
    X = pd.DataFrame({"a": ROWS["y_score"]}, index=index)
    y, qid = (pd.Series(ROWS[name], index=index) for name in ("y_true", "qid"))
    model = LinearRegression().fit(X, y)
    assert make_rank_scorer("ndcg")(model, X, y, qid=qid) == ndcg(y, model.predict(X), qid=qid)
    with pytest.raises(ValueError, match="have the same index in different orders"):
        PLACES[place](model, X, y, qid)


@pytest.mark.parametrize("kind", ["Int64", "float64", "int64[pyarrow]"])
def test_indexes_of_other_types_can_be_equal(kind):
    """The order counts, not the type."""
    pd = needs("pandas")
    if "pyarrow" in kind:
        needs("pyarrow")
    index = pd.Index([3, 1, 2, 4])
    y = pd.Series(ROWS["y_true"], index=index)
    score = pd.Series(ROWS["y_score"], index=index.astype(kind))
    assert ndcg(y, score, qid=ROWS["qid"]) == ndcg(**ROWS)


def test_values_of_each_row_of_one_index_in_two_orders():
    """Of items and weights as of grades."""
    pd = needs("pandas")
    item, qid = pd.Series(list("abab")), pd.Series(ROWS["qid"])
    past = {"history_item": ["a"], "history_qid": ["a"]}
    vectors = {"a": [1.0], "b": [2.0]}
    with pytest.raises(ValueError, match="item and qid have the same index in different orders"):
        profile_similarity(item, qid[::-1], **past, item_features=vectors)
    with pytest.raises(ValueError, match="item and qid have the same index in different orders"):
        item_popularity(item, qid=qid[::-1])
    with pytest.raises(ValueError, match="y_true and y_score have the same index"):
        evaluate_batches(
            [(pd.Series([1, 0]), pd.Series([1, 0])[::-1], ["a", "a"])], metrics=["ndcg"]
        )
    with pytest.raises(ValueError, match="y and weight have the same index in different orders"):
        RankTarget(qid.index.to_series(), qid=list(qid), weight=qid[::-1])


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("pre@5", "precision@5"),
        ("P_10", "p@10"),
        ("ndcg_cut_10", "ndcg@10"),
        ("map_cut_10", "map@10"),
        ("recall_10", "recall@10"),
        ("ndcg_10", "ndcg@10"),
        ("precision_at_10", "precision@10"),
        ("P.10", "p@10"),
        ("map_cut.10", "map@10"),
        ("hit@10", "hit_rate@10"),
        ("PrecisionAt:top=10", "precision@10"),
        ("NDCG:top=10;type=Base", "ndcg@10"),
    ],
)
def test_spellings_of_other_programs(text, ours):
    """The error names the metric that is meant."""
    with pytest.raises(ValueError, match=f"Did you mean '{ours}'"):
        get_metric(text)


def test_judgements_and_runs_as_dicts():
    """The error says how to join them; joined so, the numbers are those of the files."""
    qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d2": 0.3, "d1": 0.9}}
    with pytest.raises(TypeError, match=r"Got a dict instead\. To join judgements and a run"):
        evaluate(qrels, run, metrics=["mrr"])


POSITIVES = {"y_true": [1] * 6, "y_score": [3, 2, 1] * 2, "qid": [1, 1, 1, 2, 2, 2]}


def test_lists_that_any_order_wins_are_a_warning():
    """Of positives only; a random model scores the same. Ratings have an order to find."""
    with pytest.warns(UninformativeRankingWarning, match=r"a random model has ndcg@10 1\.0000"):
        assert evaluate(**POSITIVES, metrics=["ndcg@10"]) == {"ndcg@10": 1.0}
    with pytest.warns(UninformativeRankingWarning, match="100% of the rows are relevant"):
        rank_report(
            POSITIVES["y_true"], {"a": POSITIVES["y_score"]}, qid=POSITIVES["qid"], random_state=0
        )
    halves = {**POSITIVES, "y_true": [0, 1] * 3}
    with pytest.warns(UninformativeRankingWarning, match="average_precision 1.0000"):
        evaluate(**halves, metrics=["map"], min_relevance=0)
    ratings = {**POSITIVES, "y_true": [5, 1, 1, 1, 4, 1]}
    assert evaluate(**ratings, metrics=["ndcg@10"])["ndcg@10"] < 1
    without = evaluate(**POSITIVES, metrics=["kendall", "fall_out", "auc"])
    assert without == {"kendall": 0, "fall_out": 0, "auc": 0}


SHORT = {"y_true": [1, 0, 0] * 2, "y_score": [3, 2, 1] * 2, "qid": [1, 1, 1, 2, 2, 2]}


@pytest.mark.parametrize(
    ("metric", "change", "message"),
    [
        (
            "recall@3",
            {},
            r"a random model has recall@3 1\.0000. No list is longer than the cutoff",
        ),
        ("p@5", {}, r"a random model has precision@5 0\.2000 of 0\.2000. No list is longer"),
        ("ndcg@10", {"qid": range(6)}, "Each query has one row: are these ids of rows"),
        ("map", {"qid": range(6)}, "Each query has one row"),
        ("p@5", {"y_true": [1] * 6}, r"has precision@5 0\.6000 of 0\.6000. 100% of the rows"),
        ("map", {"y_true": [0] * 6}, r"No row is relevant, so average_precision is 0 whatever"),
        ("ndcg", {"y_true": [0] * 6}, r"No row is relevant, so ndcg is 0 whatever the order"),
    ],
)
def test_other_lists_that_any_order_wins(metric, change, message):
    """Short ones, ids of rows, a best score below 1, and nothing relevant."""
    with pytest.warns(UninformativeRankingWarning, match=message):
        evaluate(**{**SHORT, **change}, metrics=[metric])


@pytest.mark.parametrize(
    ("metric", "change"),
    [
        ("ndcg@10", {}),
        ("dcg@10", {"y_true": [3, 1, 1] * 2}),
        ("recall", {}),
        ("recall@3", {"y_score": [3, 2, -np.inf] * 2}),
        ("map", {"y_true": [0] * 6, "replace_undefined_by": np.nan}),
    ],
)
def test_lists_that_have_an_order_to_find(metric, change, recwarn):
    """Gains above 1, no cutoff, rows that were not retrieved; undefined values have a warning."""
    warnings.simplefilter("always")
    evaluate(**{**SHORT, **change}, metrics=[metric])
    assert not [one for one in recwarn if one.category is UninformativeRankingWarning]


@pytest.mark.parametrize("score", [[1] * 6, [1, 1, 1, 2, 2, 2]])
def test_scores_that_order_nothing_are_a_warning(score):
    """The same for all rows, or for all rows of each query; RMSE asks for no order."""
    rows = {"y_true": [1, 0, 0, 1, 2, 0], "y_score": score, "qid": [1, 1, 1, 2, 2, 2]}
    with pytest.warns(UninformativeRankingWarning, match="y_score gives all rows of each query"):
        evaluate(**rows, metrics=["ndcg@10"])
    with pytest.warns(UninformativeRankingWarning, match="Each model gives all rows of each que"):
        rank_report(rows["y_true"], {"a": score, "b": [0] * 6}, qid=rows["qid"], random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(**rows, metrics=["rmse"])
        better = [2, 1, 1, 1, 1, 1]
        rank_report(rows["y_true"], {"a": score, "b": better}, qid=rows["qid"], random_state=0)


def test_per_query_values_print_short():
    """The first of them, and how many there are."""
    values = ndcg.per_query(**ROWS)
    assert repr(values) == "<PerQuery of 2 queries: 'a': 0.63093, 'b': 1>"
    many = ndcg.per_query(np.tile([1, 0], 50), np.tile([2, 1], 50), qid=np.repeat(range(50), 2))
    assert repr(many) == "<PerQuery of 50 queries: 0: 1, 1: 1, 2: 1, …>"
    frame = values.to_frame() if needs("pandas") else None
    assert frame.index.name == "qid"
    assert frame["value"].tolist() == values.value.tolist()


def test_popularity_can_be_looked_up():
    """The share of an item; 0 for one that nobody chose."""
    popularity = item_popularity(["a", "b", "a"])
    assert popularity.look_up("a") == pytest.approx(2 / 3)
    assert popularity.look_up("c") == 0
    assert popularity.look_up(["b", "c", "a"]) == pytest.approx([1 / 3, 0, 2 / 3])


def test_batches_whose_grades_carry_weights_in_part():
    """They are refused as batches that have weights in part are."""
    weighted = RankTarget([1, 0], qid=[1, 1], sample_weight=[2, 2]), [1, 2]
    plain = RankTarget([1, 0], qid=[2, 2]), [1, 2]
    with pytest.raises(ValueError, match="sample_weight must be in all batches, or in none"):
        evaluate_batches([weighted, plain], metrics=["mrr"])
    with pytest.raises(ValueError, match="sample_weight must be in all batches, or in none"):
        list(whole_queries([weighted, plain]))
