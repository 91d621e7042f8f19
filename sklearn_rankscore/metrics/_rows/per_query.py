"""Per-query tables, with a row for each query: read from whatever library made them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from sklearn_rankscore._foreign import read_columns
from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.ids import is_missing
from sklearn_rankscore.metrics._rows.weights import check_weights

ID, WEIGHT = "qid", "sample_weight"


def read_per_query(
    table: Any, names: Iterable[str] | None = None
) -> tuple[Any, dict[str, Array], Array | None]:
    """Give the ids, the values by metric, and the weights of a table; compute a lazy one.

    Ids and weights are None where the table has none. `names` are the metrics to read, as far as
    the table has them; None: all.
    """
    columns = read_columns(table)
    if columns is None:
        raise TypeError(
            "A per-query table must be a DataFrame or a dict, as evaluate_per_query gives it. "
            f"Got {describe(table)} instead."
        )
    ids, weight = columns.pop(ID, None), columns.pop(WEIGHT, None)
    asked = columns if names is None else [name for name in names if name in columns]
    values = {name: _read_numbers(columns[name], name) for name in asked}
    if not columns:
        raise ValueError("A per-query table must have a column for each metric. Got none instead.")
    for name, column in values.items():
        if np.isinf(column).any():
            raise ValueError(f"Column {name!r} of a per-query table must be finite.")
    if weight is not None:
        weight = _read_numbers(weight, WEIGHT)
        check_weights(weight)
    lengths = {len(values) for values in (ids, weight, *values.values()) if values is not None}
    if len(lengths) > 1:
        raise ValueError(
            f"Columns of a per-query table must have one length. Got {sorted(lengths)}."
        )
    return ids, values, weight


def _read_numbers(column: Any, name: str) -> Array:
    """Read numbers, NaN where one is missing."""
    array = np.asarray(column)
    if array.dtype == object:
        array = np.array([np.nan if is_missing(one) else one for one in array.ravel()])
    if array.dtype.kind not in "biuf" or array.ndim != 1:
        raise ValueError(
            f"A per-query table must hold numbers, and query ids in {ID!r}. Column {name!r} holds "
            f"{describe(next(iter(array.ravel()), None))}."
        )
    return array.astype(np.float64)
