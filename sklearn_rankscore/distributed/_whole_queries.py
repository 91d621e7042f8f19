"""All rows of a query in one partition: found to be so, mended at the seams, or shuffled."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from sklearn_rankscore.distributed._shuffle import of_parts, shuffled
from sklearn_rankscore.metrics._rows.validation import encode_ids


def whole_queries(dask: Any, table: Any, qid: str, *, row_order: bool) -> tuple[Any, Any]:
    """Bring the rows of each query together; looks at the ids of a Dask DataFrame.

    It looks at the partitions themselves: divisions that Parquet's statistics give do not tell a
    query that begins in one file and ends in the next, and of a single column Dask makes other
    partitions than of the table.

    With `row_order` the rows of a query keep their order, else they do where that costs nothing.
    Gives the table, and a type that holds the ids of all partitions as they are.
    """
    parts = table.to_delayed()
    meta = dask.dataframe.utils.make_meta(table)
    look = dask.delayed(_look)
    found = dask.compute(*[look(part, qid, at) for at, part in enumerate(parts)])
    ids = {at: each for at, each in enumerate(found) if each is not None}
    _check_numbers(list(ids.values()))
    order = _in_order(ids)
    if order is None:
        types = {each.type for each in ids.values()}
        by_value = len(types) > 1 or "" in types
        whole = shuffled(dask, table, qid, by_value=by_value, row_order=row_order)
    else:
        mended = _mended(dask, parts, qid, {at: ids[at] for at in order})
        whole = of_parts(dask, mended, meta)
    return whole, _common({each.dtype for each in ids.values()} or {_own(meta[qid])})


class _Ids(NamedTuple):
    """What is known of a partition."""

    low: Any  # None where ids cannot be put in order
    high: Any
    dtype: Any
    type: str  # if equal ids of it always have the same bits, else ""
    numbers: dict[Any, tuple[str, int]]  # by column, kind of numbers and the largest whole one


def _look(rows: Any, qid: str, part: int) -> _Ids | None:
    """Look at the ids of a partition; None of no rows."""
    import pandas as pd  # noqa: PLC0415 - Dask has it

    ids = rows[qid]
    if not len(ids):
        return None
    try:
        codes, distinct = encode_ids(ids, "qid")
    except (TypeError, ValueError) as error:
        error.add_note(f"In partition {part} (the first is 0).")
        raise
    values = codes if distinct is None else distinct
    if values.dtype.kind == "U":  # whose lowest not every NumPy finds
        values = values.astype(object)
    low = high = None
    if values.dtype != object or all(map(_has_order, values)):
        with suppress(TypeError):  # of several types
            # As Python and pandas have them, which compare numbers and dates of any types exactly.
            low, high = pd.Series([values.min(), values.max()], dtype=values.dtype)
    same_bits = ids.dtype.kind in "biumM" or isinstance(ids.dtype, pd.StringDtype)
    return _Ids(low, high, _own(ids), str(ids.dtype) if same_bits else "", _numbers(rows))


def _has_order(one: Any) -> bool:
    """Whether of any two such ids one is the lower; of sets it is not."""
    if isinstance(one, tuple):
        return all(map(_has_order, one))
    return isinstance(one, (str, bytes, Real, np.number, np.bool_, Decimal, date, timedelta))


def _own(column: Any) -> Any:
    """Type of its values; of a category, of what it stands for."""
    return getattr(column.dtype, "categories", column).dtype


def _common(types: set[Any]) -> Any:
    """A type that holds values of all of these as they are."""
    if len(types) == 1:
        return types.pop()
    if all(isinstance(each, np.dtype) and each.kind in "iuf" for each in types):
        both = np.result_type(*types)
        if {each.kind for each in types} == {both.kind}:
            return both
    return np.dtype(object)


def _numbers(rows: Any) -> dict[Any, tuple[str, int]]:
    found = {}
    for name, column in rows.items():
        values = getattr(column.dtype, "categories", column)
        kind, largest = values.dtype.kind, 0
        if kind in "iu":
            values = values if isinstance(values.dtype, np.dtype) else values.dropna()
            largest = max(-int(values.min()), int(values.max())) if len(values) else 0
        if kind in "iufc":
            found[name] = kind, largest
    return found


def _check_numbers(parts: list[_Ids]) -> None:
    """Refuse numbers that become floats where they come together, if these are not exact."""
    for name in dict.fromkeys(name for each in parts for name in each.numbers):
        found = [each.numbers[name] for each in parts if name in each.numbers]
        largest = max(number for _, number in found)
        if len({kind for kind, _ in found}) > 1 and largest > 2**53:
            raise ValueError(
                f"Column {name!r} must have one type in all partitions. Got several types of "
                f"numbers, as large as {largest}, which would become floats when rows come "
                "together, and then no longer be told from their neighbours."
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
    if ids.dtype.kind in "iu":
        of_it = np.asarray(ids) == query  # Arrow knows no number above those of int64
    elif np.iterable(query) and not isinstance(query, (str, bytes)):  # not one value for each row
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
