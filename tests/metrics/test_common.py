"""Properties that every metric of the table must have."""

import copy
import inspect
import itertools
import pickle

import numpy as np
import oracles
import oracles_beyond
import pytest

from sklearn_rankscore import get_metric, metric_names

ALL = [get_metric(name) for name in metric_names()]
# What lies beyond accuracy needs more than grades and scores, and has tests of its own.
METRICS = [metric for metric in ALL if not metric.row_values and metric.pool is None]
BEYOND = {"catalog_coverage", "intra_list_diversity", "novelty", "rmse", "serendipity"}
POLICIES = ("average", "optimistic", "pessimistic", "first", "last")
CHOICES = {
    "k": (None, 1, 2, 3, 5, 100),
    "gain": ("linear", "exponential", [0.0, 5.0, 1.0, 2.0], np.sqrt),
    "discount": ("log2", "jarvelin", "reciprocal", lambda rank: 0.5 ** np.asarray(rank)),
    "min_relevance": (None, 2, 0),
    "denominator": (None, "attainable"),
    "persistence": (0.8, 0.0, 0.35),
    "max_grade": (4.0, 3.0),
    "recall_level": (0.5, 0.0, 0.3, 1.0),
}
# Count pairs of all rows, and so the rows of a padding.
PAIRS = ("kendall_tau_b", "pairwise_accuracy", "spearman_rho")
# Defined for every query that has a row retrieved.
ALWAYS = ("cumulative_gain", "dcg", "ideal_dcg", "judged")
EXACT = {"rel": 1e-12, "abs": 1e-12}


def cut(metric, k):
    """Give a cutoff to metrics that have one."""
    return {"k": k} if "k" in metric.options else {}


def undefined(metric):
    """Give grades for which a metric is undefined."""
    return [1, 1] if metric.name == "fall_out" else [0, 0]


every_metric = pytest.mark.parametrize("metric", METRICS, ids=str)


