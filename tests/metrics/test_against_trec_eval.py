"""The metrics equal what trec_eval prints for the sample that it is distributed with."""

import numpy as np
import pytest
from conftest import DATA, needs

from sklearn_rankscore import bpref, get_metric

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
NAMES = (
    {"map": "map", "recip_rank": "mrr", "ndcg": "ndcg", "Rprec": "r_precision", "bpref": "bpref"}
    | {"11pt_avg": "11pt", "rbp": "rbp", "set_P": "p", "set_recall": "recall", "set_F": "f1"}
    | {
        f"iprec_at_recall_{at / 10:.2f}": get_metric("iprec", recall_level=at / 10)
        for at in range(11)
    }
    | {f"success_{k}": f"success@{k}" for k in (1, 5, 10)}
    | {
        f"{theirs}_{k}": f"{ours}@{k}"
        for k in CUTOFFS
        for theirs, ours in {
            "P": "p",
            "recall": "recall",
            "ndcg_cut": "ndcg",
            "map_cut": "map",
        }.items()
    }
)


def read_run():
    """Give each judged or retrieved document as a row, sorted by document id, descending."""
    grades, scores = {}, {}
    for line in (DATA / "trec" / "qrels.test").read_text().splitlines():
        topic, _, document, grade = line.split()
        grades[topic, document] = int(grade)
    for line in (DATA / "trec" / "results.test").read_text().splitlines():
        topic, _, document, _, score, _ = line.split()
        scores[topic, document] = float(score)
    topics = {topic for topic, _ in scores}
    rows = sorted((row for row in grades.keys() | scores.keys() if row[0] in topics), reverse=True)
    return (
        np.array([grades.get(row, 0) for row in rows]),
        np.array([scores.get(row, -np.inf) for row in rows]),
        np.array([topic for topic, _ in rows]),
        np.array([row in grades for row in rows]),
    )


def read_expected():
    """Give the printed value of each topic and measure."""
    lines = (DATA / "trec" / "expected_all_per_query.txt").read_text().splitlines()
    return {(topic, measure): text for measure, topic, text in (line.split() for line in lines)}


@pytest.mark.parametrize(("measure", "name"), NAMES.items())
def test_the_expected_file_of_trec_eval(measure, name):
    """Each topic agrees to the four decimals printed; what was not retrieved scores -inf."""
    expected = read_expected()
    grade, score, qid, judged = read_run()
    if measure == "bpref":  # which looks at judged documents only
        grade, score, qid = grade[judged], score[judged], qid[judged]
    per_query = get_metric(name).per_query(grade, score, qid=qid, convention="trec_eval")
    assert len(per_query.qid) == 3
    # Versions of trec_eval round level * R differently, so that only whole numbers are compared.
    right = [
        not measure.startswith(("11pt", "iprec")) or grade[qid == topic].sum() % 10 == 0
        for topic in per_query.qid
    ]
    for topic, value, as_meant in zip(*per_query, right, strict=True):
        assert not as_meant or f"{value:.4f}" == expected[topic, measure]
    mean = get_metric(name)(grade, score, qid=qid, convention="trec_eval")
    assert not all(right) or f"{mean:.4f}" == expected["all", measure]
    assert any(right)


@pytest.mark.parametrize("k", [5, 10, 20])
def test_the_share_of_unjudged_documents(k):
    """It is 1 minus trec_eval's unj_k."""
    expected = read_expected()
    grade, score, qid, known = read_run()
    grade = np.where(known, grade, np.nan)
    per_query = get_metric(f"judged@{k}").per_query(grade, score, qid=qid, ties="first")
    for topic, value in zip(*per_query, strict=True):
        assert f"{1 - value:.4f}" == expected[topic, f"unj_{k}"]


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "first", "last"])
def test_rows_that_count_as_not_judged(ties):
    """The value of the other rows; a row that is relevant counts."""
    rng = np.random.default_rng(0)
    grade, score, qid = rng.integers(-2, 3, 300), rng.integers(0, 5, 300), rng.integers(0, 30, 300)
    judged = grade >= 0
    want = bpref.per_query(grade[judged], score[judged], qid=qid[judged], ties=ties)
    got = bpref.per_query(grade, score, qid=qid, ties=ties, min_judged=0)
    value = dict(zip(*want, strict=True))
    np.testing.assert_allclose(got.value, [value.get(q, 0) for q in got.qid], rtol=1e-14)
    one = bpref([[-1, 0, 1]], [[3, 2, 1]], min_relevance=-1, min_judged=1)
    assert one == 1  # all three are relevant


def test_negative_grades_against_trec_eval():
    """-2 is spam, say: judged, and not judged to bpref."""
    pytrec_eval = needs("pytrec_eval")
    rng = np.random.default_rng(1)
    grade = rng.integers(-2, 3, (40, 12))
    score = rng.permuted(np.tile(np.arange(12.0), (40, 1)), axis=1)

    def write(lines):
        return {
            str(at): {f"d{row:02}": value for row, value in enumerate(line)}
            for at, line in enumerate(lines.tolist())
        }

    qrels, run = write(grade), write(score)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"bpref"})
    want = [evaluator.evaluate(run)[str(at)]["bpref"] for at in range(40)]
    got = bpref.per_query(grade, score, convention="trec_eval").value
    np.testing.assert_allclose(got, want, atol=1e-6)
