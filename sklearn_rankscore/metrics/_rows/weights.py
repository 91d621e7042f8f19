"""Check the weights of queries, and sum values by them."""

from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array


def check_weights(weight: Array) -> None:
    """Refuse weights that are infinite, missing or negative."""
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight must be finite and not negative.")


def check_some_weight(some: Any) -> None:
    """Refuse weights that are all 0."""
    if not some:
        raise ValueError("sample_weight must leave at least one query. Got only zeros instead.")


def as_shares_of_largest(weight: Array | None) -> Array | None:
    """Divide weights by the largest, so that no sum of them overflows."""
    largest = None if weight is None else weight.max(initial=0.0)
    return weight / largest if largest else weight


def sum_by_weight(value: Array, weight: Array | None) -> Array:
    """Give the sum of the weighted values of queries that have one, and of their weights."""
    weight = np.ones(len(value)) if weight is None else weight
    counted = ~np.isnan(value) & (weight > 0)
    return np.array([weight[counted] @ value[counted], weight[counted].sum()])
