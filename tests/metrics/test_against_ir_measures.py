"""ERR equals that of gdeval, RBP that of cwl-eval; ir_measures runs both."""

import shutil

import numpy as np
import pytest
from conftest import needs

from sklearn_rankscore import expected_reciprocal_rank, rank_biased_precision

pytestmark = pytest.mark.filterwarnings("ignore")  # of theirs


def judged_runs(seed, n_queries=50):
    """Draw rows without ties, some not relevant, and give them as records of ir_measures."""
    ir_measures = needs("ir_measures")
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 15, n_queries)
    qid = np.repeat(np.arange(1, n_queries + 1), lengths)
    grade = rng.integers(0, 5, qid.size) * (rng.random(qid.size) < 0.7)
    grade[np.cumsum(lengths) - 1] = 1  # each query has a relevant row
    score = rng.permutation(qid.size).astype(float)
    names = [f"d{row}" for row in range(qid.size)]
    judged = [
        ir_measures.Qrel(str(query), name, int(value))
        for query, name, value in zip(qid, names, grade, strict=True)
    ]
    run = [
        ir_measures.ScoredDoc(str(query), name, value)
        for query, name, value in zip(qid, names, score, strict=True)
    ]
    return grade, score, qid, judged, run


def theirs_by_query(measure, judged, run):
    """Compute the value of each query."""
    results = needs("ir_measures").iter_calc([measure], judged, run)
    return {int(result.query_id): result.value for result in results}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [5, 20])
def test_expected_reciprocal_rank(seed, k):
    """Grades are 0 to 4; gdeval prints five decimals."""
    if shutil.which("perl") is None:
        pytest.skip("gdeval is a Perl program, and there is no Perl")
    grade, score, qid, judged, run = judged_runs(seed)
    theirs = theirs_by_query(needs("ir_measures").ERR @ k, judged, run)
    ours = expected_reciprocal_rank.per_query(grade, score, qid=qid, k=k)
    for query, value in zip(*ours, strict=True):
        assert value == pytest.approx(theirs[query], abs=6e-6)


@pytest.mark.parametrize("seed", range(50))
@pytest.mark.parametrize(("persistence", "rel"), [(0.8, 1), (0.5, 2), (0.95, 1)])
def test_rank_biased_precision(seed, persistence, rel):
    """RBP agrees for each persistence and threshold, on 150 runs of 50 queries."""
    needs("cwl")
    grade, score, qid, judged, run = judged_runs(seed)
    measure = needs("ir_measures").RBP(p=persistence, rel=rel)
    theirs = theirs_by_query(measure, judged, run)
    ours = rank_biased_precision.per_query(
        grade, score, qid=qid, persistence=persistence, min_relevance=rel
    )
    for query, value in zip(*ours, strict=True):
        assert value == pytest.approx(theirs.get(query, 0.0), abs=1e-6)
