"""All rows of a query in one partition: found to be so, mended at the seams, or shuffled."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sklearn_rankscore.distributed._shuffle import shuffled
from sklearn_rankscore.metrics._ids import is_missing, missing_id


def whole_queries(dask: Any, table: Any, qid: str, *, row_order: bool) -> Any:
    """Bring the rows of each query together; looks at the ids of a Dask DataFrame.

    It looks at the partitions themselves: divisions that Parquet's statistics give do not tell a
    query that begins in one file and ends in the next, and of a single column Dask makes other
    partitions than of the table.

    With `row_order` the rows of a query keep their order, else they do where that costs nothing.
    """
    parts = table.to_delayed()
    look = dask.delayed(_look)
    found = dask.compute(*[look(part, qid, at) for at, part in enumerate(parts)])
    ids = {at: each for at, each in enumerate(found) if each is not None}
    _check_numbers(ids)
    order = _in_order(ids)
    if order is None:
        types = {each.type for each in ids.values()}
        return shuffled(
            dask, table, qid, by_value=len(types) > 1 or "" in types, row_order=row_order
        )
    mended = _mended(dask, parts, qid, {at: ids[at] for at in order})
    meta = dask.dataframe.utils.make_meta(table)
    return dask.dataframe.from_delayed(mended, meta=meta, verify_meta=False)


class _Ids(NamedTuple):
    """What is known of the ids of a partition."""

    low: Any  # None where they cannot be compared
    high: Any
    kind: str  # of their dtype
    type: str  # if equal ids of it always have the same bits, else ""


def _look(rows: Any, qid: str, part: int) -> _Ids | None:
    """Look at the ids of a partition; None of no rows."""
    import pandas as pd  # noqa: PLC0415 - Dask has it

    ids = rows[qid]
    if not len(ids):
        return None
    values = ids.to_numpy()
    if not isinstance(ids.dtype, np.dtype) or ids.dtype.kind not in "iu":
        codes, distinct = ids.factorize()
        values = np.asarray(distinct)  # in their own order, not in a category's
        missing = [-1]
        if values.dtype == object:
            missing += [code for code, one in enumerate(values) if is_missing(one)]
        gaps = np.isin(codes, missing)
        if gaps.any():
            raise ValueError(missing_id("qid", f"{gaps.argmax()} of partition {part}"))
    try:
        # As Python and pandas have them, which compare numbers and dates of any two types exactly.
        low, high = pd.Series([values.min(), values.max()], dtype=values.dtype)
    except TypeError:
        low = high = None
    kind = ids.dtype.kind
    same_bits = kind in "biumM" or isinstance(ids.dtype, pd.StringDtype)
    return _Ids(low, high, kind, str(ids.dtype) if same_bits else "")


def _check_numbers(ids: dict[int, _Ids]) -> None:
    """Refuse numbers that become floats where they come together, if these are not exact."""
    numbers = [each for each in ids.values() if each.kind in "iuf"]
    if len({each.kind for each in numbers}) < 2:
        return
    for each in numbers:
        if each.kind != "f" and max(-each.low, each.high) > 2**53:
            raise ValueError(
                "qid must have one type in all partitions. Got ids of several types of numbers, "
                f"{each.high} among them, which would become floats when they come together, and "
                "then no longer be told from their neighbours."
            )


def _in_order(ids: dict[int, _Ids]) -> list[int] | None:
    """Partitions in order of their ids, if they can be put in one; else None."""
    try:
        order = sorted(ids, key=lambda at: ids[at][:2])
        whole = all(ids[before].high <= ids[here].low for before, here in pairwise(order))
    except TypeError:  # ids of several types
        return None
    return order if whole else None


def _mended(dask: Any, parts: list[Any], qid: str, ids: dict[int, _Ids]) -> list[Any]:
    """Move rows of a query that goes across partitions to the first of them that has it."""
    heads: dict[int, list[int]] = {}  # by partition, those that begin with its last query
    owner = next(iter(ids), 0)  # of the last query so far
    for before, here in pairwise(ids):
        across = ids[before].high == ids[here].low
        if across:
            heads.setdefault(owner, []).append(here)
        if not across or ids[here].low != ids[here].high:
            owner = here
    moved = {here for others in heads.values() for here in others}
    of_query, together = dask.delayed(_of_query), dask.delayed(_together)
    mended = list(parts)
    for at in moved | heads.keys():
        others = sorted(heads.get(at, ()))  # not in order of their ids, but of the table
        rows = [of_query(parts[other], qid, ids[other].low) for other in others]
        n_before = sum(other < at for other in others)
        without = ids[at].low if at in moved else None
        mended[at] = together(parts[at], qid, without, n_before, *rows)
    return mended


def _of_query(rows: Any, qid: str, query: Any, *, others: bool = False) -> Any:
    """Rows of a query, or all others; a slice, which is no copy, where it comes first."""
    ids = rows[qid]
    if np.iterable(query) and not isinstance(query, (str, bytes)):  # not one value for each row
        of_it = np.fromiter((one == query for one in ids), dtype=bool, count=len(ids))
    else:
        of_it = (ids == query).to_numpy(dtype=bool)
    n = int(of_it.sum())
    if of_it[:n].all():
        return rows.iloc[n:] if others else rows.iloc[:n]
    return rows[~of_it if others else of_it]


def _together(rows: Any, qid: str, without: Any, n_before: int, *more: Any) -> Any:
    """Rows of a partition, but those of a query that others have; more rows before and after."""
    import pandas as pd  # noqa: PLC0415 - Dask has it

    if without is not None:
        rows = _of_query(rows, qid, without, others=True)
    return pd.concat([*more[:n_before], rows, *more[n_before:]]) if more else rows
