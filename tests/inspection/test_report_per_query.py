"""Reports of per-query tables and of weights: the numbers of the rows, whichever way they came."""

from itertools import product

import numpy as np
import pytest
from conftest import needs

from sklearn_rankscore import evaluate, evaluate_per_query, rank_report
from sklearn_rankscore.inspection._report.statistics import compare_pairs, compute_intervals

METRICS = ["ndcg@5", "fall_out@3"]


def draw(seed=0, n_queries=50, n_rows=8):
    """Grades, scores of two models, ids as text, a weight for each query."""
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 3, n_queries * n_rows)
    models = {"a": grade + rng.normal(size=grade.size), "b": grade + rng.normal(size=grade.size)}
    qid = np.repeat([f"q{number}" for number in range(n_queries)], n_rows)
    return grade, models, qid, np.repeat(rng.integers(0, 4, n_queries), n_rows)


def tables(grade, models, qid, **options):
    """Per-query table of each model, the second one's queries in another order."""
    made = {
        model: evaluate_per_query(grade, scores, qid=qid, metrics=METRICS, **options)
        for model, scores in models.items()
    }
    order = np.random.default_rng(1).permutation(len(made["b"]["qid"]))
    made["b"] = {name: values[order] for name, values in made["b"].items()}
    return made


@pytest.mark.parametrize("kind", ["dict", "pandas", "parquet", "polars", "dask"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_report_of_tables_is_that_of_their_rows(kind, weighted, tmp_path):
    """Means, intervals, tests and counts; queries are matched by their ids."""
    grade, models, qid, weight = draw()
    given = {"sample_weight": weight} if weighted else {}
    made = tables(grade, models, qid, **given)
    if kind != "dict":
        pd = needs("pandas")
        made = {model: pd.DataFrame(table) for model, table in made.items()}
    if kind == "parquet":
        needs("pyarrow")
        for model, table in made.items():
            table.to_parquet(tmp_path / model)
        made = {model: pd.read_parquet(tmp_path / model) for model in made}
    elif kind == "polars":
        pl, _ = needs("polars"), needs("pyarrow")
        made = {model: pl.from_pandas(table) for model, table in made.items()}
    elif kind == "dask":
        dd = needs("dask.dataframe")
        made = {m: dd.from_pandas(table, npartitions=3) for m, table in made.items()}
    want = rank_report(grade, models, qid=qid, metrics=METRICS, random_state=0, **given)
    got = rank_report(per_query=made, random_state=0)
    for mine, theirs in zip(got.rows, want.rows, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-12)
    assert (got.n_queries, got.baseline) == (want.n_queries, want.baseline)
    assert got.tied == {}
    assert str(got).splitlines()[:5] == str(want).splitlines()[:5]
    assert ("weighted" in str(got)) == weighted
    assert ("sample_weight" in got.per_query) == weighted


def test_weights_are_those_of_the_means():
    """As evaluate has them; a query of no weight is left out, undefined values are too."""
    grade, models, qid, weight = draw()
    grade[qid == "q3"] = 0
    options = {"metrics": METRICS, "replace_undefined_by": np.nan}
    report = rank_report(grade, models, qid=qid, sample_weight=weight, random_state=0, **options)
    for row in report.rows:
        scores = models[row["model"]]
        want = evaluate(grade, scores, qid=qid, sample_weight=weight, **options)
        assert row["mean"] == pytest.approx(want[row["metric"]], abs=1e-12)
        assert row["low"] < row["mean"] < row["high"]
    first, second = report.rows[:2]
    assert second["difference"] == pytest.approx(second["mean"] - first["mean"], abs=1e-12)
    assert report.n_queries == len(set(qid[weight > 0]))


def test_equal_weights_are_none():
    """Whatever they are, the same report."""
    grade, models, qid, _ = draw()
    want = rank_report(grade, models, qid=qid, metrics=METRICS, random_state=0)
    threes = np.full(len(grade), 3.0)
    got = rank_report(
        grade, models, qid=qid, metrics=METRICS, random_state=0, sample_weight=threes
    )
    for mine, theirs in zip(got.rows, want.rows, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-12)


def test_weighted_differences_are_tested_by_all_sign_flips():
    """Counted by hand: how many flips make the weighted mean as large."""
    rng = np.random.default_rng(2)
    difference, weight = rng.normal(0.5, 1, 9), rng.random(9)
    means = [
        np.average(difference * signs, weights=weight) for signs in product([1, -1], repeat=9)
    ]
    seen = abs(np.average(difference, weights=weight))
    want = np.mean(np.abs(means) >= seen - 1e-12)
    tested = compare_pairs(difference, 1000, rng, weight)
    assert tested.p_randomisation == pytest.approx(want, abs=1e-12)
    assert (tested.wins, tested.losses) == ((difference > 0).sum(), (difference < 0).sum())


def test_weighted_intervals_are_of_resampled_queries_and_their_weights():
    """As a loop over resamples has them, where weights and values go together."""
    rng = np.random.default_rng(3)
    weight = rng.gamma(2, 1, 40)
    value = rng.random(40) + weight / 4
    drawn = rng.integers(0, 40, (20_000, 40))
    means = np.average(value[drawn], weights=weight[drawn], axis=1)
    low, high = compute_intervals(value[None], 0.9, 20_000, rng, weight)
    # Quantiles of 20 000 draws have an error of about 0.4 % of their spread's standard deviation.
    assert [low[0], high[0]] == pytest.approx(
        np.quantile(means, [0.05, 0.95]), abs=0.06 * means.std()
    )


def test_weighted_intervals_hold_the_mean():
    """In 90 to 98 of 100 repeats."""
    rng = np.random.default_rng(4)
    kept = 0
    for _ in range(300):
        weight = rng.uniform(0.5, 1.5, 100)
        value = rng.random(100) + weight  # weighted mean: 1/2 + E(w²) / E(w)
        low, high = compute_intervals(value[None], 0.95, 199, rng, weight)
        kept += low[0] <= 0.5 + 13 / 12 <= high[0]
    assert 0.90 <= kept / 300 <= 0.98


def test_columns_of_other_names_say_what_they_are():
    """A dict gives the metric, to know which way is better."""
    grade, models, qid, _ = draw()
    made = {
        model: evaluate_per_query(grade, s, qid=qid, metrics={"noise": "fall_out@3"})
        for model, s in models.items()
    }
    with pytest.raises(ValueError, match="whether more is better"):
        rank_report(per_query=made)
    report = rank_report(per_query=made, metrics={"noise": "fall_out@3"}, random_state=0)
    row = report.rows[1]
    difference = made["b"]["noise"] - made["a"]["noise"]
    assert row["wins"] == (difference < 0).sum()
    only = rank_report(per_query=tables(grade, models, qid), metrics=["fall_out@3"])
    assert {row["metric"] for row in only.rows} == {"fall_out@3"}


def each(change, *models):
    """Change every column of these models' tables."""

    def change_tables(made):
        for model in models:
            made[model] = {name: change(values) for name, values in made[model].items()}

    return change_tables


def drop(*places):
    """Drop columns, each of one model's table."""

    def change_tables(made):
        for model, name in places:
            del made[model][name]

    return change_tables


def give_weights(made):
    """One weight differs between the tables."""
    for at, model in enumerate(made):
        made[model]["sample_weight"] = np.ones(50) + (np.arange(50) == 3) * at


BROKEN = {
    "missing": (
        each(lambda values: values[1:], "b"),
        "same queries, but query 'q.*' is not in the table of b",
    ),
    "extra": (
        each(lambda values: values[:-1], "a"),
        "same queries, but query 'q49' is only in the table of b",
    ),
    "twice": (
        each(lambda values: np.append(values, values[:1]), "b"),
        "has 2 lines in the per-query table of b",
    ),
    "no queries": (each(lambda values: values[:0], "a", "b"), "at least one query to compare"),
    "no ids": (drop(("a", "qid")), "table of a must have a column 'qid'"),
    "nothing": (drop(("a", "ndcg@5"), ("a", "fall_out@3")), "a column for each metric"),
    "nothing in common": (
        drop(("a", "ndcg@5"), ("b", "fall_out@3")),
        "must have a metric in common",
    ),
    "weights of one": (
        lambda made: made["a"].update(sample_weight=np.ones(50)),
        "in all per-query tables, or in none. The table of b differs",
    ),
    "other weights": (give_weights, "A query must have one weight"),
    "text": (lambda made: made["a"].update({"ndcg@5": made["a"]["qid"]}), "must hold numbers"),
}


@pytest.mark.parametrize(("change", "message"), BROKEN.values(), ids=BROKEN)
def test_tables_that_cannot_be_compared_are_refused_in_words(change, message):
    """Which table it is, and which query."""
    made = tables(*draw()[:3])
    change(made)
    with pytest.raises(ValueError, match=message):
        rank_report(per_query=made)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_true": [1, 0]}, "Got y_true as well"),
        ({"gain": "linear"}, "Got gain as well"),
        ({"per_query": {"qid": [1]}}, "must be a DataFrame or a dict"),
        ({"per_query": [1]}, "per_query must be a dict of the per-query table"),
    ],
    ids=str,
)
def test_what_is_asked_besides_is_refused(change, message):
    """Rows and options belong to what made the values."""
    grade, models, qid, _ = draw()
    with pytest.raises(TypeError, match=message):
        rank_report(**{"per_query": tables(grade, models, qid)} | change)
    with pytest.raises(ValueError, match="'map'"):
        rank_report(per_query=tables(grade, models, qid), metrics=["map"])


