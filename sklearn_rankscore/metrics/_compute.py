"""From rows and metrics to numbers: one validation, one sort for each tie policy."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rankscore.metrics._options import check_options, settle
from sklearn_rankscore.metrics._ranking import Ranking
from sklearn_rankscore.metrics._rows import Rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sklearn_rankscore.metrics._metric import Metric
    from sklearn_rankscore.metrics._validation import Array


class Request(NamedTuple):
    metric: Metric
    ties: str
    replace_undefined_by: float
    options: dict[str, Any]  # the formula's own


def request_of(metric: Metric, options: Mapping[str, Any]) -> Request:
    """Give every option its value."""
    given = {**metric.bound, **check_options(options, metric.options, metric.name)}
    own = settle(given, metric.options, metric.name)
    del own["convention"]
    return Request(metric, own.pop("ties"), own.pop("replace_undefined_by"), own)


def collect(metrics: Sequence[Metric], y_true: Any, y_score: Any, qid: Any) -> Rows:
    """Check the rows; NaN is a grade if all of the metrics take it."""
    unjudged = all(metric.takes_unjudged for metric in metrics)
    return Rows.collect(y_true, y_score, qid, unjudged=unjudged)


def evaluate(
    metrics: Sequence[Metric], y_true: Any, y_score: Any, qid: Any, sample_weight: Any = None
) -> list[float]:
    """Compute several metrics from one validation and, for each tie policy, one sort."""
    rows = collect(metrics, y_true, y_score, qid)
    values = values_of([request_of(metric, {}) for metric in metrics], rows)
    return means_of(metrics, values, rows, sample_weight)


def per_query_of_all(
    metrics: Sequence[Metric], y_true: Any, y_score: Any, qid: Any
) -> tuple[Array, Array]:
    """Ids of the queries, and their values of shape (n_metrics, n_queries)."""
    rows = collect(metrics, y_true, y_score, qid)
    return rows.queries.ids, values_of([request_of(metric, {}) for metric in metrics], rows)


def values_of(requests: Sequence[Request], rows: Rows) -> Array:
    """Values of shape (n_requests, n_queries), undefined ones replaced."""
    for request in requests:
        highest: float | None = request.options.get("max_grade")
        if isinstance(request.options.get("gain"), str) or highest is not None:
            _check_not_negative(rows.grade, request.metric)
        if highest is not None:
            _check_not_above(rows.grade, highest, request.metric)
    values = np.empty((len(requests), len(rows.queries.ids)))
    for ties in dict.fromkeys(request.ties for request in requests):
        group = [at for at, request in enumerate(requests) if request.ties == ties]
        cutoffs: list[Any] = [requests[at].options.get("k") for at in group]
        depth = None if None in cutoffs else max(cutoffs)
        for block in rows.queries.blocks():
            ranking = Ranking(block, rows.grade, rows.score, ties, depth)
            for at in group:
                request = requests[at]
                values[at, block.queries] = request.metric.formula(ranking, **request.options)
    for request, value in zip(requests, values, strict=True):
        value[np.isnan(value)] = request.replace_undefined_by
    return values


def means_of(
    metrics: Sequence[Metric], values: Array, rows: Rows, sample_weight: Any
) -> list[float]:
    weight = rows.weights(sample_weight)
    return [_mean(metric, value, weight) for metric, value in zip(metrics, values, strict=True)]


def _mean(metric: Metric, value: Array, weight: Array | None) -> float:
    defined = ~np.isnan(value)
    if weight is not None:
        defined &= weight > 0
    if not defined.any():
        warnings.warn(
            f"{metric.name} is undefined for every query; its docstring says when. Set "
            "replace_undefined_by to say what such a query scores.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
        return float("nan")
    return float(np.average(value[defined], weights=None if weight is None else weight[defined]))


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
