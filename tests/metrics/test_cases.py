"""Public bug reports about metrics: small inputs with right values, computed from definitions."""

import json
from collections import Counter

import numpy as np
import pytest
from conftest import DATA
from scipy import sparse

from sklearn_rankscore import (
    average_precision,
    get_metric,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)

FAMILIES = {
    "ties",
    "undefined / empty",
    "cutoff and ideal",
    "definition and denominator",
    "scores and inputs",
    "labels and gain",
    "duplicates",
    "performance",
}
NAMES = {"rr": "reciprocal_rank", "hit": "hit_rate"}
TIES = {"stable": "first", "reverse": "last", "docid_desc": "first"}
EMPTY = {"skip": np.nan, "zero": 0.0, "one": 1.0}
GAINS = {"linear": "linear", "exp": "exponential"}
# Checks that are left out, and why: they show a wrong value, or the package decides otherwise.
LEFT_OUT = {
    ("B14", "empty=nan"): "nan leaves a query out of the mean; it does not spoil it",
    ("B27", "AP@3 / hits"): "no sensible denominator",
    ("B43", "naive formula (can leave [0,1])"): "negative grades are refused as gains",
    ("B43", "dcg naive"): "as above",
    ("B43", "all negative, naive (wrong)"): "as above",
    ("B52", "ordering -inf last"): "a score of -inf means that a row was not retrieved",
}


def checks():
    """Each check of each case."""
    lines = (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    for case in map(json.loads, lines):
        if case["family"] in FAMILIES:
            for check in case["expected"]["checks"]:
                yield pytest.param(case, check, id=f"{case['id']}: {check['label']}")


def rows_of(case, check):
    """Give grades, scores and ids; rows that were judged but not retrieved have the score -inf."""
    given = {**case["input"], **check["params"]}
    grade, score, qid = (list(given[name]) for name in ("y_true", "y_score", "qid"))
    score = [float(value) for value in score]
    if "docid" in given:  # ties by document id, descending
        order = sorted(range(len(grade)), key=lambda row: given["docid"][row], reverse=True)
        grade, score, qid = ([values[row] for row in order] for values in (grade, score, qid))
    missed = list((Counter(given.get("all_rel", [])) - Counter(grade)).elements())
    missed += [1] * (given.get("n_rel", 0) - sum(grade) if "n_rel" in given else 0)
    return grade + missed, score + [-np.inf] * len(missed), qid + [0] * len(missed)


def metric_of(check):
    """Make the metric of a check, its parameters under the names of the package."""
    given = check["params"]
    name = check["metric"]
    options = {"k": given.get("k")}
    options["replace_undefined_by"] = EMPTY[
        given.get("empty", "zero" if name == "precision" else "skip")
    ]
    if given.get("denom") == "min_R":  # hits / min(k, R) is recall of what can be found
        name = "recall"
    if given.get("denom", "R") != "R":
        options["denominator"] = "attainable"
    if "gain" in given:
        options["gain"] = GAINS[given["gain"]]
    if "ties" in given:
        options["ties"] = TIES.get(given["ties"], given["ties"])
    if "log_base" in given:
        options["discount"] = lambda rank: 1 / np.log(rank + 1)
    return get_metric(NAMES.get(name, name if name != "ap" else "average_precision"), **options)


@pytest.mark.parametrize(("case", "check"), list(checks()))
def test_right_values(case, check):
    """The metric is within 1e-12 of the right value; an undefined query has the value nan."""
    if (case["id"], check["label"]) in LEFT_OUT:
        pytest.skip(LEFT_OUT[case["id"], check["label"]])
    grade, score, qid = rows_of(case, check)
    metric, want = metric_of(check), check["value"]
    if check["params"].get("aggregate") == "per_query":
        got = metric.per_query(grade, score, qid=qid).value
        want = [float(value) for value in want]
    else:
        got = metric(grade, score, qid=qid)
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_every_case_has_checks():
    """No case is forgotten, and every check that is left out exists."""
    found = [param.values for param in checks()]
    assert len({case["id"] for case, _ in found}) == 42
    assert set(LEFT_OUT) <= {(case["id"], check["label"]) for case, check in found}


def harmonic(n):
    """1 + 1/2 + … + 1/n."""
    return float(np.sum(1.0 / np.arange(1, n + 1)))


@pytest.mark.parametrize("n", [10_000, 1_000_000])
def test_one_relevant_row_among_many_of_equal_score(n):
    """B01, B70: the metrics equal their expectation in closed form, at any size."""
    grade, score = np.zeros(n, dtype=int), np.full(n, 0.5)
    grade[0] = 1
    assert average_precision([grade], [score]) == pytest.approx(harmonic(n) / n, rel=1e-9)
    assert reciprocal_rank([grade], [score]) == pytest.approx(harmonic(n) / n, rel=1e-9)
    assert precision([grade], [score], k=10) == pytest.approx(1 / n, rel=1e-9)
    assert recall([grade], [score], k=10) == pytest.approx(10 / n, rel=1e-9)
    discounts = 1 / np.log2(np.arange(2, n + 2))
    assert ndcg([grade], [score]) == pytest.approx(discounts.sum() / n, rel=1e-9)
    assert ndcg([grade], [score], k=10) == pytest.approx(discounts[:10].sum() / n, rel=1e-9)


def test_queries_without_an_answer_count():
    """B17: their judged rows are given as not retrieved."""
    grade, score, qid = [1, 0, 1], [0.9, 0.1, -np.inf], [0, 0, 1]
    assert reciprocal_rank(grade, score, qid=qid) == 0.5


@pytest.mark.parametrize("kind", ["int", "int32", "int64", "uint8"])
def test_cutoffs_of_every_integer_type(kind):
    """B30: a cutoff of NumPy is a cutoff."""
    k = 2 if kind == "int" else np.dtype(kind).type(2)
    assert ndcg([1, 0, 2], [0.1, 0.2, 0.3], qid=[0] * 3, k=k) == pytest.approx(
        0.7601875334318686, rel=1e-12
    )


every_dtype = pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "uint64", "int64", "float32", "float64"]
)


