"""Ids are numbered, rows brought together, blocks cut: whatever way is the fastest, one result."""

import numpy as np
import pytest

from sklearn_rankscore import evaluate, evaluate_per_query, intra_list_diversity, ndcg, rmse
from sklearn_rankscore.metrics._rows import factorize as numbering
from sklearn_rankscore.metrics._rows.rows import Queries

SPANS = [(1, 5), (7, 10**6), (1000, 2**31), (20_000, 2**62), (5000, 50)]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize(("size", "span"), SPANS)
def test_numbers_stand_for_their_ids(dtype, size, span):
    """Counted, by slot or sorted: each id once, each value's number that of its id."""
    info = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    low, high = max(info.min, -span), min(info.max, span)
    values = rng.integers(low, high, size, dtype=dtype, endpoint=True)
    values[:1] = info.max
    for number in (
        numbering.factorize,
        numbering.number_by_hash_table,
        numbering.number_by_sorting,
    ):
        ids, numbers, *counts = number(values)
        np.testing.assert_array_equal(ids[numbers], values)
        assert len(ids) == len(np.unique(values))
        assert ids.dtype.kind == values.dtype.kind
        for count in counts:
            np.testing.assert_array_equal(count, np.bincount(numbers))


@pytest.mark.parametrize("kind", ["U", "S"])
def test_texts_are_told_apart_even_where_their_hashes_are_not(kind, monkeypatch):
    """Empty ones, those that differ by a trailing letter; a bad hash costs time, not truth."""
    rng = np.random.default_rng(1)
    names = np.array(["", "a", "aa", "ab", "b", "äöü" if kind == "U" else "c"]).astype(kind)
    values = names[rng.integers(0, len(names), 500)]
    for odd in (numbering.ODD, np.uint64(0)):
        monkeypatch.setattr(numbering, "ODD", odd)
        ids, numbers, counts = numbering.factorize(values)
        np.testing.assert_array_equal(ids[numbers], values)
        assert sorted(ids.tolist()) == sorted(set(values.tolist()))
        np.testing.assert_array_equal(counts, np.bincount(numbers))


@pytest.mark.parametrize("lowest", [0, -3, -32767])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores_and_grades_are_arranged_together(lowest, dtype):
    """By one pass over both: as a stable sort of the ids would, grades of any 16 bits."""
    rng = np.random.default_rng(2)
    qid = rng.integers(0, 50, 3000)
    score = rng.standard_normal(3000).astype(dtype)
    score[:5] = [-np.inf, np.inf, 0.0, -0.0, 1e-30]
    grade = rng.integers(lowest, 32767, 3000, endpoint=True).astype(np.int16)
    grade[:2] = lowest, 32767
    queries = Queries.from_ids(qid)
    order = np.argsort(qid, kind="stable")
    got_score, got_grade = queries.arrange_both(score, grade)
    for got, values in ((got_score, score), (got_grade, grade), (queries.arrange(score), score)):
        np.testing.assert_array_equal(got, values[order])
        assert got.dtype == values.dtype
    np.testing.assert_array_equal(queries.spread_over_rows(queries.ids), qid)


def test_rows_in_order_for_a_long_while_and_then_apart():
    """What the first rows look like is a guess only."""
    qid = np.repeat(np.arange(400), 5)
    late = np.concatenate([qid, [3, 399, 7]])
    rng = np.random.default_rng(3)
    grade, score = rng.integers(0, 4, late.size), rng.standard_normal(late.size)
    order = rng.permutation(late.size)
    want = ndcg(grade, score, qid=late)
    assert want == pytest.approx(ndcg(grade[order], score[order], qid=late[order]), abs=1e-12)
    falling = ndcg(grade, score, qid=-late)
    assert falling == pytest.approx(want, abs=1e-12)
    values = evaluate_per_query(grade, score, qid=late, metrics=["ndcg"])
    assert values["qid"].tolist() == list(dict.fromkeys(late.tolist()))


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_change_nothing(n_jobs):
    """The same numbers to the last bit, per query and pooled."""
    rng = np.random.default_rng(4)
    qid = np.repeat(np.arange(3000), rng.integers(1, 40, 3000))
    grade, score = rng.integers(0, 4, qid.size), np.round(rng.standard_normal(qid.size), 1)
    names = ["ndcg@5", "map", "mrr", "rmse", "iprec"]
    rows = {"y_true": grade, "y_score": score, "qid": qid}
    assert evaluate(**rows, metrics=names, n_jobs=n_jobs) == pytest.approx(
        evaluate(**rows, metrics=names), abs=1e-15
    )
    one, many = (ndcg.per_query(**rows, k=5, n_jobs=n) for n in (1, n_jobs))
    np.testing.assert_array_equal(one.value, many.value)
    assert rmse(**rows, n_jobs=n_jobs) == pytest.approx(rmse(**rows), abs=1e-15)
    vectors = rng.normal(size=(qid.size, 3))
    assert intra_list_diversity(**rows, item_features=vectors, k=3, n_jobs=n_jobs) == (
        pytest.approx(intra_list_diversity(**rows, item_features=vectors, k=3), abs=1e-15)
    )


@pytest.mark.parametrize("n_jobs", [0, 1.0, True, None, "2"])
def test_n_jobs_is_a_number_of_threads(n_jobs):
    """Refused in words."""
    with pytest.raises(ValueError, match="n_jobs must be a number of threads, or -1"):
        ndcg([[1, 0]], [[1, 2]], n_jobs=n_jobs)
