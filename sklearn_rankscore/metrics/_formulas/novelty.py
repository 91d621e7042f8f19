"""How little known are the items of a list?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore.metrics._options import K, option
from sklearn_rankscore.metrics._rows.item_tables import read_catalog, read_popularity, size_of
from sklearn_rankscore.metrics._rows.validation import one_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn_rankscore.metrics._ranking.ranking import Ranking
    from sklearn_rankscore.metrics._rows.items import Found
    from sklearn_rankscore.metrics._rows.validation import Array


POPULARITY = option(
    read_popularity,
    "Popularity, mapping, Series, (ids, values) or array",
    """\
How often each item was chosen, from training data, as `item_popularity` makes it of a log; or
counts (integers, or whole numbers not all up to 1), which are divided by their sum; or
probabilities. Of a Series, its index is the ids; value i of an array is item i's.""",
)
UNSEEN = option(
    one_of("error", "skip", "once", "laplace"),
    '{"error", "skip", "once", "laplace"}',
    """\
What an item counts as that is not in `popularity`, or with 0: an error; left out of the mean;
chosen once; or, for every item, (count + 1) / (total + size of `catalog`).""",
    "error",
)
CATALOG = option(
    read_catalog,
    "int or array-like of ids",
    """\
The catalogue: how many items there are, or which; repeated ids count once. None: those in
`popularity`.""",
    None,
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

    novelty = mean of -log2 p(item) over the first k rows (over those that there are). p is the
    item's share of all interactions, or of all users, as `popularity` has it; the shares need not
    add up to 1. The grades are not used: `y_true` may be None. With ``unseen="skip"`` there is no
    value for ``ties="optimistic"`` and "pessimistic", and of the orders of ties those count that
    show an item that was seen; "once" and "laplace" need counts.

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
    bits = _information(popularity, unseen, catalog)[r.lay_out(popularity.items.codes)]
    length = r.n_listed(k)
    if unseen == "skip":
        return _mean_of_seen(r, k, bits)
    with np.errstate(invalid="ignore"):
        return np.asarray(r.expected(bits)[:, :k].sum(axis=1) / length)


def check_novelty(options: Mapping[str, Any]) -> None:
    """Refuse a treatment of unseen items that lacks what it needs."""
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


def _information(popularity: Found, unseen: str, catalog: Found | int | None) -> Array:
    """-log2 p of each item of the rows; nan for one that was not seen and is skipped."""
    table = popularity.table
    count = np.where(popularity.known, table.values[popularity.place], 0.0)
    total = 1.0 if table.total is None else table.total
    if unseen == "laplace":
        return 0.0 - np.log2((count + 1.0) / (total + size_of(catalog, table)))
    if unseen == "once":
        count = np.maximum(count, 1.0)
    elif unseen == "error" and not count.all():
        missing = popularity._replace(known=count > 0).missing()
        raise ValueError(
            f"The novelty of an item that nobody chose is infinite, and {missing}, or 0 there. "
            "Say what such an item counts as: unseen='skip', 'once' or 'laplace'."
        )
    return 0.0 - np.log2(np.where(count > 0, count, np.nan) / total)


def _mean_of_seen(r: Ranking, k: int | None, bits: Array) -> Array:
    """Mean over the seen items of the list: of s among t tied rows, m of which are in it, j are.

    Orders that leave the list without one have no mean and do not count.
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
