"""The metrics equal those of sklearn.metrics, query by query and as a rectangle."""

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import dcg_score, ndcg_score, precision_recall_curve, roc_auc_score

from sklearn_rankscore import (
    dcg,
    ideal_dcg,
    interpolated_precision,
    kendall_tau_b,
    ndcg,
    roc_auc,
    spearman_rho,
)
from sklearn_rankscore.testing import assert_matches_sklearn

DTYPES = ("float32", "float64", "uint8", "int8", "int64", "bool")


def random_case(seed):
    """Draw ragged queries of two rows or more, tied scores, all-zero queries and a cutoff."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 12, 6)
    qid = rng.permutation(np.repeat(rng.choice(1000, 6, replace=False), lengths))
    grade = rng.integers(0, 5, qid.size)
    grade[qid == qid[0]] = 0
    score = rng.standard_normal(qid.size) if seed % 3 else rng.integers(-3, 4, qid.size)
    grade_type, score_type = rng.choice(DTYPES, 2)
    if score_type in ("uint8", "bool"):
        score = np.abs(score)
    k = rng.choice([None, 1, 3, 10, 50])
    return grade.astype(grade_type), score.astype(score_type), qid, k


@pytest.mark.parametrize("start", range(0, 2000, 200))
def test_two_thousand_random_cases(start):
    """NDCG and DCG of each query are within 1e-12 of scikit-learn's."""
    for seed in range(start, start + 200):
        grade, score, qid, k = random_case(seed)
        assert_matches_sklearn(grade, score, qid, k=k)
        for query, value in zip(*dcg.per_query(grade, score, qid=qid, k=k), strict=True):
            rows = qid == query
            # scikit-learn sorts -score, which needs a signed number.
            want = dcg_score([grade[rows].astype(float)], [score[rows].astype(float)], k=k)
            assert abs(value - want) <= 1e-12 * max(1, want)


@pytest.mark.parametrize("k", [None, 1, 3, 7, 100])
def test_the_rectangle_is_scikit_learns_own_call(k):
    """The same arguments give the same number, with weights too."""
    rng = np.random.default_rng(1)
    grade, score = rng.integers(0, 4, (60, 8)), rng.integers(0, 5, (60, 8)) / 4
    weight = rng.random(60)
    for sample_weight in (None, weight):
        ours = ndcg(grade, score, k=k, sample_weight=sample_weight)
        theirs = ndcg_score(grade, score, k=k, sample_weight=sample_weight)
        assert abs(ours - theirs) <= 1e-12
        ours = dcg(grade, score, k=k, sample_weight=sample_weight)
        theirs = dcg_score(grade, score, k=k, sample_weight=sample_weight)
        assert abs(ours - theirs) <= 1e-12
    best = dcg_score(grade, grade, k=k, ignore_ties=True)
    assert abs(ideal_dcg(grade, score, k=k) - best) <= 1e-12


def test_assert_matches_sklearn_names_the_first_query_that_differs(monkeypatch):
    """Against a reference that was falsified the check fails, and says where."""
    from sklearn_rankscore import testing

    grade, score, qid = [1, 0, 2, 0, 1], [1, 2, 1, 2, 3], ["a", "a", "b", "b", "b"]
    assert 0 <= testing.assert_matches_sklearn(grade, score, qid) <= 1e-12
    monkeypatch.setattr(
        testing,
        "ndcg_score",
        lambda y, s, k: ndcg_score(y, s, k=k) + (2e-12 if y.shape[1] == 3 else 0),
    )
    with pytest.raises(AssertionError, match=r"nDCG of query .*'b'.* differ by 2e-12"):
        testing.assert_matches_sklearn(grade, score, qid)


def test_assert_matches_sklearn_leaves_out_what_scikit_learn_refuses():
    """Single rows and infinite scores are not compared; nothing to compare is an error."""
    grade, score, qid = [1, 0, 2, 0, 1], [1, 2, 1, -np.inf, 3], ["a", "a", "b", "b", "c"]
    assert assert_matches_sklearn(grade, score, qid) <= 1e-12
    with pytest.raises(ValueError, match="no query to compare"):
        assert_matches_sklearn(grade[2:], score[2:], qid[2:])


@pytest.mark.parametrize("ties", [False, True])
def test_roc_auc_of_each_query(ties):
    """It is within 1e-12 of scikit-learn's, wherever that is defined."""
    compared = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        qid = rng.integers(0, 6, 60)
        grade = rng.integers(0, 2, 60)
        score = rng.integers(0, 5, 60).astype(float) if ties else rng.standard_normal(60)
        got = roc_auc.per_query(grade, score, qid=qid, replace_undefined_by=np.nan)
        for query, value in zip(*got, strict=True):
            rows = qid == query
            if len(set(grade[rows])) == 2:
                assert abs(value - roc_auc_score(grade[rows], score[rows])) <= 1e-12
                compared += 1
            else:
                assert np.isnan(value)
    assert compared > 1000


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize(
    ("metric", "theirs"), [(kendall_tau_b, kendalltau), (spearman_rho, spearmanr)], ids=str
)
def test_rank_correlation_of_each_query(metric, theirs):
    """It is within 1e-12 of SciPy's, with ties and with rows that were not retrieved."""
    compared = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        qid = rng.permutation(np.repeat(np.arange(6), rng.integers(2, 40, 6)))
        grade = rng.integers(-1, rng.integers(1, 6), qid.size)
        score = rng.integers(0, rng.integers(2, 50), qid.size).astype(float)
        score[rng.random(qid.size) < 0.1] = -np.inf
        got = metric.per_query(grade, score, qid=qid, replace_undefined_by=np.nan)
        for query, value in zip(*got, strict=True):
            rows = qid == query
            want = theirs(grade[rows], np.maximum(score[rows], -1))[0]
            assert abs(value - want) <= 1e-12 or (np.isnan(value) and np.isnan(want))
            compared += not np.isnan(want)
    assert compared > 800


@pytest.mark.parametrize("level", [0.0, 0.1, 0.3, 0.5, 0.7, 1.0])
def test_interpolated_precision_of_each_query(level):
    """It is the highest point of scikit-learn's precision-recall curve from a recall on.

    There a tie enters whole; the highest over random orders is at least that, and not 1.
    """
    compared = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        qid = rng.permutation(np.repeat(np.arange(6), rng.integers(2, 40, 6)))
        grade = rng.integers(0, 2, qid.size)
        score = rng.integers(0, rng.integers(2, 50), qid.size).astype(float)
        if seed % 2:
            score = rng.permutation(qid.size).astype(float)
        got = interpolated_precision.per_query(grade, score, qid=qid, recall_level=level)
        for query, value in zip(*got, strict=True):
            rows = qid == query
            if grade[rows].any():
                heights, recalls, _ = precision_recall_curve(grade[rows], score[rows])
                real = slice(None, -1)  # the last point, of recall 0, is made up
                want = heights[real][recalls[real] >= level - 1e-12].max()
                assert want - 1e-12 <= value <= (want + 1e-12 if seed % 2 else 1)
                compared += seed % 2
    assert compared > 250
