"""Two ways to move rows between partitions: mend the seams of a sorted table, or shuffle."""

from itertools import pairwise
from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.validation import encode_ids


def get_plain_type(column: Any) -> Any:
    """Give the type of a column; of categories, the type of what they stand for."""
    return getattr(column.dtype, "categories", column).dtype


def set_id_type(rows: Any, qid: str, id_type: Any) -> Any:
    """Cast the ids to the type that all partitions share, so that equal ids have equal bits."""
    ids = rows[qid].astype(id_type)
    if id_type.kind == "f":
        ids = ids + 0.0  # makes -0.0 the other zero
    rows = rows.copy(deep=False)
    rows[qid] = ids
    return rows


def mend_seams(
    dask: Any, table: Any, qid: str, id_type: Any, ends: list[tuple[Any, Any, int]]
) -> Any:
    """Move the rows of a query that spans partitions to the first partition that has it.

    `ends` are the lowest id, the highest id and the number of each partition, sorted by id.
    """
    heads: dict[int, list[int]] = {}  # by partition, those that begin with its last query
    moved: dict[int, Any] = {}  # by partition, the query whose rows it hands over
    owner = ends[0][2]  # of the last query so far
    for (_, last, _), (low, high, here) in pairwise(ends):
        if last == low:
            heads.setdefault(owner, []).append(here)
            moved[here] = low
        if last != low or low != high:
            owner = here
    parts = table.to_delayed()
    select, join = dask.delayed(select_query), dask.delayed(join_rows)
    mended = list(parts)
    for at in moved.keys() | heads.keys():
        others = sorted(heads.get(at, ()))  # in the order of the table, not of their ids
        added = [select(parts[other], qid, id_type, moved[other]) for other in others]
        n_before = sum(other < at for other in others)
        mended[at] = join(parts[at], qid, id_type, moved.get(at), added, n_before)
    return join_partitions(dask, mended, dask.dataframe.utils.make_meta(table))


def select_query(rows: Any, qid: str, id_type: Any, query: Any, *, others: bool = False) -> Any:
    """Take the rows of a query, or all others; without a copy if the query comes first."""
    rows = set_id_type(rows, qid, id_type)
    if id_type.kind in "iu":
        of_query = np.asarray(rows[qid]) == query  # Arrow compares no number above int64
    else:
        of_query = (rows[qid] == query).to_numpy(dtype=bool)
    n = int(of_query.sum())
    if of_query[:n].all():
        return rows.iloc[n:] if others else rows.iloc[:n]
    return rows[~of_query if others else of_query]


def join_rows(
    rows: Any, qid: str, id_type: Any, without: Any, added: list[Any], n_before: int
) -> Any:
    """Join tables to the rows of a partition, the first `n_before` tables in front of them.

    The partition's own rows of the query `without` are left out, as another partition has them.
    """
    import pandas as pd  # noqa: PLC0415 - Dask has it

    if without is None:
        rows = set_id_type(rows, qid, id_type)
    else:
        rows = select_query(rows, qid, id_type, without, others=True)
    return pd.concat([*added[:n_before], rows, *added[n_before:]]) if added else rows


def join_partitions(dask: Any, parts: Any, meta: Any) -> Any:
    """Make a table of partitions; objects stay objects, whatever Dask's options say."""
    with dask.config.set({"dataframe.convert-string": False}):
        return dask.dataframe.from_delayed(parts, meta=meta, verify_meta=False)


def shuffle_by_id(
    dask: Any,
    table: Any,
    qid: str,
    id_type: Any,
    numbers: list[Array] | None,
    *,
    keep_row_order: bool,
) -> Any:
    """Let Dask bring rows of the same id together; with `keep_row_order`, in the order they had.

    Dask compares what ids look like. Where equal ids may look different, as decimals and sets do,
    `numbers` has the number of each id of each partition, in order of appearance.
    """
    meta = dask.dataframe.utils.make_meta(table)
    longer = "_".join(map(str, table.columns))  # than any name of a column
    wanted = {"number": numbers, "place": keep_row_order}
    names = {what: f"{longer}_{what}" for what, given in wanted.items() if given}
    # The other ways of Dask to shuffle write a tuple as a list, or fail.
    typed = set_id_type(meta, qid, id_type)
    method = "tasks" if numbers or object in list(typed.dtypes) else None
    if not names:
        table = table.map_partitions(set_id_type, qid, id_type, meta=typed)
        return table.shuffle(on=qid, shuffle_method=method)
    mark = dask.delayed(add_columns)
    parts = [
        mark(rows, qid, id_type, names, numbers[at] if numbers else None, at)
        for at, rows in enumerate(table.to_delayed())
    ]
    none = np.zeros(0, dtype=np.int64)
    wide = add_columns(meta, qid, id_type, names, none, 0)
    together = join_partitions(dask, parts, wide)
    together = together.shuffle(on=names.get("number", qid), shuffle_method=method)
    return together.map_partitions(drop_columns, names, meta=typed)


def add_columns(
    rows: Any, qid: str, id_type: Any, names: dict[str, str], numbers: Any, part: int
) -> Any:
    """Add the numbers of the ids, and the places of the rows in the table."""
    marked = set_id_type(rows, qid, id_type)
    if "number" in names:
        codes, distinct = encode_ids(rows[qid], "qid")
        marked[names["number"]] = numbers if distinct is None else numbers[codes]
    if "place" in names:
        marked[names["place"]] = np.arange(len(rows), dtype=np.int64) + (part << 40)
    return marked


def drop_columns(rows: Any, names: dict[str, str]) -> Any:
    """Put rows in their order, and drop what was added."""
    if "place" in names:
        rows = rows.sort_values(names["place"])
    return rows.drop(columns=list(names.values()))
