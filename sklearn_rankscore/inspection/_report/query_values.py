"""Collect what a report compares: a value for each query, model and metric."""

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sklearn_rankscore._foreign import list_columns
from sklearn_rankscore._messages import format_id
from sklearn_rankscore._typing import Array
from sklearn_rankscore.inspection._report.statistics import EQUAL
from sklearn_rankscore.metrics import Metric
from sklearn_rankscore.metrics._metric.engine import check_per_query, run, sort_by_appearance
from sklearn_rankscore.metrics._metric.means import (
    has_no_order,
    warn_if_any_order_wins,
    warn_of_no_order,
)
from sklearn_rankscore.metrics._options import K
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._rows.items import find_places
from sklearn_rankscore.metrics._rows.per_query import read_per_query
from sklearn_rankscore.metrics._rows.validation import encode_ids
from sklearn_rankscore.metrics._rows.weights import check_some_weight
from sklearn_rankscore.metrics.evaluate import name_metrics


class QueryValues(NamedTuple):
    """What a report compares: a value for each query, model and metric."""

    ids: Array  # (n_queries,)
    values: dict[Any, Array]  # by (model, metric), (n_queries,); undefined ones replaced, or NaN
    weight: Array | None  # (n_queries,)
    undefined: dict[str, int]  # by metric, the number of queries for which it is undefined
    tied: dict[str, float]  # by model, the share of rows that ties move; empty without rows


def count_tied_rows(r: Ranking, *, k: int | None = K) -> Array:
    """Count the rows among the first k whose place inside a tie of other grades matters."""
    grade = r.grade.astype(np.float64)
    moved = np.abs(r.expected(grade) - r.in_order(grade)[:, : r.n_ranks]) > EQUAL
    return np.asarray(moved[:, :k].sum(axis=1))


def count_rows(r: Ranking, *, k: int | None = K) -> Array:
    """Count the rows of each query among the first k."""
    return r.n_listed(k)


_COUNTS = (Metric(count_tied_rows, shared=("ties",)), Metric(count_rows, shared=("ties",)))


def score_models(
    y_true: Any,
    models: Mapping[str, Any],
    qid: Any,
    sample_weight: Any,
    wanted: Mapping[str, Metric],
) -> QueryValues:
    """Compute the metrics of each model's scores."""
    values: dict[Any, Array] = {}
    undefined: dict[str, int] = {}
    tied: dict[str, float] = {}
    with_nan = [
        metric.bind(replace_undefined_by=np.nan)
        if "replace_undefined_by" in metric.options
        else metric
        for metric in wanted.values()
    ]
    asked = [metric.settle() for metric in with_nan]
    deepest = max(one.options.get("k") or sys.maxsize for one in asked)
    check_per_query(asked)
    rounded = any(one.in_single_precision for one in asked)
    counts = [count.settle({"k": deepest}) for count in _COUNTS]
    settled = [one._replace(in_single_precision=rounded) for one in counts] + asked
    ids: Array = np.empty(0)
    weight: Array | None = None
    in_no_order: list[bool] = []
    for model, scores in models.items():
        rows, columns = run(settled, y_true, scores, qid, sample_weight=sample_weight)
        if not in_no_order:
            warn_if_any_order_wins(asked, rows, stacklevel=4)
        in_no_order.append(has_no_order(asked, rows))
        ids, columns, weight = sort_by_appearance(rows, columns)
        ids, (in_ties, n_rows, *columns), weight = drop_weightless(ids, columns, weight)
        tied[model] = float(in_ties.sum() / max(n_rows.sum(), 1))
        for name, column in zip(wanted, columns, strict=True):
            missing = np.isnan(column)
            undefined[name] = max(undefined.get(name, 0), int(missing.sum()))
            column[missing] = wanted[name].settle().replace_undefined_by
            values[model, name] = column
    if all(in_no_order):
        warn_of_no_order("Each model" if len(models) > 1 else model, stacklevel=4)
    return QueryValues(ids, values, weight, undefined, tied)


