"""How much do the grades add up to?

A formula takes a block of ranked queries, a Ranking, and returns one value per query, NaN where
the metric is undefined. Its keyword-only parameters are the metric's own options; its docstring
is the beginning of the metric's. ``r.note`` names the quantities that `explain` shows.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._options import K, option
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._rows.validation import LARGEST, check_choice, one_of_or_callable

Gain = str | Mapping[float, float] | Sequence[float] | Array | Callable[[Array], Array]
Discount = str | Callable[[Array], Array]

# The sum of exponential gains of larger grades may overflow a float64.
LARGEST_EXPONENT = 1000
# So may their products with large discounts; nDCG divides the gains of grades above this one.
LARGEST_PLAIN_EXPONENT = 500

DISCOUNTS: dict[str, Callable[[Array], Array]] = {
    "log2": lambda rank: 1.0 / np.log2(rank + 1.0),
    "jarvelin": lambda rank: 1.0 / np.maximum(1.0, np.log2(rank)),
    "reciprocal": lambda rank: 1.0 / rank,
}


def _check_gain(gain: Any, parameter: str) -> Any:
    if callable(gain):
        return gain
    if hasattr(gain, "to_dict"):  # a pandas Series, by its index
        gain = gain.to_dict()
    if isinstance(gain, str) or np.ndim(gain) != (0 if isinstance(gain, Mapping) else 1):
        other = "a table of gains or a function of the grade"
        return check_choice(gain, parameter, ("linear", "exponential"), other)
    table = gain if isinstance(gain, Mapping) else dict(enumerate(gain))
    if not table:
        raise ValueError(f"{parameter} must have a gain for each grade. Got an empty table.")
    try:
        table = {float(grade): float(worth) for grade, worth in table.items()}
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{parameter} must map numbers to numbers: {error}.") from error
    if not np.isfinite(list(table)).all():
        raise ValueError(f"{parameter} must not have a gain for a grade that is not finite.")
    _check_worth(np.fromiter(table.values(), dtype=np.float64))
    return table


GAIN = option(
    _check_gain,
    '{"linear", "exponential"}, mapping, array or callable',
    """\
Worth of a grade g: g, or 2**g - 1, or what the table says (an array is indexed by grade), or
a function of the array of grades. Never negative.""",
    "linear",
    dict.fromkeys(("sklearn", "trec_eval", "catboost"), "linear")
    | dict.fromkeys(("lightgbm", "xgboost"), "exponential"),
)
DISCOUNT = option(
    one_of_or_callable(*DISCOUNTS, other="a function of the rank"),
    '{"log2", "jarvelin", "reciprocal"} or callable',
    """\
