"""The engine: rows and metrics in, numbers out. One collection, one sort for each tie policy."""

import sys
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import repeat
from operator import call
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._ranking.ranking import Block, Ranking, cut_into_blocks
from sklearn_rankscore.metrics._rows.item_tables import ItemTable
from sklearn_rankscore.metrics._rows.items import Items
from sklearn_rankscore.metrics._rows.rows import Queries, Rows, find_carried
from sklearn_rankscore.metrics._rows.threads import Mapper, open_mapper
from sklearn_rankscore.metrics._rows.validation import check_same_length
from sklearn_rankscore.metrics._rows.weights import check_some_weight

# What grades metrics may need, the most demanding first; see Metric.
_GRADES = ("judged", "unjudged", "unused")


class Settled(NamedTuple):
    """A metric with a value for each of its options, ready to be computed."""

    metric: Any  # the Metric
    ties: str
    replace_undefined_by: float
    options: dict[str, Any]  # the formula's own
    needs: tuple[str, ...]  # values of each row, by name
    in_single_precision: bool = False  # whether the scores are rounded to 32 bits before ranking


def run(
    settled: Sequence[Settled],
    y_true: Any,
    y_score: Any,
    qid: Any,
    *,
    n_jobs: int = 1,
    **of_rows: Any,
) -> tuple[Rows, list[Any]]:
    """Collect the rows once and compute each metric of them; one sort for each tie policy.

    `of_rows` are sample_weight and other values of each row, by name. Return the rows and one
    result per metric: its values, shape (n_queries,), with undefined ones replaced; or, for a
    metric with a `pool`, the sum that `pool` takes.
    """
    one_thread = type(n_jobs) is int and n_jobs == 1
    with nullcontext(map) if one_thread else open_mapper(n_jobs) as mapper:
        rows = collect_rows(settled, y_true, y_score, qid, mapper=mapper, **of_rows)
        return rows, compute(settled, rows, mapper)


def collect_rows(
    settled: Sequence[Settled],
    y_true: Any,
    y_score: Any,
    qid: Any,
    *,
    mapper: Mapper = map,
    **of_rows: Any,
) -> Rows:
    """Collect the rows, and check only what the metrics need of them."""
    needed: dict[str, str] = {}  # kind of grades, and the first metric that needs it
    of_queries = False
    for one in settled:
        needed.setdefault(one.metric.grades, one.metric.name)
        of_queries |= one.metric.pool is None or bool(one.metric.row_values)
    grades = min(needed, key=_GRADES.index)
    if y_true is None and grades != "unused":
        raise ValueError(
            f"y_true must hold grades, which {needed[grades]} needs. Got None instead."
        )
    _complete_row_values(settled, y_true, of_rows)
    if not of_queries and qid is None and np.ndim(y_score) == 1:
        qid = find_carried(y_true, "qid")
        if qid is None:  # all rows together, as in RMSE
            qid = np.zeros(len(y_score), dtype=np.int8)
    rows = Rows.collect(y_true, y_score, qid, grades=grades, mapper=mapper, **of_rows)
    for one in settled:
        _check_grades(one, rows.grade)
    return rows


def _complete_row_values(settled: Sequence[Settled], y_true: Any, of_rows: dict[str, Any]) -> None:
    """Add weights and other values of each row that y_true carries and nobody passed."""
    if of_rows.get("sample_weight") is None:
        of_rows["sample_weight"] = find_carried(y_true, "sample_weight")
    for one in settled:
        for name in one.metric.row_values:
            if of_rows.get(name) is None:
                of_rows[name] = find_carried(y_true, name)
            if of_rows[name] is None and name in one.needs:
                raise TypeError(f"{one.metric.name} needs {name}=…, one value for each row.")


def compute(settled: Sequence[Settled], rows: Rows, mapper: Mapper) -> list[Any]:
    """Compute each metric, from one sort for each tie policy."""
    options = list(map(partial(look_up_items, items=rows.items, rows=rows), settled))
    blocks = cut_into_blocks(rows.queries, large=mapper is not map)
    values: list[Any] = [None] * len(settled)
    by_order: dict[tuple[str, bool], list[int]] = {}
    for at, one in enumerate(settled):
        by_order.setdefault((one.ties, one.in_single_precision), []).append(at)
    for (ties, rounded), group in by_order.items():
        ranked = replace(rows, score=round_scores(rows.score)) if rounded else rows
        formulas, depth = [], 0
        for at in group:
            formulas.append(partial(settled[at].metric.formula, **options[at]))
            depth = max(depth, options[at].get("k") or sys.maxsize)
        of_block = partial(_apply, rows=ranked, ties=ties, depth=depth, formulas=formulas)
        by_block = list(mapper(of_block, blocks))
        for at, results in zip(group, zip(*by_block, strict=True), strict=True):
            if settled[at].metric.pool is None:
                values[at] = _join(blocks, results, rows.queries, settled[at])
            else:
                values[at] = np.sum(results, axis=0)
    return values


