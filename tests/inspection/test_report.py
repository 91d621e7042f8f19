"""Reports: numbers of the metrics and of SciPy, honest error rates, tables that can be read."""

import sys
from itertools import product

import numpy as np
import pytest
from conftest import needs
from scipy import stats

from sklearn_rankscore import RankReport, RankTarget, evaluate, rank_report
from sklearn_rankscore.inspection._report.statistics import (
    adjust_by_holm,
    compare_pairs,
    compute_intervals,
)


def draw(seed, n_queries=60, n_rows=8):
    """Grades, and three models of which the second is the first and a little more."""
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 3, n_queries * n_rows)
    noise = rng.normal(size=(3, grade.size))
    models = {"a": grade + noise[0], "b": grade * 1.5 + noise[0], "c": grade + noise[2]}
    return grade, models, np.repeat(np.arange(n_queries), n_rows)


@pytest.mark.parametrize("undefined", [0.0, 1.0, np.nan])
def test_means_are_those_of_the_metrics(undefined):
    """For each model, options and undefined queries included; per query too."""
    grade, models, qid = draw(0)
    grade[qid < 5] = 0
    names = ["ndcg@3", "map"]
    options = {"metrics": names, "replace_undefined_by": undefined, "gain": "exponential"}
    report = rank_report(grade, models, qid=qid, random_state=0, **options)
    assert isinstance(report, RankReport)
    assert [(row["metric"], row["model"]) for row in report.rows] == list(product(names, models))
    for row in report.rows:
        want = evaluate(grade, models[row["model"]], qid=qid, **options)
        assert row["mean"] == pytest.approx(want[row["metric"]], abs=1e-12)
        values = report.per_query[row["model"], row["metric"]]
        assert np.nanmean(values) == pytest.approx(row["mean"], abs=1e-12)
        assert row["low"] <= row["mean"] <= row["high"]
    assert report.undefined == {"ndcg@3": 5, "map": 5}
    assert "undefined queries: ndcg@3 5, map 5" in " ".join(str(report).split())
    assert report.n_queries == 60


@pytest.mark.parametrize("values", [[0.5], [], [0.2, 0.4]])
def test_intervals_need_two_queries(values):
    """Of fewer they are unknown."""
    low, high = compute_intervals(np.array([values]), 0.9, 100, np.random.default_rng(0))
    assert np.isnan([*low, *high]).all() == (len(values) < 2)


def test_a_report_of_one_query_has_no_intervals_and_no_p_values():
    """Nothing is shown where nothing is known."""
    report = rank_report([1, 0], {"a": [2, 1], "b": [1, 2]}, qid=[1, 1], metrics=["mrr"])
    assert np.isnan([report.rows[1][name] for name in ("low", "high", "p_t", "p_holm")]).all()
    assert report.rows[1]["difference"] == -0.5
    assert "nan" not in str(report)
    assert "2 models, 1 query;" in str(report)


def test_differences_are_paired_and_tested_as_scipy_does():
    """Against the baseline that was asked for; Holm's adjustment over all comparisons."""
    grade, models, qid = draw(1)
    report = rank_report(
        grade, models, qid=qid, metrics=["ndcg@5", "mrr"], baseline="c", random_state=0
    )
    compared = [row for row in report.rows if row["model"] != "c"]
    assert all(row["difference"] is None for row in report.rows if row["model"] == "c")
    for row in compared:
        mine = report.per_query[row["model"], row["metric"]]
        theirs = report.per_query["c", row["metric"]]
        assert row["difference"] == pytest.approx((mine - theirs).mean(), abs=1e-12)
        assert row["p_t"] == pytest.approx(stats.ttest_rel(mine, theirs).pvalue, abs=1e-12)
        assert row["difference_low"] <= row["difference"] <= row["difference_high"]
        assert row["wins"] == (mine > theirs + 1e-12).sum()
        assert row["losses"] == (mine < theirs - 1e-12).sum()
        assert row["wins"] + row["ties"] + row["losses"] == 60
        assert abs(row["p_randomisation"] - row["p_t"]) < 0.1
    adjusted = adjust_by_holm(np.array([row["p_randomisation"] for row in compared]))
    assert [row["p_holm"] for row in compared] == adjusted.tolist()


@pytest.mark.parametrize(
    ("p_values", "want"),
    [
        ([0.03, 0.01, 0.5, 0.02], [0.06, 0.04, 0.5, 0.06]),
        ([0.9, 0.8], [1, 1]),
        ([0.04, np.nan, 0.01], [0.04, np.nan, 0.02]),
        ([], []),
    ],
)
def test_holm_by_hand(p_values, want):
    """0.01 x 4, 0.02 x 3, 0.03 x 2, 0.5; never falling, never above 1; what is unknown stays."""
    np.testing.assert_allclose(adjust_by_holm(p_values), want)


