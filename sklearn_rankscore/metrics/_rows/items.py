"""Items: the item of each row, and what a table says of it."""

from dataclasses import dataclass
from datetime import date
from numbers import Number
from typing import Any, NamedTuple, Self

import numpy as np

from sklearn_rankscore._messages import format_id
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.factorize import factorize
from sklearn_rankscore.metrics._rows.ids import as_python_values
from sklearn_rankscore.metrics._rows.item_tables import ItemTable
from sklearn_rankscore.metrics._rows.validation import encode_ids


@dataclass(frozen=True)
class Items:
    """The distinct items of rows, and the item of each row."""

    ids: Array  # (n_items,)
    codes: Array  # (n_rows,) number of each row's item

    @classmethod
    def from_rows(cls, item: Any, name: str = "item") -> Self:
        """Number the items of rows."""
        values, ids = encode_ids(item, name)
        if not values.size:
            raise ValueError(f"{name} must hold at least one row. Got none instead.")
        if ids is not None:
            return cls(ids, values)
        return cls(*factorize(values)[:2])

    def look_up(self, table: ItemTable) -> "Found":
        """Look each item up in a table."""
        place = find_places(self.ids, table.ids)
        if (place < 0).all():
            check_comparable("item", self.ids, table.name, table.ids)
        return Found(self, table, np.maximum(place, 0), place >= 0)


class Found(NamedTuple):
    """What a table holds of each item of the rows."""

    items: Items
    table: ItemTable
    place: Array  # (n_items,) line of the table; 0 where it has none
    known: Array  # (n_items,) whether it has one

    def check_vectors(self, *, directed: bool = True) -> None:
        """Refuse an item without a vector, or with one that has no direction."""
        if not self.known.all():
            raise ValueError(f"Each item needs a vector, but {self.describe_missing()}.")
        zero = self.table.norms[self.place] == 0
        if directed and zero.any():
            raise ValueError(
                "A vector of zeros has no direction, so it has no cosine. Got one for "
                f"item {format_id(self.items.ids[zero.argmax()])}."
            )

    def describe_missing(self) -> str:
        """Say which items the table lacks, for an error message."""
        ids = self.items.ids[~self.known]
        if len(ids) == 1:
            return f"item {format_id(ids[0])} is not in {self.table.name}"
        return f"{len(ids)} items, such as {format_id(ids[0])}, are not in {self.table.name}"


def check_comparable(name: str, ids: Array, other: str, others: Array) -> None:
    """Refuse ids of another kind than the others, where they have none in common."""
    if len(others) and _name_kind(ids) != _name_kind(others):
        raise ValueError(
            f"{name} and {other} must name the same things. Got {name} such as "
            f"{format_id(ids[0])}, {other} such as {format_id(others[0])}, and none in both."
        )


def _name_kind(ids: Array) -> str:
    """Give "n" for numbers, else the type of the first id."""
    first = ids[0].item() if ids.dtype.kind in "biuf" else ids[0]
    return "n" if isinstance(first, Number) else type(first).__name__


def find_places(wanted: Array, ids: Array) -> Array:
    """Find the index of each wanted id among the ids; -1 for one that is not there."""
    if {wanted.dtype.kind, ids.dtype.kind} == {"M", "O"}:  # NumPy's dates, and Python's
        wanted, ids = _as_dates(wanted), _as_dates(ids)
    if {wanted.dtype.kind, ids.dtype.kind} == {"M"}:  # in the finer of their units
        common = np.promote_types(wanted.dtype, ids.dtype)
        wanted, ids = (dates.astype(common).view(np.int64) for dates in (wanted, ids))
    # Only in a type that holds both exactly: int64 beside uint64 would become float64.
    kinds = {wanted.dtype.kind, ids.dtype.kind}
    if kinds <= set("biu") and np.result_type(wanted, ids).kind in "iu" and len(ids):
        order = np.argsort(ids, kind="stable")
        at = np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)
        return np.where(ids[order[at]] == wanted, order[at], -1)
    index = {item: at for at, item in enumerate(as_python_values(ids))}
    return np.array([index.get(item, -1) for item in as_python_values(wanted)], dtype=np.intp)


def _as_dates(ids: Array) -> Array:
    """Read objects as NumPy's dates, if all of them are dates."""
    if ids.dtype.kind == "O" and all(isinstance(one, date) for one in ids):
        return np.array([np.datetime64(one) for one in ids])
    return ids
