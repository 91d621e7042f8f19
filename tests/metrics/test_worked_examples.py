"""Examples from the literature and from textbooks, in exact arithmetic."""

from itertools import combinations
from math import log2

import numpy as np
import pytest
from scipy import sparse

from sklearn_rankscore import (
    average_precision,
    bpref,
    dcg,
    expected_reciprocal_rank,
    fall_out,
    hit_rate,
    ideal_dcg,
    interpolated_precision,
    judged,
    kendall_tau_b,
    ndcg,
    pairwise_accuracy,
    precision,
    r_precision,
    rank_biased_precision,
    recall,
    reciprocal_rank,
    roc_auc,
    spearman_rho,
)


def ranked(*grades):
    """Make a query whose rows stand in ranked order."""
    return [list(grades)], [list(range(len(grades), 0, -1))]


def relevant_at(*ranks, rows=10, unretrieved=0):
    """Make a query with relevant rows at these ranks, and some that were not retrieved."""
    grades = [int(rank in ranks) for rank in range(1, rows + 1)] + [1] * unretrieved
    scores = [float(-rank) for rank in range(1, rows + 1)] + [-np.inf] * unretrieved
    return [grades], [scores]


GRADES = (3, 2, 3, 0, 0, 1, 2, 2, 3, 0)


def test_cumulated_gain_of_jarvelin_and_kekalainen():
    """The running example of their 2002 paper: ranks 1 and 2 undiscounted."""
    steps = [3, 2, 3 / log2(3), 0, 0, 1 / log2(6), 2 / log2(7), 2 / 3, 3 / log2(9), 0]
    values = [dcg(*ranked(*GRADES), discount="jarvelin", k=k) for k in range(1, 11)]
    assert values == pytest.approx(np.cumsum(steps).tolist(), rel=1e-14)
    printed = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    assert np.round(values, 2).tolist() == printed
    assert round(values[2] - values[1], 2) == 1.89
    assert round(values[8] - values[7], 2) == 0.95


@pytest.mark.parametrize(
    ("order", "value", "share"),
    [
        ((2, 2, 1, 0), 2 + 2 + 1 / log2(3), 1),
        ((2, 1, 2, 0), 2 + 1 + 2 / log2(3), (3 + 2 / log2(3)) / (4 + 1 / log2(3))),
    ],
)
def test_small_orders_with_the_undiscounted_second_rank(order, value, share):
    """Equal grades may change places; a better row lower down costs."""
    assert dcg(*ranked(*order), discount="jarvelin") == pytest.approx(value, rel=1e-14)
    assert ndcg(*ranked(*order), discount="jarvelin") == pytest.approx(share, rel=1e-14)
    assert round(value, 4) in (4.6309, 4.2619)
    assert round(share, 4) in (1, 0.9203)


def test_swapping_two_rows_of_one_grade_changes_nothing():
    """The two 2s of the ideal order, ranked the other way round."""
    swapped = ([[2, 2, 1, 0]], [[3, 4, 2, 1]])
    assert dcg(*swapped, discount="jarvelin") == dcg(*ranked(2, 2, 1, 0), discount="jarvelin")
    assert ndcg(*swapped, discount="jarvelin") == 1


def test_five_rows_with_the_undiscounted_second_rank():
    """3 2 3 0 1 against its ideal 3 3 2 1 0."""
    rows = ranked(3, 2, 3, 0, 1)
    value, ideal = 3 + 2 + 3 / log2(3) + 1 / log2(5), 3 + 3 + 2 / log2(3) + 1 / 2
    assert dcg(*rows, discount="jarvelin") == pytest.approx(value, rel=1e-14)
    assert ideal_dcg(*rows, discount="jarvelin") == pytest.approx(ideal, rel=1e-14)
    assert ndcg(*rows, discount="jarvelin") == pytest.approx(value / ideal, rel=1e-14)
    assert [round(value, 2), round(ideal, 2), round(value / ideal, 2)] == [7.32, 7.76, 0.94]


