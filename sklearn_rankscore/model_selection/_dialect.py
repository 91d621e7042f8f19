"""How a ranker wants to be told which rows are one query: the dialects of the boosters."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from scipy import sparse
from sklearn.utils import assert_all_finite, column_or_1d

from sklearn_rankscore.metrics._rows import check_same_length, queries_of
from sklearn_rankscore.metrics._validation import got
from sklearn_rankscore.model_selection._lookup import n_rows, sorted_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sklearn_rankscore.metrics._validation import Array

# What a ranker's fit calls its queries; the first of these that it has is its dialect.
_DIALECTS = ("group_id", "qid", "group")
# What a QueryRanker says itself.
_TOLD = {*_DIALECTS, "eval_group", "eval_X", "eval_y"}
# Per row or per query, these come one for each evaluation set.
_OF_EVAL_SETS = ("eval_", "_eval_set")
# LightGBM's objectives that look grades up in a table of gains.
_WHOLE_GRADES = ("lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart")


@dataclass(frozen=True)
class Table:
    """Rows for a ranker: those of a query together, the queries in the order of their ids."""

    X: Any
    y: Array
    query: Array  # (n_rows,) number of each row's query, rising
    ids: Any  # (n_rows,) as they came
    order: Array | None  # (n_rows,) what brought the rows together; None: they were

    @classmethod
    def sort(cls, X: Any, y: Any, ids: Any) -> Table:
        """Bring the rows of each query together; within a query they keep their order."""
        grades = column_or_1d(np.asarray(y), warn=True)
        assert_all_finite(grades, input_name="y")
        query = sorted_codes(ids)
        if (query[1:] >= query[:-1]).all():
            return cls(X, grades, query, ids, None)
        order = np.argsort(query, kind="stable")
        return cls(_take(X, order), grades[order], query[order], ids, order)

    def along(self, values: Any) -> Any:
        """Bring what has one value per row into the order of the rows; leave anything else."""
        is_array = hasattr(values, "shape") or isinstance(values, (list, tuple))
        if self.order is None or not is_array or n_rows(values) != len(self.order):
            return values
        return _take(values, self.order)

    @property
    def starts(self) -> Array:
        """First row of each query."""
        return np.unique(self.query, return_index=True)[1]

    @property
    def sizes(self) -> Array:
        """Rows of each query."""
        return np.bincount(self.query)

    def one_weight_per_query(self, weight: Any) -> Array:
        """Weight of each query, from one per row."""
        weight = np.asarray(weight)
        check_same_length("sample_weight", len(weight), len(self.query))
        queries_of(self.ids, len(weight)).one_weight(weight)
        return np.asarray(self.along(weight)[self.starts])


def dialect_of(ranker: Any) -> str | None:
    """Name under which the ranker's fit takes the queries; None for a pointwise model."""
    known = fit_parameters(ranker)
    return next((name for name in _DIALECTS if name in known), None)


def fit_parameters(ranker: Any) -> list[str]:
    """Names that the fit of a ranker, or of a pipeline's last step, takes besides X and y."""
    parameters = inspect.signature(last_step(ranker).fit).parameters
    own = (p.name for p in parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL))
    return [name for name in own if name not in ("X", "y")]


def other_parameters(ranker: Any) -> list[str]:
    """Names that its fit takes besides those by which it is told of its queries."""
    return [name for name in fit_parameters(ranker) if name not in _TOLD]


def last_step(ranker: Any) -> Any:
    """Give the ranker itself, or the last step of a pipeline."""
    return ranker.steps[-1][1] if hasattr(ranker, "steps") else ranker


def fit_last_step(ranker: Any, X: Any, y: Any, parameters: dict[str, Any]) -> Any:
    """Fit a ranker, or a pipeline whose last step is one, which is told by the step's name."""
    if last_step(ranker) is ranker:
        return ranker.fit(X, y, **parameters)
    if parameters.keys() & {"eval_set", "eval_X"}:
        raise ValueError(
            "eval_set would reach the last step as it is, not transformed by the steps before "
            "it. Transform it and put the pipeline outside: make_pipeline(…, QueryRanker(…))."
        )
    step = ranker.steps[-1][0]
    with sklearn.config_context(enable_metadata_routing=False):  # where step names are heard
        return ranker.fit(X, y, **{f"{step}__{name}": v for name, v in parameters.items()})


