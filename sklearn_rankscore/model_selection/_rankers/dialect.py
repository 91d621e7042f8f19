"""How a ranker's fit takes its queries: the dialects of LightGBM, XGBoost and CatBoost."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import sklearn
from sklearn.pipeline import Pipeline

from sklearn_rankscore._foreign import count_rows
from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array
from sklearn_rankscore.model_selection._rankers.sorted_rows import SortedRows

# The argument of fit that takes the queries; the first of these that fit has is its dialect.
_DIALECTS = ("group_id", "qid", "group")
# Arguments of fit that only QueryRanker passes.
RESERVED = {*_DIALECTS, "eval_group", "eval_X", "eval_y"}
# Arguments that hold column numbers, or one value per column: they shift if a column is dropped.
COLUMNS = {"cat_feature", "cat_features", "categorical_feature", "categorical_features"}
COLUMNS |= {"categorical_column", "text_features", "embedding_features", "ignored_features"}
COLUMNS |= {"interaction_cst", "interaction_constraints", "feature_weights", "transformers"}
COLUMNS |= {"monotonic_cst", "monotone_constraints", "feature_name"}
# Arguments that are not one value per row, even if they are as long.
_NOT_PER_ROW = COLUMNS | {"callbacks", "eval_at", "eval_metric", "eval_names", "pairs_weight"}
# Arguments that hold row numbers, which change when rows are sorted.
ROW_NUMBERS = {"graph", "pairs"}


def find_dialect(ranker: Any) -> str | None:
    """Find the argument of the ranker's fit that takes the queries; None if it is pointwise."""
    names = list_fit_arguments(ranker)
    return next((name for name in _DIALECTS if name in names), None)


def list_fit_arguments(ranker: Any) -> list[str]:
    """List the arguments, besides X and y, of the fit of a ranker or of a pipeline's last step."""
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    signature = inspect_fit(ranker)
    return [
        name for name, p in signature.items() if p.kind not in variadic and name not in ("X", "y")
    ]


def inspect_fit(ranker: Any) -> Mapping[str, inspect.Parameter]:
    """Inspect the fit of a ranker or of a pipeline's last step."""
    return inspect.signature(find_last_step(ranker).fit).parameters


def list_routed_arguments(ranker: Any) -> list[str]:
    """List the arguments of the ranker's fit that QueryRanker requests by routing."""
    return [name for name in list_fit_arguments(ranker) if name not in RESERVED | ROW_NUMBERS]


def find_last_step(ranker: Any) -> Any:
    """Return the ranker itself, or the last step of a pipeline, however deep."""
    if isinstance(ranker, Pipeline):
        return find_last_step(ranker.steps[-1][1])
    if not hasattr(ranker, "fit"):
        raise ValueError(f"A ranker must have a method fit. Got {describe(ranker)} instead.")
    return ranker


def get_parameters(ranker: Any) -> dict[str, Any]:
    """Return the parameters of a ranker or of a pipeline's last step; {} without get_params."""
    last = find_last_step(ranker)
    return dict(last.get_params(deep=False)) if hasattr(last, "get_params") else {}


def fit_last_step(ranker: Any, X: Any, y: Any, arguments: dict[str, Any]) -> Any:
    """Fit a ranker, or a pipeline, whose last step gets the arguments."""
    if not isinstance(ranker, Pipeline):
        return ranker.fit(X, y, **arguments)
    if arguments.keys() & {"eval_set", "eval_X"}:
        raise ValueError(
            "eval_set would reach the last step of the pipeline untransformed. Transform it and "
            "put the pipeline outside: make_pipeline(…, QueryRanker(…))."
        )
    prefix, step = "", ranker
    while isinstance(step, Pipeline):
        name, step = step.steps[-1]
        prefix += f"{name}__"
    # With routing enabled, a pipeline would refuse arguments prefixed with a step's name.
    with sklearn.config_context(enable_metadata_routing=False):
        return ranker.fit(X, y, **{prefix + name: value for name, value in arguments.items()})


