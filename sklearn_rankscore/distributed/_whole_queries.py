"""All rows of a query in one partition: found to be so, mended at the seams, or shuffled."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np


def whole_queries(dask: Any, table: Any, qid: str) -> Any:
    """Bring the rows of each query together; looks at the ids of a Dask DataFrame.

    It looks at the partitions themselves: divisions that Parquet's statistics give do not tell a
    query that begins in one file and ends in the next, and of a single column Dask makes other
    partitions than of the table.
    """
    parts = table.to_delayed()
    ends = dask.compute(*[dask.delayed(_ends)(part[qid]) for part in parts])
    order = [at for at, end in enumerate(ends) if end is not None]
    try:
        order.sort(key=lambda at: ends[at])
        in_order = all(ends[a][1] <= ends[b][0] for a, b in pairwise(order))
    except TypeError:  # ids of several types
        in_order = False
    if not in_order:
        return table.shuffle(on=qid)
    mended = _mended(dask, parts, qid, {at: ends[at] for at in order})
    meta = dask.dataframe.utils.make_meta(table)
    return dask.dataframe.from_delayed(mended, meta=meta, verify_meta=False)


def _ends(ids: Any) -> tuple[Any, Any] | None:
    """Lowest and highest id; None of no rows."""
    if isinstance(ids.dtype, np.dtype) and ids.dtype.kind in "iu":
        values = ids.to_numpy()
    else:
        values = np.asarray(ids.dropna().unique())  # in their own order, not in a category's
    if not len(values):
        return None
    try:
        return values.min(), values.max()
    except TypeError:
        return None, None  # which cannot be compared either


def _mended(dask: Any, parts: list[Any], qid: str, ends: dict[int, tuple[Any, Any]]) -> list[Any]:
    """Move rows of a query that goes across partitions to the first of them that has it."""
    heads: dict[int, list[int]] = {}  # by partition, those that begin with its last query
    owner = next(iter(ends), 0)  # of the last query so far
    for before, here in pairwise(ends):
        across = ends[before][1] == ends[here][0]
        if across:
            heads.setdefault(owner, []).append(here)
        if not across or ends[here][0] != ends[here][1]:
            owner = here
    moved = {here for others in heads.values() for here in others}
    of_query, together = dask.delayed(_of_query), dask.delayed(_together)
    mended = list(parts)
    for at in moved | heads.keys():
        rows = [of_query(parts[other], qid, ends[other][0]) for other in heads.get(at, ())]
        mended[at] = together(parts[at], qid, ends[at][0] if at in moved else None, *rows)
    return mended


def _of_query(rows: Any, qid: str, query: Any, *, others: bool = False) -> Any:
    """Rows of a query, or all others; a slice, which is no copy, where it comes first."""
    of_it = (rows[qid] == query).to_numpy(dtype=bool, na_value=False)
    n = int(of_it.sum())
    if of_it[:n].all():
        return rows.iloc[n:] if others else rows.iloc[:n]
    return rows[~of_it if others else of_it]


def _together(rows: Any, qid: str, without: Any, *more: Any) -> Any:
    """Rows of a partition, but those of a query that others have; and more rows."""
    import pandas as pd  # noqa: PLC0415 - Dask has it

    if without is not None:
        rows = _of_query(rows, qid, without, others=True)
    return pd.concat([rows, *more]) if more else rows
