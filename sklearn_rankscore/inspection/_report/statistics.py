"""Is one model better than another? Intervals and tests over queries, by SciPy."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array

_FEW = 1000  # permutation_test is fast enough up to this many queries; for few it is exact
_BATCH = 1 << 22  # resample at most so many numbers at once
EQUAL = 1e-12  # values that differ by no more are equal


class Comparison(NamedTuple):
    """Tests of a paired difference, and in how many queries which side wins."""

    p_randomisation: float
    p_t: float
    wins: int
    ties: int
    losses: int


def check_level(confidence_level: Any) -> None:
    """Refuse a confidence level that is no probability."""
    is_float = isinstance(confidence_level, (float, np.floating))
    if not (is_float and 0 < confidence_level < 1):
        raise ValueError(
            "confidence_level must be above 0 and below 1, such as 0.95. Got "
            f"{describe(confidence_level)} instead."
        )


def compute_intervals(
    columns: Array,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
    weight: Array | None = None,
) -> tuple[Array, Array]:
    """Compute the percentile bootstrap interval of the mean of each line of `columns`.

    All lines, of shape (n_queries,), share the resamples of queries.
    """
    from scipy import stats  # noqa: PLC0415 - slow to import

    n = columns.shape[1]
    if n < 2:
        return np.full(len(columns), np.nan), np.full(len(columns), np.nan)
    lines = columns if weight is None else np.vstack([columns * weight, weight])

    def take_means(queries: Array, axis: int) -> Array:
        """Take the means of each line over resamples of query numbers, along the last axis."""
        del axis
        counts = [np.bincount(resample, minlength=n) for resample in np.atleast_2d(queries)]
        sums = lines @ np.transpose(counts).astype(np.float64)
        means = sums / n if weight is None else sums[:-1] / sums[-1:]
        return np.asarray(means if queries.ndim > 1 else means[:, 0])

    result = stats.bootstrap(
        (np.arange(n),),
        take_means,
        vectorized=True,
        n_resamples=n_resamples,
        confidence_level=level,
        method="percentile",
        batch=max(_BATCH // n, 1),
        random_state=rng,
    )
    return result.confidence_interval.low, result.confidence_interval.high


def compare_pairs(
    difference: Array,
    n_resamples: int,
    rng: np.random.Generator,
    weight: Array | None = None,
) -> Comparison:
    """Test, two-sided, whether paired differences have a mean of 0: by sign flips and a t-test."""
    from scipy import stats  # noqa: PLC0415

    if not len(difference):
        return Comparison(np.nan, np.nan, 0, 0, 0)
    wins, losses = int((difference > EQUAL).sum()), int((difference < -EQUAL).sum())
    counts = wins, len(difference) - wins - losses, losses
    if not wins + losses:
        return Comparison(1.0, 1.0, *counts)
    if len(difference) < 2:
        return Comparison(np.nan, np.nan, *counts)
    vary = float(np.ptp(difference)) > EQUAL  # else they have no spread, which the t-test needs
    if weight is not None:  # their mean is then the weighted mean, whichever signs are flipped
        difference = difference * (weight / weight.mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # where they vary hardly more than that
        p_t = float(stats.ttest_1samp(difference, 0.0).pvalue) if vary else np.nan
    return Comparison(_test_by_sign_flips(difference, n_resamples, rng), p_t, *counts)


def _test_by_sign_flips(difference: Array, n_resamples: int, rng: np.random.Generator) -> float:
    """Give the p-value of the paired randomisation test; a faster form of it for many queries."""
    from scipy import stats  # noqa: PLC0415

    options = {
        "statistic": lambda values, axis: np.mean(values, axis=axis),
        "vectorized": True,
        "n_resamples": n_resamples,
        "batch": max(_BATCH // difference.size, 1),
    }
    if len(difference) <= _FEW:
        result = stats.permutation_test(
            (difference,), permutation_type="samples", random_state=rng, **options
        )
        return float(result.pvalue)

    def draw(size: tuple[int, ...]) -> Array:
        signs = rng.integers(0, 2, size=size, dtype=np.int8) * np.int8(2) - np.int8(1)
        return np.asarray(signs * difference)

    return float(stats.monte_carlo_test(difference, draw, **options).pvalue)


def adjust_by_holm(given: Sequence[float]) -> Array:
    """Adjust p-values for their number, as Holm (1979) does; NaN stays NaN.

    SciPy has no such function: `scipy.stats.false_discovery_control` bounds another error rate.
    """
    p_values = np.array(given, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known])]
    steps = p_values[order] * np.arange(len(order), 0, -1)
    adjusted = np.full(len(p_values), np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