def list_evaluation_sets(eval_set: Any, eval_qid: Any) -> list[tuple[Any, Any, Any]]:
    """List X, y and query ids of each evaluation set; ids are None if X or y carry them."""
    if eval_set is None:
        if eval_qid is not None:
            raise ValueError("eval_qid must come with eval_set=[(X, y)]. Got eval_qid alone.")
        return []
    is_pair = isinstance(eval_set, tuple) and not all(isinstance(part, tuple) for part in eval_set)
    pairs = [eval_set] if is_pair or not isinstance(eval_set, (list, tuple)) else list(eval_set)
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
    ranker: Any, train: SortedRows, evaluation: Sequence[SortedRows], arguments: dict[str, Any]
) -> dict[str, Any]:
    """Build the ranker's fit arguments: the user's, sorted as the rows are, and the queries."""
    dialect = find_dialect(ranker) or ""
    translated = {
        name: _sort_argument(ranker, name, value, train, evaluation)
        for name, value in arguments.items()
    }
    translated[dialect] = _express_queries(dialect, train)
    if not evaluation:
        return translated
    if dialect == "group_id":  # CatBoost takes the queries of an evaluation set in a Pool only
        translated["eval_set"] = [_make_pool(ranker, rows, arguments) for rows in evaluation]
        return translated
    translated[f"eval_{dialect}"] = [_express_queries(dialect, rows) for rows in evaluation]
    return translated | name_evaluation_sets(ranker, [(rows.X, rows.y) for rows in evaluation])


def name_evaluation_sets(ranker: Any, pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Name the evaluation sets as the ranker does: eval_set, or eval_X, eval_y (LightGBM 4.7)."""
    if "eval_X" not in list_fit_arguments(ranker):
        return {"eval_set": pairs}
    X, y = zip(*pairs, strict=True)
    return {"eval_X": X, "eval_y": y}


def _express_queries(dialect: str, rows: SortedRows) -> Array:
    return rows.sizes if dialect == "group" else rows.query


def _sort_argument(
    ranker: Any, name: str, value: Any, train: SortedRows, evaluation: Sequence[SortedRows]
) -> Any:
    """Sort an argument as its rows are, if it has one value per row or holds row numbers."""
    if name in _NOT_PER_ROW:
        return value
    if name in ROW_NUMBERS and not isinstance(value, str):  # text is the path of a file
        return train.renumber(value)
    if not (name.startswith("eval_") or name.endswith("_eval_set")):
        return _sort_values(ranker, name, value, train)
    if len(evaluation) == 1 and count_rows(value) == len(evaluation[0].y) != 1:
        value = [value]  # one value per row of the only set
    by_number, numbers = isinstance(value, dict), set(range(len(evaluation)))
    parts = value if by_number else dict(enumerate(value))
    if not (parts.keys() <= numbers if by_number else parts.keys() == numbers):
        raise ValueError(
            f"{name} must be a list with a part for each of the {len(evaluation)} evaluation sets,"
            f" or a dict of parts by number, from 0. Got {describe(value)} instead."
        )
    parts = {at: _sort_values(ranker, name, part, evaluation[at]) for at, part in parts.items()}
    return parts if by_number else list(parts.values())


def _sort_values(ranker: Any, name: str, values: Any, rows: SortedRows) -> Any:
    """Sort values as the rows are; XGBoost takes one weight per query, the others one per row."""
    if values is None:
        return None
    is_xgboost = {"qid", "group"} <= set(list_fit_arguments(ranker))
    if is_xgboost and name.startswith("sample_weight"):
        return rows.take_one_weight_per_query(values)
    return rows.sort_values(values)


def _make_pool(ranker: Any, rows: SortedRows, arguments: dict[str, Any]) -> Any:
    from catboost import Pool  # noqa: PLC0415 - installed wherever there is a CatBoost ranker

    kinds = ("cat_features", "text_features", "embedding_features")
    columns = {kind: arguments.get(kind, get_parameters(ranker).get(kind)) for kind in kinds}
    return Pool(rows.X, rows.y, group_id=rows.query, **columns)
