"""What people chose in the past: the popularity of items, and profiles of persons."""

from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rankscore._foreign import check_same_order
from sklearn_rankscore._messages import format_id
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.item_tables import (
    Popularity,
    count_numbers_per_line,
    read_vectors,
)
from sklearn_rankscore.metrics._rows.items import Found, Items, check_comparable, find_places
from sklearn_rankscore.metrics._rows.rows import Queries
from sklearn_rankscore.metrics._rows.validation import check_same_length, encode_ids

_NUMBERS = 1 << 20  # of all vectors that are in memory at once


def item_popularity(item: Any, qid: Any = None) -> Popularity:
    """Count how often each item was chosen, for `novelty` and `serendipity`.

    Parameters
    ----------
    item : array-like of shape (n_interactions,)
        Item of each interaction, from training data: what people chose, not what they were shown.
    qid : array-like of shape (n_interactions,), default=None
        The user (or query) of each interaction: an item then counts once for each, and is a share
        of the users. None: each interaction counts.

    Returns
    -------
    Popularity
        Named tuple of the item ids, sorted if they have an order; their counts; and the total that
        the counts are shares of.

    Raises
    ------
    ValueError
        If an id is missing, there are no items, or `item` and `qid` differ in length.

    See Also
    --------
    novelty, serendipity : Metrics that take the result as `popularity`.

    Examples
    --------
    >>> from sklearn_rankscore import item_popularity
    >>> item_popularity(["a", "b", "a"], qid=[1, 1, 1]).counts.tolist()
    [1, 1]
    """
    check_same_order(item=item, qid=qid)
    items = _sort_items(Items.from_rows(item))
    if qid is None:
        return Popularity(items.ids, np.bincount(items.codes), len(items.codes))
    queries = Queries.from_ids(qid, len(items.codes))
    user = queries.spread_over_rows(np.arange(len(queries.ids)))
    pairs = np.unique(user * len(items.ids) + items.codes)
    counts = np.bincount(pairs % len(items.ids), minlength=len(items.ids))
    return Popularity(items.ids, counts, len(queries.ids))


def _sort_items(items: Items) -> Items:
    try:
        order = np.argsort(items.ids)
    except TypeError:  # ids of mixed types have no order
        return items
    return Items(items.ids[order], np.argsort(order)[items.codes])


def profile_similarity(
    item: Any,
    qid: Any,
    *,
    history_item: Any,
    history_qid: Any,
    item_features: Any,
    without_history: float | None = None,
) -> Array:
    """Measure how similar each row's item is to its person's history, for `serendipity`.

    The value is the mean cosine similarity to the items of the history; an item that the person
    chose twice counts twice.

    Parameters
    ----------
    item, qid : array-like of shape (n_rows,)
        Item of each row, and the person it is ranked for: where a person has several queries, the
        id of the person, not of the query.
    history_item, history_qid : array-like of shape (n_interactions,)
        Items that were chosen before, and by whom.
    item_features : mapping, DataFrame, (ids, matrix), array or sparse matrix
        Vector of each item, by its id; line i of an array is item i's.
    without_history : float, default=None
        Similarity of all rows of a person who has no history; None: an error.

    Returns
    -------
    ndarray of shape (n_rows,)
        From -1 to 1; from 0 where no feature is negative.

    Raises
    ------
    ValueError
        If lengths differ, an item has no vector or one of zeros, or a person has no history.

    References
    ----------
    Zhang, Séaghdha, Quercia and Jambor (2012), Auralist, WSDM; as in recommenders.

    Examples
    --------
    >>> from sklearn_rankscore import profile_similarity
    >>> vectors = {"a": [1, 0], "b": [0, 1], "c": [1, 0]}
    >>> past = {"history_item": ["c", "b"], "history_qid": [7, 7]}
    >>> profile_similarity(["a"], [7], **past, item_features=vectors).tolist()
    [0.5]
    """
    check_same_order(item=item, qid=qid)
    check_same_order(history_item=history_item, history_qid=history_qid)
    table = read_vectors(item_features, "item_features")
    rows = Items.from_rows(item)
    people = Queries.from_ids(qid, len(rows.codes))
    lines = _find_lines(rows.look_up(table))[rows.codes]
    if without_history is not None and not -1 <= without_history <= 1:
        raise ValueError(f"without_history must be from -1 to 1. Got {without_history!r} instead.")
    if not len(history_item) and without_history is not None:
        return np.full(len(rows.codes), float(without_history))
    past = Items.from_rows(history_item, "history_item")
    before = encode_ids(history_qid, "history_qid")
    check_same_length("history_qid", len(before[0]), len(past.codes))
    ids, person = np.unique(before[0], return_inverse=True)
    with_past = ids if before[1] is None else before[1][ids]
    known = find_places(people.ids, with_past)
    if (known < 0).all():
        check_comparable("qid", people.ids, "history_qid", with_past)
    if without_history is None and (known < 0).any():
        raise ValueError(
            f"{(known < 0).sum()} of {len(known)} people have no history, the first is "
            f"{format_id(people.ids[(known < 0).argmax()])}. Pass without_history=…, the "
            "similarity to give their rows."
        )
    weights = sparse.csr_matrix(
        (np.ones(len(person)), (person.ravel(), _find_lines(past.look_up(table))[past.codes])),
        shape=(len(ids), len(table.ids)),
    )
    units = sparse.diags(1.0 / np.where(table.norms > 0, table.norms, 1.0)) @ table.values
    n_past = np.asarray(weights.sum(axis=1)).ravel()
    profiles = sparse.diags(1.0 / n_past) @ (weights @ units)
    of_row = people.spread_over_rows(known)
    alike = np.full(len(lines), np.nan if without_history is None else float(without_history))
    step = max(_NUMBERS // count_numbers_per_line(profiles), 1)
    live = np.flatnonzero(of_row >= 0)
    for begin in range(0, len(live), step):
        part = live[begin : begin + step]
        one, other = units[lines[part]], profiles[of_row[part]]
        dot = (
            one.multiply(other).sum(axis=1) if sparse.issparse(one) else (one * other).sum(axis=1)
        )
        alike[part] = np.clip(np.asarray(dot).ravel(), -1.0, 1.0)
    return alike


def _find_lines(found: Found) -> Array:
    """Give the line of each item in the table; refuse an item whose vector has no direction."""
    found.check_vectors()
    return found.place
