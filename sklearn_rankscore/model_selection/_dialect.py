"""How a ranker wants to be told which rows are one query: the dialects of the boosters."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from sklearn_rankscore.metrics._validation import got

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sklearn_rankscore.metrics._validation import Array
    from sklearn_rankscore.model_selection._query_table import QueryTable

# What a ranker's fit calls its queries; the first of these that it has is its dialect.
_DIALECTS = ("group_id", "qid", "group")
# What a QueryRanker says itself.
_TOLD = {*_DIALECTS, "eval_group", "eval_X", "eval_y"}
# Not one value per row, even if there happen to be as many.
_COLUMNS = {"categorical_feature", "cat_features", "text_features", "embedding_features"}
_OTHER = {"callbacks", "eval_at", "eval_metric", "eval_names", "feature_name", "feature_weights"}
_NOT_OF_ROWS = _COLUMNS | _OTHER | {"pairs_weight"}
# Numbers of rows, which change where rows are sorted.
_ROW_NUMBERS = {"graph", "pairs"}
# Objectives that look grades up in a table of gains, or take them for exponents.
_WHOLE_GRADES = {"lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"}
_WHOLE_GRADES |= {"rank:ndcg"}


def dialect_of(ranker: Any) -> str | None:
    """Name under which the ranker's fit takes the queries; None for a pointwise model."""
    known = fit_parameters(ranker)
    return next((name for name in _DIALECTS if name in known), None)


def check_pointwise(model: Any) -> None:
    """Refuse a ranker that cannot be told of its queries, and would take all rows for one."""
    name, objective = type(last_step(model)).__name__, _parameters(model).get("objective")
    if str(objective).startswith("rank:"):
        raise ValueError(
            f"{name} with objective={objective!r} would take all rows for one query, as its fit "
            "takes no query ids. Wrap xgboost.XGBRanker instead."
        )
    hidden = any(p.kind is p.VAR_KEYWORD for p in _signature(model).values())
    if hidden and not (is_regressor(model) or is_classifier(model)):
        raise ValueError(
            f"It cannot be seen how {name} wants its queries, as its fit takes any parameter. "
            "Name one of them group (sizes), qid (sorted numbers) or group_id."
        )


def fit_parameters(ranker: Any) -> list[str]:
    """Names that the fit of a ranker, or of a pipeline's last step, takes besides X and y."""
    named = [
        p for p in _signature(ranker).values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]
    return [p.name for p in named if p.name not in ("X", "y")]


def _signature(ranker: Any) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(last_step(ranker).fit).parameters


def other_parameters(ranker: Any) -> list[str]:
    """Names that its fit takes besides those by which it is told of its queries."""
    return [name for name in fit_parameters(ranker) if name not in _TOLD]


def last_step(ranker: Any) -> Any:
    """Give the ranker itself, or the last step of a pipeline, however deep."""
    return last_step(ranker.steps[-1][1]) if isinstance(ranker, Pipeline) else ranker


def _parameters(ranker: Any) -> dict[str, Any]:
    last = last_step(ranker)
    return dict(last.get_params(deep=False)) if hasattr(last, "get_params") else {}


def fit_last_step(ranker: Any, X: Any, y: Any, parameters: dict[str, Any]) -> Any:
    """Fit a ranker, or a pipeline whose last step is one, which is told by the step's name."""
    if not isinstance(ranker, Pipeline):
        return ranker.fit(X, y, **parameters)
    if parameters.keys() & {"eval_set", "eval_X"}:
        raise ValueError(
            "eval_set would reach the last step as it is, not transformed by the steps before "
            "it. Transform it and put the pipeline outside: make_pipeline(…, QueryRanker(…))."
        )
    path, step = "", ranker
    while isinstance(step, Pipeline):
        path, step = f"{path}{step.steps[-1][0]}__", step.steps[-1][1]
    with sklearn.config_context(enable_metadata_routing=False):  # where step names are heard
        return ranker.fit(X, y, **{path + name: value for name, value in parameters.items()})


def check_parameters(ranker: Any, parameters: dict[str, Any], dropped: str | None) -> None:
    """Refuse what a QueryRanker says itself, and columns by number where one was dropped."""
    if dialect_of(ranker) and (said := _TOLD & parameters.keys()):
        raise TypeError(
            f"QueryRanker tells the ranker of its queries itself. Got {', '.join(sorted(said))}; "
            "pass qid=…, one id per row, and eval_set=[(X, y)] with eval_qid=[…]."
        )
    for name, columns in {**_parameters(ranker), **parameters}.items():
        numbers = name in _COLUMNS and np.asarray(columns).dtype.kind in "iu"
        if dropped is not None and numbers:
            raise ValueError(
                f"{name} must name its columns where the column of ids, {dropped!r}, is dropped "
                f"from X, as their numbers change. Got {got(columns)} instead."
            )


