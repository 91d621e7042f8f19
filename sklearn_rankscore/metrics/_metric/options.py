"""The options of a metric: their names, what each may be, and which value holds in the end."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from sklearn_rankscore._messages import describe
from sklearn_rankscore.metrics._metric.conventions import CONVENTIONS, preset
from sklearn_rankscore.metrics._ranking.gain import DISCOUNTS, GAINS, Discount, Gain, check_worth
from sklearn_rankscore.metrics._ranking.ranking import TIES
from sklearn_rankscore.metrics._rows import item_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# What most metrics have; the other options are the keyword-only parameters of its formula.
SHARED: dict[str, Any] = {"ties": "average", "replace_undefined_by": 0.0, "convention": None}
REQUIRED = inspect.Parameter.empty
# What some metrics need of each row, besides its grade, its score and its query.
ROW_VALUES = ("item", "similarity")


class Options(TypedDict, total=False):
    """Every option that some metric has."""

    k: int | None
    gain: Gain
    discount: Discount
    min_relevance: float | None
    denominator: str
    persistence: float
    max_grade: float
    recall_level: float
    ties: str
    replace_undefined_by: float
    convention: str | None
    catalog: Any
    unknown: str
    item_features: Any
    item_similarity: str | Callable[[Any, Any], Any]
    popularity: Any
    unseen: str
    popular_share: float
    max_similarity: float
    definition: str


class CallOptions(Options, total=False):
    """What a call takes besides: values of each row."""

    item: Any
    similarity: Any


def defaults_of(formula: Callable[..., Any], shared: Iterable[str]) -> dict[str, Any]:
    """Options of a formula's metric, with their defaults, or REQUIRED."""
    parameters = inspect.signature(formula).parameters.values()
    own = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    return own | {option: SHARED[option] for option in shared}


def check_options(
    options: Mapping[str, Any], defaults: Mapping[str, Any], metric: str
) -> dict[str, Any]:
    """Refuse options that the metric does not have, and values that they cannot take."""
    for option in options:
        if option not in defaults:
            raise TypeError(
                f"{metric} has no option {option!r}. "
                + (f"Its options are {', '.join(defaults)}." if defaults else "It has none.")
            )
    return {
        option: _CHECKS[option](value, f"The {option!r} parameter of {metric}", defaults[option])
        for option, value in options.items()
    }


def settle(options: Mapping[str, Any], defaults: Mapping[str, Any], metric: str) -> dict[str, Any]:
    """Value of every option: what was said, else the convention's, else the default."""
    convention = options.get("convention")
    said = {} if convention is None else preset(convention, metric)
    values = {**defaults, **{name: said[name] for name in said if name in defaults}, **options}
    for option, value in values.items():
        if value is REQUIRED:
            raise TypeError(f"{metric} needs {option}=….")
    return values


def _check_k(k: Any, parameter: str, _default: Any) -> int | None:
    if k is None:
        return None
    return check_positive_integer(k, parameter, ", or None for the whole list")


