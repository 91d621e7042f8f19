"""What a report compares: values of the same queries by each model, from rows or as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rankscore.metrics import Metric, get_metric
from sklearn_rankscore.metrics._compute import per_query_of_all, request_of
from sklearn_rankscore.metrics._ids import encode, shown
from sklearn_rankscore.metrics._items import places
from sklearn_rankscore.metrics._per_query import read_per_query
from sklearn_rankscore.metrics._rows import check_some_weight

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._ranking import Ranking
    from sklearn_rankscore.metrics._validation import Array


class Compared(NamedTuple):
    """Values of each query by model and metric; undefined ones replaced, or NaN."""

    ids: Array  # (n_queries,)
    values: dict[Any, Array]
    weight: Array | None  # (n_queries,)
    undefined: dict[str, int]  # by metric, of how many queries it is
    tied: dict[str, float]  # by model, the share of its rows that are; empty if rows are not known

    def of_some_weight(self) -> Compared:
        """Leave out queries of no weight."""
        if self.weight is None:
            return self
        some = self.weight > 0
        check_some_weight(some.any())
        values = {key: column[some] for key, column in self.values.items()}
        return self._replace(ids=self.ids[some], values=values, weight=self.weight[some])


def tied_rows(r: Ranking) -> Array:
    """How many rows of each query share their score with another."""
    return np.asarray((r.chosen(None).certain & (r.spans()[1] > 1)).sum(axis=1))


_TIED = Metric(tied_rows, shared=("ties",))


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
    n_rows = np.size(next(iter(models.values())))
    ids: Array = np.empty(0)
    weight: list[Array] = []
    for model, scores in models.items():
        ids, (in_ties, *columns) = per_query_of_all(
            [_TIED, *shown_as_nan], y_true, scores, qid, sample_weight=sample_weight
        )
        columns, weight = columns[: len(wanted)], columns[len(wanted) :]
        tied[model] = float(in_ties.sum() / n_rows)
        for name, column in zip(wanted, columns, strict=True):
            missing = np.isnan(column)
            undefined[name] = max(undefined.get(name, 0), int(missing.sum()))
            column[missing] = request_of(wanted[name], {}).replace_undefined_by
            values[model, name] = column
    return Compared(ids, values, weight[0] if weight else None, undefined, tied)


def of_tables(tables: Mapping[str, Any], metrics: Any) -> tuple[Compared, dict[str, Metric]]:
    """Take the values of per-query tables, put in the order of the first one's queries."""
    first: Any = None
    weight: Array | None = None
    values: dict[Any, Array] = {}
    read = {model: read_per_query(table) for model, table in tables.items()}
    wanted = _metrics_of([columns for _, columns, _ in read.values()], metrics)
    for model, (its_ids, columns, its_weight) in read.items():
        ids = _distinct(its_ids, model)
        if first is None:
            first, weight = ids, its_weight
        place = _in_order_of(first, ids, model)
        if not _same(weight, None if its_weight is None else its_weight[place]):
            raise ValueError(f"Queries must have one weight. {model} has other weights.")
        values |= {(model, metric): columns[metric][place] for metric in wanted}
    undefined = {
        metric: max(int(np.isnan(values[model, metric]).sum()) for model in tables)
        for metric in wanted
    }
    return Compared(first, values, weight, undefined, {}), wanted


def _metrics_of(tables: list[dict[str, Array]], metrics: Any) -> dict[str, Metric]:
    """Metrics by the columns that hold their values, to tell what is better."""
    columns = [name for name in tables[0] if all(name in table for table in tables)]
    named = {name: name for name in columns} if metrics is None else metrics
    if not isinstance(named, Mapping):
        named = {str(metric): metric for metric in named}
    for name in named:
        if name not in columns:
            raise ValueError(
                f"metrics must be columns that every per-query table has, {', '.join(columns)}. "
                f"Got {name!r}."
            )
    wanted = {}
    for name, metric in named.items():
        try:
            wanted[name] = get_metric(metric)
        except ValueError as error:
            raise ValueError(
                f"Column {name!r} has the name of no metric, so that it is not known whether more "
                f"is better. Pass metrics={{{name!r}: 'ndcg@10'}}, or what it is."
            ) from error
    if not wanted:
        raise ValueError("Per-query tables must have a metric in common. Got none.")
    return wanted


def _distinct(ids: Any, model: str) -> Array:
    """Ids of the queries, each once."""
    if ids is None:
        raise ValueError(f"The per-query table of {model} must have a column 'qid'. Got none.")
    codes, distinct = encode(ids, "qid")
    once, first, counts = np.unique(codes, return_index=True, return_counts=True)
    array = codes if distinct is None else distinct[codes]
    if len(once) < len(codes):
        query = shown(array[first[counts.argmax()]])
        raise ValueError(
            f"Query {query} has {counts.max()} lines in the per-query table of {model}: each "
            "query is compared once. Were two tables that have it concatenated?"
        )
    return array


def _in_order_of(first: Array, ids: Array, model: str) -> Array:
    """Places of a table's queries, in the order of the first table's."""
    place = places(first, ids)
    if (place < 0).any() or len(ids) > len(first):
        missing = (place < 0).any()
        where = f"not in the table of {model}" if missing else f"only in the table of {model}"
        odd = first[place < 0] if missing else ids[places(ids, first) < 0]
        raise ValueError(
            f"Models are compared on the same queries, but query {shown(odd[0])} is {where}."
        )
    return place


def _same(weight: Array | None, other: Array | None) -> bool:
    if weight is None or other is None:
        return weight is other
    return bool(np.allclose(weight, other, rtol=1e-12, atol=0))
