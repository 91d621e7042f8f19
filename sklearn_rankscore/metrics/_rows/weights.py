"""Weights of queries: of one unit, of some at least, and what they make of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._rows.validation import Array


def normalize_weights(weight: Array) -> tuple[Array, float]:
    """Weights below 2, and the power of two that they were divided by; 0 if all are 0."""
    heaviest = float(weight.max(initial=0.0))
    if not heaviest:
        return weight, 0.0
    exponent = int(np.frexp(heaviest)[1]) - 1  # a unit of 2**1024 is none
    return np.ldexp(weight, -exponent), float(np.ldexp(1.0, exponent))


def check_some_weight(some: Any) -> None:
    """Refuse weights that leave nothing."""
    if not some:
        raise ValueError("sample_weight must leave at least one query. Got only zeros instead.")


def weighted_sums(value: Array, weight: Array | None) -> Array:
    """Sum of the weighted values of queries that have one, and of their weights."""
    weight = np.ones(len(value)) if weight is None else weight
    counted = ~np.isnan(value) & (weight > 0)
    return np.array([weight[counted] @ value[counted], weight[counted].sum()])
