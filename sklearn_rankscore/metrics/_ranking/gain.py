"""What a grade is worth, g(grade), and what a rank takes from it, d(rank)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_rankscore._messages import describe
from sklearn_rankscore.metrics._rows.validation import LARGEST, Array

Gain = str | Mapping[float, float] | Sequence[float] | Array | Callable[[Array], Array]
Discount = str | Callable[[Array], Array]

# Exponential gains of larger grades, added up, may no longer be a float64.
_LARGEST = 1000

DISCOUNTS: dict[str, Callable[[Array], Array]] = {
    "log2": lambda rank: 1.0 / np.log2(rank + 1.0),
    "jarvelin": lambda rank: 1.0 / np.maximum(1.0, np.log2(rank)),
    "reciprocal": lambda rank: 1.0 / rank,
}
GAINS = ("linear", "exponential")


def gain_of(grade: Array, gain: Any, *, relative: bool = False) -> Array:
    """Worth of each grade of a block of queries.

    With `relative`, each query's exponential gains are scaled by a power of two of its own, which
    leaves every ratio of them as it is and keeps the largest near 1 however large the grade.
    """
    if isinstance(gain, Mapping):
        return _look_up(grade, gain)
    if isinstance(gain, str) and gain == "linear":
        return grade
    grade = grade.astype(np.float64, copy=False)
    if isinstance(gain, str):
        top = np.ceil(grade.max(axis=1, keepdims=True)) if relative else 0.0
        if not relative and grade.max() > _LARGEST:
            raise ValueError(
                f"An exponential gain of grade {grade.max():g} is too large for a float; the "
                f"largest grade is {_LARGEST}. Use ndcg, which is finite for every grade, or "
                "gain='linear'."
            )
        return np.asarray(np.exp2(grade - top) - np.exp2(-top))
    worth = np.asarray(gain(grade))
    if worth.shape != grade.shape or worth.dtype.kind not in "biuf":
        raise ValueError(
            "The 'gain' parameter must be a function of an array that returns one number for "
            f"each grade. Got an array of shape {worth.shape} and dtype {worth.dtype} for "
            f"grades of shape {grade.shape} instead."
        )
    check_worth(worth)
    return np.asarray(worth, dtype=np.float64)


def discount_of(rank: Array, discount: Any) -> Array:
    """Weight of each rank 1, 2, 3 …."""
    if isinstance(discount, str):
        return DISCOUNTS[discount](rank)
    weight = np.asarray(discount(rank.astype(np.float64)), dtype=np.float64)
    falls = weight.shape == rank.shape and bool((weight[1:] <= weight[:-1]).all())
    if not (falls and (weight <= LARGEST).all() and (weight >= 0).all()):
        raise ValueError(
            "The 'discount' parameter must be a function of the array of ranks 1, 2, 3 … that "
            "returns one finite weight for each, not negative and nowhere rising. "
            f"Got {describe(weight)} instead."
        )
    return weight


def _look_up(grade: Array, table: Mapping[float, float]) -> Array:
    known, worths = (np.array(column) for column in zip(*sorted(table.items()), strict=True))
    # In the precision of the grades: 0.1 is the float32 nearest to it.
    grades = known.astype(grade.dtype) if grade.dtype.kind == "f" else known
    found = np.minimum(np.searchsorted(grades, grade), len(grades) - 1)
    unknown = grades[found] != grade
    if unknown.any():
        raise ValueError(
            f"The 'gain' parameter has no gain for grade {grade[unknown][0]:g}. "
            f"It knows the grades {', '.join(f'{one:g}' for one in known)}."
        )
    return np.asarray(worths[found])


def check_worth(worth: Array) -> None:
    """Refuse gains that are negative, or too large to be added up."""
    wrong = ~((worth >= 0) & (worth <= LARGEST))
    if wrong.any():
        raise ValueError(
            f"The 'gain' parameter must give gains that are not negative and not above "
            f"{LARGEST:g}. Got {worth[wrong][0]:g} instead."
        )