@every_dtype
@pytest.mark.parametrize(
    ("gain", "want"), [("linear", 0.796333799544492), ("exponential", 0.6935890634491113)]
)
def test_types_of_grades(dtype, gain, want):
    """B46: no type of the grades overflows."""
    grade, score = np.array([3, 2, 0, 1], dtype=dtype), [0.1, 0.9, 0.8, 0.5]
    assert ndcg(grade, score, qid=[0] * 4, gain=gain) == pytest.approx(want, rel=1e-12)


@every_dtype
def test_types_of_scores(dtype):
    """B13: no type of the scores turns the order round."""
    assert ndcg([3, 0, 1], np.array([2, 0, 1], dtype=dtype), qid=[0] * 3) == 1.0
    if dtype == "int8":
        assert ndcg([0, 3, 1], np.array([-128, 5, 1], dtype=dtype), qid=[0] * 3) == 1.0


def test_inputs_that_are_refused():
    """B43, B72, B73, B75: negative gains, two columns, sparse matrices, text."""
    qid = [0, 0, 0]
    with pytest.raises(ValueError, match="must not be negative"):
        ndcg([-1, 2, 0], [3, 2, 1], qid=qid)
    with pytest.raises(ValueError, match="must be flat"):
        ndcg([[1, 0], [0, 1], [2, 2]], [3, 2, 1], qid=qid)
    with pytest.raises(TypeError, match="must be a dense array"):
        ndcg(sparse.csr_array([[1, 0, 2]]), [[3, 2, 1]])
    with pytest.raises(ValueError, match="must hold real numbers"):
        ndcg(["Yes", "No", "No"], [1, 2, 3], qid=qid)
    assert ndcg([[1], [0], [2]], [0.1, 0.2, 0.3], qid=qid) == pytest.approx(0.9502344167898358)
