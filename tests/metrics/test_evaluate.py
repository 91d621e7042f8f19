"""Several metrics at once: the same numbers, one validation, one sort for each tie policy."""

import numpy as np
import pytest
from conftest import needs

from sklearn_rankscore import evaluate, evaluate_per_query, get_metric, metric_names
from sklearn_rankscore.metrics._metric import engine

RNG = np.random.default_rng(0)
QID = RNG.permutation(np.repeat([f"q{at}" for at in range(30)], 7))
GRADE = RNG.integers(0, 5, QID.size)
SCORE = RNG.integers(0, 6, QID.size).astype(float)
ALONE = [name for name in metric_names() if not get_metric(name).row_values and name != "rmse"]
NAMES = ["ndcg@5", "ndcg@10", "map", "mrr", *ALONE]


def test_all_metrics_at_once_are_each_alone():
    """Means and values, weighted too, by the names as they were given."""
    weight = np.unique(QID, return_inverse=True)[1] % 3 + 1.0
    means = evaluate(GRADE, SCORE, qid=QID, metrics=NAMES, sample_weight=weight)
    values = evaluate_per_query(GRADE, SCORE, qid=QID, metrics=NAMES)
    assert list(means) == NAMES
    assert list(values) == ["qid", *NAMES]
    for name in NAMES:
        metric = get_metric(name)
        alone = metric.per_query(GRADE, SCORE, qid=QID)
        np.testing.assert_array_equal(values["qid"], alone.qid)
        np.testing.assert_allclose(values[name], alone.value, rtol=0, atol=1e-12)
        want = metric(GRADE, SCORE, qid=QID, sample_weight=weight)
        assert means[name] == pytest.approx(want, rel=1e-12, abs=1e-12)


def test_one_validation_and_one_sort_for_each_tie_policy(monkeypatch):
    """However many metrics and cutoffs there are, if lists go on beyond the cutoff."""
    made = {"rows": 0, "rankings": 0}
    collect, ranking = engine.Rows.collect, engine.Ranking

    def counted(key, real):
        def count(*arguments, **options):
            made[key] += 1
            return real(*arguments, **options)

        return count

    monkeypatch.setattr(engine.Rows, "collect", counted("rows", collect))
    monkeypatch.setattr(engine, "Ranking", counted("rankings", ranking))
    evaluate(GRADE, SCORE, qid=QID, metrics=["ndcg@3", "ndcg@2", "map", "mrr", "p@1"])
    assert made == {"rows": 1, "rankings": 1}


def test_names_options_and_frames():
    """A dict names the values; options go to those that have them; pandas takes the columns."""
    metrics = {"steep": get_metric("ndcg@5", gain="exponential"), "plain": "ndcg@5", "ap": "map"}
    means = evaluate(GRADE, SCORE, qid=QID, metrics=metrics, min_relevance=2, ties="first")
    assert means == {
        "steep": get_metric("ndcg@5", gain="exponential", ties="first")(GRADE, SCORE, qid=QID),
        "plain": get_metric("ndcg@5", ties="first")(GRADE, SCORE, qid=QID),
        "ap": get_metric("map", min_relevance=2, ties="first")(GRADE, SCORE, qid=QID),
    }
    frame = (
        needs("pandas")
        .DataFrame(evaluate_per_query(GRADE, SCORE, qid=QID, metrics=["map", "mrr"]))
        .set_index("qid")
    )
    want = evaluate(GRADE, SCORE, qid=QID, metrics=["map", "mrr"])
    assert frame.mean().to_dict() == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize(
    ("metrics", "options", "error", "message"),
    [
        ("ndcg", {}, TypeError, r"pass \['ndcg'\]"),
        ([], {}, ValueError, "one or more different metrics"),
        (["map", "map"], {}, ValueError, "one or more different metrics"),
        (["map"], {"gain": "linear"}, TypeError, "no option 'gain'"),
        (["nope"], {}, ValueError, "Unknown metric 'nope'"),
        ({"qid": "map"}, {}, ValueError, "No metric can be named 'qid'"),
    ],
)
def test_what_cannot_be_evaluated(metrics, options, error, message):
    """Refused as a scorer of many metrics refuses it."""
    with pytest.raises(error, match=message):
        evaluate_per_query(GRADE, SCORE, qid=QID, metrics=metrics, **options)