def test_a_per_query_table_has_the_weights_as_they_were_given():
    """One per query."""
    grade, models, qid, weight = draw()
    table = evaluate_per_query(grade, models["a"], qid=qid, metrics=["mrr"], sample_weight=weight)
    assert table["sample_weight"].tolist() == weight[::8].tolist()


@pytest.mark.parametrize("name", ["qid", "sample_weight"])
def test_no_metric_has_the_name_of_another_column(name):
    """Ids and weights keep theirs."""
    grade, models, qid, _ = draw()
    with pytest.raises(ValueError, match=f"No metric can be named {name!r}"):
        evaluate_per_query(grade, models["a"], qid=qid, metrics={name: "mrr"})


def test_queries_of_no_weight_are_in_no_count():
    """A report of the others alone, undefined and tied ones among them."""
    grade, models, qid, weight = draw()
    models = {name: np.round(scores) for name, scores in models.items()}
    grade[np.isin(qid, ["q3", "q4", "q5"])] = 0
    weight[qid == "q3"], weight[qid == "q4"] = 0, 2
    kept = weight > 0
    options = {"metrics": ["ndcg@5", "map"], "random_state": 0}
    got = rank_report(grade, models, qid=qid, sample_weight=weight, **options)
    want = rank_report(
        grade[kept],
        {name: scores[kept] for name, scores in models.items()},
        qid=qid[kept],
        sample_weight=weight[kept],
        **options,
    )
    assert got.rows == want.rows
    assert (got.n_queries, got.undefined, got.tied) == (want.n_queries, want.undefined, want.tied)
    without = len({one for one in qid[kept] if grade[qid == one].max() == 0})
    assert got.undefined["map"] == without < 3
    assert len(got.per_query["qid"]) == got.n_queries == len(set(qid[kept]))


