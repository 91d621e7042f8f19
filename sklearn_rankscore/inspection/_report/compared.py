"""What a report compares: values of the same queries by each model, from rows or as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rankscore._messages import format_id
from sklearn_rankscore.metrics import Metric
from sklearn_rankscore.metrics._metric.engine import compute_per_query
from sklearn_rankscore.metrics._rows.items import find_places
from sklearn_rankscore.metrics._rows.per_query import read_per_query
from sklearn_rankscore.metrics._rows.validation import encode_ids
from sklearn_rankscore.metrics._rows.weights import check_some_weight
from sklearn_rankscore.metrics.evaluate import name_metrics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sklearn_rankscore.metrics._ranking.ranking import Ranking
    from sklearn_rankscore.metrics._rows.validation import Array


class Compared(NamedTuple):
    """Values of each query by model and metric; undefined ones replaced, or NaN."""

    ids: Array  # (n_queries,)
    values: dict[Any, Array]
    weight: Array | None  # (n_queries,)
    undefined: dict[str, int]  # by metric, of how many queries it is
    tied: dict[str, float]  # by model, the share of its rows that are; empty if rows are not known


def count_tied_rows(r: Ranking) -> Array:
    """How many rows of each query share their score with another."""
    return np.asarray((r.chosen(None).certain & (r.tie_spans()[1] > 1)).sum(axis=1))


def count_rows(r: Ranking) -> Array:
    """How many rows each query has."""
    return r.n_rows


_OF_ROWS = (Metric(count_tied_rows, shared=("ties",)), Metric(count_rows, shared=()))


def of_rows(
    y_true: Any,
    models: Mapping[str, Any],
    qid: Any,
    sample_weight: Any,
    wanted: Mapping[str, Metric],
) -> Compared:
    """Score the rows of each model."""
    values: dict[Any, Array] = {}
    undefined: dict[str, int] = {}
    tied: dict[str, float] = {}
    shown_as_nan = [
        metric.bind(replace_undefined_by=np.nan)
        if "replace_undefined_by" in metric.options
        else metric
        for metric in wanted.values()
    ]
    settled = [metric.settle() for metric in (*_OF_ROWS, *shown_as_nan)]
    ids: Array = np.empty(0)
    weight: Array | None = None
    for model, scores in models.items():
        ids, columns = compute_per_query(settled, y_true, scores, qid, sample_weight=sample_weight)
        weight = None if sample_weight is None else columns.pop()
        ids, (in_ties, n_rows, *columns), weight = _of_some_weight(ids, columns, weight)
        tied[model] = float(in_ties.sum() / n_rows.sum())
        for name, column in zip(wanted, columns, strict=True):
            missing = np.isnan(column)
            undefined[name] = max(undefined.get(name, 0), int(missing.sum()))
            column[missing] = wanted[name].settle().replace_undefined_by
            values[model, name] = column
    return Compared(ids, values, weight, undefined, tied)


def of_tables(tables: Mapping[str, Any], metrics: Any) -> tuple[Compared, dict[str, Metric]]:
    """Take the values of per-query tables, put in the order of the first one's queries."""
    wanted = None if metrics is None else _named(metrics)
    read = {model: read_per_query(table, wanted) for model, table in tables.items()}
    columns_of = [columns for _, columns, _ in read.values()]
    wanted = _named(_common(columns_of)) if wanted is None else wanted
    for name in wanted:
        if not all(name in columns for columns in columns_of):
            raise ValueError(
                f"metrics must be columns that every per-query table has. Got {name!r}, which not "
                "every one has."
            )
    first: Any = None
    weight: Array | None = None
    values: dict[Any, Array] = {}
    for model, (its_ids, columns, its_weight) in read.items():
        ids = _distinct(its_ids, model)
        if first is None:
            first, weight = ids, its_weight
        place = _in_order_of(first, ids, model)
        _check_weight(first, weight, None if its_weight is None else its_weight[place], model)
        values |= {(model, metric): columns[metric][place] for metric in wanted}
    ids, some, weight = _of_some_weight(first, list(values.values()), weight)
    values = dict(zip(values, some, strict=True))
    undefined = {
        metric: max(int(np.isnan(values[model, metric]).sum()) for model in tables)
        for metric in wanted
    }
    return Compared(ids, values, weight, undefined, {}), wanted


def _of_some_weight(
    ids: Array, columns: list[Array], weight: Array | None
) -> tuple[Array, list[Array], Array | None]:
    """Leave out queries of no weight."""
    if not len(ids):
        raise ValueError("There must be at least one query to compare. Got none.")
    if weight is None:
        return ids, columns, None
    some = weight > 0
    check_some_weight(some.any())
    return ids[some], [column[some] for column in columns], weight[some]


def _named(metrics: Any) -> dict[str, Metric]:
    """Metrics by the columns that hold their values, to tell what is better."""
    try:
        return name_metrics(metrics, {})
    except ValueError as error:
        raise ValueError(
            f"{error} Of a column that has the name of no metric it is not known whether more is "
            "better: pass a dict of what each is, such as metrics={'mine': 'ndcg@10'}."
        ) from error


def _common(tables: Iterable[Mapping[str, Array]]) -> list[str]:
    """Columns that all tables have, in the order of the first."""
    first, *others = tables
    columns = [name for name in first if all(name in table for table in others)]
    if not columns:
        raise ValueError("Per-query tables must have a metric in common. Got none.")
    return columns


def _distinct(ids: Any, model: str) -> Array:
    """Ids of the queries, each once."""
    if ids is None:
        raise ValueError(f"The per-query table of {model} must have a column 'qid'. Got none.")
    codes, distinct = encode_ids(ids, "qid")
    once, first, counts = np.unique(codes, return_index=True, return_counts=True)
    array = codes if distinct is None else distinct[codes]
    if len(once) < len(codes):
        query = format_id(array[first[counts.argmax()]])
        raise ValueError(
            f"Query {query} has {counts.max()} lines in the per-query table of {model}: each "
            "query is compared once. Were two tables that have it concatenated?"
        )
    return array


def _in_order_of(first: Array, ids: Array, model: str) -> Array:
    """Places of a table's queries, in the order of the first table's."""
    place = find_places(first, ids)
    if (place < 0).any() or len(ids) > len(first):
        missing = (place < 0).any()
        where = f"not in the table of {model}" if missing else f"only in the table of {model}"
        odd = first[place < 0] if missing else ids[find_places(ids, first) < 0]
        raise ValueError(
            f"Models are compared on the same queries, but query {format_id(odd[0])} is {where}."
        )
    return place


def _check_weight(ids: Array, weight: Array | None, other: Array | None, model: str) -> None:
    """Refuse weights of the same queries that differ."""
    if weight is not None and other is not None:
        differ = ~np.isclose(weight, other, rtol=1e-6, atol=0)
        if not differ.any():
            return
        at = differ.argmax()
        raise ValueError(
            f"A query must have one weight. Query {format_id(ids[at])} has {other[at]:g} in the "
            f"table of {model}, {weight[at]:g} in the first."
        )
    if weight is not other:
        raise ValueError(
            f"sample_weight must be in all per-query tables, or in none. {model} differs."
        )


def scores_by_model(y_score: Any, name: str | None) -> dict[str, Any]:
    """Scores by the names of their models."""
    if isinstance(y_score, Mapping):
        models = {str(model): scores for model, scores in y_score.items()}
        if not models or len(models) < len(y_score):
            names = ", ".join(map(repr, y_score))
            raise ValueError(f"y_score must have scores by different names. Got {names}.")
        return models
    return {name or "model": y_score}