@pytest.mark.parametrize(
    ("difference", "p_randomisation", "p_t", "counts"),
    [
        ([0.1, 0.2, 0.3, 0.4], 2 / 16, stats.ttest_1samp([1, 2, 3, 4], 0).pvalue, (4, 0, 0)),
        ([0.0] * 9, 1.0, 1.0, (0, 9, 0)),
        ([0.5], np.nan, np.nan, (1, 0, 0)),
        ([-0.5, -0.5], 0.5, np.nan, (0, 0, 2)),
        ([], np.nan, np.nan, (0, 0, 0)),
    ],
    ids=["all flips", "no difference", "one query", "all the same", "no query"],
)
def test_few_queries_are_tested_exactly(difference, p_randomisation, p_t, counts):
    """All sign flips of four differences: 2 of 16 are as far from 0."""
    tested = compare_pairs(np.array(difference), 1000, np.random.default_rng(0))
    want = (p_randomisation, p_t, *counts)
    assert tuple(tested) == pytest.approx(want, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("shift", [0.0, 0.02, 0.05])
def test_many_queries_are_tested_alike(shift):
    """The faster form agrees with the t-test, which it must where there are many."""
    rng = np.random.default_rng(2)
    tested = compare_pairs(rng.normal(shift, 1, 5000), 2000, rng)
    assert tested.p_randomisation == pytest.approx(tested.p_t, abs=0.05)


@pytest.mark.parametrize(("shift", "low", "high"), [(0.0, 0.03, 0.075), (0.4, 0.9, 1.0)])
def test_error_rates_over_500_repeats(shift, low, high):
    """No difference: called one in about 5 of 100; a true one is found; intervals hold 95 %."""
    rng = np.random.default_rng(3)
    called, held = 0, 0
    for _ in range(500):
        difference = rng.normal(shift, 1.0, 80)
        tested = compare_pairs(difference, 199, rng)
        called += tested.p_randomisation <= 0.05
        lowest, highest = compute_intervals(difference[None], 0.95, 199, rng)
        held += lowest[0] <= shift <= highest[0]
    assert low <= called / 500 <= high
    assert 0.9 <= held / 500 <= 0.98


@pytest.mark.parametrize(("better", "low", "high"), [(0.0, 0.03, 0.075), (1.0, 0.9, 1.0)])
def test_error_rates_of_whole_reports(better, low, high):
    """Models that differ by chance are called different in 5 of 100; a better one is found."""
    called = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        grade = rng.integers(0, 2, 300)
        noise = rng.normal(size=(2, 300))
        models = {"one": grade + noise[0], "other": (1 + better) * grade + noise[1]}
        report = rank_report(
            grade,
            models,
            qid=np.repeat(np.arange(50), 6),
            metrics=["map"],
            n_resamples=199,
            random_state=seed,
        )
        called += report.rows[1]["p_holm"] <= 0.05
        assert not better or report.rows[1]["difference"] > -0.1
    assert low <= called / 500 <= high


def test_the_same_seed_gives_the_same_report():
    """The ids are those of a RankTarget; the first model is the baseline."""
    grade, models, qid = draw(4)
    target = RankTarget(grade, qid=qid)
    one, two = (rank_report(target, models, random_state=7) for _ in range(2))
    assert one.rows == two.rows
    assert one.baseline == "a"


def test_names_of_models_are_text():
    """A number names a model too, also as the baseline."""
    grade, models, qid = draw(4)
    numbered = rank_report(grade, {1: models["a"], 2: models["b"]}, qid=qid, baseline=2)
    assert numbered.baseline == "2"


def test_one_model_is_compared_with_nothing():
    """Its table ends with the interval."""
    grade, models, qid = draw(4)
    report = rank_report(grade, {"a": models["a"]}, qid=qid, random_state=0)
    assert report.rows[0]["difference"] is None
    assert str(report).splitlines()[0].split() == ["metric", "model", "mean", "95", "%"]


def test_less_is_better_where_it_is():
    """A lower fall-out wins."""
    grade = [1, 0, 0, 1, 0, 0]
    models = {"bad": [1, 3, 2, 1, 3, 2], "good": [3, 2, 1, 3, 2, 1]}
    report = rank_report(
        grade, models, qid=[0] * 3 + [1] * 3, metrics=["fall_out@1"], random_state=0
    )
    assert report.rows[1]["difference"] < 0
    assert report.rows[1]["wins"] == 2


def test_what_is_unsafe_is_said():
    """Few queries, most of them undefined, most rows tied."""
    grade, models, qid = draw(5, n_queries=12)
    grade[qid < 7] = 0
    report = rank_report(
        grade, {"a": models["a"], "flat": np.zeros(grade.size)}, qid=qid, random_state=0
    )
    few, *undefined = report.warnings
    assert few.startswith("12 queries are few")
    assert "ndcg@10 is undefined for most queries (7 of 12)" in undefined
    assert str(report).count("Unsafe: ") == 4


def test_ties_that_matter_are_unsafe():
    """Those of rows of different grades, within the deepest cutoff; others move nothing."""
    grade = np.tile([2, 1, 0, 0, 0, 0], 40)
    qid = np.repeat(np.arange(40), 6)
    scores = {
        "flat": np.zeros(240),
        "below": np.tile([3, 2, 1, 1, 1, 1], 40),  # equal grades
        "deep": np.tile([6, 1, 5, 4, 3, 1], 40),  # different ones, below the cutoff
    }
    report = rank_report(grade, scores, qid=qid, metrics=["ndcg@3"], random_state=0)
    assert report.tied == {"flat": 1.0, "below": 0.0, "deep": 0.0}
    (warning,) = report.warnings
    assert warning.startswith("100% of the rows of flat are tied with rows of other grades")
    deep = rank_report(grade, scores, qid=qid, metrics=["map"], random_state=0).tied["deep"]
    assert deep == pytest.approx(2 / 6)


def test_many_comparisons_flip_more_signs():
    """So that Holm's p-value of a clear difference can be small."""
    rng = np.random.default_rng(0)
    grade, qid = np.tile([1, 0], 200), np.repeat(np.arange(200), 2)
    scores = {"best": grade + 0.0} | {str(at): rng.random(400) for at in range(9)}
    report = rank_report(grade, scores, qid=qid, metrics=["mrr"], n_resamples=100, random_state=0)
    assert max(row["p_holm"] for row in report.rows[1:]) < 0.01


def test_scores_as_a_frame():
    """A column is a model."""
    grade, models, qid = draw(6)
    frame = needs("pandas").DataFrame(models)
    want = rank_report(grade, models, qid=qid, random_state=0).rows
    assert rank_report(grade, frame, qid=qid, random_state=0).rows == want


def test_intervals_are_those_of_scipy():
    """As bootstrap of the means by SciPy itself."""
    stats = pytest.importorskip("scipy.stats")
    columns = np.random.default_rng(3).random((3, 50))
    low, high = compute_intervals(columns, 0.9, 500, np.random.default_rng(0))
    theirs = stats.bootstrap(
        (columns,),
        np.mean,
        axis=-1,
        n_resamples=500,
        confidence_level=0.9,
        method="percentile",
        random_state=np.random.default_rng(0),
    ).confidence_interval
    np.testing.assert_allclose(low, theirs.low, atol=1e-12)
    np.testing.assert_allclose(high, theirs.high, atol=1e-12)
    assert not rank_report(*draw(6)[:2], qid=draw(6)[2], random_state=0).warnings


def test_tables_in_every_form():
    """Text, Markdown, HTML, a frame: the same numbers."""
    grade, models, qid = draw(7)
    models = {"a|b": models["a"], "c_d & <e>": models["c"]}
    report = rank_report(grade, models, qid=qid, metrics=["ndcg@5"], random_state=0)
    mean = f"{report.rows[1]['mean']:.4f}"
    for text in (str(report), report.to_markdown(), report._repr_html_()):
        assert mean in text
    lines = report.to_markdown().splitlines()
    assert {line.replace("\\|", "").count("|") for line in lines} == {11}
    assert "c_d &amp; &lt;e&gt;" in report._repr_html_()
    frame_of = needs("pandas").DataFrame
    frame = report.to_frame()
    assert isinstance(frame, frame_of)
    assert frame.loc[("ndcg@5", "a|b"), "mean"] == report.rows[0]["mean"]


@pytest.mark.parametrize("n_models", [1, 2])
def test_latex_is_a_tabular_environment_with_escaped_names(n_models):
    """Four decimals; one model has no columns of comparisons; needs pandas and jinja2."""
    needs("pandas"), needs("jinja2")
    grade, models, qid = draw(7)
    models = dict(list({"c_d & e": models["a"], "other": models["b"]}.items())[:n_models])
    report = rank_report(grade, models, qid=qid, metrics=["ndcg@5"], random_state=0)
    latex = report.to_latex()
    assert latex.startswith(r"\begin{tabular}{ll" + "r" * (3 if n_models == 1 else 5) + "}")
    assert latex.rstrip().endswith(r"\end{tabular}")
    row = report.rows[0]
    assert rf"ndcg@5 & c\_d \& e & {row['mean']:.4f} & {row['low']:.4f}" in latex
    assert ("p (Holm)" in latex) == (n_models == 2)


def test_latex_without_pandas_says_what_to_install(monkeypatch):
    """Not only that a module is missing."""
    grade, models, qid = draw(7)
    report = rank_report(grade, {"a": models["a"]}, qid=qid, metrics=["mrr"], random_state=0)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas jinja2"):
        report.to_latex()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"y_score": [1, 2]}, TypeError, "a dict of the scores of each model"),
        ({"y_score": {}}, TypeError, "a dict of the scores of each model"),
        ({"y_score": {1: [1], "1": [2]}}, ValueError, "must have different names. Got 1, '1'"),
        ({"n_resamples": 1}, ValueError, "n_resamples must be at least 2"),
        ({"baseline": "z"}, ValueError, "baseline must be one of a, b, c. Got 'z'"),
        ({"confidence_level": 95}, ValueError, "confidence_level must be above 0 and below 1"),
        ({"n_resamples": 0}, ValueError, "n_resamples must be a positive integer"),
        ({"metrics": "map"}, TypeError, "metrics must be a list of names"),
        ({"metrics": ["coverage"]}, TypeError, "no value per query"),
    ],
)
def test_wrong_arguments_are_refused_in_words(change, error, message):
    """Each says what is wrong."""
    grade, models, qid = draw(8)
    rows = {"y_true": grade, "y_score": models, "qid": qid}
    with pytest.raises(error, match=message):
        rank_report(**{**rows, **change})


