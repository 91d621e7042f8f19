"""Dask's shuffle, where equal ids may be written differently, and the order of rows counts."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np

from sklearn_rankscore.metrics._rows.canonical import canonical
from sklearn_rankscore.metrics._rows.validation import encode_ids


def shuffled(dask: Any, table: Any, qid: str, *, by_value: bool, row_order: bool) -> Any:
    """Bring rows of the same id together; with `row_order`, in the order that they had.

    Dask compares bits, so that 1 and 1.0 are not brought together, nor equal dates of two units:
    `by_value` sees that they are.
    """
    meta = dask.dataframe.utils.make_meta(table)
    # Other ways to shuffle write columns as one type: 1.0 as 1, a tuple as a list, or they fail.
    method = "tasks" if by_value or object in list(meta.dtypes) else None
    if not (by_value or row_order):
        return table.shuffle(on=qid, shuffle_method=method)
    longer = "_".join(map(str, table.columns))  # than any name, so that it is none
    names = {"key": f"{longer}_key"} if by_value else {}
    names |= {"place": f"{longer}_place"} if row_order else {}
    marked = dask.delayed(_marked)
    parts = [marked(rows, qid, at, names) for at, rows in enumerate(table.to_delayed())]
    wide = _marked(meta, qid, 0, names)
    together = of_parts(dask, parts, wide).shuffle(on=names.get("key", qid), shuffle_method=method)
    return together.map_partitions(_unmarked, names, meta=_unmarked(wide, names))


def of_parts(dask: Any, parts: Any, meta: Any) -> Any:
    """Table of partitions, objects in them as they are, whatever is set for tables of others."""
    with dask.config.set({"dataframe.convert-string": False}):
        return dask.dataframe.from_delayed(parts, meta=meta, verify_meta=False)


def _marked(rows: Any, qid: str, part: int, names: dict[str, str]) -> Any:
    """Rows with what they are shuffled by, and with their places in the table."""
    rows, ids = rows.copy(deep=False), rows[qid]
    if "key" in names:
        if hasattr(ids.dtype, "categories"):  # which Dask joins with nothing else
            rows[qid] = ids.astype(ids.cat.categories.dtype)
        codes, distinct = encode_ids(ids, "qid")
        if distinct is None:
            distinct, codes = np.unique(codes, return_inverse=True)
        # Two ids may have the same key, as it only says where they are brought together; those
        # that cannot be spelled have.
        keys = [crc32(repr(canonical(one)).encode()) for one in distinct]
        rows[names["key"]] = np.array(keys, dtype=np.int64)[codes]
    if "place" in names:
        rows[names["place"]] = np.arange(len(rows), dtype=np.int64) + (part << 40)
    return rows


def _unmarked(rows: Any, names: dict[str, str]) -> Any:
    """Rows as they were, and in their order."""
    if "place" in names:
        rows = rows.sort_values(names["place"])
    return rows.drop(columns=list(names.values()))