def draw(rng, n_queries=40, longest=6, levels=4, unretrieved=0.15):
    """Draw ragged, interleaved queries with many ties, unretrieved rows and all-zero queries."""
    lengths = rng.integers(1, longest + 1, n_queries)
    qid = rng.permutation(np.repeat(np.arange(n_queries), lengths))
    grade = rng.integers(0, 4, qid.size)
    grade[np.isin(qid, rng.choice(n_queries, n_queries // 8, replace=False))] = 0
    score = rng.integers(0, levels, qid.size).astype(float)
    score[rng.random(qid.size) < unretrieved] = -np.inf
    return grade, score, qid


def combinations(metric):
    """Give every combination of the metric's own options."""
    own = [option for option in metric.options if option in CHOICES]
    for values in itertools.product(*(CHOICES[option] for option in own)):
        options = dict(zip(own, values, strict=True))
        if options.get("denominator", "") is None:
            del options["denominator"]
        yield options


@pytest.mark.parametrize("metric", ALL, ids=str)
def test_a_metric_has_an_oracle(metric):
    """A metric without an independent definition is not tested at all."""
    if metric in METRICS:
        assert callable(getattr(oracles, metric.name))
    else:
        assert metric.name in BEYOND
        assert metric.name == "rmse" or callable(getattr(oracles_beyond, metric.name))


@every_metric
@pytest.mark.parametrize("ties", POLICIES)
def test_every_option_agrees_with_enumeration_of_all_tie_orders(metric, ties):
    """Under ties a metric is the mean, best or worst over all orders, for all options crossed."""
    if ties == "average" and metric.name in oracles.COEFFICIENTS:
        pytest.skip("it defines what equal scores mean; see the tests against SciPy")
    rng = np.random.default_rng(7)
    compared = 0
    choices = list(combinations(metric))
    for options in choices:
        grade, score, qid = draw(rng, n_queries=max(12, 2000 // len(choices)))
        got = metric.per_query(
            grade, score, qid=qid, ties=ties, replace_undefined_by=np.nan, **options
        )
        for query, value in zip(*got, strict=True):
            rows = qid == query
            want = oracles.expected(metric.name, grade[rows], score[rows], ties, **options)
            if want is None:
                assert np.isnan(value), (options, query)
            else:
                assert value == pytest.approx(want, **EXACT), (options, query)
                compared += 1
    assert compared >= 500


@every_metric
def test_wide_queries_agree_with_the_oracle_at_small_cutoffs(metric):
    """Where only the top of a long list is sorted, the numbers stay the same."""
    rng = np.random.default_rng(3)
    for levels in (3, 40, 10**9):
        lengths = rng.integers(20, 120, 25)
        qid = np.repeat(np.arange(25), lengths)
        grade = rng.integers(0, 3, qid.size) * (rng.random(qid.size) < 0.2)
        score = rng.integers(0, levels, qid.size).astype(float)
        score[rng.random(qid.size) < 0.4] = -np.inf
        for k, ties in itertools.product((1, 3, 7), ("first", "last")):
            cutoff = cut(metric, k)
            got = metric.per_query(grade, score, qid=qid, ties=ties, **cutoff).value
            for query, value in enumerate(got):
                rows = qid == query
                want = oracles.expected(metric.name, grade[rows], score[rows], ties, **cutoff)
                assert value == pytest.approx(0.0 if want is None else want, **EXACT)


@every_metric
@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic"])
def test_a_cutoff_sees_the_same_ties_as_the_whole_list(metric, ties):
    """Sorting the top k alone gives the value of sorting everything, with ties at the edge too."""
    rng = np.random.default_rng(11)
    lengths = rng.integers(1, 200, 60)
    qid = np.repeat(np.arange(60), lengths)
    grade = rng.integers(0, 4, qid.size) * (rng.random(qid.size) < 0.3)
    score = np.round(rng.standard_normal(qid.size), 1)
    score[rng.random(qid.size) < 0.2] = -np.inf
    # A rectangle of one width forces the whole sort; the ragged rows take the short cut.
    width = lengths.max()
    wide = np.full((60, 3 * width), -np.inf)
    grades = np.zeros((60, 3 * width))
    for query in range(60):
        wide[query, : lengths[query]] = score[qid == query]
        grades[query, : lengths[query]] = grade[qid == query]
    if metric.name in ("bpref", "fall_out", "roc_auc", *PAIRS):
        pytest.skip("the rows of padding count among those that are not relevant")
    for k in (1, 4, 10):
        ragged = metric.per_query(grade, score, qid=qid, ties=ties, **cut(metric, k)).value
        padded = metric.per_query(grades, wide, ties=ties, **cut(metric, k)).value
        np.testing.assert_allclose(ragged, padded, rtol=1e-12, atol=1e-12)


@every_metric
def test_row_order_and_names_of_queries_do_not_matter(metric):
    """With ties averaged, neither the places of rows nor the names of queries matter."""
    rng = np.random.default_rng(0)
    grade, score, qid = draw(rng)
    cutoff = cut(metric, 3)
    value = metric(grade, score, qid=qid, **cutoff)
    for _ in range(5):
        order = rng.permutation(qid.size)
        again = metric(grade[order], score[order], qid=qid[order], **cutoff)
        assert again == pytest.approx(value)
    names = np.array([f"q{query}" for query in rng.permutation(100)])
    assert metric(grade, score, qid=names[qid], **cutoff) == pytest.approx(value)


@every_metric
def test_only_the_order_of_scores_counts(metric):
    """A rising function of the scores changes nothing."""
    grade, score, qid = draw(np.random.default_rng(1))
    value = metric(grade, score, qid=qid)
    for rising in (np.exp, lambda s: s**3 - 7, lambda s: np.where(s > -np.inf, s * 1e-9, s)):
        assert metric(grade, np.where(score > -np.inf, rising(score), score), qid=qid) == value


@every_metric
def test_a_cutoff_beyond_the_list_is_the_list(metric):
    """A larger k changes nothing, but precision and F1 divide by it."""
    grade, score, qid = draw(np.random.default_rng(2), longest=5)
    if "k" not in metric.options:
        with pytest.raises(TypeError, match=f"{metric.name} has no option 'k'"):
            get_metric(f"{metric.name}@10")
        return
    if metric.name in ("precision", "f1"):
        return_at_five = metric(grade, score, qid=qid, k=5)
        assert metric(grade, score, qid=qid, k=1000) < return_at_five
    else:
        whole = metric(grade, score, qid=qid)
        assert metric(grade, score, qid=qid, k=5) == pytest.approx(whole)
        assert metric(grade, score, qid=qid, k=10**6) == pytest.approx(whole)


@every_metric
def test_values_stay_in_range(metric):
    """Normalised metrics lie in [0, 1]; gains are not negative."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        grade, score, qid = draw(rng)
        for k, ties in itertools.product((None, 1, 3), POLICIES):
            value = metric.per_query(grade, score, qid=qid, ties=ties, **cut(metric, k)).value
            assert (value >= (-1 if metric.name in oracles.COEFFICIENTS else 0)).all()
            if "gain" not in metric.options or metric.name == "ndcg":
                assert (value <= 1 + 1e-12).all()


@every_metric
def test_the_call_is_the_mean_of_per_query(metric):
    """Weights and undefined values act on the mean of what per_query returns."""
    rng = np.random.default_rng(5)
    grade, score, qid = draw(rng)
    cutoff = cut(metric, 3)
    per_query = metric.per_query(grade, score, qid=qid, **cutoff)
    assert metric(grade, score, qid=qid, **cutoff) == pytest.approx(per_query.value.mean())
    weight = rng.integers(0, 4, qid.max() + 1).astype(float)
    mean = np.average(per_query.value, weights=weight[per_query.qid])
    weighted = metric(grade, score, qid=qid, sample_weight=weight[qid], **cutoff)
    assert weighted == pytest.approx(mean)
    some = weight[qid] > 0
    rows = grade[some], score[some]
    left = metric(*rows, qid=qid[some], sample_weight=weight[qid][some], **cutoff)
    assert weighted == pytest.approx(left)


@every_metric
def test_queries_come_in_order_of_first_appearance(metric):
    """per_query keeps the ids, in the order in which they are met."""
    got = metric.per_query([1, 0, 1, 0, 1], [1, 2, 3, 4, 5], qid=["z", "a", "z", "m", "a"])
    assert got.qid.tolist() == ["z", "a", "m"]


@every_metric
def test_undefined_queries_score_what_was_asked(metric):
    """A query without relevant rows scores 0, or another number, or is left out of the mean."""
    grade, score, qid = [1, 0, *undefined(metric)], [2, 1, 2, 1], [0, 0, 1, 1]
    alone = metric([1, 0], [2, 1], qid=[0, 0])
    if metric.name in ALWAYS:
        both = (alone + metric([0, 0], [2, 1], qid=[0, 0])) / 2
        assert metric(grade, score, qid=qid, replace_undefined_by=np.nan) == both
        return
    assert metric(grade, score, qid=qid) == pytest.approx(alone / 2)
    assert metric(grade, score, qid=qid, replace_undefined_by=1) == pytest.approx((alone + 1) / 2)
    assert metric(grade, score, qid=qid, replace_undefined_by=np.nan) == pytest.approx(alone)
    values = metric.per_query(grade, score, qid=qid, replace_undefined_by=np.nan).value
    assert np.isnan(values).tolist() == [False, True]


@every_metric
def test_undefined_everywhere_is_nan_with_a_warning(metric):
    """Without a query to average over, the result is nan, with a warning."""
    if metric.name in ALWAYS:
        assert np.isfinite(metric([0, 0], [1, 2], qid=[1, 1], replace_undefined_by=np.nan))
        return
    from sklearn.exceptions import UndefinedMetricWarning

    rows = undefined(metric), [1, 2]
    with pytest.warns(UndefinedMetricWarning, match=f"{metric.name} is undefined for every"):
        assert np.isnan(metric(*rows, qid=[1, 1], replace_undefined_by=np.nan))


@pytest.mark.parametrize("metric", ALL, ids=str)
def test_names_round_trip(metric):
    """get_metric takes the text of a metric as its name."""
    assert get_metric(str(metric)) == metric
    if "k" not in metric.options:
        assert all(get_metric(alias.upper()) == metric for alias in metric.aliases)
        return
    for alias in metric.aliases:
        assert get_metric(f"{alias.upper()}@7") == get_metric(f"{metric.name}@7")
    assert str(get_metric(metric.name, k=7)) == f"{metric.name}@7"
    assert get_metric(f"{metric.name}@7", k=7) == get_metric(f"{metric.name}@7")


@every_metric
def test_metrics_copy_and_pickle(metric):
    """A metric with bound options is the same metric after a round trip."""
    bound = metric.bind(ties="pessimistic", **cut(metric, 3))
    assert bound.greater_is_better is metric.greater_is_better
    grade, score, qid = draw(np.random.default_rng(6))
    for other in (copy.copy(bound), copy.deepcopy(bound), pickle.loads(pickle.dumps(bound))):
        assert other == bound
        assert hash(other) == hash(bound)
        assert other(grade, score, qid=qid) == bound(grade, score, qid=qid)


@pytest.mark.parametrize("metric", ALL, ids=str)
def test_a_metric_looks_like_a_function(metric):
    """It has the signature, name and docstring of one, and the docstring explains every option."""
    parameters = inspect.signature(metric).parameters
    rows = ["y_true", "y_score", "qid", "sample_weight"]
    assert list(parameters) == [*rows, *metric.row_values, *metric.options, "n_jobs"]
    assert metric.__name__ == metric.name
    for option in parameters:
        assert f"\n{option} :" in metric.__doc__ or option == "y_score"
    for section in ("Parameters", "Returns", "Raises", "References", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in metric.__doc__
    assert "Range: " in metric.__doc__


@every_metric
@pytest.mark.parametrize(
    "dtype",
    [
        "int8",
        "uint8",
        "int64",
        "uint64",
        "float16",
        "float32",
        "float64",
        "longdouble",
        bool,
        object,
    ],
)
def test_dtypes_of_scores_and_grades_do_not_matter(metric, dtype):
    """Unsigned, tiny, huge and object numbers rank as their values do."""
    rng = np.random.default_rng(8)
    grade, score = rng.integers(0, 2, 60), rng.integers(0, 2 if dtype is bool else 9, 60)
    qid = rng.integers(0, 9, 60)
    want = metric(grade.tolist(), score.astype(float), qid=qid)
    assert metric(grade.astype(dtype), score.astype(dtype), qid=qid) == want


@every_metric
def test_flat_and_rectangle_agree(metric):
    """A rectangle, as scikit-learn takes it, equals flat queries of one length."""
    rng = np.random.default_rng(9)
    grade, score = rng.integers(0, 4, (30, 7)), rng.integers(0, 5, (30, 7))
    weight = rng.random(30)
    flat = metric(
        grade.ravel(),
        score.ravel(),
        qid=np.repeat(np.arange(30), 7),
        sample_weight=np.repeat(weight, 7),
        **cut(metric, 4),
    )
    assert metric(grade, score, sample_weight=weight, **cut(metric, 4)) == pytest.approx(flat)
    assert metric(
        grade, score, sample_weight=np.repeat(weight, 7), **cut(metric, 4)
    ) == pytest.approx(flat)