def round_scores(score: Array) -> Array:
    """Round scores to 32 bits; a finite one stays finite."""
    if score.dtype == np.float32:
        return score
    limits = np.finfo(np.float32)
    near = np.clip(score, limits.min, limits.max)
    return np.where(np.isinf(score), score, near).astype(np.float32)


def _apply(
    block: Block, *, rows: Rows, ties: str, depth: int, formulas: Sequence[Any]
) -> list[Array]:
    """Apply formulas to a block of queries, which is ranked once."""
    ranking = Ranking(block, rows, ties, depth)
    return list(map(call, formulas, repeat(ranking)))


def _join(
    blocks: Sequence[Block], results: Sequence[Array], queries: Queries, settled: Settled
) -> Array:
    """Join the values of blocks, in the order of the queries; replace undefined ones."""
    value = np.empty(len(queries.ids))
    for block, result in zip(blocks, results, strict=True):
        value[block.queries] = result
    value[np.isnan(value)] = settled.replace_undefined_by
    return value


def look_up_items(
    settled: Settled, items: Items | None, rows: Rows | None = None
) -> dict[str, Any]:
    """Return the options of a formula, each item table replaced by what it says of the items.

    Where rows have no items, a table must have a line for each row.
    """
    options = dict(settled.options)
    for name, value in options.items():
        if isinstance(value, ItemTable):
            if items is None and rows is not None:
                check_same_length(name, len(value.ids), len(rows.grade))
                number = np.arange(len(rows.grade))
                items = Items(number, rows.queries.arrange(number))
            options[name] = value if items is None else items.look_up(value)
    return options


def _check_grades(settled: Settled, grade: Array) -> None:
    """Refuse grades that the metric cannot take as gains."""
    name, highest = settled.metric.name, settled.options.get("max_grade")
    if highest is None and not isinstance(settled.options.get("gain"), str):
        return
    lowest = grade.min()
    if lowest < 0:
        raise ValueError(
            f"y_true of {name} must not be negative, as it is a gain. Got {lowest:g} instead. "
            "Grade a row that is not relevant 0, or map grades with gain=…."
        )
    if highest is not None and grade.max() > highest:
        raise ValueError(
            f"y_true of {name} must not be above max_grade={highest:g}. Got {grade.max():g} "
            "instead; pass the highest grade of your scale as max_grade."
        )


def take_means(settled: Sequence[Settled], rows: Rows, values: Sequence[Any]) -> list[float]:
    """Give each metric's mean over the queries, or what a pooled one makes of all of them."""
    weight = None if rows.weight is None else rows.relative_weight
    if weight is not None:
        check_some_weight(weight.any())
    means = []
    for one, value in zip(settled, values, strict=True):
        if one.metric.pool is not None:
            means.append(one.metric.pool(value, **look_up_items(one, rows.items)))
            continue
        defined = ~np.isnan(value)
        if weight is not None:
            defined &= weight > 0
        if not defined.any():
            means.append(warn_undefined(one.metric.name, stacklevel=4))
        elif weight is None:
            means.append(float(value.mean() if defined.all() else value[defined].mean()))
        else:
            means.append(float(np.average(value[defined], weights=weight[defined])))
    return means


def warn_undefined(name: str, stacklevel: int) -> float:
    """Warn that the metric is undefined for every query, and return NaN."""
    warnings.warn(
        f"{name} is undefined for every query; its docstring says when. Set "
        "replace_undefined_by to say what such a query scores.",
        UndefinedMetricWarning,
        stacklevel=stacklevel,
    )
    return float("nan")


def compute_per_query(
    settled: Sequence[Settled], y_true: Any, y_score: Any, qid: Any, **rest: Any
) -> tuple[Array, list[Array], Array | None]:
    """Give the ids of the queries, the values of each metric, and the weights, if there are any.

    All have the shape (n_queries,); queries come in order of appearance.
    """
    check_per_query(settled)
    rows, values = run(settled, y_true, y_score, qid, **rest)
    return sort_by_appearance(rows, values)


def check_per_query(settled: Sequence[Settled]) -> None:
    """Refuse metrics that have no value for a single query."""
    for one in settled:
        if one.metric.pool is not None:
            raise TypeError(
                f"{one.metric.name} is one value for all queries; it has no value per query."
            )


def sort_by_appearance(
    rows: Rows, values: Sequence[Array]
) -> tuple[Array, list[Array], Array | None]:
    """Bring ids, values and weights of the queries into the order of their first rows."""
    seen = rows.queries.sort_by_appearance
    weight = None if rows.weight is None else seen(rows.weight)
    return seen(rows.queries.ids), [seen(value) for value in values], weight
