"""How a ranker wants to be told which rows are one query: the dialects of the boosters."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import sklearn
from sklearn.pipeline import Pipeline

from sklearn_rankscore._messages import describe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sklearn_rankscore.metrics._rows.validation import Array
    from sklearn_rankscore.model_selection._rankers.sorted_rows import SortedRows

# What a ranker's fit calls its queries; the first of these that it has is its dialect.
_DIALECTS = ("group_id", "qid", "group")
# What a QueryRanker says itself.
TOLD = {*_DIALECTS, "eval_group", "eval_X", "eval_y"}
# Columns by their numbers, or a value for each column: they shift where a column is dropped.
COLUMNS = {"cat_feature", "cat_features", "categorical_feature", "categorical_features"}
COLUMNS |= {"categorical_column", "text_features", "embedding_features", "ignored_features"}
COLUMNS |= {"interaction_cst", "interaction_constraints", "feature_weights", "transformers"}
COLUMNS |= {"monotonic_cst", "monotone_constraints", "feature_name"}
# Not one value per row, even if there happen to be as many.
_NOT_OF_ROWS = COLUMNS | {"callbacks", "eval_at", "eval_metric", "eval_names", "pairs_weight"}
# Numbers of rows, which change where rows are sorted.
ROW_NUMBERS = {"graph", "pairs"}


def dialect_of(ranker: Any) -> str | None:
    """Name under which the ranker's fit takes the queries; None for a pointwise model."""
    known = fit_parameters(ranker)
    return next((name for name in _DIALECTS if name in known), None)


def fit_parameters(ranker: Any) -> list[str]:
    """Names that the fit of a ranker, or of a pipeline's last step, takes besides X and y."""
    named = [
        p for p in signature_of(ranker).values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]
    return [p.name for p in named if p.name not in ("X", "y")]


def signature_of(ranker: Any) -> Mapping[str, inspect.Parameter]:
    """Parameters of the fit of a ranker, or of a pipeline's last step."""
    return inspect.signature(last_step(ranker).fit).parameters


def other_parameters(ranker: Any) -> list[str]:
    """Names that its fit takes besides those by which it is told of its queries."""
    return [name for name in fit_parameters(ranker) if name not in TOLD | ROW_NUMBERS]


def last_step(ranker: Any) -> Any:
    """Give the ranker itself, or the last step of a pipeline, however deep."""
    if isinstance(ranker, Pipeline):
        return last_step(ranker.steps[-1][1])
    if not hasattr(ranker, "fit"):
        raise ValueError(f"A ranker must have a method fit. Got {describe(ranker)} instead.")
    return ranker


def parameters_of(ranker: Any) -> dict[str, Any]:
    """What a ranker, or a pipeline's last step, was made with; nothing if it does not say."""
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
            f"eval_set must be a pair (X, y) or a list of pairs. Got {describe(eval_set)} instead."
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
    ranker: Any, train: SortedRows, evaluation: Sequence[SortedRows], parameters: dict[str, Any]
) -> dict[str, Any]:
    """Tell a ranker, in its dialect, of its queries; other parameters of rows are sorted along."""
    dialect = dialect_of(ranker) or ""
    told: dict[str, Any] = {}
    for name, value in parameters.items():
        if name in _NOT_OF_ROWS:
            told[name] = value
        elif name in ROW_NUMBERS and not isinstance(value, str):
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


def _queries(dialect: str, table: SortedRows) -> Array:
    return table.sizes if dialect == "group" else table.query


def _along(ranker: Any, name: str, table: SortedRows, value: Any) -> Any:
    """Sort a parameter along; XGBoost takes one weight per query, the others one per row."""
    if value is None:
        return None
    xgboost = {"qid", "group"} <= set(fit_parameters(ranker))
    if xgboost and name.startswith("sample_weight"):
        return table.one_weight_per_query(value)
    return table.along(value)


def _along_each(ranker: Any, name: str, tables: Sequence[SortedRows], value: Any) -> Any:
    """Sort along what is given for each evaluation set, in a list or by their numbers."""
    if isinstance(value, dict):
        if not value.keys() <= set(range(len(tables))):
            raise ValueError(
                f"{name} must be of the {len(tables)} evaluation sets, by their numbers from 0. "
                f"Got {describe(list(value))} instead."
            )
        return {at: _along(ranker, name, tables[at], part) for at, part in value.items()}
    return [_along(ranker, name, table, part) for table, part in zip(tables, value, strict=False)]


def _pool(ranker: Any, table: SortedRows, parameters: dict[str, Any]) -> Any:
    from catboost import Pool  # noqa: PLC0415 - a CatBoost ranker brings it

    kinds = ("cat_features", "text_features", "embedding_features")
    set_before = parameters_of(ranker)
    columns = {kind: parameters.get(kind, set_before.get(kind)) for kind in kinds}
    return Pool(table.X, table.y, group_id=table.query, **columns)