def check_positive_integer(value: Any, parameter: str, other: str = "") -> int:
    """Refuse what is not one of 1, 2, 3, …, of Python or NumPy."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(
            f"{parameter} must be a positive integer{other}. Got {describe(value)} instead."
        )
    return int(value)


def _check_gain(gain: Any, parameter: str, _default: Any) -> Any:
    if callable(gain):
        return gain
    if hasattr(gain, "to_dict"):  # a pandas Series, by its index
        gain = gain.to_dict()
    if isinstance(gain, str) or np.ndim(gain) != (0 if isinstance(gain, Mapping) else 1):
        return check_choice(gain, parameter, GAINS, "a table of gains or a function of the grade")
    table = gain if isinstance(gain, Mapping) else dict(enumerate(gain))
    if not table:
        raise ValueError(f"{parameter} must have a gain for each grade. Got an empty table.")
    try:
        table = {float(grade): float(worth) for grade, worth in table.items()}
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{parameter} must map numbers to numbers: {error}.") from error
    if not np.isfinite(list(table)).all():
        raise ValueError(f"{parameter} must not have a gain for a grade that is not finite.")
    check_worth(np.fromiter(table.values(), dtype=np.float64))
    return table


def _check_discount(discount: Any, parameter: str, _default: Any) -> Any:
    if callable(discount):
        return discount
    return check_choice(discount, parameter, DISCOUNTS, "a function of the rank")


def check_choice(value: Any, parameter: str, choices: Iterable[str], other: str = "") -> Any:
    """Refuse what is not among the choices."""
    choices = tuple(choices)
    if not (isinstance(value, str) and value in choices):
        listed = ", ".join(map(repr, choices)) + (f", {other}" if other else "")
        raise ValueError(f"{parameter} must be one of {listed}. Got {describe(value)} instead.")
    return value


def _check_number(value: Any, parameter: str, *, besides: float | None) -> float | None:
    """Let through a finite number, and the one value besides that has a meaning."""
    if value is None and besides is None:
        return None
    if not isinstance(value, bool) and isinstance(value, Real):
        try:
            number = float(value)
        except OverflowError:
            number = np.inf
        if besides is not None and np.isnan(number):
            return besides  # the one nan, so that equal options compare equal
        if np.isfinite(number):
            return number
    raise ValueError(
        f"{parameter} must be a finite number or {besides}. Got {describe(value)} instead."
    )


def _real(value: Any) -> float:
    """A number as a float, as it is written: float32(0.1) is 0.1; nan for anything else."""
    if isinstance(value, np.floating):
        return float(str(value))
    if isinstance(value, bool) or not isinstance(value, Real):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf


def _check_persistence(value: Any, parameter: str, _default: Any) -> float:
    if not 0 <= _real(value) < 1:
        raise ValueError(
            f"{parameter} must be a probability, at least 0 and below 1. Got {describe(value)} "
            "instead."
        )
    return _real(value)


def _check_similarity(value: Any, parameter: str, _default: Any) -> Any:
    if callable(value):
        return value
    return check_choice(value, parameter, ("cosine",), "a function of two arrays of vectors")


def _check_share(value: Any, parameter: str, what: str) -> float:
    if not 0 <= _real(value) <= 1:
        raise ValueError(
            f"{parameter} must be {what}, from 0 to 1. Got {describe(value)} instead."
        )
    return _real(value)


def _check_max_similarity(value: Any, parameter: str, _default: Any) -> float:
    if not -1 <= _real(value) <= 1:
        raise ValueError(f"{parameter} must be from -1 to 1. Got {describe(value)} instead.")
    return _real(value)


def _check_max_grade(value: Any, parameter: str, _default: Any) -> float:
    if not 0 < _real(value) <= 1000:
        raise ValueError(
            f"{parameter} must be the highest grade that a row can have, above 0 and at most "
            f"1000. Got {describe(value)} instead."
        )
    return _real(value)


_CHECKS: dict[str, Callable[[Any, str, Any], Any]] = {
    "k": _check_k,
    "gain": _check_gain,
    "discount": _check_discount,
    "min_relevance": lambda value, parameter, _: _check_number(value, parameter, besides=None),
    # Each formula names its own denominator; the other one is always the attainable.
    "denominator": lambda value, parameter, default: check_choice(
        value, parameter, (default, "attainable")
    ),
    "persistence": _check_persistence,
    "recall_level": lambda value, parameter, _: _check_share(value, parameter, "a recall"),
    "max_grade": _check_max_grade,
    "catalog": lambda value, parameter, _: item_tables.catalog(value, parameter),
    "unknown": lambda value, parameter, _: check_choice(value, parameter, ("error", "ignore")),
    "item_features": lambda value, parameter, _: item_tables.vectors(value, parameter),
    "item_similarity": _check_similarity,
    "popularity": lambda value, parameter, default: (
        value if value is default else item_tables.popularity(value, parameter)
    ),
    "unseen": lambda value, parameter, _: check_choice(
        value, parameter, ("error", "skip", "once", "laplace")
    ),
    "popular_share": lambda value, parameter, _: _check_share(value, parameter, "a share"),
    "max_similarity": _check_max_similarity,
    "definition": lambda value, parameter, _: check_choice(
        value, parameter, ("unexpected", "recommenders", "rectools")
    ),
    "ties": lambda value, parameter, _: check_choice(value, parameter, TIES),
    "replace_undefined_by": lambda value, parameter, _: _check_number(
        value, parameter, besides=np.nan
    ),
    "convention": lambda value, parameter, _: (
        value if value is None else check_choice(value, parameter, CONVENTIONS)
    ),
}