Weight of rank r: 1 / log2(r + 1), or 1 / max(1, log2 r), or 1 / r, or a function of the
array of ranks that never rises.""",
    "log2",
)


def cumulative_gain(r: Ranking, *, k: int | None = K, gain: Gain = GAIN) -> Array:
    """Cumulative gain: the gains of the top k rows, added up.

    CG@k = sum over ranks i = 1..k of g(grade_i).

    Range: 0 to the sum of all gains, in units of gain. Always defined: 0 where nothing is
    relevant.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques,
    ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from sklearn_rankscore import cumulative_gain
    >>> cumulative_gain([[3, 2, 3, 0, 1]], [[5, 4, 3, 2, 1]], k=3)
    8.0
    """
    found = r.expected(compute_gains(r, gain))[:, :k]
    r.note(gain=found)
    return np.asarray(found.sum(axis=1))


def dcg(
    r: Ranking, *, k: int | None = K, gain: Gain = GAIN, discount: Discount = DISCOUNT
) -> Array:
    """Discounted cumulative gain: gains count less the lower they are ranked.

    DCG@k = sum over ranks i = 1..k of g(grade_i) d(i).

    Range: 0 to the ideal DCG, in units of gain. Always defined: 0 where nothing is relevant.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques,
    ACM TOIS 20(4), 2002. Tied scores as in `sklearn.metrics.dcg_score`: F. McSherry, M. Najork,
    Computing information retrieval performance measures efficiently in the presence of tied
    scores, ECIR 2008.

    Examples
    --------
    >>> from sklearn_rankscore import dcg
    >>> round(dcg([[3, 2, 3, 0, 1]], [[5, 4, 3, 2, 1]], discount="jarvelin"), 2)
    7.32
    """
    found = r.expected(compute_gains(r, gain))[:, :k]
    weight = compute_discounts(r, discount)[:k]
    r.note(gain=found, discount=weight)
    return found @ weight


def ideal_dcg(
    r: Ranking, *, k: int | None = K, gain: Gain = GAIN, discount: Discount = DISCOUNT
) -> Array:
    """Ideal DCG: the DCG of the rows in the best order, whatever their scores.

    IDCG@k = sum over ranks i = 1..k of g(grade_(i)) d(i). grade_(i) has the i-th highest gain of
    all rows of the query, those that were not retrieved (score -inf) included.

    Range: 0 upwards, in units of gain. Always defined: 0 where nothing is relevant.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques,
    ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from sklearn_rankscore import ideal_dcg
    >>> round(ideal_dcg([[3, 2, 3, 0, 1]], [[5, 4, 3, 2, 1]], discount="jarvelin"), 2)
    7.76
    """
    best = r.ideal(compute_gains(r, gain))[:, :k]
    weight = compute_discounts(r, discount)[:k]
    r.note(ideal_gain=best, discount=weight)
    return best @ weight


def ndcg(
    r: Ranking, *, k: int | None = K, gain: Gain = GAIN, discount: Discount = DISCOUNT
) -> Array:
    """Normalised discounted cumulative gain: DCG as a share of the best DCG possible.

    nDCG@k = DCG@k / IDCG@k, both cut at k. Finite for exponential gains of any grade.

    Range: 0 to 1. Undefined for a query in which no row has any gain.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques,
    ACM TOIS 20(4), 2002. Equal to `sklearn.metrics.ndcg_score` query by query.

    Examples
    --------
    >>> from sklearn_rankscore import ndcg
    >>> round(ndcg([3, 2, 0, 1, 0], [5, 4, 3, 2, 1], qid=["a", "a", "a", "b", "b"]), 4)
    1.0
    >>> round(ndcg([3, 2, 0, 0, 1], [2, 3, 1, 2, 1], qid=["a", "a", "a", "b", "b"], k=1), 4)
    0.3333
    """
    value = compute_gains(r, gain, relative=True)
    weight = compute_discounts(r, discount)[:k]
    found, best = r.expected(value)[:, :k], r.ideal(value)[:, :k]
    total, ideal = found @ weight, best @ weight
    r.note(gain=found, discount=weight, ideal_gain=best, dcg=total, ideal_dcg=ideal)
    share = np.full(len(total), np.nan)
    np.divide(total, ideal, out=share, where=ideal > 0)
    return np.asarray(np.minimum(share, 1.0))  # not above 1 by rounding


def compute_gains(r: Ranking, gain: Gain, *, relative: bool = False) -> Array:
    """Give the gain of each row, in input order; 0 beyond a query's end.

    With `relative`, exponential gains that are too large for a float are divided by a power of
    two, one for each query. Their ratios stay as they are.
    """
    if isinstance(gain, str):  # g(0) = 0, so that places without a row gain nothing
        if gain == "linear":
            return r.grade
        return np.asarray(
            r.once(("gain", relative), _compute_exponential_gains, r.grade, relative)
        )
    value = np.zeros(r.grade.shape)
    worth: Any = _look_up_gains if isinstance(gain, Mapping) else _call_gain
    value[r.present] = worth(r.grade[r.present], gain)
    return value


def _compute_exponential_gains(grade: Array, relative: Any) -> Array:
    grade = grade.astype(np.float64, copy=False)
    if not relative and grade.max() > LARGEST_EXPONENT:
        raise ValueError(
            f"An exponential gain of grade {grade.max():g} is too large for a float; the "
            f"largest grade is {LARGEST_EXPONENT}. Use ndcg, which is finite for every grade, or "
            "gain='linear'."
        )
    divided = relative and grade.max() > LARGEST_PLAIN_EXPONENT
    top = np.ceil(grade.max(axis=1, keepdims=True)) if divided else 0.0
    return np.asarray(np.exp2(grade - top) - np.exp2(-top))


def _call_gain(grade: Array, gain: Any) -> Array:
    worth = np.asarray(gain(grade.astype(np.float64, copy=False)))
    if worth.shape != grade.shape or worth.dtype.kind not in "biuf":
        raise ValueError(
            "The 'gain' parameter must be a function of an array that returns one number for "
            f"each grade. Got an array of shape {worth.shape} and dtype {worth.dtype} for "
            f"grades of shape {grade.shape} instead."
        )
    _check_worth(worth)
    return np.asarray(worth, dtype=np.float64)


def _look_up_gains(grade: Array, table: Mapping[float, float]) -> Array:
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


def _check_worth(worth: Array) -> None:
    """Refuse gains that are negative, or too large to be added up."""
    wrong = ~((worth >= 0) & (worth <= LARGEST))
    if wrong.any():
        raise ValueError(
            f"The 'gain' parameter must give gains that are not negative and not above "
            f"{LARGEST:g}. Got {worth[wrong][0]:g} instead."
        )


def compute_discounts(r: Ranking, discount: Discount) -> Array:
    """Give the discount of each rank 1, 2, 3 …."""
    if isinstance(discount, str):
        return DISCOUNTS[discount](r.rank)
    weight = np.asarray(discount(r.rank.astype(np.float64)), dtype=np.float64)
    falls = weight.shape == r.rank.shape and bool((weight[1:] <= weight[:-1]).all())
    if not (falls and (weight <= LARGEST).all() and (weight >= 0).all()):
        raise ValueError(
            "The 'discount' parameter must be a function of the array of ranks 1, 2, 3 … that "
            "returns one finite weight for each, not negative and nowhere rising. "
            f"Got {describe(weight)} instead."
        )
    return weight
