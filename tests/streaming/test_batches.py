"""Batches: the numbers of all rows together, queries that come back, memory that stays flat."""

import pickle
import tracemalloc
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from uuid import UUID

import numpy as np
import pytest
from conftest import needs
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rankscore import (
    RankTarget,
    evaluate,
    evaluate_batches,
    get_metric,
    metric_names,
    whole_queries,
)
from sklearn_rankscore.streaming._running_means import RunningMeans


class Size(StrEnum):
    """An id that is text as well."""

    LARGE = "large"
    SMALL = "small"


@dataclass(frozen=True)
class Unknown:
    """An id of a type that nobody knows."""

    number: int


OPTIONS = {
    "max_grade": 4,
    "catalog": np.arange(90),
    "item_features": {item: [item % 3, item % 5, 1] for item in range(60)},
    "popularity": {item: item + 1 for item in range(60)},
}


def draw(seed=0, n_queries=80):
    """Rows of queries of 1 to 30 items, ties, weights, items and similarities."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 30, n_queries)
    n_rows = lengths.sum()
    return {
        "y_true": rng.integers(0, 5, n_rows),
        "y_score": rng.integers(0, 9, n_rows) / 4,
        "qid": np.repeat(rng.permutation(n_queries) * 7, lengths),
        "sample_weight": np.repeat(rng.random(n_queries) * (rng.random(n_queries) < 0.9), lengths),
        "item": np.concatenate([rng.permutation(60)[:length] for length in lengths]),
        "similarity": rng.random(n_rows),
    }


def cut(rows, size):
    """Batches of so many rows."""
    for begin in range(0, len(rows["qid"]), size):
        yield {name: values[begin : begin + size] for name, values in rows.items()}


@pytest.mark.parametrize("name", metric_names())
@pytest.mark.parametrize("undefined", [0.0, np.nan])
def test_every_metric_is_that_of_all_rows(name, undefined):
    """However the rows are cut; with weights, 0 among them, and without."""
    metric = get_metric(name)
    options = {o: value for o, value in OPTIONS.items() if o in metric.options}
    if "replace_undefined_by" in metric.options:
        options["replace_undefined_by"] = undefined
    rows = draw()
    taken = ("y_true", "y_score", "qid", *metric.row_values)
    for weights in ((), ("sample_weight",)):
        given = {key: rows[key] for key in (*taken, *weights)}
        want = evaluate(metrics=[metric], **given, **options)[str(metric)]
        for size in (1, 50, 10_000):
            got = evaluate_batches(whole_queries(cut(given, size)), metrics=[metric], **options)
            assert got[str(metric)] == pytest.approx(want, abs=1e-12), (size, weights)


def test_many_metrics_at_once_by_the_names_that_were_given():
    """As evaluate; tuples do as well as dicts, a batch without rows is passed over."""
    rows = draw(1)
    given = tuple(rows[name] for name in ("y_true", "y_score", "qid"))
    metrics = {"mine": "ndcg@5", "other": "map", "error": "rmse"}
    got = evaluate_batches([given, ([], [], [])], metrics=metrics)
    assert got == pytest.approx(evaluate(*given[:2], qid=given[2], metrics=metrics), abs=1e-12)
    assert list(got) == list(metrics)


def test_lines_of_a_rectangle_are_queries_of_their_own():
    """They have no ids that could come back; a RankTarget brings its own."""
    rng = np.random.default_rng(2)
    y_true, y_score = rng.integers(0, 3, (40, 6)), rng.random((40, 6))
    batches = [(y_true[:15], y_score[:15]), (y_true[15:], y_score[15:])]
    want = evaluate(y_true, y_score, metrics=["ndcg@3"])
    assert evaluate_batches(batches, metrics=["ndcg@3"]) == pytest.approx(want, abs=1e-12)
    qid = np.repeat(np.arange(40), 6)
    target = RankTarget(y_true.ravel(), qid=qid)
    batches = [(target[:90], y_score.ravel()[:90]), (target[90:], y_score.ravel()[90:])]
    assert evaluate_batches(batches, metrics=["ndcg@3"]) == pytest.approx(want, abs=1e-12)
    cut_at = [(target[:100], y_score.ravel()[:100]), (target[100:], y_score.ravel()[100:])]
    got = evaluate_batches(whole_queries(cut_at), metrics=["ndcg@3"])
    assert got == pytest.approx(want, abs=1e-12)


# Ids of two batches, one of them in both, and another batch of the same kind.
IDS = [
    ([1, 2], [5, 2], [7]),
    ([1.5, 2.0], [2.0], [0.0]),
    ([0.0], np.array([-0.0], dtype=np.float32), [1.0]),
    (["a", "bb"], ["ccc", "a"], ["b"]),
    ([2**63 + 5], np.array([2**63 + 5], dtype=np.uint64), [2**63]),
    ([2**63 - 1], np.array([2**63 - 1], dtype=np.int64), [-(2**63)]),
    ([10**30], [10**30], [10**30 + 1]),
    ([("a", 1)], [("b", 1), ("a", 1)], [("a", 2)]),
    ([(1, (2.0, "b"))], [(True, (2, np.str_("b")))], [()]),
    ([True], [1], [0]),
    ([-5], np.array([-5], dtype=np.int8), [5]),
    ([b"a"], [b"a"], [b"b"]),
    (np.array(["2026-01-01"], "M8[D]"),) * 2 + (np.array(["2026-01-02"], "M8[D]"),),
    (np.array([7], "m8[ns]"),) * 2 + (np.array([8], "m8[ns]"),),
    ([date(2026, 1, 1)], [date(2026, 1, 1)], [date(2026, 1, 2)]),
    (
        [datetime(2026, 1, 1, tzinfo=UTC)],
        [datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))],
        [datetime(2026, 1, 2, tzinfo=UTC)],
    ),
    ([Decimal("1.50")], [Decimal("1.5")], [Decimal(2)]),
    ([Fraction(3, 2)], [Fraction(6, 4)], [Fraction(2)]),
    ([Size.LARGE], [Size.LARGE], [Size.SMALL]),
    ([frozenset({1, "a"})], [frozenset({"a", 1.0})], [frozenset()]),
    ([UUID(int=5)], [UUID(int=5)], [UUID(int=6)]),
    ([Unknown(5)], [Unknown(5)], [Unknown(6)]),
]


@pytest.mark.parametrize(("first", "later", "other"), IDS, ids=lambda ids: str(ids)[:30])
def test_a_query_that_comes_back_is_an_error(first, later, other):
    """Whatever its id is; the error says which, and where."""
    batches = [([1] * len(first), [1] * len(first), first), ([1], [1], other), ([], [], [])]
    again = ([1] * len(later), [1] * len(later), later)
    with pytest.raises(ValueError, match="comes back in a later batch") as caught:
        evaluate_batches([*batches, again], metrics=["mrr"])
    assert caught.value.__notes__ == ["In batch 3 (the first is 0)."]
    assert "whole_queries" in str(caught.value)


@pytest.mark.parametrize(
    "kind",
    [
        lambda ids: ids,
        lambda ids: ids / 2 + 0.25,
        lambda ids: ids[:20_000].astype(str),
        lambda ids: ids[:9_000].astype("M8[s]"),
    ],
    ids=["whole numbers", "floats", "text", "dates"],
)
def test_new_queries_are_none_that_come_back(kind):
    """Neighbours, gaps filled later: up to 300 000 ids in random order."""
    ids = kind(np.random.default_rng(3).permutation(300_000) - 150_000)
    parts = np.array_split(ids, 30)
    batches = [(np.ones(len(part)), np.ones(len(part)), part) for part in parts]
    assert evaluate_batches(batches, metrics=["mrr"]) == {"mrr": 1.0}
    with pytest.raises(ValueError, match="comes back"):
        evaluate_batches([*batches, ([1], [1], parts[-1][-1:])], metrics=["mrr"])


@pytest.mark.parametrize(
    ("first", "later", "message"),
    [
        ([1], [1.0], "floats beside whole numbers"),
        ([1], ["1"], "text beside whole numbers"),
        ([1], [2**63], "uint64 beside whole numbers"),
        (["large"], [Size.LARGE], "Size beside text"),
        ([Decimal(1)], [Fraction(1)], "Fraction beside Decimal"),
        (np.array([1], "M8[s]"), np.array([1], "M8[ms]"), r"datetime64\[ms\] beside"),
        (np.array([b"a"]), [1j], "complex beside bytes"),
        ([1], [1, "1"], "one type. Got int and str"),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "consume",
    [lambda batches: evaluate_batches(batches, metrics=["mrr"]), lambda b: list(whole_queries(b))],
    ids=["evaluate_batches", "whole_queries"],
)
def test_ids_of_several_kinds_are_refused(first, later, message, consume):
    """The error says in which batch, and to cast."""
    batches = [([1] * len(ids), [1] * len(ids), ids) for ids in (first, later)]
    with pytest.raises(ValueError, match=message) as caught:
        consume(batches)
    assert "cast" in str(caught.value)
    assert caught.value.__notes__ == ["In batch 1 (the first is 0)."]


def test_memory_is_that_of_a_batch_and_of_the_ids():
    """Of rows that have been scored, nothing is kept but the ids of their queries, in a set."""
    rng = np.random.default_rng(4)

    def stream(n_batches):
        for number in range(n_batches):
            qid = np.repeat(np.arange(number * 100, number * 100 + 100), 20)
            yield rng.integers(0, 3, 2000), rng.random(2000), qid

    def peak(n_batches):
        tracemalloc.start()
        evaluate_batches(stream(n_batches), metrics=["ndcg@10", "map"])
        seen = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return seen

    peak(2)
    # A set has at most 10 slots of 16 bytes for an id while it grows; an int has 32 bytes.
    assert peak(500) - peak(10) < 200 * 49_000


def test_sums_do_not_wear_off():
    """A hundred thousand small parts after a large one; two halves merged, through a pickle."""
    parts = [([0, 1], [1, 1], [number, number]) for number in range(100)]
    halves = [RunningMeans([get_metric("dcg"), get_metric("rmse")]) for _ in range(2)]
    whole = RunningMeans([get_metric("dcg"), get_metric("rmse")])
    for number, (y_true, y_score, qid) in enumerate(parts):
        weight = [1e16 if number == 0 else 1.0] * 2
        for tally in (halves[number % 2], whole):
            tally.add(y_true, y_score, qid, sample_weight=weight)
    halves[0].merge(pickle.loads(pickle.dumps(halves[1])))
    exact = [(1 + 1 / np.log2(3)) / 2, np.sqrt(0.5)]
    assert halves[0].means() == pytest.approx(exact, rel=1e-15)
    assert whole.means() == pytest.approx(exact, rel=1e-15)
    total = RunningMeans([get_metric("cumulative_gain")])
    total.add([1e16], [1], [0])
    for number in range(1, 1001):
        total.add([1.0], [1], [number])
    assert total.means()[0] * 1001 == pytest.approx(1e16 + 1000, rel=1e-16, abs=1)


def test_undefined_everywhere_is_nan_and_a_warning():
    """As for rows in memory."""
    batches = [([0, 0], [1, 2], ["a", "a"]), ([0], [1], ["b"])]
    with pytest.warns(UndefinedMetricWarning, match="average_precision"):
        got = evaluate_batches(batches, metrics=["map"], replace_undefined_by=np.nan)
    assert np.isnan(got["map"])


@pytest.mark.parametrize(
    ("batches", "options", "error", "message"),
    [
        ([], {}, ValueError, "at least one row"),
        ([([], [], [])], {}, ValueError, "at least one row"),
        ([np.ones(3)], {}, TypeError, r"tuple \(y_true, y_score, qid\)"),
        (5, {}, TypeError, "must be an iterable"),
        ([{"y_true": [1], "qid": [1]}], {}, TypeError, "must have y_score"),
        ([([1], [2])], {}, ValueError, "no query ids were given"),
        ([([1], [2], [1, 2])], {}, ValueError, "qid must have one value per row"),
        ([([1, 0], [2], [1, 1])], {}, ValueError, "y_score must have one value per row"),
        ([([1], [2], [1])], {"item": [1]}, TypeError, "comes with the rows"),
        ([([1], [2], [1])], {"kk": 1}, TypeError, "kk"),
        ([{"y_true": [1], "y_score": [1], "qid": [1], "weight": [1]}], {}, TypeError, "'weight'"),
        (
            [{"y_true": [1], "y_score": [1], "qid": [1], "sample_weight": [0]}],
            {},
            ValueError,
            "at least one query",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused_in_words(batches, options, error, message):
    """Each says what is wanted."""
    with pytest.raises(error, match=message):
        evaluate_batches(batches, metrics=["mrr"], **options)


def test_items_may_come_on_the_grades():
    """As they may in memory, for metrics that look items up in a table."""
    y_true = RankTarget([1, 0, 1], qid=[7, 7, 7], item=["a", "b", "c"])
    options = {"metrics": ["novelty@2"], "popularity": {"a": 4, "b": 1, "c": 3}}
    (value,) = evaluate_batches([{"y_true": y_true, "y_score": [3, 2, 1]}], **options).values()
    assert value == 2.0  # -log2 of 4/8 and 1/8, on average


def test_tables_with_a_line_for_each_row_are_refused():
    """They are not cut where the rows are: the items must be said."""
    with pytest.raises(TypeError, match="needs item"):
        evaluate_batches(
            [([1, 0], [2, 1], [1, 1])],
            metrics=["intra_list_diversity"],
            item_features=np.eye(2),
        )


def test_no_batches_are_cut_into_none():
    """Nor are batches without rows."""
    assert list(whole_queries([])) == list(whole_queries([([], [], [])])) == []


def test_rows_without_ids_cannot_be_cut_between_queries():
    """Nor can arrays of several lengths."""
    with pytest.raises(ValueError, match="query ids"):
        list(whole_queries([([1], [1], None)]))
    with pytest.raises(ValueError, match="one value per row"):
        list(whole_queries([([1], [1, 2], [3])]))


def test_cut_anywhere_the_rows_are_the_same():
    """Of columns of pandas, pyarrow and lists; a query longer than many batches; kinds of ids."""
    pa = needs("pyarrow")
    pd = needs("pandas")
    qid = ["a"] * 7 + ["b"] + ["c"] * 12
    rows = {"y_true": list(range(20)), "y_score": [0.5] * 20, "qid": qid}
    for kind in (list, np.asarray, pd.Series, pa.array):
        for size in (1, 2, 5, 20):
            parts = (
                {n: kind(v[at : at + size]) for n, v in rows.items()} for at in range(0, 20, size)
            )
            whole = list(whole_queries(parts))
            for name, values in rows.items():
                joined = np.concatenate([part[name] for part in whole])
                assert joined.tolist() == values
            heads = [set(part["qid"]) for part in whole]
            assert sum(map(len, heads)) == 3


@pytest.mark.parametrize(("first", "later", "other"), IDS, ids=lambda ids: str(ids)[:30])
def test_a_query_goes_on_in_the_next_batch(first, later, other):
    """A batch ends with it, and the next begins with it."""
    ends, begins = next(
        (first[at : at + 1], later[to : to + 1])
        for at in range(len(first))
        for to in range(len(later))
        if first[at] == later[to]
    )
    parts = [([1], [1], ends), ([1], [1], begins), ([1], [1], other)]
    assert [len(part["qid"]) for part in whole_queries(parts)] == [2, 1]


def test_columns_of_batches_are_cut_with_them():
    """Items that y_true carries, scores of two types of whole numbers, ids that are tuples."""
    rows = draw(5, 30)
    qid = np.fromiter(
        ((int(one), "a") for one in rows["qid"]), dtype=object, count=len(rows["qid"])
    )
    target = RankTarget(rows["y_true"], qid=rows["qid"], item=rows["item"])
    popularity = OPTIONS["popularity"]
    options = {"metrics": ["ndcg@3", "coverage@3", "novelty@3"], "popularity": popularity}
    want = evaluate(target, rows["y_score"], **options)
    cut_at = [
        (target[at : at + 50], rows["y_score"][at : at + 50]) for at in range(0, len(qid), 50)
    ]
    assert evaluate_batches(whole_queries(cut_at), **options) == pytest.approx(want, abs=1e-12)
    scores = (rows["y_score"] * 4).astype(np.int64)
    want = evaluate(rows["y_true"], scores, qid=rows["qid"], metrics=["map"])
    kinds = [np.int64, np.uint64]
    mixed = (
        (rows["y_true"][at : at + 9], scores[at : at + 9].astype(kinds[at % 2]), qid[at : at + 9])
        for at in range(0, len(qid), 9)
    )
    got = evaluate_batches(whole_queries(mixed), metrics=["map"])
    assert got == pytest.approx(want, abs=1e-12)


def test_what_is_missing_in_a_batch_is_said():
    """A masked id or score, a column that only some batches have."""
    masked = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    with pytest.raises(ValueError, match="row 1 has no query id"):
        list(whole_queries([([1, 1, 1], [1, 2, 3], masked)]))
    with pytest.raises(ValueError, match="y_score must not be missing"):
        evaluate_batches(whole_queries([([1, 1, 1], masked, [1, 1, 2])]), metrics=["mrr"])
    item = {"y_true": [1], "y_score": [1], "qid": [1], "item": [1]}
    for batches in ([item, {**item, "item": None}], [{**item, "item": None}, item]):
        with pytest.raises(ValueError, match="item must be in all batches") as caught:
            list(whole_queries(batches))
        assert caught.value.__notes__ == ["In batch 1 (the first is 0)."]
    odd = {**item, "other": [1]}
    with pytest.raises(TypeError, match="'other'"):
        list(whole_queries([odd]))
    for empty in ((None, [], []), ([], [], []), {"y_score": [], "qid": []}):
        batch = {"y_score": [1], "qid": [1], "item": [5]}
        got = evaluate_batches([empty, batch], metrics=["coverage@1"], catalog=[5, 6])
        assert got == {"coverage@1": 0.5}


@pytest.mark.parametrize("unit", [1e308, 5e-324 * 2**40])
def test_weights_near_the_ends_of_the_floats(unit):
    """Sums of them are infinite, or lose their digits; means do not. Units differ by batch."""
    rows = draw(6)
    share = np.random.default_rng(6).integers(1, 2**40, 80) / 2**40
    rows["sample_weight"] = share[np.unique(rows["qid"], return_inverse=True)[1]]
    given = {name: rows[name] for name in ("y_true", "y_score", "qid", "sample_weight")}
    metrics = ["ndcg@3", "map", "mrr"]
    want = evaluate(metrics=metrics, **given)
    far = {**given, "sample_weight": given["sample_weight"] * unit}
    for size in (1, 50):
        got = evaluate_batches(whole_queries(cut(far, size)), metrics=metrics)
        assert got == pytest.approx(want, abs=1e-12)