def test_six_rows_and_a_relevant_one_that_was_not_retrieved():
    """A judged row outside the list belongs to the ideal."""
    value = 3 + 2 / log2(3) + 3 / 2 + 1 / log2(6) + 2 / log2(7)
    own = 3 + 3 / log2(3) + 2 / 2 + 2 / log2(5) + 1 / log2(6)
    rows = ranked(3, 2, 3, 0, 1, 2)
    assert dcg(*rows) == pytest.approx(value, rel=1e-14)
    assert ideal_dcg(*rows) == pytest.approx(own, rel=1e-14)
    assert ndcg(*rows) == pytest.approx(value / own, rel=1e-14)
    assert [round(value, 3), round(own, 3), round(value / own, 4)] == [6.861, 7.141, 0.9608]

    more = [[3, 2, 3, 0, 1, 2, 3]], [[6, 5, 4, 3, 2, 1, -np.inf]]
    ideal = 3 + 3 / log2(3) + 3 / 2 + 2 / log2(5) + 2 / log2(6) + 1 / log2(7)
    assert ideal_dcg(*more, k=6) == pytest.approx(ideal, rel=1e-14)
    assert ndcg(*more, k=6) == pytest.approx(value / ideal, rel=1e-14)
    assert round(ideal, 3) == 8.384
    assert value / ideal == pytest.approx(0.8183, abs=1e-4)  # printed from rounded terms


def test_exponential_gain():
    """3 0 2 1 0 with gains 7 0 3 1 0."""
    rows = ranked(3, 0, 2, 1, 0)
    value, ideal = 7 + 3 / 2 + 1 / log2(5), 7 + 3 / log2(3) + 1 / 2
    assert dcg(*rows, gain="exponential", k=5) == pytest.approx(value, rel=1e-14)
    assert ideal_dcg(*rows, gain="exponential", k=5) == pytest.approx(ideal, rel=1e-14)
    assert ndcg(*rows, gain="exponential", k=5) == pytest.approx(value / ideal, rel=1e-14)
    assert [round(value, 3), round(ideal, 3), round(value / ideal, 3)] == [8.931, 9.393, 0.951]


@pytest.mark.parametrize(
    ("ranks", "value", "printed"),
    [
        ((1, 3, 4, 5, 6, 10), (1 + 2 / 3 + 3 / 4 + 4 / 5 + 5 / 6 + 6 / 10) / 6, 0.78),
        ((2, 5, 6, 7, 9, 10), (1 / 2 + 2 / 5 + 3 / 6 + 4 / 7 + 5 / 9 + 6 / 10) / 6, 0.52),
        ((1, 3, 6, 9, 10), (1 + 2 / 3 + 3 / 6 + 4 / 9 + 5 / 10) / 5, 0.622),
        ((2, 5, 7), (1 / 2 + 2 / 5 + 3 / 7) / 3, 0.443),
    ],
)
def test_average_precision_of_textbook_lists(ranks, value, printed):
    """Mean of the precision at each relevant rank."""
    assert average_precision(*relevant_at(*ranks)) == pytest.approx(value, rel=1e-14)
    assert value == pytest.approx(printed, abs=0.00501 if printed in (0.78, 0.52) else 0.000501)


def test_mean_average_precision_of_two_queries():
    """MAP is the mean over queries."""
    (one,), (scores,) = relevant_at(1, 3, 6, 9, 10)
    (two,), _ = relevant_at(2, 5, 7)
    value = ((1 + 2 / 3 + 3 / 6 + 4 / 9 + 5 / 10) / 5 + (1 / 2 + 2 / 5 + 3 / 7) / 3) / 2
    assert average_precision([one, two], [scores, scores]) == pytest.approx(value, rel=1e-14)
    assert round(value, 2) == 0.53


def test_relevant_rows_that_were_not_retrieved_divide_too():
    """Five relevant, three of them retrieved: still a fifth each."""
    rows = relevant_at(1, 3, 6, unretrieved=2)
    value = (1 + 2 / 3 + 3 / 6) / 5
    assert average_precision(*rows) == pytest.approx(value, rel=1e-14)
    assert recall(*rows) == pytest.approx(3 / 5)


def test_precision_does_not_see_the_order_of_the_top():
    """Two of ten are two of ten, first or last."""
    assert precision(*relevant_at(1, 2), k=10) == pytest.approx(0.2)
    assert precision(*relevant_at(9, 10), k=10) == pytest.approx(0.2)


def test_reciprocal_rank_counts_the_first_relevant_row_only():
    """Relevant rows at ranks 3 and 5 score 1/3."""
    assert reciprocal_rank(*relevant_at(3, 5)) == pytest.approx(1 / 3, rel=1e-14)


@pytest.mark.parametrize("rank", range(1, 11))
def test_reciprocal_rank_is_average_precision_of_a_single_relevant_row(rank):
    """Where one row is relevant, MAP equals MRR."""
    rows = relevant_at(rank)
    assert average_precision(*rows) == pytest.approx(1 / rank, rel=1e-14)
    assert reciprocal_rank(*rows) == pytest.approx(1 / rank, rel=1e-14)