def evaluation_sets(eval_set: Any, eval_qid: Any) -> list[tuple[Any, Any, Any]]:
    """List X, y and query ids (None: to be found) of each evaluation set, also of a single one."""
    if eval_set is None:
        return []
    pairs = [eval_set] if isinstance(eval_set, tuple) else list(eval_set)
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise ValueError(
            f"eval_set must be a pair (X, y) or a list of pairs. Got {got(eval_set)} instead."
        )
    single = len(pairs) == 1 and not (isinstance(eval_qid, (list, tuple)) and len(eval_qid) == 1)
    ids = [eval_qid] if single else eval_qid or [None] * len(pairs)
    if len(ids) != len(pairs):
        raise ValueError(
            f"eval_qid must hold the query ids of each of the {len(pairs)} evaluation sets. "
            f"Got {len(ids)}."
        )
    return [(X, y, qid) for (X, y), qid in zip(pairs, ids, strict=True)]


def translate(
    ranker: Any, train: Table, evaluation: Sequence[Table], parameters: dict[str, Any]
) -> dict[str, Any]:
    """Tell a ranker, in its dialect, of its queries; other parameters of rows are sorted along."""
    dialect = dialect_of(ranker) or ""
    if dialect == "group":
        _check_whole_grades(ranker, train.y)
    if said := _TOLD & parameters.keys():
        raise TypeError(
            f"QueryRanker tells the ranker of its queries itself. Got {', '.join(sorted(said))}; "
            "pass qid=…, one id per row, and eval_set=[(X, y)] with eval_qid=[…]."
        )
    told: dict[str, Any] = {}
    for name, value in parameters.items():
        if any(part in name for part in _OF_EVAL_SETS) and isinstance(value, (list, tuple)):
            tables = [*evaluation, *[train] * (len(value) - len(evaluation))]
            each = zip(tables, value, strict=False)
            told[name] = [_along(ranker, name, table, part) for table, part in each]
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


def _queries(dialect: str, table: Table) -> Array:
    return table.sizes if dialect == "group" else table.query


def _along(ranker: Any, name: str, table: Table, value: Any) -> Any:
    """Sort a parameter along; XGBoost takes one weight per query, the others one per row."""
    known = fit_parameters(ranker)
    if value is not None and name.startswith("sample_weight") and {"qid", "group"} <= set(known):
        return table.one_weight_per_query(value)
    return table.along(value)


def _pool(ranker: Any, table: Table, parameters: dict[str, Any]) -> Any:
    from catboost import Pool  # noqa: PLC0415 - a CatBoost ranker brings it

    kinds = ("cat_features", "text_features", "embedding_features")
    set_before = last_step(ranker).get_params()
    columns = {kind: parameters.get(kind, set_before.get(kind)) for kind in kinds}
    return Pool(table.X, table.y, group_id=table.query, **columns)


def _check_whole_grades(ranker: Any, grades: Array) -> None:
    broken = grades[grades != np.floor(grades)] if grades.dtype.kind == "f" else grades[:0]
    objective = last_step(ranker).get_params().get("objective") or "lambdarank"
    if len(broken) and objective in _WHOLE_GRADES:
        raise ValueError(
            f"{type(last_step(ranker)).__name__} learns from whole grades 0, 1, 2, …, for which "
            f"its label_gain has a gain each. Got the grade {broken[0]:g}; bin the grades, or "
            "wrap a pointwise regressor, which takes any number."
        )


def _take(values: Any, rows: Array) -> Any:
    """Choose rows of a frame, an array, a sparse matrix or a list."""
    if sparse.issparse(values):
        return values.tocsr()[rows]
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return (values if hasattr(values, "shape") else np.asarray(values))[rows]
