"""The per-query table, a row for each query: what it is read by, whoever made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore.metrics._ids import is_missing
from sklearn_rankscore.metrics._validation import got

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._validation import Array

ID, WEIGHT = "qid", "sample_weight"


def read_per_query(table: Any) -> tuple[Any, dict[str, Array], Array | None]:
    """Ids (None without), values by metric, and weights (None without); a lazy one is computed."""
    if not isinstance(table, Mapping):
        if not hasattr(table, "columns"):
            raise TypeError(
                "A per-query table must be a DataFrame or a dict, as evaluate_per_query gives it. "
                f"Got {got(table)} instead."
            )
        table = table.compute() if hasattr(table, "compute") else table
        table = {str(name): table[name] for name in table.columns}
    columns = dict(table)
    ids, weight = columns.pop(ID, None), columns.pop(WEIGHT, None)
    values = {name: _floats(column, name) for name, column in columns.items()}
    if not values:
        raise ValueError("A per-query table must have a column for each metric. Got none instead.")
    if weight is None:
        return ids, values, None
    weight = _floats(weight, WEIGHT)
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight must be finite and not negative.")
    return ids, values, weight


def _floats(column: Any, name: str) -> Array:
    """Numbers, NaN where one is missing."""
    array = np.asarray(column)
    try:
        if array.dtype == object:
            array = np.array([np.nan if is_missing(one) else one for one in array])
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    if array.dtype != np.float64 or array.ndim != 1:
        raise ValueError(
            f"A per-query table must hold numbers, and query ids in {ID!r}. Column {name!r} holds "
            f"{got(next(iter(array.ravel()), None))}."
        )
    return array
