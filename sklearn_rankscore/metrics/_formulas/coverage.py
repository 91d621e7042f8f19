"""How much of the catalogue do all lists together show?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore.metrics._options import K, option
from sklearn_rankscore.metrics._rows.item_tables import read_catalog
from sklearn_rankscore.metrics._rows.validation import one_of

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._ranking.ranking import Ranking
    from sklearn_rankscore.metrics._rows.items import Found
    from sklearn_rankscore.metrics._rows.validation import Array


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
    first k)), the product over queries. Above 30 % is commonly called healthy, below 10 % half of
    the catalogue paralysed; it grows with k and with the number of queries, so that it is less in
    a fold than over all users. The grades are not used: `y_true` may be None. Of weights, only 0
    counts: it leaves a query out.

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
    del catalog, unknown  # what is counted is compared with the catalogue in the end
    chance = r.chosen(k).chance
    listed = (chance > 0) & (r.weight > 0)[:, None]
    with np.errstate(divide="ignore"):
        missed = np.log1p(-chance[listed])
    items: Any = r.rows.items  # which the metric needs
    item = r.at_ranks(r.lay_out(items.codes))[listed]
    return np.bincount(item, weights=missed, minlength=len(items.ids))


def share_covered(missed: Array, *, catalog: Found | int | None, unknown: str, **_: Any) -> float:
    """Share of the catalogue, from the logarithm of each item's chance to be in no list."""
    covered = -np.expm1(missed)
    if catalog is None:
        return float(covered.mean())
    if isinstance(catalog, int):
        if catalog < len(covered):
            raise ValueError(
                f"The catalog must hold every item that is scored. Got catalog={catalog} and "
                f"{len(covered)} items; pass the ids of the catalogue, which alone say what "
                "unknown='ignore' ignores."
            )
        return float(covered.sum() / catalog)
    if unknown == "error" and not catalog.known.all():
        raise ValueError(
            f"The catalog must hold every item that is scored, but {catalog.missing()}. Pass "
            "unknown='ignore' to leave such items out."
        )
    return float(covered[catalog.known].sum() / len(catalog.table.ids))