def read_tables(tables: Mapping[str, Any], metrics: Any) -> tuple[QueryValues, dict[str, Metric]]:
    """Read the per-query table of each model, and bring its queries into the first one's order."""
    wanted = None if metrics is None else _find_metrics(metrics)
    read = {model: read_per_query(table, wanted) for model, table in tables.items()}
    columns_of = [columns for _, columns, _ in read.values()]
    in_all = [name for name in columns_of[0] if all(name in columns for columns in columns_of)]
    if wanted is None:
        if not in_all:
            raise ValueError("Per-query tables must have a metric in common. Got none.")
        wanted = _find_metrics(in_all)
    for name in wanted:
        if name not in in_all:
            raise ValueError(
                f"metrics must be columns that every per-query table has. Got {name!r}, which "
                "some of them lack."
            )
    first: Any = None
    weight: Array | None = None
    values: dict[Any, Array] = {}
    for model, (its_ids, columns, its_weight) in read.items():
        ids = _check_ids(its_ids, model)
        if first is None:
            first, weight = ids, its_weight
        place = _match_queries(first, ids, model)
        _check_weight(first, weight, None if its_weight is None else its_weight[place], model)
        values |= {(model, metric): columns[metric][place] for metric in wanted}
    ids, kept, weight = drop_weightless(first, list(values.values()), weight)
    values = dict(zip(values, kept, strict=True))
    undefined = {
        metric: max(int(np.isnan(values[model, metric]).sum()) for model in tables)
        for metric in wanted
    }
    return QueryValues(ids, values, weight, undefined, {}), wanted


def drop_weightless(
    ids: Array, columns: list[Array], weight: Array | None
) -> tuple[Array, list[Array], Array | None]:
    """Leave out the queries whose weight is 0."""
    if not len(ids):
        raise ValueError("There must be at least one query to compare. Got none.")
    if weight is None:
        return ids, columns, None
    some = weight > 0
    check_some_weight(some.any())
    return ids[some], [column[some] for column in columns], weight[some]


def _find_metrics(metrics: Any) -> dict[str, Metric]:
    """Find the metric of each column, which knows whether more is better."""
    try:
        return name_metrics(metrics, {})
    except ValueError as error:
        raise ValueError(
            f"{error} A column whose name is no metric does not say whether more is better. Pass "
            "a dict that names the metric of each column, such as metrics={'mine': 'ndcg@10'}."
        ) from error


def _check_ids(ids: Any, model: str) -> Array:
    """Give the ids as an array; refuse a table that has a query twice."""
    if ids is None:
        raise ValueError(f"The per-query table of {model} must have a column 'qid'. Got none.")
    codes, distinct = encode_ids(ids, "qid")
    once, first, counts = np.unique(codes, return_index=True, return_counts=True)
    array = codes if distinct is None else distinct[codes]
    if len(once) < len(codes):
        query = format_id(array[first[counts.argmax()]])
        raise ValueError(
            f"Query {query} has {counts.max()} lines in the per-query table of {model}; it must "
            "have one. Did you concatenate two tables that both have it?"
        )
    return array


def _match_queries(first: Array, ids: Array, model: str) -> Array:
    """Find each query of the first table in another; refuse tables of other queries."""
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
    """Refuse weights that differ between two tables."""
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
            f"sample_weight must be in all per-query tables, or in none. The table of {model} "
            "differs from the first."
        )


def name_models(y_score: Any, name: str | None) -> dict[str, Any]:
    """Give the scores of each model by its name; a column of a frame is a model."""
    if list_columns(y_score) and not isinstance(y_score, Mapping):
        y_score = {column: y_score[column] for column in list_columns(y_score)}
    if isinstance(y_score, Mapping):
        models = {str(model): scores for model, scores in y_score.items()}
        if not models or len(models) < len(y_score):
            names = ", ".join(map(repr, y_score))
            raise ValueError(f"Models must have different names. Got {names or 'no model'}.")
        return models
    return {name or "model": y_score}
