"""Values at the edge of what NumPy holds, and errors that must say all they know."""

import numpy as np
import pytest
from conftest import needs

from sklearn_rankscore import (
    MetricAtKDisplay,
    RankTarget,
    catalog_coverage,
    get_metric,
    metric_names,
    ndcg,
    novelty,
    precision,
)

ROWS = {"y_true": [2, 0, 1], "y_score": [3, 2, 1], "qid": [7] * 3}
ITEMS = {"item": [0, 1, 2]}
NEEDS = {
    "catalog_coverage": ITEMS,
    "intra_list_diversity": ITEMS | {"item_features": np.eye(3)},
    "novelty": ITEMS | {"popularity": np.array([1, 2, 3])},
    "serendipity": ITEMS | {"popularity": np.array([1, 2, 3]), "similarity": [0, 0, 0]},
}
CUT = [(name, {}) for name in metric_names() if "k" in get_metric(name).options]
CUT += [(n, {"denominator": "attainable"}) for n in ("average_precision", "precision", "recall")]


@pytest.mark.parametrize("k", [2**63, 10**309], ids=["2**63", "10**309"])
@pytest.mark.parametrize(("name", "options"), CUT, ids=lambda value: "".join(map(str, value)))
def test_a_cutoff_that_numpy_cannot_count_is_the_end_of_the_list(name, options, k):
    """It gives the value of a cutoff of a million, but for metrics that divide by k itself."""
    metric, options = get_metric(name), NEEDS.get(name, {}) | options
    value = metric(**ROWS, **options, k=k)
    if name in ("precision", "f1") and not options:
        assert 0 < value < 1e-15
    else:
        assert value == metric(**ROWS, **options, k=10**6)


def test_a_catalogue_that_numpy_cannot_count_is_hardly_covered():
    """Three items of 10**400."""
    assert 0 < catalog_coverage(**ROWS, **ITEMS, catalog=10**400) < 1e-15


def test_an_empty_table_of_popularity_is_named():
    """The message says which parameter holds nothing."""
    with pytest.raises(
        ValueError,
        match=r"'popularity' parameter of novelty must hold at least one item",
    ):
        novelty(**ROWS, **ITEMS, popularity={})


def test_an_unknown_metric_gets_the_nearest_name_and_no_list():
    """One line that points to metric_names()."""
    with pytest.raises(ValueError, match=r"Did you mean 'ndcg'\?.*metric_names\(\)") as caught:
        get_metric("ndgc@10")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("dtype", ["Int128", "UInt128"])
def test_128_bit_integers_of_polars_are_numbers(dtype):
    """As scores, as ids, beyond 64 bits too."""
    pl = needs("polars")
    if not hasattr(pl, dtype):
        pytest.skip(f"this polars has no {dtype}")
    column = lambda values: pl.Series(values, dtype=getattr(pl, dtype))  # noqa: E731
    assert precision([0, 1], column([1, 2]), qid=[0, 0], k=1) == 1
    assert precision([0, 1], column([2**100, 2**100 + 2**60]), qid=[0, 0], k=1) == 1
    per_query = ndcg.per_query([1, 0, 0, 1], [2, 1, 2, 1], qid=column([1, 1, 2**100, 2**100]))
    assert per_query.qid.tolist() == [1, 2**100]
    assert per_query.value.tolist() == [1.0, pytest.approx(1 / np.log2(3))]


def test_text_ids_of_polars_keep_a_nul_at_the_end():
    """'a' and 'a' with a NUL are two queries, in a call and on a RankTarget."""
    pl = needs("polars")
    qid = pl.Series(["a", "a", "a\0", "a\0"])
    assert ndcg.per_query([1, 0, 0, 1], [1, 2, 1, 2], qid=qid).qid.tolist() == ["a", "a\0"]
    assert RankTarget([1, 0, 0, 1], qid=qid).qid.tolist() == ["a", "a", "a\0", "a\0"]


@pytest.mark.parametrize("grade", [4, 499, 501, 990, 1000, 2000])
@pytest.mark.parametrize("unit", [1.0, 1e149, 1e-149])
def test_exponential_ndcg_is_finite_with_any_discount(grade, unit):
    """Its ratio is that of plain integers, however large grades and discounts are."""
    rows = {"gain": "exponential", "discount": lambda rank: unit / rank}
    assert ndcg([[grade, 0]], [[2, 1]], **rows) == pytest.approx(1.0)
    assert ndcg([[grade, 0]], [[1, 2]], **rows) == pytest.approx(0.5)
    # (2^(g-1) - 1 + (2^g - 1) / 2) / (2^g - 1 + (2^(g-1) - 1) / 2), by Python's integers
    high, low = 2**grade - 1, 2 ** (grade - 1) - 1
    want = (2 * low + high) / (2 * high + low)
    assert ndcg([[grade, grade - 1]], [[1, 2]], **rows) == pytest.approx(want)


def test_tables_of_ids_of_two_types_are_equal():
    """Metrics that hold them compare by value, whichever width the ids have."""
    counts = np.array([3, 1])
    one, other = (
        novelty.bind(popularity=(np.array([1, 2], dtype), counts)) for dtype in ("i4", "i8")
    )
    assert one == other


def test_cutoffs_beyond_int64_can_be_drawn():
    """They are the list's end."""
    needs("matplotlib").use("Agg")
    display = MetricAtKDisplay.from_predictions([1, 0], [1, 2], qid=[1, 1], k=[1, 10**30])
    assert display.mean["model"].tolist() == [0.0, pytest.approx(1 / np.log2(3))]
