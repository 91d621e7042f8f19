"""From rows and metrics to numbers: one validation, one sort for each tie policy."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rankscore.metrics._metric.options import settle
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._rows.item_tables import ItemTable
from sklearn_rankscore.metrics._rows.rows import MissingRowsError, Rows, carried_values
from sklearn_rankscore.metrics._rows.threads import open_mapper
from sklearn_rankscore.metrics._rows.weights import check_some_weight

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sklearn_rankscore.metrics._metric.metric import Metric
    from sklearn_rankscore.metrics._rows.items import Items
    from sklearn_rankscore.metrics._rows.queries import Block
    from sklearn_rankscore.metrics._rows.threads import InTurn
    from sklearn_rankscore.metrics._rows.validation import Array


class Request(NamedTuple):
    metric: Metric
    ties: str
    replace_undefined_by: float
    options: dict[str, Any]  # the formula's own


class Pooled(NamedTuple):
    """What a metric of all queries together adds up, and the options of its `pool`."""

    total: Array
    options: dict[str, Any]


def request_of(metric: Metric, options: Mapping[str, Any]) -> Request:
    """Give every option its value."""
    given = {**metric.bound, **metric.checked(options)}
    own = settle(given, metric.options, metric.name)
    if metric.check is not None:
        metric.check(own)
    own.pop("convention", None)
    ties, undefined = own.pop("ties", "average"), own.pop("replace_undefined_by", np.nan)
    return Request(metric, ties, undefined, own)


def collect(
    metrics: Sequence[Metric], y_true: Any, y_score: Any, qid: Any, **row_values: Any
) -> Rows:
    """Check the rows, and no more of the grades than the metrics need."""
    needs = {metric.grades: metric.name for metric in reversed(metrics)}
    grades = next(need for need in ("judged", "unjudged", "unused") if need in needs)
    if y_true is None and grades != "unused":
        raise ValueError(
            f"y_true must hold grades, which {needs[grades]} needs. Got None instead."
        )
    one_list = all(metric.pool and not metric.row_values for metric in metrics)
    return Rows.collect(y_true, y_score, qid, grades=grades, one_list=one_list, **row_values)


def row_values_of(metrics: Sequence[Metric], y_true: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Take what was given for each row from the options; else what y_true carries."""
    names = dict.fromkeys(name for metric in metrics for name in metric.row_values)
    taken = {name: given.pop(name, None) for name in names}
    return {
        name: carried_values(y_true, name) if value is None else value
        for name, value in taken.items()
    }


def evaluate(
    metrics: Sequence[Metric],
    y_true: Any,
    y_score: Any,
    qid: Any,
    *,
    n_jobs: int = 1,
    **row_values: Any,
) -> list[float]:
    """Compute several metrics from one validation and, for each tie policy, one sort."""
    requests = [request_of(metric, {}) for metric in metrics]
    return means_of(requests, y_true, y_score, qid, n_jobs=n_jobs, **row_values)


def means_of(
    requests: Sequence[Request],
    y_true: Any,
    y_score: Any,
    qid: Any,
    *,
    n_jobs: int = 1,
    **row_values: Any,
) -> list[float]:
    """Mean over the queries, or what a pooled metric makes of all of them."""
    rows, values = computed(requests, y_true, y_score, qid, n_jobs, row_values)
    check_some_weight(rows.weight_unit > 0)
    return [
        _mean(request.metric, value, rows.weight)
        if request.metric.pool is None
        else request.metric.pool(value.total, **value.options)
        for request, value in zip(requests, values, strict=True)
    ]


def per_query_of_all(
    metrics: Sequence[Metric],
    y_true: Any,
    y_score: Any,
    qid: Any,
    *,
    n_jobs: int = 1,
    **row_values: Any,
) -> tuple[Array, list[Array]]:
    """Ids of the queries, and the values of each metric, shape (n_queries,).

    Last of the values, if there are weights, those of the queries.
    """
    for metric in metrics:
        if metric.pool is not None:
            raise TypeError(
                f"{metric.name} is of all queries together, it has no value per query."
            )
    requests = [request_of(metric, {}) for metric in metrics]
    rows, values = computed(requests, y_true, y_score, qid, n_jobs, row_values)
    if rows.weight is not None:
        values.append(rows.weight * rows.weight_unit)  # as it was given
    in_order_of_appearance = rows.queries.in_order_of_appearance
    return in_order_of_appearance(rows.queries.ids), [
        in_order_of_appearance(value) for value in values
    ]


