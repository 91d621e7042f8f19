"""What QueryRanker.fit refuses, with a clearer error than the ranker itself would raise."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array
from sklearn_rankscore.model_selection._ids.target import RankTarget
from sklearn_rankscore.model_selection._rankers import dialect
from sklearn_rankscore.model_selection._scorers.response import has_tag

# Objectives that look grades up in a table of gains, or use them as exponents.
_WHOLE_GRADES = {"lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"}
_WHOLE_GRADES |= {"rank:ndcg"}


def check_pointwise(model: Any) -> None:
    """Refuse a ranker whose fit takes no queries: it would learn from all rows as one query."""
    name = type(dialect.find_last_step(model)).__name__
    objective = dialect.get_parameters(model).get("objective")
    if str(objective).startswith("rank:"):
        raise ValueError(
            f"{name} with objective={objective!r} would take all rows for one query, as its fit "
            "takes no query ids. Wrap xgboost.XGBRanker instead."
        )
    takes_any = any(p.kind is p.VAR_KEYWORD for p in dialect.inspect_fit(model).values())
    if takes_any and not (has_tag(is_regressor, model) or has_tag(is_classifier, model)):
        raise ValueError(
            f"Cannot tell which argument of {name}.fit takes the queries: it accepts **kwargs. "
            "Add an explicit group (sizes), qid (sorted integers) or group_id."
        )


def check_reserved(ranker: Any, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments of fit that QueryRanker itself passes to the ranker."""
    reserved = dialect.RESERVED & arguments.keys()
    if dialect.find_dialect(ranker) and reserved:
        raise TypeError(
            f"QueryRanker itself passes the queries to the ranker. Got "
            f"{', '.join(sorted(reserved))}; pass qid=…, one id per row, and eval_set=[(X, y)] "
            "with eval_qid=[…]."
        )


def check_column_numbers(ranker: Any, arguments: Mapping[str, Any], dropped: str) -> None:
    """Refuse column numbers, which shift because a column before the last is dropped."""
    parameters = ranker.get_params() if hasattr(ranker, "get_params") else {}
    for name, columns in {**parameters, **arguments}.items():
        if name.split("__")[-1] in dialect.COLUMNS and _holds_number(columns):
            raise ValueError(
                f"{name} must name its columns where the column of ids, {dropped!r}, is dropped "
                f"from X, as their numbers change. Got {describe(columns)} instead; or move the "
                "ids to the last column of X, or to y."
            )


def _holds_number(columns: Any) -> bool:
    """Tell whether a specification of columns holds a number, at any depth."""
    if isinstance(columns, str):
        return columns.isdigit()
    if not hasattr(columns, "__iter__"):
        return isinstance(columns, (Integral, slice))
    return any(_holds_number(part) for part in columns)


def check_row_numbers(y: Any, arguments: Mapping[str, Any]) -> None:
    """Refuse row numbers if y holds only some of the rows that they count, as in a search."""
    given = dialect.ROW_NUMBERS & arguments.keys()
    if given and isinstance(y, RankTarget) and not y.rows_in_place():
        raise ValueError(
            f"{given.pop()} holds row numbers, and these rows were chosen from others, as by a "
            "fold. Pass it to fit itself, not to a search."
        )


def check_whole_grades(ranker: Any, grades: Array) -> None:
    """Refuse fractional grades if the ranker's objective cannot learn from them."""
    parameters = dialect.get_parameters(ranker)
    # LGBMRanker learns by lambdarank if its objective is None.
    objective = parameters.get("objective", "not a parameter") or "lambdarank"
    if objective not in _WHOLE_GRADES or parameters.get("ndcg_exp_gain") is False:
        return
    fractional = grades[grades != np.floor(grades)] if grades.dtype.kind == "f" else grades[:0]
    if len(fractional):
        raise ValueError(
            f"{type(dialect.find_last_step(ranker)).__name__} learns from whole grades 0, 1, 2, … "
            f"by its objective {objective!r}. Got the grade {fractional[0]:g}; bin the grades, or "
            "wrap a pointwise regressor, which takes any number."
        )
