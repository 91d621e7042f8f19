"""Each convention against the program itself: the same scores, the same number.

Among the random queries are tied scores, queries of zeros, queries of one row, and cutoffs beyond
the list. The programs compute in float32 or print a few digits, hence 2e-6.
"""

import re

import numpy as np
import pytest
from conftest import needs
from oracles import counts_recall_right

from sklearn_rankscore import (
    average_precision,
    dcg,
    evaluate_per_query,
    expected_reciprocal_rank,
    get_metric,
    ndcg,
    precision,
    recall,
    roc_auc,
)
from sklearn_rankscore import reciprocal_rank as rr

SEEDS = range(30)


def draw(seed):
    """Draw whole queries, one after another; ties fall in the order of their rows."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 9, rng.integers(1, 8))
    qid = np.repeat(np.arange(lengths.size), lengths)
    grade = rng.integers(0, 4, qid.size) * (rng.random(qid.size) < 0.6)
    if seed % 5 == 0:
        grade[qid == 0] = 0
    score = rng.integers(0, 4, qid.size) if seed % 2 else rng.permutation(qid.size)
    return grade, score.astype(float), qid, lengths, int(rng.choice([1, 2, 3, 5, 20]))


def close(value):
    return pytest.approx(value, abs=2e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_xgboost(seed):
    """ndcg@n agrees on grades; map@n and pre@n on zeros and ones, as XGBoost wants them."""
    xgboost = needs("xgboost")
    grade, score, qid, lengths, k = draw(seed)
    for name, metric, label in (
        ("ndcg", ndcg, grade),
        ("map", average_precision, grade > 0),
        ("pre", precision, grade > 0),
    ):
        data = xgboost.DMatrix(np.zeros((qid.size, 1)), label=label)
        data.set_group(lengths)
        data.set_base_margin(score.astype(np.float32))
        booster = xgboost.Booster({"objective": "rank:ndcg", "eval_metric": f"{name}@{k}"}, [data])
        theirs = float(booster.eval_set([(data, "data")]).split(":")[-1])
        assert metric(label, score, qid=qid, k=k, convention="xgboost") == close(theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_lightgbm(seed):
    """ndcg@n and map@n agree after a round of boosting that changes nothing."""
    lightgbm = needs("lightgbm")
    grade, score, qid, lengths, k = draw(seed)
    quiet = {"verbose": -1}
    data = lightgbm.Dataset(
        np.zeros((qid.size, 1)), grade, group=lengths, init_score=score, params=quiet
    )
    parameters = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [k], **quiet}
    record = {}
    lightgbm.train(
        {**parameters, "learning_rate": 1e-30, "min_data_in_leaf": 10**6},
        data,
        1,
        valid_sets=[data],
        callbacks=[lightgbm.record_evaluation(record)],
    )
    for name, metric in (("ndcg", ndcg), ("map", average_precision)):
        (theirs,) = record["training"][f"{name}@{k}"]
        assert metric(grade, score, qid=qid, k=k, convention="lightgbm") == close(theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_catboost(seed):
    """Six of CatBoost's metrics with ``top`` agree."""
    needs("catboost")
    from catboost.utils import eval_metric

    grade, score, qid, _, k = draw(seed)
    for text, metric in {
        "NDCG": ndcg,
        "DCG": dcg,
        "MAP": average_precision,
        "MRR": rr,
        "PrecisionAt": precision,
        "RecallAt": recall,
    }.items():
        border = "" if "DCG" in text else ";border=0"
        (theirs,) = eval_metric(
            grade.astype(float), score, f"{text}:top={k}{border}", group_id=qid
        )
        assert metric(grade, score, qid=qid, k=k, convention="catboost") == close(theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_catboost_of_probabilities_and_pairs(seed):
    """Its ERR takes the stop probability as grade; its QueryAUC takes the pairs of each query."""
    needs("catboost")
    from catboost.utils import eval_metric

    grade, score, qid, _, k = draw(seed)
    stop = (2.0**grade - 1) / 16
    (theirs,) = eval_metric(stop, score, f"ERR:top={k}", group_id=qid)
    ours = expected_reciprocal_rank(grade, score, qid=qid, k=k, convention="catboost")
    assert ours == close(theirs)
    (theirs,) = eval_metric((grade > 0).astype(float), score, "QueryAUC", group_id=qid)
    assert roc_auc(grade, score, qid=qid, convention="catboost") == close(theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_trec_eval(seed):
    """Twelve measures agree per query; the names of documents put ties in the order of rows."""
    pytrec_eval = needs("pytrec_eval")
    grade, score, qid, _, k = draw(seed)
    judged, run = {}, {}
    for row, query in enumerate(map(str, qid)):
        document = f"{qid.size - row:04d}"
        judged.setdefault(query, {})[document] = int(grade[row])
        run.setdefault(query, {})[document] = float(score[row])
    measures = {
        "map": "map",
        "ndcg": "ndcg",
        "recip_rank": "mrr",
        "Rprec": "r_precision",
        "11pt_avg": "11pt",
        "iprec_at_recall_0.30": get_metric("iprec", recall_level=0.3),
        "bpref": "bpref",
        f"ndcg_cut_{k}": f"ndcg@{k}",
        f"map_cut_{k}": f"map@{k}",
        f"P_{k}": f"p@{k}",
        f"recall_{k}": f"recall@{k}",
        f"success_{k}": f"success@{k}",
    }
    wanted = {re.sub(r"_([0-9.]+)$", r".\1", name) for name in measures}
    theirs = pytrec_eval.RelevanceEvaluator(judged, wanted).evaluate(run)
    for theirs_name, name in measures.items():
        ours = get_metric(name).per_query(grade, score, qid=qid, convention="trec_eval")
        for query, value in zip(*ours, strict=True):
            if theirs_name not in AT_RECALL or counts_recall_right(
                (grade[qid == query] > 0).sum()
            ):
                assert value == close(theirs[str(query)][theirs_name])


def test_trec_eval_miscounts_some_recalls():
    """The test above leaves out some comparisons for this, but few."""
    wrong = [relevant for relevant in range(1, 30) if not counts_recall_right(relevant)]
    assert wrong == [3, 23]


AT_RECALL = ("11pt_avg", "iprec_at_recall_0.30")
RUN_MEASURES = {
    "map": "map",
    "ndcg": "ndcg",
    "ndcg_cut_10": "ndcg@10",
    "P_5": "p@5",
    "recall_20": "recall@20",
    "recip_rank": "mrr",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "success_1": "success@1",
    "11pt_avg": "11pt",
}


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_trec_eval_on_two_hundred_runs(start):
    """Runs of 50 queries, with judged rows that were not retrieved, agree within 1e-6."""
    pytrec_eval = needs("pytrec_eval")
    wanted = {re.sub(r"_([0-9]+)$", r".\1", name) for name in RUN_MEASURES}
    for seed in range(start, start + 50):
        rng = np.random.default_rng(seed)
        qid = np.repeat(np.arange(50), rng.integers(1, 30, 50))
        grade = rng.integers(0, 4, qid.size) * (rng.random(qid.size) < 0.4)
        score = rng.integers(0, 12, qid.size) if seed % 2 else rng.permutation(qid.size)
        score = np.where(rng.random(qid.size) < 0.1, -np.inf, score)
        judged, run = {}, {str(query): {} for query in range(50)}
        for row, query in enumerate(map(str, qid)):
            document = f"{qid.size - row:05d}"
            judged.setdefault(query, {})[document] = int(grade[row])
            if score[row] > -np.inf:
                run[query][document] = float(score[row])
        theirs = pytrec_eval.RelevanceEvaluator(judged, wanted).evaluate(run)
        names = list(RUN_MEASURES.values())
        ours = evaluate_per_query(grade, score, qid=qid, metrics=names, convention="trec_eval")
        for theirs_name, name in RUN_MEASURES.items():
            kept = [
                theirs_name not in AT_RECALL
                or counts_recall_right((grade[qid == query] > 0).sum())
                for query in ours["qid"]
            ]
            got = [theirs.get(str(query), {}).get(theirs_name, 0.0) for query in ours["qid"]]
            got = np.nan_to_num(got)  # its 11pt_avg is nan for a query without relevant rows
            np.testing.assert_allclose(ours[name][kept], got[kept], rtol=0, atol=1e-6)
