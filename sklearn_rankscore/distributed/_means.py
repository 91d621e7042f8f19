"""Means of values per query, of one table or of parts that lie in several places."""

from __future__ import annotations

from typing import Any

from sklearn_rankscore.distributed._table import dask_there
from sklearn_rankscore.metrics._metric.engine import undefined
from sklearn_rankscore.metrics._rows.per_query import read_per_query
from sklearn_rankscore.metrics._rows.weights import (
    check_some_weight,
    normalize_weights,
    weighted_sums,
)
from sklearn_rankscore.streaming._running_means import Sum


def means(table: Any) -> dict[str, float]:
    """Weighted means of values per query.

    Parameters
    ----------
    table : dask or pandas DataFrame, or dict of str to array-like
        What `per_query` or `evaluate_per_query` gives: "qid" and "sample_weight", if it has them;
        each other column is taken for a metric. Of tables that were merged, ids must be distinct,
        which is not checked.

    Returns
    -------
    dict of str to float
        Mean of each metric over the queries that have a value of it.

    Raises
    ------
    TypeError
        If it is no table.
    ValueError
        If it holds anything but ids and numbers, or no query has a weight.

    Examples
    --------
    >>> from sklearn_rankscore.distributed import means
    >>> means({"qid": ["a", "b"], "mrr": [1.0, 0.5], "sample_weight": [1, 3]})
    {'mrr': 0.625}
    """
    if hasattr(table, "to_delayed"):
        dask = dask_there()
        parts = dask.compute(*map(dask.delayed(_sums), table.to_delayed()))
    else:
        parts = (_sums(table),)
    largest = max(unit for _, unit in parts)
    check_some_weight(largest > 0)
    total = {name: Sum() for name in parts[0][0]}
    for sums, unit in parts:
        for name, both in sums.items():
            total[name].add(both * (unit / largest))
    return {
        name: float(both.value[0] / both.value[1]) if both.value[1] else undefined(name, 3)
        for name, both in total.items()
    }


def _sums(table: Any) -> tuple[dict[str, Any], float]:
    """By metric the sum of weighted values, and that of their weights; the unit of weights."""
    _, values, weight = read_per_query(table)
    weight, unit = (None, 1.0) if weight is None else normalize_weights(weight)
    return {name: weighted_sums(column, weight) for name, column in values.items()}, unit
