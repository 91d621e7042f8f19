"""Batches: the numbers of all rows together, queries that come back, memory that stays flat."""

from __future__ import annotations

import pickle
import tracemalloc

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
from sklearn_rankscore.metrics._tally import Tally

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


IDS = [
    ([1, 2], [2.0, 3.5]),
    ([1, "a"], [1, 5]),
    (["a", "bb"], ["ccc", "a"]),
    ([2**63 + 5], np.array([2**63 + 5], dtype=np.uint64)),
    ([2**63 - 1], np.array([2**63 - 1], dtype=np.int64)),
    ([-(2**63)], np.array([-(2**63)], dtype=np.int64)),
    ([10**30], [10**30]),
    ([1.5, 2.0], [2, 7]),
    ([("a", 1)], [("b", 1), ("a", 1)]),
    ([True], [1]),
    ([-5], np.array([-5.0], dtype=np.float32)),
    ([b"a"], [b"a"]),
    (np.array(["2026-01-01"], "M8[D]"), np.array(["2026-01-01"], "M8[ns]")),
]


@pytest.mark.parametrize(("first", "later"), IDS, ids=lambda ids: str(ids)[:30])
def test_a_query_that_comes_back_is_an_error(first, later):
    """Whatever its id is, in the next batch or long after; the error says which, and where."""
    between = [([1], [1], [f"other {number}"]) for number in range(5)]
    batches = [([1] * len(first), [1] * len(first), first), *between]
    again = ([1] * len(later), [1] * len(later), later)
    with pytest.raises(ValueError, match="comes back in a later batch") as caught:
        evaluate_batches([*batches, again], metrics=["mrr"])
    assert caught.value.__notes__ == ["In batch 6 (the first is 0)."]
    assert "whole_queries" in str(caught.value)


def test_new_queries_are_none_that_come_back():
    """Neighbours, gaps filled later, "1" beside 1: 300 000 ids in random order, in all kinds."""
    rng = np.random.default_rng(3)
    ids = rng.permutation(300_000) - 150_000
    for kind in (ids, ids / 2 + 0.25, ids[:20_000].astype(str), ids[:9_000].astype("M8[s]")):
        parts = np.array_split(kind, 30)
        batches = [(np.ones(len(part)), np.ones(len(part)), part) for part in parts]
        assert evaluate_batches(batches, metrics=["mrr"]) == {"mrr": 1.0}
        last = parts[-1][-1:]
        with pytest.raises(ValueError, match="comes back"):
            evaluate_batches([*batches, ([1], [1], last)], metrics=["mrr"])
    mixed = [([1, 1], [1, 1], [1, "1"]), ([1], [1], ["2"]), ([1], [1], [2])]
    assert evaluate_batches(mixed, metrics=["mrr"]) == {"mrr": 1.0}


def test_memory_is_that_of_a_batch():
    """Fifty times as many batches need no more than a quarter more."""
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
    assert peak(500) < 1.25 * peak(10)


def test_sums_do_not_wear_off():
    """A hundred thousand small parts after a large one; two halves merged, through a pickle."""
    parts = [([0, 1], [1, 1], [number, number]) for number in range(100)]
    halves = [Tally([get_metric("dcg"), get_metric("rmse")]) for _ in range(2)]
    whole = Tally([get_metric("dcg"), get_metric("rmse")])
    for number, (y_true, y_score, qid) in enumerate(parts):
        weight = [1e16 if number == 0 else 1.0] * 2
        for tally in (halves[number % 2], whole):
            tally.add(y_true, y_score, qid, sample_weight=weight)
    halves[0].merge(pickle.loads(pickle.dumps(halves[1])))
    exact = [(1 + 1 / np.log2(3)) / 2, np.sqrt(0.5)]
    assert halves[0].means() == pytest.approx(exact, rel=1e-15)
    assert whole.means() == pytest.approx(exact, rel=1e-15)
    total = Tally([get_metric("cumulative_gain")])
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
    mixed = list(whole_queries([([1], [1], [1]), ([1], [1], ["1"]), ([1], [1], ["1"])]))
    assert [part["qid"].tolist() for part in mixed] == [[1], ["1", "1"]]
