"""How many relevant items of a list was the person not expected to get?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore.metrics._formulas.novelty import CATALOG, POPULARITY
from sklearn_rankscore.metrics._options import MIN_RELEVANCE, K, option
from sklearn_rankscore.metrics._rows.item_tables import size_of
from sklearn_rankscore.metrics._rows.validation import number_that, one_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn_rankscore.metrics._ranking.ranking import Ranking
    from sklearn_rankscore.metrics._rows.items import Found
    from sklearn_rankscore.metrics._rows.validation import Array

_ROUNDED = 1e-7  # a cosine of flags may be one half but for rounding, in 32 bits too


SOME_POPULARITY: Any = replace(POPULARITY, default=None)  # which not every definition needs
POPULAR_SHARE = option(
    number_that(lambda share: 0 <= share <= 1, "a share, from 0 to 1"),
    "float",
    "Share of the items that count as popular, from 0 to 1.",
    0.2,
)
MAX_SIMILARITY = option(
    number_that(lambda similarity: -1 <= similarity <= 1, "from -1 to 1"),
    "float",
    "Highest similarity to the profile at which an item is unexpected.",
    0.5,
)
DEFINITION = option(
    one_of("unexpected", "recommenders", "rectools"),
    '{"unexpected", "recommenders", "rectools"}',
    "Which published definition; see above.",
    "unexpected",
)


def serendipity(
    r: Ranking,
    *,
    k: int | None = K,
    min_relevance: float | None = MIN_RELEVANCE,
    popularity: Found | None = SOME_POPULARITY,
    popular_share: float = POPULAR_SHARE,
    max_similarity: float = MAX_SIMILARITY,
    definition: str = DEFINITION,
    catalog: Found | int | None = CATALOG,
) -> Array:
    """Serendipity: relevant items in a list that the person was not expected to get.

    serendipity = mean over the first k rows (over those that there are) of, by `definition`,

    =============  ===============================================================================
    "unexpected"   1 - similarity, if the row is relevant, its item is not popular, and similarity
                   <= max_similarity; else 0. An item is popular if at most popular_share x n of
                   the n items in `popularity` have a count that is not below its own.
    "recommenders" (1 - similarity), if the row is relevant: unexpectedness x relevance.
    "rectools"     max(p - p_popular, 0), if the row is relevant: p = (n + 1 - rank) / n of n
                   items, p_popular the same of the item's rank by popularity, equal counts sharing
                   one rank; 0 for items that nobody chose. Similarity is not used.
    =============  ===============================================================================

    The first needs item, similarity and popularity; the second similarity; the third item and
    popularity, and takes n from `catalog`.

    Range: 0 to 1; to 2 where a similarity is negative. Undefined for a query without relevant
    rows, or without retrieved ones.

    References
    ----------
    Kotkov, Wang and Veijalainen (2016), A survey of serendipity in recommender systems, for the
    three conditions; Zhang, Séaghdha, Quercia and Jambor (2012), Auralist, WSDM, as in
    recommenders; RecTools, Serendipity.

    Examples
    --------
    >>> from sklearn_rankscore import serendipity
    >>> rows = {"y_true": [1, 1, 0], "y_score": [3, 2, 1], "qid": [7, 7, 7], "item": list("abc")}
    >>> count = {"a": 9, "b": 1, "c": 2, "d": 1, "e": 1}
    >>> serendipity(**rows, similarity=[0, 0.2, 0.9], k=2, popularity=count)
    0.4
    """
    relevant = r.relevant(min_relevance)
    if definition == "rectools" and popularity is not None:
        found = _ahead_of_popularity(r, k, relevant, popularity, catalog)
    else:
        worth = relevant * (1.0 - _similarity(r))
        if definition == "unexpected" and popularity is not None:
            worth *= _similarity(r) <= max_similarity + _ROUNDED
            worth *= ~_popular(popularity, popular_share)[r.lay_out(popularity.items.codes)]
        found = r.expected(worth)[:, :k].sum(axis=1)
    length = r.n_listed(k)
    value: Array = found / np.maximum(length, 1)
    value[(relevant.sum(axis=1) == 0) | (length == 0)] = np.nan
    return value


def check_serendipity(options: Mapping[str, Any]) -> None:
    """Refuse a definition that lacks what it needs."""
    if options["popularity"] is None and options["definition"] != "recommenders":
        raise TypeError("serendipity needs popularity=…, unless definition='recommenders'.")


def find_needed_values(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Say which values of the rows a definition needs."""
    return {"rectools": ("item",), "recommenders": ("similarity",)}.get(
        options["definition"], ("item", "similarity")
    )


def _similarity(r: Ranking) -> Array:
    return r.lay_out(r.rows.values["similarity"])


def _popular(popularity: Found, share: float) -> Array:
    """Which items of the rows are among the first share of all items by popularity."""
    table = popularity.table
    popular = table.as_popular <= share * len(table.ids) + 1e-9  # 0.7 of 10 are 7
    return np.asarray(popularity.known & popular[popularity.place])


def _ahead_of_popularity(
    r: Ranking, k: int | None, relevant: Array, popularity: Found, catalog: Found | int | None
) -> Array:
    """Sum over the first k rows of how far each relevant row stands above its popularity.

    A row at rank i of a tie is worth max(c - i, 0) / n, c being the rank of its popularity: of a
    tie over ranks a to b, the mean of an arithmetic series that ends at rank k or c.
    """
    counts = popularity.table.values
    n_items = size_of(catalog, popularity.table)
    by_count = np.where(counts > 0, popularity.table.rank_by_popularity, n_items + 1.0)
    by_count = np.where(popularity.known, by_count[popularity.place], n_items + 1.0)
    rank_of_count = r.in_order(relevant * by_count[r.lay_out(popularity.items.codes)])
    first, size = r.tie_spans()
    last = np.minimum(first + size - 1, rank_of_count - 1)
    if k is not None:
        last = np.minimum(last, k)
    terms = np.maximum(last - first + 1, 0)
    total = terms * (2 * rank_of_count - first - last) / 2
    return np.asarray((total / size).sum(axis=1) / n_items)
