"""Score one partition, in which each query has all of its rows."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from sklearn_rankscore._messages import error_context, format_id
from sklearn_rankscore.distributed._request import Request
from sklearn_rankscore.metrics._rows.per_query import ID, WEIGHT
from sklearn_rankscore.metrics.evaluate import evaluate_per_query
from sklearn_rankscore.streaming._running_means import RunningMeans


def compute_per_query(rows: Any, request: Request, id_type: Any) -> Any:
    """Compute the per-query table of a partition."""
    values: dict[str, Any] = {}
    if len(rows):
        with _note_rows_in_error(rows, request):
            values = evaluate_per_query(metrics=request.metrics, **_take_columns(rows, request))
        if values[ID].dtype.kind == "U":
            values[ID] = values[ID].astype(object)  # which pandas turns into any type of text
    return make_per_query(values, request, id_type)


def make_per_query(values: Mapping[str, Any], request: Request, id_type: Any) -> Any:
    """Make a per-query table of pandas, of the same types even where it is empty."""
    import pandas as pd  # noqa: PLC0415 - Dask has it

    weight = (WEIGHT,) if WEIGHT in request.columns else ()
    types = {ID: id_type, **dict.fromkeys((*request.metrics, *weight), np.float64)}
    return pd.DataFrame(
        {name: pd.Series(values.get(name, []), dtype=dtype) for name, dtype in types.items()}
    )


def compute_sums(rows: Any, request: Request) -> RunningMeans:
    """Compute what the queries of a partition add to the means."""
    sums = RunningMeans(list(request.metrics.values()))
    if len(rows):
        with _note_rows_in_error(rows, request):
            sums.add(**_take_columns(rows, request))
    return sums


def _note_rows_in_error(rows: Any, request: Request) -> AbstractContextManager[None]:
    """Say in an error which rows it is about."""
    first = rows[request.columns["qid"]].iloc[0]
    return error_context(
        f"Rows are numbered within a partition; this one has {len(rows)}, and the first is of "
        f"query {format_id(first)}."
    )


def _take_columns(rows: Any, request: Request) -> dict[str, Any]:
    """Give the columns of a partition by what they hold."""
    return {"y_true": None, **{name: rows[column] for name, column in request.columns.items()}}
