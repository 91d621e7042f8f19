"""Tables by item: how often people chose each, its vector, and which items exist at all."""

import sys
from collections.abc import Iterable, Mapping
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sklearn_rankscore._foreign import is_array, list_columns, split_index
from sklearn_rankscore._messages import describe, format_id
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.ids import as_objects, narrow_dtype
from sklearn_rankscore.metrics._rows.validation import as_numbers, encode_ids


class Popularity(NamedTuple):
    """How often each item was chosen, as `item_popularity` counts it.

    Attributes
    ----------
    item : ndarray of shape (n_items,)
        Item ids, each once.
    counts : ndarray of shape (n_items,)
        Interactions with each item, or users that had any.
    total : int
        All interactions, or all users: what a count is a share of.

    Examples
    --------
    >>> from sklearn_rankscore import item_popularity
    >>> popularity = item_popularity(["a", "b", "a", "c"])
    >>> dict(zip(popularity.item.tolist(), (popularity.counts / popularity.total).tolist()))
    {'a': 0.5, 'b': 0.25, 'c': 0.25}
    """

    item: Array
    counts: Array
    total: int

    def look_up(self, item: Any) -> Any:
        """Give the share of the total that an item has, or those of several; 0.0 if unknown."""
        share = dict(zip(self.item.tolist(), (self.counts / self.total).tolist(), strict=True))
        if np.ndim(item) == 1 and not isinstance(item, tuple):
            return np.array([share.get(one, 0.0) for one in np.asarray(item).tolist()])
        return share.get(item, 0.0)


class ItemTable:
    """A value or a vector for each item, read once from whatever the user passed."""

    def __init__(self, name: str, ids: Any, values: Any) -> None:
        by_line = ids is None
        if not values.ndim:
            raise ValueError(f"{name} must have one line per item. Got a single number instead.")
        codes, distinct = encode_ids(np.arange(values.shape[0]) if by_line else ids, name)
        self.name = name
        self.by_line = by_line  # line i is item i's or, where rows have no items, row i's
        # Copies, so that a caller who changes the arrays changes no metric.
        self.ids: Array = np.array(codes if distinct is None else distinct)
        self.values = values.copy()  # (n_items,) or (n_items, n_features), sparse or not
        self.total: float | None = None  # of counts
        if len(codes) != values.shape[0]:
            raise ValueError(
                f"{name} must have one line per item. Got {values.shape[0]} lines for "
                f"{len(codes)} items instead."
            )
        if len(np.unique(codes)) < len(codes):
            first = np.unique(codes, return_index=True)[1]
            again = codes[np.delete(np.arange(len(codes)), first)[0]]
            item = again if distinct is None else distinct[again]
            raise ValueError(f"{name} must have each item once. Got item {format_id(item)} twice.")

    @cached_property
    def norms(self) -> Array:
        """Length of each vector."""
        largest = abs(self.values).max(axis=1)
        largest = np.ravel(largest.toarray() if sparse.issparse(largest) else largest)
        scale = np.where(largest > 0, largest, 1.0)  # so that no square is too large or too small
        if sparse.issparse(self.values):
            scaled = sparse.diags(1.0 / scale) @ self.values
            squares = np.ravel(scaled.multiply(scaled).sum(axis=1))
        else:
            scaled = self.values / scale[:, None]
            squares = np.einsum("ij,ij->i", scaled, scaled)
        return np.asarray(scale * np.sqrt(squares))

    @cached_property
    def as_popular(self) -> Array:
        """For each item, how many items are at least as popular."""
        return np.asarray(len(self.values) - np.searchsorted(np.sort(self.values), self.values))

    @cached_property
    def rank_by_popularity(self) -> Array:
        """Rank of each item by popularity; equal counts share a rank."""
        return np.unique(-self.values, return_inverse=True)[1].ravel() + 1.0

    def __eq__(self, other: object) -> bool:
        """Equal tables hold equal values, so that metrics that hold them can be compared."""
        if not isinstance(other, ItemTable) or self.values.shape != other.values.shape:
            return False
        same = self.ids.tolist() == other.ids.tolist() and self.total == other.total
        if sparse.issparse(self.values) or sparse.issparse(other.values):
            return same and abs(self.values - other.values).max() == 0
        return same and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        """Hash by size."""
        return hash(self.values.shape)

    def __repr__(self) -> str:
        """How many items it has."""
        return f"<{len(self.ids)} items>"


def count_numbers_per_line(values: Any) -> int:
    """Count the numbers that a line of a matrix holds, on average."""
    return (
        max(int(values.nnz / values.shape[0]), 1) if sparse.issparse(values) else values.shape[1]
    )


def read_vectors(value: Any, parameter: str) -> ItemTable:
    """Read item vectors: by id, or one line per item."""
    table = _read_table(value, parameter, "item_features")
    lines = table.values
    data = lines.data if sparse.issparse(lines) else lines
    if lines.ndim != 2 or not lines.shape[1]:
        raise ValueError(f"{parameter} must have a vector for each item. Got shape {lines.shape}.")
    if not np.isfinite(data).all():
        raise ValueError(f"{parameter} must be finite. Got NaN or inf instead.")
    return table