@pytest.mark.parametrize("weighted", [False, True])
def test_differences_that_are_all_the_same_have_no_t_test(weighted):
    """With weights as without, though weighted they are not the same."""
    rng = np.random.default_rng(5)
    weight = rng.random(30) if weighted else None
    tested = compare_pairs(np.full(30, 0.25), 200, rng, weight)
    assert np.isnan(tested.p_t)
    assert (tested.wins, tested.ties, tested.losses) == (30, 0, 0)
    assert tested.p_randomisation < 0.05


@pytest.mark.parametrize("kind", ["rows", "tables"])
@pytest.mark.parametrize("unit", [1e308, 5e-324 * 2**40])
def test_a_report_of_weights_near_the_ends_of_the_floats(kind, unit):
    """Of rows and of tables, that of weights which differ by a power of two, or nearly."""
    grade, models, qid, _ = draw()
    share = np.repeat(np.random.default_rng(6).integers(1, 2**40, 50) / 2**40, 8)
    options = {"metrics": METRICS, "random_state": 0}
    want = rank_report(grade, models, qid=qid, sample_weight=share, **options)
    if kind == "rows":
        got = rank_report(grade, models, qid=qid, sample_weight=share * unit, **options)
    else:
        made = tables(grade, models, qid, sample_weight=share * unit)
        got = rank_report(per_query=made, random_state=0)
    for mine, theirs in zip(got.rows, want.rows, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-12)