@pytest.mark.parametrize(
    ("name", "markdown"),
    [
        ("<script>alert(1)</script>", "&lt;script>"),
        ("[x](javascript:alert(1))", r"\[x\]\(javascript"),
        ("a\\|b", r"a\\&#124;b"),
        ("$x$ ~~y~~ _z_ a_b", r"\$x\$ \~\~y\~\~ \_z\_ a_b"),
        ("\x1b[31mred", r"\\x1b\[31mred"),
    ],
)
def test_names_are_letters_and_nothing_else(name, markdown):
    """No HTML, link, cell or terminal command comes out of a model's name."""
    grade, models, qid = draw(1)
    report = rank_report(
        grade, {name: models["a"], "b": models["c"]}, qid=qid, metrics=["mrr"], random_state=0
    )
    assert markdown in report.to_markdown()
    assert len({line.count("|") for line in report.to_markdown().splitlines()}) == 1
    for text in (str(report), report._repr_html_(), report.to_markdown()):
        assert "\x1b" not in text
    assert "<script" not in report._repr_html_() + report.to_markdown()


@pytest.mark.parametrize("name", ["[1pt]", "*star", "a|b", "\x1b[2J"])
def test_names_in_latex(name):
    """A row begins with no bracket, and a bar is a bar."""
    needs("pandas")
    needs("jinja2")
    grade, models, qid = draw(1)
    report = rank_report(
        grade,
        {name: models["a"], "b": models["c"]},
        qid=qid,
        metrics={name: "mrr"},
        random_state=0,
    )
    rows = [line for line in report.to_latex().splitlines() if line.endswith(r"\\")]
    assert not any(line.startswith(("[", "*")) for line in rows)
    assert not any("|" in line or "\x1b" in line for line in rows)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "a random order inside ties"),
        ({"ties": "first"}, "the order of the data inside ties"),
        ({"ties": "pessimistic"}, "the worst order inside ties"),
        ({"convention": "trec_eval"}, "the order of the data inside ties"),
    ],
)
def test_what_tied_rows_assume(options, words):
    """The policy's order; to trec_eval, which rounds to 32 bits, seconds of today are tied."""
    grade, qid = [0, 1, 1, 0] * 2, [1] * 4 + [2] * 4
    score = 1.7e9 + np.array([0, 1, 2, 3] * 2) * ("convention" in options)
    models = {"a": score, "b": range(8)}
    report = rank_report(grade, models, qid=qid, metrics=["mrr"], random_state=0, **options)
    assert report.tied["a"] == 1
    assert any(words in text for text in report.warnings)
    assert report.tied["b"] == 0
