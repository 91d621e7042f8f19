"""Is one model better than another? SciPy's statistics, over queries."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rankscore._messages import describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sklearn_rankscore.metrics._rows.validation import Array

_FEW = 1000  # queries up to which permutation_test is fast, and exact where it can be
_BATCH = 1 << 22  # numbers that are resampled at once


class Comparison(NamedTuple):
    """A paired difference, and what speaks for it."""

    p_randomisation: float
    p_t: float
    wins: int
    ties: int
    losses: int


def check_level(confidence_level: Any) -> None:
    """Refuse what is no probability."""
    is_float = isinstance(confidence_level, (float, np.floating))
    if not (is_float and 0 < confidence_level < 1):
        raise ValueError(
            "confidence_level must be above 0 and below 1, such as 0.95. Got "
            f"{describe(confidence_level)} instead."
        )


def intervals(
    columns: Array,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
    weight: Array | None = None,
) -> tuple[Array, Array]:
    """Percentile bootstrap intervals of the means of lines, by the same resamples of queries."""
    from scipy import stats  # noqa: PLC0415 - slow to import

    n = columns.shape[1]
    if n < 2:
        return np.full(len(columns), np.nan), np.full(len(columns), np.nan)
    lines = columns if weight is None else np.vstack([columns * weight, weight])
    result = stats.bootstrap(
        (lines,),
        np.mean if weight is None else _weighted_mean,
        axis=-1,
        n_resamples=n_resamples,
        confidence_level=level,
        method="percentile",
        batch=max(_BATCH // lines.size, 1),
        random_state=rng,
    )
    return result.confidence_interval.low, result.confidence_interval.high


def _weighted_mean(lines: Array, axis: int) -> Array:
    """Means of all lines but the last, which are the weights that they were multiplied with."""
    sums = lines.mean(axis=axis)
    return np.asarray(sums[:-1] / sums[-1:])


def compare(
    difference: Array,
    n_resamples: int,
    rng: np.random.Generator,
    weight: Array | None = None,
) -> Comparison:
    """Test paired differences, two-sided: by sign flips, and by Student's t."""
    from scipy import stats  # noqa: PLC0415

    if not len(difference):
        return Comparison(np.nan, np.nan, 0, 0, 0)
    wins, losses = int((difference > 1e-12).sum()), int((difference < -1e-12).sum())
    counts = wins, len(difference) - wins - losses, losses
    if not wins + losses:
        return Comparison(1.0, 1.0, *counts)
    if len(difference) < 2:
        return Comparison(np.nan, np.nan, *counts)
    # Of differences that are all the same, the t-test knows no spread to hold them against.
    spread = float(np.ptp(difference)) > 1e-12
    if weight is not None:  # the weighted mean of flipped differences is the mean of these
        difference = difference * (weight / weight.mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of differences that are all the same
        p_t = float(stats.ttest_1samp(difference, 0.0).pvalue) if spread else np.nan
    return Comparison(_sign_flips(stats, difference, n_resamples, rng), p_t, *counts)


def _sign_flips(
    stats: Any, difference: Array, n_resamples: int, rng: np.random.Generator
) -> float:
    """P-value of the paired randomisation test; of many queries, in a faster form of it."""
    asked = {
        "statistic": lambda values, axis: np.mean(values, axis=axis),
        "vectorized": True,
        "n_resamples": n_resamples,
        "batch": max(_BATCH // difference.size, 1),
    }
    if len(difference) <= _FEW:
        result = stats.permutation_test(
            (difference,), permutation_type="samples", random_state=rng, **asked
        )
        return float(result.pvalue)

    def flipped(size: tuple[int, ...]) -> Array:
        signs = rng.integers(0, 2, size=size, dtype=np.int8) * np.int8(2) - np.int8(1)
        return np.asarray(signs * difference)

    return float(stats.monte_carlo_test(difference, flipped, **asked).pvalue)


def holm(given: Sequence[float]) -> Array:
    """Adjust p-values for their number, as Holm (1979) does: for one error among all of them."""
    p_values = np.array(given, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known])]
    steps = p_values[order] * np.arange(len(order), 0, -1)
    adjusted = np.full(len(p_values), np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
