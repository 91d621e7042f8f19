"""Score a Dask DataFrame with a row for each ranked item: each query, or the means."""

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn_rankscore.distributed._partition import (
    compute_per_query,
    compute_sums,
    make_per_query,
)
from sklearn_rankscore.distributed._request import (
    Request,
    import_dask,
    read_request,
    select_columns,
)
from sklearn_rankscore.distributed._whole_queries import bring_queries_together
from sklearn_rankscore.metrics import Metric
from sklearn_rankscore.metrics.evaluate import check_columns
from sklearn_rankscore.streaming._running_means import RunningMeans


def per_query(
    ddf: Any,
    *,
    y_true: str | None,
    y_score: str,
    qid: str,
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    sample_weight: str | None = None,
    **metric_options: Any,
) -> Any:
    """Compute metrics of each query of a Dask DataFrame.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        A row for each ranked item, in any order, such as ``dask.dataframe.read_parquet(…)``.
    y_true, y_score, qid : str
        Columns of grades, scores and query ids (the ids may be the index); `y_true` may be None if
        no metric needs grades.
    metrics : iterable or dict of str or Metric
        What is computed, such as ``["ndcg@10", "map"]``; a dict gives the names of the columns.
    sample_weight : str, default=None
        Column of weights, the same on all rows of a query.
    **metric_options
        Options of the metrics, and columns that some need besides, such as ``item="item_id"``.

    Returns
    -------
    dask.dataframe.DataFrame
        Lazy, a row for each query: "qid", the values of each metric by its name, undefined ones
        replaced as in the mean, and with weights "sample_weight". Such tables of other queries can
        be concatenated; `means` and ``rank_report(per_query=…)`` take them as they are.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError
        If there is no such column, metric or option; on ``compute()``, if rows cannot be used.
    TypeError
        If `ddf` is no Dask DataFrame, or a metric has no value per query.

    See Also
    --------
    score : The means.
    sklearn_rankscore.evaluate_batches : Without Dask, of batches that come one by one.

    Notes
    -----
    A query is scored where all its rows are, so this call itself reads the ids. If the partitions
    hold separate ranges of ids (a table sorted by query, its files in any order), only the rows of
    queries that partitions share move; else Dask shuffles the rows by query. Dask reads only the
    requested columns. With ``ties="first"`` or ``"last"`` rows keep their order.

    Ids must be of one type in all partitions: whole numbers, floats, text, dates of one unit,
    categories of these, or one hashable type, such as tuples. Ids of a hashable type are compared
    in the process that calls this function, in whose memory all of them must fit. Dask turns
    objects into text when it makes a table, unless its option ``dataframe.convert-string`` is
    False.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from sklearn_rankscore.distributed import per_query
    >>> rows = pd.DataFrame({"grade": [1, 0, 0, 1], "score": [2, 1, 2, 1], "user": [7, 7, 8, 8]})
    >>> ddf = dd.from_pandas(rows, npartitions=2)
    >>> values = per_query(ddf, y_true="grade", y_score="score", qid="user", metrics=["mrr"])
    >>> values.compute().to_dict("list")
    {'qid': [7, 8], 'mrr': [1.0, 0.5]}
    """
    named = {"y_true": y_true, "y_score": y_score, "qid": qid, "sample_weight": sample_weight}
    dask = import_dask()
    request = read_request(metrics, metric_options, named)
    check_columns(request.metrics)
    for metric in request.metrics.values():
        if metric.pool is not None:
            raise TypeError(
                f"{metric.name} is one value for all queries; it has no value per query. Call "
                "score(…) instead."
            )
    table, id_type = _open(dask, ddf, request)
    meta = make_per_query({}, request, id_type)
    # Delayed, so that the request goes to the workers once, not with each partition.
    once = dask.delayed(request, pure=False)
    return table.map_partitions(compute_per_query, once, id_type, meta=meta)


def score(
    ddf: Any,
    *,
    y_true: str | None,
    y_score: str,
    qid: str,
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    sample_weight: str | None = None,
    **metric_options: Any,
) -> dict[str, float]:
    """Compute metrics of a Dask DataFrame, as `evaluate` does of rows in memory.

    Parameters
    ----------
    ddf, y_true, y_score, qid, metrics, sample_weight, **metric_options
        As for `per_query`; metrics of all queries together, such as `catalog_coverage` and `rmse`,
        as well.

    Returns
    -------
    dict of str to float
        Weighted mean of each metric over the queries, by the names as they were given.

    Raises
    ------
    ImportError, ValueError, TypeError
        As `per_query`.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from sklearn_rankscore.distributed import score
    >>> rows = pd.DataFrame({"grade": [1, 0, 0, 1], "score": [2, 1, 2, 1], "user": [7, 7, 8, 8]})
    >>> ddf = dd.from_pandas(rows, npartitions=2)
    >>> score(ddf, y_true="grade", y_score="score", qid="user", metrics=["mrr", "p@1"])
    {'mrr': 0.75, 'p@1': 0.5}
    """
    named = {"y_true": y_true, "y_score": y_score, "qid": qid, "sample_weight": sample_weight}
    dask = import_dask()
    request = read_request(metrics, metric_options, named)
    table, _ = _open(dask, ddf, request)
    once, compute = dask.delayed(request, pure=False), dask.delayed(compute_sums)
    means = RunningMeans(list(request.metrics.values()))
    for part in dask.compute(*[compute(rows, once) for rows in table.to_delayed()]):
        means.merge(part)
    return dict(zip(request.metrics, means.means(), strict=True))


def _open(dask: Any, ddf: Any, request: Request) -> tuple[Any, Any]:
    """Give the requested columns with each query in one partition, and the type of the ids."""
    needed = select_columns(dask, ddf, request.columns)
    ordered = any(one.settle().ties in ("first", "last") for one in request.metrics.values())
    return bring_queries_together(dask, needed, request.columns["qid"], keep_row_order=ordered)
