"""Bring all rows of each query into one partition; shuffle only if ranges of ids overlap."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sklearn_rankscore._messages import error_context
from sklearn_rankscore._typing import Array
from sklearn_rankscore.distributed._moves import get_plain_type, mend_seams, shuffle_by_id
from sklearn_rankscore.metrics._rows.ids import check_same_kind, name_kind_of_ids
from sklearn_rankscore.metrics._rows.validation import encode_ids

_IN_PARTITION = "In partition {} (the first is 0)."
# Types for ids of one kind that partitions hold in several types, or as objects.
_TYPES = {"whole numbers": np.int64, "uint64": np.uint64, "floats": np.float64}
# Objects of these kinds have an order, and equal ones are written alike, as Dask's hash needs.
_ORDERED = ("text", "bytes", "date")


class Ids(NamedTuple):
    """The ids of a partition."""

    kind: str
    dtype: Any
    low: Any = None  # the lowest and the highest, where the kind has an order
    high: Any = None
    listed: Any = ()  # all of them, where it has none


def bring_queries_together(
    dask: Any, table: Any, qid: str, *, keep_row_order: bool
) -> tuple[Any, Any]:
    """Give the table with each query in one partition, and a type for the ids of all partitions.

    With `keep_row_order` the rows of a query keep their order; else they may lose it.
    """
    # Divisions that come from Parquet's statistics do not tell whether a query begins in one file
    # and ends in the next, and Dask may cut one column into other partitions than the table.
    # Therefore look at the ids in the partitions themselves.
    look = dask.delayed(look_at_ids)
    found = dask.compute(*[look(part, qid, at) for at, part in enumerate(table.to_delayed())])
    ids = {at: each for at, each in enumerate(found) if each is not None}
    if not ids:
        return table, get_plain_type(dask.dataframe.utils.make_meta(table)[qid])
    id_type = _choose_type(ids)
    if any(each.low is None for each in ids.values()):
        numbers = _number_ids(found)
    else:
        numbers = None
        ends = sorted((each.low, each.high, at) for at, each in ids.items())
        if all(before[1] <= here[0] for before, here in pairwise(ends)):
            return mend_seams(dask, table, qid, id_type, ends), id_type
    whole = shuffle_by_id(dask, table, qid, id_type, numbers, keep_row_order=keep_row_order)
    return whole, id_type


def look_at_ids(rows: Any, qid: str, part: int) -> Ids | None:
    """Look at the ids of a partition; None if it has no rows."""
    if not len(rows):
        return None
    dtype = get_plain_type(rows[qid])
    with error_context(_IN_PARTITION.format(part)):
        codes, distinct = encode_ids(rows[qid], "qid")
        ids = codes if distinct is None else distinct
        kind = str(dtype) if dtype.kind in "mM" else name_kind_of_ids(ids)
    if ids.dtype.kind not in "biufmM" and dtype.kind != "M" and kind not in _ORDERED:
        return Ids(kind, dtype, listed=ids.tolist())
    if ids.dtype.kind == "U":  # NumPy finds the lowest text among objects only
        ids = ids.astype(object)
    return Ids(kind, dtype, ids.min(), ids.max())


def _choose_type(ids: dict[int, Ids]) -> Any:
    """Choose one type for the ids of all partitions; refuse ids of several kinds."""
    kind = ""
    for part, each in ids.items():
        with error_context(_IN_PARTITION.format(part)):
            kind = check_same_kind(each.kind, kind)
    types = {each.dtype for each in ids.values()}
    if len(types) == 1 and np.dtype(object) not in types:
        return types.pop()
    return np.dtype(_TYPES.get(kind, object))


def _number_ids(parts: list[Ids | None]) -> list[Array]:
    """Number ids as Python compares them; give the numbers of the ids that each part lists."""
    known: dict[Any, int] = {}
    listed = [part.listed if part else [] for part in parts]
    numbers = [[known.setdefault(one, len(known)) for one in ids] for ids in listed]
    return [np.array(part, dtype=np.int64) for part in numbers]
