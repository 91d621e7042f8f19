"""How little known are the items of a list, and how many relevant ones come as a surprise?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._options import MIN_RELEVANCE, K, option
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._rows.item_tables import count_items, read_catalog, read_popularity
from sklearn_rankscore.metrics._rows.items import Found
from sklearn_rankscore.metrics._rows.validation import number_that, one_of

_ROUNDED = 1e-7  # a cosine of flags that is one half may be rounded, in 32 bits too

POPULARITY = option(
    read_popularity,
    "Popularity, mapping, Series, (ids, values) or array",
    """\
How often each item was chosen, from training data, as `item_popularity` makes it of a log; or
counts (integers, or whole numbers not all up to 1), which are divided by their sum; or
probabilities. The index of a Series holds the ids; value i of an array is item i's.""",
)
UNSEEN = option(
    one_of("error", "skip", "once", "laplace"),
    '{"error", "skip", "once", "laplace"}',
    """\
How to treat an item that `popularity` lacks or counts 0: raise an error; leave it out of the
mean; count it once; or give every item p = (count + 1) / (total + size of `catalog`).""",
    "error",
)
CATALOG = option(
    read_catalog,
    "int or array-like of ids",
    """\
The catalogue: how many items there are, or which; repeated ids count once. None: the items in
`popularity`; but novelty with ``unseen="laplace"`` needs a catalogue.""",
    None,
)
SOME_POPULARITY: Any = replace(POPULARITY, default=None)  # not every definition needs it
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


def novelty(
    r: Ranking,
    *,
    k: int | None = K,
    popularity: Found = POPULARITY,
    unseen: str = UNSEEN,
    catalog: Found | int | None = CATALOG,
) -> Array:
    """Novelty: how little known the items of a list are, in bits.

    novelty = mean of -log2 p(item) over the first k rows, or over all if there are fewer. p is
    the item's share of all interactions, or of all users, as `popularity` has it; the shares need
    not add up to 1. The metric needs no grades: `y_true` may be None. ``unseen="once"`` and
    "laplace" need counts. With ``unseen="skip"``, orders of ties that list no item that somebody
    chose do not count, and ``ties="optimistic"`` and "pessimistic" have no value.

    Range: 0 upwards, in bits. Undefined for a query without retrieved rows, or whose list holds
    only items that are skipped.

    References
    ----------
    Castells, Vargas and Wang (2011), Novelty and diversity metrics for recommender systems, ECIR:
    shares of interactions, as in recommenders; RecTools, MeanInvUserFreq: shares of users, and
    ``unseen="once"``.

    Examples
    --------
    >>> from sklearn_rankscore import novelty
    >>> rows = {"y_score": [2, 1], "qid": [7, 7], "item": ["a", "b"]}
    >>> novelty(None, **rows, k=2, popularity={"a": 4, "b": 1, "c": 3})
    2.0
    """
    bits = _measure_information(popularity, unseen, catalog)[r.lay_out(popularity.items.codes)]
    length = r.n_listed(k)
    if unseen == "skip":
        return _mean_of_seen(r, k, bits)
    with np.errstate(invalid="ignore"):
        return np.asarray(r.expected(bits)[:, :k].sum(axis=1) / length)


def check_novelty(options: Mapping[str, Any]) -> None:
    """Refuse a treatment of unseen items whose needs are not met."""
    unseen, ties = options["unseen"], options["ties"]
    if unseen in ("once", "laplace") and options["popularity"].total is None:
        raise ValueError(
            f"unseen={unseen!r} needs counts. Got probabilities in popularity; smooth them "
            "before, or pass counts."
        )
    if unseen == "laplace" and options["catalog"] is None:
        raise ValueError("unseen='laplace' needs catalog=…, how many items there are.")
    if unseen == "skip" and ties in ("optimistic", "pessimistic"):
        raise ValueError(
            f"novelty with unseen='skip' has no value for ties={ties!r}. Use another policy."
        )