def test_a_constant_model_scores_the_expectation():
    """One relevant row among n equal scores: H_n / n for AP and RR, k / n for the rest."""
    n = 1_000_000
    grade = np.zeros(n)
    grade[0] = 1
    rows = grade[None], np.ones((1, n))
    harmonic = np.sum(1 / np.arange(1, n + 1))
    assert average_precision(*rows) == pytest.approx(harmonic / n, rel=1e-9)
    assert reciprocal_rank(*rows) == pytest.approx(harmonic / n, rel=1e-9)
    assert precision(*rows, k=10) == pytest.approx(1 / n, rel=1e-9)
    assert hit_rate(*rows, k=10) == pytest.approx(10 / n, rel=1e-9)
    assert ndcg(*rows, k=10) == pytest.approx(np.sum(1 / np.log2(np.arange(2, 12))) / n)


def test_expected_reciprocal_rank_by_hand():
    """Grades 3, 2, 4 of at most 4: stops 7/16, 3/16, 15/16."""
    want = 7 / 16 + 9 / 16 * 3 / 16 / 2 + 9 / 16 * 13 / 16 * 15 / 16 / 3
    assert expected_reciprocal_rank(*ranked(3, 2, 4)) == pytest.approx(want, rel=1e-14)
    assert expected_reciprocal_rank(*ranked(1), max_grade=1) == 0.5
    with pytest.raises(ValueError, match=r"must not be above max_grade=2\. Got 3 instead; pass"):
        expected_reciprocal_rank(*ranked(3), max_grade=2)
    # All rows tied: any of the six orders.
    one, two = 1 / 2, 0
    tied = expected_reciprocal_rank([[1, 0, 0]], [[5, 5, 5]], max_grade=1)
    assert tied == pytest.approx(one * (1 + 1 / 2 + 1 / 3) / 3 + two, rel=1e-14)


def test_rank_biased_precision_by_hand():
    """Moffat and Zobel: the weights of all ranks add up to 1."""
    value = rank_biased_precision(*relevant_at(1, 3), persistence=0.5)
    assert value == pytest.approx(0.5 + 0.125, rel=1e-14)
    assert rank_biased_precision(*ranked(*[1] * 60)) == pytest.approx(1 - 0.8**60, rel=1e-14)


@pytest.mark.parametrize("persistence", [1, -0.1, np.nan, "0.8"])
def test_a_persistence_that_is_no_probability_is_refused(persistence):
    """A persistence of 1 would never stop."""
    with pytest.raises(ValueError, match="must be a probability, at least 0 and below 1"):
        rank_biased_precision(*ranked(1), persistence=persistence)


def test_measures_of_pairs_by_hand():
    """Two relevant rows at ranks 1 and 4 of 5; ties count half."""
    rows = relevant_at(1, 4, rows=5)
    assert roc_auc(*rows) == pytest.approx((3 + 1) / 6, rel=1e-14)
    assert bpref(*rows) == pytest.approx((1 + (1 - 2 / 2)) / 2, rel=1e-14)
    assert r_precision(*rows) == 0.5
    assert fall_out(*rows, k=3) == pytest.approx(2 / 3, rel=1e-14)
    assert roc_auc([[1, 0, 0, 1]], [[7, 7, 7, 7]]) == 0.5


def test_rank_correlations_by_hand():
    """Grades 2, 0, 1 in ranked order: one pair of three is in the wrong order."""
    rows = ranked(2, 0, 1)
    assert pairwise_accuracy(*rows) == pytest.approx(2 / 3, rel=1e-14)
    assert kendall_tau_b(*rows) == pytest.approx(1 / 3, rel=1e-14)
    assert spearman_rho(*rows) == pytest.approx(0.5, rel=1e-14)
    # A tie counts half; a large query costs no square of its rows.
    assert pairwise_accuracy([[2, 1]], [[7, 7]]) == 0.5
    rng = np.random.default_rng(0)
    grade, score = rng.integers(0, 5, 300_000), rng.standard_normal(300_000)
    assert abs(pairwise_accuracy([grade], [score]) - 0.5) < 0.01
    assert abs(kendall_tau_b([grade], [score])) < 0.01