def read_popularity(value: Any, parameter: str) -> ItemTable:
    """Read counts of interactions, or probabilities, by item."""
    if isinstance(value, Popularity):
        table = _read_table((value.item, value.counts), parameter, "popularity")
        table.total = float(value.total)
    else:
        table = _read_table(value, parameter, "popularity")
    share = table.values
    if share.ndim != 1:
        raise ValueError(
            f"{parameter} must be one number for each item. Got shape {share.shape} instead; of a "
            "frame, pass the column."
        )
    if not np.isfinite(share).all():
        raise ValueError(f"{parameter} must be finite. Got NaN or inf instead.")
    if table.total is None and share.size and _are_counts(value, share):
        table.total = float(share.sum())
    if table.total == 0:
        raise ValueError(f"{parameter} must hold at least one interaction. Got only zeros.")
    if not share.size:
        raise ValueError(f"{parameter} must hold at least one item. Got none instead.")
    most = 1.0 if table.total is None else table.total
    wrong = ~((share >= 0) & (share <= most))
    if wrong.any():
        raise ValueError(
            f"{parameter} must hold counts of interactions (whole numbers), or probabilities from "
            f"0 to 1. Got {share[wrong][0]:g} instead."
        )
    return table


def count_items(catalog: Any, table: ItemTable) -> int:
    """Count the items of the catalogue; without one, those of the table."""
    size = len(table.ids) if catalog is None else catalog
    if not isinstance(size, int):
        if not size.known.all():
            raise ValueError(
                f"The catalog must hold every item that is scored, but {size.describe_missing()}."
            )
        size = len(size.table.ids)
    if size < len(table.ids):
        raise ValueError(
            f"The catalog must hold every item of {table.name}. Got {size} items and "
            f"{len(table.ids)} in {table.name}."
        )
    return size


def _are_counts(value: Any, share: Array) -> bool:
    """Whether numbers are counts: whole numbers that, if they are floats, exceed 1 somewhere."""
    if isinstance(value, ItemTable) or (share != np.floor(share)).any():
        return False
    values = list(value.values()) if isinstance(value, Mapping) else value
    values = values[1] if isinstance(values, tuple) and len(values) == 2 else values
    if share.max() > 1 or np.array(np.asarray(values).tolist()).dtype.kind in "biu":
        return True
    if share.sum() > 1:
        raise ValueError(
            "popularity must hold counts, or probabilities from 0 to 1. Got floats that are all 0 "
            "or 1, which may be either; pass counts as integers."
        )
    return False


def read_catalog(value: Any, parameter: str) -> ItemTable | int | None:
    """Read a catalogue: how many items there are, or which."""
    if value is None or isinstance(value, ItemTable):
        return value
    if isinstance(value, (str, bytes)) or not isinstance(value, (Integral, Iterable)):
        raise TypeError(
            f"{parameter} must be a number of items, or their ids. Got {describe(value)} instead."
        )
    if isinstance(value, Integral):
        if value is True or int(value) < 1:
            raise ValueError(
                f"{parameter} must be at least one item. Got {describe(value)} instead."
            )
        return min(int(value), sys.maxsize)  # more than anybody has, and NumPy counts no further
    if isinstance(value, Popularity):
        value = value.item
    if getattr(value, "ndim", 1) != 1:
        raise ValueError(f"{parameter} must be flat, one id per item. Got shape {value.shape}.")
    ids = value if is_array(value) else list(value)
    codes, distinct = encode_ids(ids, parameter)
    ids = np.unique(codes) if distinct is None else distinct
    if not len(ids):
        raise ValueError(f"{parameter} must hold at least one item. Got none instead.")
    return ItemTable("catalog", ids, np.ones(len(ids)))


def _read_table(value: Any, parameter: str, name: str) -> ItemTable:
    """Read a dict, a pandas object, a pair of ids and values, or an array with a line per item."""
    if isinstance(value, ItemTable):
        return value
    if isinstance(value, Mapping) and not sparse.issparse(value):
        ids = narrow_dtype(as_objects(list(value), name))
        lines: Any = list(value.values())
    elif isinstance(value, tuple) and len(value) == 2:
        ids, lines = value
    elif (by_index := split_index(value)) is not None:
        ids, lines = by_index
    elif sparse.issparse(value) or (is_array(value) and not list_columns(value)):
        ids, lines = None, value
    else:
        raise TypeError(
            f"{parameter} must be a dict by item id, a pandas object by its index, a pair (ids, "
            f"values), or a NumPy array whose line i is item i's. Got {describe(value)} instead."
        )
    if sparse.issparse(lines):
        return ItemTable(name, ids, sparse.csr_matrix(lines, dtype=np.float64))
    return ItemTable(name, ids, as_numbers(lines, name).astype(np.float64))
