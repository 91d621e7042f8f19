"""What is done to a partition, in which each query has all of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore._messages import error_context, format_id
from sklearn_rankscore.metrics._rows.per_query import ID, WEIGHT
from sklearn_rankscore.metrics.evaluate import evaluate_per_query
from sklearn_rankscore.streaming._running_means import RunningMeans

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sklearn_rankscore.metrics import Metric


def values_of(rows: Any, asked: tuple[dict[str, Metric], dict[str, Any]], id_type: Any) -> Any:
    """Per-query table of a partition."""
    wanted, columns = asked
    table: dict[str, Any] = {}
    if len(rows):
        with error_context(_where(rows[columns["qid"]])):
            table.update(evaluate_per_query(metrics=wanted, **_of_rows(rows, columns)))
        if table[ID].dtype.kind == "U":
            table[ID] = table[ID].astype(object)  # of which pandas makes any kind of text
    return table_of(table, id_type, wanted, columns)


def table_of(
    values: Mapping[str, Any], id_type: Any, wanted: Iterable[str], columns: Iterable[str]
) -> Any:
    """Per-query table as pandas has it, of these types though it may be empty."""
    import pandas as pd  # noqa: PLC0415 - Dask has it

    weight = (WEIGHT,) if WEIGHT in columns else ()
    types = {ID: id_type, **dict.fromkeys((*wanted, *weight), np.float64)}
    return pd.DataFrame(
        {name: pd.Series(values.get(name, []), dtype=dtype) for name, dtype in types.items()}
    )


def tally_of(rows: Any, asked: tuple[dict[str, Metric], dict[str, Any]]) -> RunningMeans:
    """What the queries of a partition add to the means."""
    wanted, columns = asked
    tally = RunningMeans(list(wanted.values()))
    if len(rows):
        with error_context(_where(rows[columns["qid"]])):
            tally.add(**_of_rows(rows, columns))
    return tally


def _where(ids: Any) -> str:
    """Say which rows an error is of."""
    return (
        f"Rows are numbered within a partition; this one has {len(ids)}, and the first is of "
        f"query {format_id(ids.iloc[0])}."
    )


def _of_rows(rows: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a partition by what they hold."""
    return {"y_true": None, **{name: rows[column] for name, column in columns.items()}}