def _measure_information(popularity: Found, unseen: str, catalog: Found | int | None) -> Array:
    """Give -log2 p of each item; nan for an item that nobody chose and that is skipped."""
    table = popularity.table
    count = np.where(popularity.known, table.values[popularity.place], 0.0)
    total = 1.0 if table.total is None else table.total
    if unseen == "laplace":
        return 0.0 - np.log2((count + 1.0) / (total + count_items(catalog, table)))
    if unseen == "once":
        count = np.maximum(count, 1.0)
    elif unseen == "error" and not count.all():
        missing = popularity._replace(known=count > 0).describe_missing()
        raise ValueError(
            f"The novelty of an item that nobody chose is infinite, and {missing}, or 0 there. "
            "Say what such an item counts as: unseen='skip', 'once' or 'laplace'."
        )
    return 0.0 - np.log2(np.where(count > 0, count, np.nan) / total)


def _mean_of_seen(r: Ranking, k: int | None, bits: Array) -> Array:
    """Give the mean over the items of the list that somebody chose.

    Of the t tied rows at the end of the list, m are in it; s of the t show an item that somebody
    chose, and j of these s are in the list with the probability of a hypergeometric distribution.
    Orders that leave the list without any such item have no mean and do not count.
    """
    from scipy.stats import hypergeom  # noqa: PLC0415 - slow to import

    chosen = r.chosen(k)
    worth = r.at_ranks(np.nan_to_num(bits))
    seen = r.at_ranks(~np.isnan(bits))
    surely, s = (chosen.certain & seen).sum(axis=1), (chosen.tied & seen).sum(axis=1)
    t, m = chosen.tied.sum(axis=1), chosen.free
    j = np.arange(m.max(initial=0) + 1)
    mean_tied = (worth * chosen.tied).sum(axis=1) / np.maximum(s, 1)
    total = (worth * chosen.certain).sum(axis=1)[:, None] + j * mean_tied[:, None]
    chance = hypergeom.pmf(j, np.maximum(t, 1)[:, None], s[:, None], m[:, None])
    number = surely[:, None] + j
    chance[number == 0] = 0.0
    some = (s > 0) & (m > 0) | (surely > 0)
    value: Array = (chance * total / np.maximum(number, 1)).sum(axis=1)
    value[~some] = np.nan
    value[some] /= chance[some].sum(axis=1)
    return value


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

    serendipity = mean, over the first k rows or all if there are fewer, of what `definition` says:

    =============  ===============================================================================
    "unexpected"   1 - similarity, if the row is relevant, its item is not popular, and similarity
                   <= max_similarity; else 0. An item is popular if at most popular_share x n of
                   the n items in `popularity`, itself included, have its count or a higher one.
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
        found = _sum_leads_over_popularity(r, k, relevant, popularity, catalog)
    else:
        worth = relevant * (1.0 - _lay_out_similarity(r))
        if definition == "unexpected" and popularity is not None:
            worth *= _lay_out_similarity(r) <= max_similarity + _ROUNDED
            worth *= ~_is_popular(popularity, popular_share)[r.lay_out(popularity.items.codes)]
        found = r.expected(worth)[:, :k].sum(axis=1)
    length = r.n_listed(k)
    value: Array = found / np.maximum(length, 1)
    value[(relevant.sum(axis=1) == 0) | (length == 0)] = np.nan
    return value


def check_serendipity(options: Mapping[str, Any]) -> None:
    """Refuse a definition whose needs are not met."""
    if options["popularity"] is None and options["definition"] != "recommenders":
        raise TypeError("serendipity needs popularity=…, unless definition='recommenders'.")


def find_needed_values(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Say which values of the rows a definition needs."""
    return {"rectools": ("item",), "recommenders": ("similarity",)}.get(
        options["definition"], ("item", "similarity")
    )


def _lay_out_similarity(r: Ranking) -> Array:
    return r.lay_out(r.rows.values["similarity"])


def _is_popular(popularity: Found, share: float) -> Array:
    """Whether each item is among the given share of most popular items."""
    table = popularity.table
    popular = table.as_popular <= share * len(table.ids) + 1e-9  # 0.7 of 10 are 7
    return np.asarray(popularity.known & popular[popularity.place])


def _sum_leads_over_popularity(
    r: Ranking, k: int | None, relevant: Array, popularity: Found, catalog: Found | int | None
) -> Array:
    """Sum, over the first k rows, how far each relevant row stands above its rank by popularity.

    At rank i, an item whose rank by popularity is c leads by max(c - i, 0) / n. A tie over the
    ranks a to b has the mean of these: an arithmetic series that ends at rank k or c.
    """
    counts = popularity.table.values
    n_items = count_items(catalog, popularity.table)
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