def evaluation_sets(eval_set: Any, eval_qid: Any) -> list[tuple[Any, Any, Any]]:
    """List X, y and query ids (None: to be found) of each evaluation set, also of a single one."""
    if eval_set is None:
        if eval_qid is not None:
            raise ValueError("eval_qid must come with eval_set=[(X, y)]. Got eval_qid alone.")
        return []
    given = eval_set if isinstance(eval_set, (list, tuple)) else ()
    one = isinstance(eval_set, tuple) and not all(isinstance(pair, tuple) for pair in given)
    pairs = [eval_set] if one else list(given)
    if not pairs or not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise ValueError(
            f"eval_set must be a pair (X, y) or a list of pairs. Got {got(eval_set)} instead."
        )
    ids = [None] * len(pairs) if eval_qid is None else eval_qid
    if len(pairs) == 1 and not _is_list_of_arrays(ids):
        ids = [ids]
    if len(ids) != len(pairs):
        raise ValueError(
            f"eval_qid must hold the query ids of each of the {len(pairs)} evaluation sets. "
            f"Got {len(ids)}."
        )
    return [(X, y, qid) for (X, y), qid in zip(pairs, ids, strict=True)]


def _is_list_of_arrays(ids: Any) -> bool:
    first = ids[0] if isinstance(ids, (list, tuple)) and len(ids) else 0
    return first is None or isinstance(first, list) or getattr(first, "shape", ()) != ()


def translate(
    ranker: Any, train: QueryTable, evaluation: Sequence[QueryTable], parameters: dict[str, Any]
) -> dict[str, Any]:
    """Tell a ranker, in its dialect, of its queries; other parameters of rows are sorted along."""
    dialect = dialect_of(ranker) or ""
    if dialect != "group_id":
        _check_whole_grades(ranker, train.y)
    told: dict[str, Any] = {}
    for name, value in parameters.items():
        if name in _NOT_OF_ROWS:
            told[name] = value
        elif name in _ROW_NUMBERS and not isinstance(value, str):
            told[name] = train.renumber(value)
        elif name.startswith("eval_") or name.endswith("_eval_set"):
            told[name] = _along_each(ranker, name, evaluation, value)
        else:
            told[name] = _along(ranker, name, train, value)
    told[dialect] = _queries(dialect, train)
    if not evaluation:
        return told
    if dialect == "group_id":  # CatBoost hears of the queries of an evaluation set by a Pool
        return told | {"eval_set": [_pool(ranker, table, parameters) for table in evaluation]}
    told[f"eval_{dialect}"] = [_queries(dialect, table) for table in evaluation]
    return told | say_evaluation(ranker, [(table.X, table.y) for table in evaluation])


def say_evaluation(ranker: Any, pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Fit parameters of evaluation sets: eval_set, or what LightGBM has in its place since 4.7."""
    if "eval_X" not in fit_parameters(ranker):
        return {"eval_set": pairs}
    X, y = zip(*pairs, strict=True)
    return {"eval_X": X, "eval_y": y}


def _queries(dialect: str, table: QueryTable) -> Array:
    return table.sizes if dialect == "group" else table.query


def _along(ranker: Any, name: str, table: QueryTable, value: Any) -> Any:
    """Sort a parameter along; XGBoost takes one weight per query, the others one per row."""
    if value is None:
        return None
    xgboost = {"qid", "group"} <= set(fit_parameters(ranker))
    if xgboost and name.startswith("sample_weight"):
        return table.one_weight_per_query(value)
    return table.along(value)


def _along_each(ranker: Any, name: str, tables: Sequence[QueryTable], value: Any) -> Any:
    """Sort along what is given for each evaluation set, in a list or by their numbers."""
    if isinstance(value, dict):
        return {at: _along(ranker, name, tables[at], part) for at, part in value.items()}
    return [_along(ranker, name, table, part) for table, part in zip(tables, value, strict=False)]


def _pool(ranker: Any, table: QueryTable, parameters: dict[str, Any]) -> Any:
    from catboost import Pool  # noqa: PLC0415 - a CatBoost ranker brings it

    kinds = ("cat_features", "text_features", "embedding_features")
    set_before = _parameters(ranker)
    columns = {kind: parameters.get(kind, set_before.get(kind)) for kind in kinds}
    return Pool(table.X, table.y, group_id=table.query, **columns)


def _check_whole_grades(ranker: Any, grades: Array) -> None:
    known = _parameters(ranker)
    # LGBMRanker's own objective, where none is set, is lambdarank.
    objective = known.get("objective", "none of them") or "lambdarank"
    broken = grades[grades != np.floor(grades)] if grades.dtype.kind == "f" else grades[:0]
    if len(broken) and objective in _WHOLE_GRADES and known.get("ndcg_exp_gain") is not False:
        raise ValueError(
            f"{type(last_step(ranker)).__name__} learns from whole grades 0, 1, 2, … by its "
            f"objective {objective!r}. Got the grade {broken[0]:g}; bin the grades, or wrap a "
            "pointwise regressor, which takes any number."
        )
