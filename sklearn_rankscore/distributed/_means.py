"""Average values per query: of a table in memory, or of one in partitions."""

from math import fsum
from typing import Any

import numpy as np

from sklearn_rankscore.distributed._request import import_dask
from sklearn_rankscore.metrics._metric.engine import warn_undefined
from sklearn_rankscore.metrics._rows.per_query import read_per_query
from sklearn_rankscore.metrics._rows.weights import (
    as_shares_of_largest,
    check_some_weight,
    sum_by_weight,
)


def means(table: Any) -> dict[str, float]:
    """Compute weighted means of values per query.

    Parameters
    ----------
    table : dask or pandas DataFrame, or dict of str to array-like
        What `per_query` or `evaluate_per_query` gives. Each column but "qid" and "sample_weight",
        which may be missing, is a metric. If you merge tables, no query may be in two of them:
        this is not checked.

    Returns
    -------
    dict of str to float
        Mean of each metric over the queries that have a value of it.

    Raises
    ------
    TypeError
        If `table` is not a table.
    ValueError
        If the table holds anything but ids and numbers, or no weight is above 0.

    Examples
    --------
    >>> from sklearn_rankscore.distributed import means
    >>> means({"qid": ["a", "b"], "mrr": [1.0, 0.5], "sample_weight": [1, 3]})
    {'mrr': 0.625}
    """
    if hasattr(table, "to_delayed"):
        dask = import_dask()
        parts = dask.compute(*map(dask.delayed(_sum_up), table.to_delayed()))
    else:
        parts = (_sum_up(table),)
    largest = max(unit for _, unit in parts)
    check_some_weight(largest > 0)
    means = {}
    for name in parts[0][0]:
        sums = np.array([sums[name] * (unit / largest) for sums, unit in parts])
        value, weight = map(fsum, sums.T)
        means[name] = value / weight if weight else warn_undefined(name, 3)
    return means


def _sum_up(table: Any) -> tuple[dict[str, Any], float]:
    """Give, by metric, the sums of weighted values and of weights; and the unit of the weights."""
    _, values, weight = read_per_query(table)
    shares = as_shares_of_largest(weight)
    unit = 1.0 if weight is None else float(weight.max(initial=0.0))
    return {name: sum_by_weight(column, shares) for name, column in values.items()}, unit
