"""What a QueryRanker refuses before its ranker is fitted, which would not say it so well."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from sklearn_rankscore._messages import describe
from sklearn_rankscore.model_selection._ids.target import RankTarget
from sklearn_rankscore.model_selection._rankers.dialect import (
    COLUMNS,
    ROW_NUMBERS,
    TOLD,
    dialect_of,
    last_step,
    parameters_of,
    signature_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn_rankscore.metrics._rows.validation import Array

# Objectives that look grades up in a table of gains, or take them for exponents.
_WHOLE_GRADES = {"lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"}
_WHOLE_GRADES |= {"rank:ndcg"}


def check_pointwise(model: Any) -> None:
    """Refuse a ranker that cannot be told of its queries, and would take all rows for one."""
    name, objective = type(last_step(model)).__name__, parameters_of(model).get("objective")
    if str(objective).startswith("rank:"):
        raise ValueError(
            f"{name} with objective={objective!r} would take all rows for one query, as its fit "
            "takes no query ids. Wrap xgboost.XGBRanker instead."
        )
    hidden = any(p.kind is p.VAR_KEYWORD for p in signature_of(model).values())
    try:
        pointwise = is_regressor(model) or is_classifier(model)
    except AttributeError:  # no estimator of scikit-learn's kind
        pointwise = False
    if hidden and not pointwise:
        raise ValueError(
            f"It cannot be seen how {name} wants its queries, as its fit takes any parameter. "
            "Name one of them group (sizes), qid (sorted numbers) or group_id."
        )


def check_parameters(ranker: Any, parameters: dict[str, Any], dropped: str | None) -> None:
    """Refuse what a QueryRanker says itself, and columns by number where one was dropped."""
    if dialect_of(ranker) and (said := TOLD & parameters.keys()):
        raise TypeError(
            f"QueryRanker tells the ranker of its queries itself. Got {', '.join(sorted(said))}; "
            "pass qid=…, one id per row, and eval_set=[(X, y)] with eval_qid=[…]."
        )
    set_before = ranker.get_params() if hasattr(ranker, "get_params") else {}
    for name, columns in {**set_before, **parameters}.items():
        by_number = name.split("__")[-1] in COLUMNS and _has_numbers(columns)
        if dropped is not None and by_number:
            raise ValueError(
                f"{name} must name its columns where the column of ids, {dropped!r}, is dropped "
                f"from X, as their numbers change. Got {describe(columns)} instead; or let the "
                "ids come last in X, or on y."
            )


def _has_numbers(columns: Any) -> bool:
    """Whether anything in a specification of columns is a number."""
    if isinstance(columns, str):
        return columns.isdigit()
    if not hasattr(columns, "__iter__"):
        return isinstance(columns, (Integral, slice))
    return any(_has_numbers(part) for part in columns)


def check_row_numbers(y: Any, parameters: Mapping[str, Any]) -> None:
    """Refuse numbers of rows where a search has cut the rows that they are of."""
    given = ROW_NUMBERS & parameters.keys()
    if given and isinstance(y, RankTarget) and not y.rows_in_place():
        raise ValueError(
            f"{given.pop()} holds numbers of rows, and these rows have been chosen from others, "
            "as by a fold. Pass it to fit itself, not to a search."
        )


def check_whole_grades(ranker: Any, grades: Array) -> None:
    """Refuse grades between whole ones where a booster's objective cannot learn from them."""
    known = parameters_of(ranker)
    # LGBMRanker's own objective, where none is set, is lambdarank.
    objective = known.get("objective", "none of them") or "lambdarank"
    broken = grades[grades != np.floor(grades)] if grades.dtype.kind == "f" else grades[:0]
    if len(broken) and objective in _WHOLE_GRADES and known.get("ndcg_exp_gain") is not False:
        raise ValueError(
            f"{type(last_step(ranker)).__name__} learns from whole grades 0, 1, 2, … by its "
            f"objective {objective!r}. Got the grade {broken[0]:g}; bin the grades, or wrap a "
            "pointwise regressor, which takes any number."
        )