def computed(
    requests: Sequence[Request],
    y_true: Any,
    y_score: Any,
    qid: Any,
    n_jobs: int,
    row_values: Mapping[str, Any],
) -> tuple[Rows, list[Any]]:
    """Check the rows and compute what was requested of them."""
    metrics = [request.metric for request in requests]
    with open_mapper(n_jobs) as mapper:
        rows = collect(metrics, y_true, y_score, qid, mapper=mapper, **row_values)
        return rows, values_of(requests, rows, mapper)


def values_of(requests: Sequence[Request], rows: Rows, mapper: InTurn) -> list[Any]:
    """Values of each request, shape (n_queries,), undefined ones replaced.

    Of a metric of all queries together, what it adds up.
    """
    for request in requests:
        check_grades(request, rows.grade)
    bound = [look_up(request, rows.items_for) for request in requests]
    blocks = list(rows.queries.blocks(large=mapper is not map))
    values: list[Any] = [None] * len(requests)
    for ties in dict.fromkeys(request.ties for request in requests):
        group = [at for at, request in enumerate(requests) if request.ties == ties]
        cutoffs: list[Any] = [requests[at].options.get("k") for at in group]
        depth = None if None in cutoffs else max(cutoffs)

        def of_block(
            block: Block,
            *,
            ties: str = ties,
            depth: int | None = depth,
            group: Sequence[int] = group,
        ) -> list[Array]:
            ranking = Ranking(block, rows, ties, depth)
            return [_apply(requests[at].metric, ranking, bound[at]) for at in group]

        by_block = list(mapper(of_block, blocks))
        for at, results in zip(group, zip(*by_block, strict=True), strict=True):
            if requests[at].metric.pool is None:
                values[at] = _per_query(requests[at], blocks, results)
            else:
                values[at] = Pooled(np.sum(results, axis=0), bound[at])
    return values


def _per_query(request: Request, blocks: Sequence[Block], results: Sequence[Array]) -> Array:
    value = np.empty(sum(map(len, results)))
    for block, result in zip(blocks, results, strict=True):
        value[block.queries] = result
    value[np.isnan(value)] = request.replace_undefined_by
    return value


def look_up(request: Request, items_for: Callable[[ItemTable], Items | None]) -> dict[str, Any]:
    """Options of the formula, what tables hold of the items in the place of tables."""
    options = dict(request.options)
    for option, value in options.items():
        if isinstance(value, ItemTable):
            items = items_for(value)
            if items is None:
                raise MissingRowsError("item", request.metric.name)
            options[option] = items.found_in(value)
    return options


def _apply(metric: Metric, ranking: Ranking, options: Mapping[str, Any]) -> Array:
    try:
        return metric.formula(ranking, **options)
    except MissingRowsError as missing:
        raise MissingRowsError(missing.name, metric.name) from None


def _mean(metric: Metric, value: Array, weight: Array | None) -> float:
    defined = ~np.isnan(value)
    if weight is None and defined.all():
        return float(value.mean())
    if weight is not None:
        defined &= weight > 0
    if not defined.any():
        return undefined(metric.name, stacklevel=5)
    return float(np.average(value[defined], weights=None if weight is None else weight[defined]))


def undefined(name: str, stacklevel: int) -> float:
    """Give the mean of no query, and say so."""
    warnings.warn(
        f"{name} is undefined for every query; its docstring says when. Set "
        "replace_undefined_by to say what such a query scores.",
        UndefinedMetricWarning,
        stacklevel=stacklevel,
    )
    return float("nan")


def check_grades(request: Request, grade: Array) -> None:
    """Refuse grades that the metric cannot take as gains."""
    highest: float | None = request.options.get("max_grade")
    if isinstance(request.options.get("gain"), str) or highest is not None:
        _check_not_negative(grade, request.metric)
    if highest is not None:
        _check_not_above(grade, highest, request.metric)


def _check_not_negative(grade: Array, metric: Metric) -> None:
    lowest = grade.min()
    if lowest < 0:
        raise ValueError(
            f"y_true of {metric.name} must not be negative, as it is a gain. Got {lowest:g} "
            "instead. Grade a row that is not relevant 0, or map grades with gain=…."
        )


def _check_not_above(grade: Array, highest: float, metric: Metric) -> None:
    if grade.max() > highest:
        raise ValueError(
            f"y_true of {metric.name} must not be above max_grade={highest:g}. Got "
            f"{grade.max():g} instead; pass the highest grade of your scale as max_grade."
        )
