"""Compute several metrics of the same rows, from one validation and one sort."""

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics import Metric, get_metric
from sklearn_rankscore.metrics._metric.engine import compute_per_query
from sklearn_rankscore.metrics._metric.means import compute_means
from sklearn_rankscore.metrics._metric.metric import ROW_VALUES
from sklearn_rankscore.metrics._rows.per_query import ID, WEIGHT


def evaluate(
    y_true: Any,
    y_score: Any,
    *,
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    qid: Any = None,
    sample_weight: Any = None,
    n_jobs: int = 1,
    **metric_options: Any,
) -> dict[str, float]:
    """Compute several metrics from one validation and one sort.

    Parameters
    ----------
    y_true, y_score, qid, sample_weight
        Rows and weights as for a single metric, such as `ndcg`.
    metrics : iterable or dict of str or Metric
        What is computed, such as ``["ndcg@5", "ndcg@10", "map"]``; a dict gives the names of the
        values.
    n_jobs : int, default=1
        Threads to work in, -1 for one per core.
    **metric_options
        Options of the metrics, such as ``convention="trec_eval"``, and values that some need of
        each row, such as ``item=…``. A metric takes the options that it has; one at least must.

    Returns
    -------
    dict of str to float
        Mean of each metric over queries, by the names as they were given.

    Raises
    ------
    ValueError
        If there is no such metric or option value, one is named twice, or the rows cannot be used.
    TypeError
        If no metric has such an option, or `metrics` is a single name.

    See Also
    --------
    evaluate_per_query : The values of each query.

    Examples
    --------
    >>> from sklearn_rankscore import evaluate
    >>> y_true, y_score, qid = [1, 0, 0, 1], [2, 1, 2, 1], ["a", "a", "b", "b"]
    >>> evaluate(y_true, y_score, qid=qid, metrics=["mrr", "p@1"])
    {'mrr': 0.75, 'p@1': 0.5}
    """
    wanted, of_rows = split_options(metrics, metric_options)
    settled = [metric.settle() for metric in wanted.values()]
    means = compute_means(
        settled, y_true, y_score, qid, n_jobs=n_jobs, sample_weight=sample_weight, **of_rows
    )
    return dict(zip(wanted, means, strict=True))


def evaluate_per_query(
    y_true: Any,
    y_score: Any,
    *,
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    qid: Any = None,
    sample_weight: Any = None,
    n_jobs: int = 1,
    **metric_options: Any,
) -> dict[str, Array]:
    """Compute several metrics of each query from one validation and one sort.

    Parameters
    ----------
    y_true, y_score, qid, metrics, sample_weight, n_jobs, **metric_options
        As for `evaluate`.

    Returns
    -------
    dict of str to ndarray of shape (n_queries,)
        "qid", in order of first appearance, and the values of each metric by its name; undefined
        ones replaced as in the mean; with weights, "sample_weight". ``pandas.DataFrame`` and
        ``rank_report(per_query=…)`` take it as it is.

    Raises
    ------
    ValueError, TypeError
        As `evaluate`.

    See Also
    --------
    evaluate : Their means.

    Examples
    --------
    >>> from sklearn_rankscore import evaluate_per_query
    >>> y_true, y_score, qid = [1, 0, 0, 1], [2, 1, 2, 1], ["a", "a", "b", "b"]
    >>> values = evaluate_per_query(y_true, y_score, qid=qid, metrics=["mrr", "p@1"])
    >>> {name: column.tolist() for name, column in values.items()}
    {'qid': ['a', 'b'], 'mrr': [1.0, 0.5], 'p@1': [1.0, 0.0]}
    """
    wanted, of_rows = split_options(metrics, metric_options)
    check_columns(wanted)
    settled = [metric.settle() for metric in wanted.values()]
    ids, values, weight = compute_per_query(
        settled, y_true, y_score, qid, n_jobs=n_jobs, sample_weight=sample_weight, **of_rows
    )
    weights = {} if weight is None else {WEIGHT: weight}
    return {ID: ids, **dict(zip(wanted, values, strict=True)), **weights}


def check_columns(names: Iterable[str]) -> None:
    """Refuse a metric whose name is that of another column of a per-query table."""
    for column, held in ((ID, "query ids"), (WEIGHT, "weights")):
        if column in names:
            raise ValueError(f"No metric can be named {column!r}, which is the column of {held}.")


def split_options(
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric], given: Mapping[str, Any]
) -> tuple[dict[str, Metric], dict[str, Any]]:
    """Give the metrics, their options set, and the values of the rows, by name."""
    options = {name: value for name, value in given.items() if name not in ROW_VALUES}
    of_rows = {name: value for name, value in given.items() if name in ROW_VALUES}
    wanted = name_metrics(metrics, options)
    check_taken(wanted, of_rows)
    return wanted, of_rows


def check_taken(wanted: Mapping[str, Metric], row_values: Iterable[str]) -> None:
    """Refuse values of the rows that no metric takes."""
    taken = {name for metric in wanted.values() for name in metric.row_values}
    for name in {*row_values} - taken:
        raise TypeError(f"None of the metrics {', '.join(wanted)} takes {name}.")


def name_metrics(
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric], options: Mapping[str, Any]
) -> dict[str, Metric]:
    """Give the metrics by the names of their values; each takes the options that it has."""
    if isinstance(metrics, (str, bytes, Metric)) or not isinstance(metrics, Iterable):
        raise TypeError(
            f"metrics must be a list of names. Got {describe(metrics)}; pass [{metrics!r}]."
        )
    given = list(metrics.items() if isinstance(metrics, Mapping) else ((m, m) for m in metrics))
    wanted = {str(name): get_metric(metric) for name, metric in given}
    if not given or len(wanted) < len(given):
        names = [str(name) for name, _ in given]
        raise ValueError(
            f"metrics must be one or more different metrics. Got {describe(names)} instead; a "
            "dict gives names to those that differ in options only."
        )
    known = {option for metric in wanted.values() for option in metric.options}
    # An option that no metric knows goes to all: the first of them refuses it.
    refused = options.keys() - known
    return {
        name: get_metric(
            metric,
            **{o: v for o, v in options.items() if o in metric.options or o in refused},
        )
        for name, metric in wanted.items()
    }