@pytest.mark.parametrize(
    ("k", "want"), [(1, 1.0), (2, 0.5), (3, (1 + 0 + 0.5) / 3), (4, 0.5), (9, 0.6), (None, 0.6)]
)
def test_the_share_of_judged_rows(k, want):
    """NaN and -inf mark a row that nobody judged; ranks 3 and 4 are tied, one of them judged."""
    grade, score = [1, np.nan, 0, -np.inf, 2], [5, 4, 3, 3, 1]
    assert judged([grade], [score], k=k) == pytest.approx(want, rel=1e-14)


def test_rows_that_nobody_judged():
    """They may be masked or None as well; rows that were not retrieved do not count."""
    grade, score = [1, np.nan, 0, -np.inf, 2], [5, 4, 3, 3, 1]
    masked = np.ma.array([[1, 7, 0, 7, 2]], mask=[[0, 1, 0, 1, 0]])
    assert judged(masked, [score]) == judged([[1, None, 0, None, 2]], [score]) == 0.6
    assert judged([grade], [[-np.inf, 4, 3, 3, 1]]) == 0.5
    assert np.isnan(judged.per_query([[1]], [[-np.inf]], replace_undefined_by=np.nan).value).all()
    with pytest.raises(ValueError, match="y_true must not be missing"):
        ndcg([[1, np.nan]], [[2, 1]])


@pytest.mark.parametrize("wrong", ["abc", object(), 1j], ids=["text", "object", "complex"])
def test_what_is_no_grade_at_all(wrong):
    """Only None, NaN and their like mean "not judged"; anything else is an error."""
    with pytest.raises(ValueError, match="y_true must hold real numbers"):
        judged([[1, None, wrong]], [[3, 2, 1]])


def test_judgements_that_are_sparse_or_infinite():
    """A sparse matrix has no place for what is not judged; +inf is no grade."""
    with pytest.raises(TypeError, match="must be a dense array"):
        judged(sparse.csr_array([[1, 0, 2]]), [[3, 2, 1]])
    with pytest.raises(ValueError, match="y_true must be finite"):
        judged([[1, np.inf]], [[2, 1]])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_threshold_below_the_precision_of_the_grades(dtype):
    """A threshold that is 0 in the type of the grades is still above 0."""
    grade = np.array([[0, 1, 0, 0]], dtype=dtype)
    assert reciprocal_rank(grade, [[4, 3, 2, 1]], min_relevance=1e-60) == 0.5


@pytest.mark.parametrize("kind", [float, np.float32, np.float64])
def test_a_recall_level_in_any_precision(kind):
    """One relevant row of ten has a recall of 0.1, however that is rounded."""
    rows = relevant_at(1, *range(5, 14), rows=13)
    assert interpolated_precision(*rows, recall_level=kind(0.1)) == 1.0


@pytest.mark.parametrize(
    ("option", "metric"),
    [("persistence", rank_biased_precision), ("max_grade", expected_reciprocal_rank)],
)
def test_numbers_beyond_float64_are_refused_as_options(option, metric):
    """The error names the option."""
    with pytest.raises(ValueError, match=f"'{option}' parameter of"):
        metric(*ranked(1), **{option: 10**400})


def test_a_cutoff_beyond_float64():
    """It takes the whole list."""
    assert fall_out(*ranked(1, 0), k=10**400) == 1.0


@pytest.mark.parametrize(("level", "wanted"), [(0.0, 1), (0.25, 2), (0.5, 4), (0.7, 6), (1.0, 8)])
def test_interpolated_precision_is_expected_over_the_orders_of_long_ties(level, wanted):
    """The mean over every way to place 4 relevant rows among 10 tied ones, and 3 among 8 below."""
    grade, score = [1] * 4 + [0] * 6 + [1, 0] + [1] * 3 + [0] * 5, [5] * 10 + [4, 3] + [2] * 8
    orders = [
        [*one, 10, *other]
        for one in combinations(range(10), 4)
        for other in combinations(range(12, 20), 3)
    ]
    precisions = [[n / (row + 1) for n, row in enumerate(at, start=1)] for at in orders]
    mean = sum(max(line[wanted - 1 :]) for line in precisions) / len(orders)
    got = interpolated_precision([grade], [score], recall_level=level)
    assert got == pytest.approx(mean, abs=1e-12)


def test_a_tie_too_long_for_the_highest_precision_is_refused_in_words():
    """An error is better than hours of counting; the other policies need no such count."""
    grade, score = [[1, 0] * 500], [[0] * 1000]
    with pytest.raises(ValueError, match="1000 rows of equal score, 500 of them relevant"):
        interpolated_precision(grade, score)
    assert interpolated_precision(grade, score, ties="optimistic") == 1.0
