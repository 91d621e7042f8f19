"""How much of the catalogue do all lists together show?"""

from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._options import K, option
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._rows.item_tables import read_catalog
from sklearn_rankscore.metrics._rows.items import Found
from sklearn_rankscore.metrics._rows.validation import one_of

CATALOG = option(
    read_catalog,
    "int or array-like of ids",
    """\
The catalogue: how many items there are, or which; repeated ids count once. None: the items
that are scored.""",
    None,
)
UNKNOWN = option(
    one_of("error", "ignore"),
    '{"error", "ignore"}',
    "What to do with scored items that are not in the catalogue.",
    "error",
)


def catalog_coverage(
    r: Ranking, *, k: int | None = K, catalog: Found | int | None = CATALOG, unknown: str = UNKNOWN
) -> Array:
    """Catalogue coverage: the share of all items that appear in at least one list.

    coverage = items in the first k rows of any query / items of the catalogue, over all queries
    together. With ties averaged, an item is covered with probability 1 - Π (1 - P(item in the
    first k)), the product over queries. It grows with k and with the number of queries, so a fold
    covers less than all users do. Practitioners call more than 30 % healthy and less than 10 %
    poor. The metric needs no grades: `y_true` may be None. A weight of 0 leaves a query out; other
    weights do not matter.

    Range: 0 to 1. Always defined. It has no value per query.

    References
    ----------
    Ge, Delgado-Battenfeld and Jannach (2010), Beyond accuracy: evaluating recommender systems by
    coverage and serendipity, RecSys; RecTools, CatalogCoverage(normalize=True).

    Examples
    --------
    >>> from sklearn_rankscore import catalog_coverage
    >>> y_score, qid, item = [3, 2, 1, 3, 2, 1], [0, 0, 0, 1, 1, 1], list("abcabd")
    >>> catalog_coverage(None, y_score, qid=qid, item=item, k=2, catalog=list("abcdefgh"))
    0.25
    """
    del catalog, unknown  # compute_share_covered compares the items with the catalogue
    chance = r.chosen(k).chance
    listed = (chance > 0) & (r.weight > 0)[:, None]
    with np.errstate(divide="ignore"):
        missed = np.log1p(-chance[listed])
    items: Any = r.rows.items  # never None: the table says that the metric needs them
    item = r.at_ranks(r.lay_out(items.codes))[listed]
    return np.bincount(item, weights=missed, minlength=len(items.ids))


def compute_share_covered(
    missed: Array, *, catalog: Found | int | None, unknown: str, **_: Any
) -> float:
    """Compute the share covered, from the logarithm of each item's chance to be in no list."""
    covered = -np.expm1(missed)
    if catalog is None:
        return float(covered.mean())
    if isinstance(catalog, int):
        if catalog < len(covered):
            raise ValueError(
                f"The catalog must hold every item that is scored. Got catalog={catalog} and "
                f"{len(covered)} items. To leave out items that are not in the catalogue, pass "
                "the ids of the catalogue, and unknown='ignore'."
            )
        return float(covered.sum() / catalog)
    if unknown == "error" and not catalog.known.all():
        raise ValueError(
            f"The catalog must hold every item that is scored, but {catalog.describe_missing()}. "
            "Pass unknown='ignore' to leave such items out."
        )
    return float(covered[catalog.known].sum() / len(catalog.table.ids))
