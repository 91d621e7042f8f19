"""From a table with a row for each ranked item to values of queries and their means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from sklearn_rankscore.distributed._partition import table_of, tally_of, values_of
from sklearn_rankscore.distributed._whole_queries import whole_queries
from sklearn_rankscore.metrics._compute import undefined
from sklearn_rankscore.metrics._evaluate import check_columns, parted
from sklearn_rankscore.metrics._names import meant
from sklearn_rankscore.metrics._per_query import read_per_query
from sklearn_rankscore.metrics._tally import Sum, Tally
from sklearn_rankscore.metrics._validation import got
from sklearn_rankscore.metrics._weights import weighted_sums

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sklearn_rankscore.metrics import Metric
    from sklearn_rankscore.metrics._options import CallOptions

_NO_DASK = (
    "sklearn_rankscore.distributed works on Dask DataFrames, and Dask is not installed: "
    'pip install "sklearn_rankscore[distributed]"'
)
_NOT_NEEDED = ("y_true", "sample_weight")


def per_query(
    ddf: Any,
    *,
    y_true: str | None,
    y_score: str,
    qid: str,
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    sample_weight: str | None = None,
    **metric_options: Unpack[CallOptions],
) -> Any:
    """Compute metrics of each query of a Dask DataFrame.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        A row for each ranked item, in any order, such as ``dask.dataframe.read_parquet(…)``.
    y_true, y_score, qid : str
        Columns of grades, scores and query ids (that may be the index); `y_true` may be None where
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
        If there is no such column, metric or option; when it is computed, if rows cannot be used.
    TypeError
        If `ddf` is no Dask DataFrame, or a metric has no value per query.

    See Also
    --------
    score : The means.
    sklearn_rankscore.evaluate_batches : Without Dask, of batches that come one by one.

    Notes
    -----
    A query is scored where all its rows are. For that the ids are read when this is called. Where
    partitions hold them one after another, in whichever order (a sorted table), only rows of a
    query that goes across two of them are moved; else Dask shuffles the rows by query. Only
    the columns that are needed are read.

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
    dask, wanted, columns = _asked(metrics, metric_options, named)
    check_columns(wanted)
    for metric in wanted.values():
        if metric.pool is not None:
            raise TypeError(
                f"{metric.name} is of all queries together, it has no value per query; score(…) "
                "gives it."
            )
    table, once = _opened(dask, ddf, wanted, columns)
    meta = table_of({}, table.dtypes[qid], wanted, columns)
    return table.map_partitions(values_of, once, meta=meta)


def score(
    ddf: Any,
    *,
    y_true: str | None,
    y_score: str,
    qid: str,
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    sample_weight: str | None = None,
    **metric_options: Unpack[CallOptions],
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
    dask, wanted, columns = _asked(metrics, metric_options, named)
    table, once = _opened(dask, ddf, wanted, columns)
    tally = dask.delayed(tally_of)
    total = Tally(list(wanted.values()))
    for part in dask.compute(*[tally(rows, once) for rows in table.to_delayed()]):
        total.merge(part)
    return dict(zip(wanted, total.means(), strict=True))


def means(table: Any) -> dict[str, float]:
    """Weighted means of values per query.

    Parameters
    ----------
    table : dask or pandas DataFrame, or dict of str to array-like
        What `per_query` or `evaluate_per_query` gives: columns of values, and "qid" and
        "sample_weight", if it has them.

    Returns
    -------
    dict of str to float
        Mean of each metric over the queries that have a value of it.

    Raises
    ------
    TypeError
        If it is no table.

    Examples
    --------
    >>> from sklearn_rankscore.distributed import means
    >>> means({"qid": ["a", "b"], "mrr": [1.0, 0.5], "sample_weight": [1, 3]})
    {'mrr': 0.625}
    """
    if hasattr(table, "to_delayed"):
        dask = _dask()
        parts = dask.compute(*map(dask.delayed(_sums), table.to_delayed()))
    else:
        parts = (_sums(table),)
    total = {name: Sum() for name in parts[0]}
    for part in parts:
        for name, sums in part.items():
            total[name].add(sums)
    return {
        name: float(sums.value[0] / sums.value[1]) if sums.value[1] else undefined(name, 3)
        for name, sums in total.items()
    }


def _sums(table: Any) -> dict[str, Any]:
    """By metric the sum of weighted values, and that of their weights."""
    _, values, weight = read_per_query(table)
    return {name: weighted_sums(column, weight) for name, column in values.items()}


def _dask() -> Any:
    try:
        import dask  # noqa: PLC0415 - only where it is asked for
        import dask.dataframe  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(_NO_DASK) from error

    return dask


def _asked(
    metrics: Any, metric_options: Mapping[str, Any], named: Mapping[str, Any]
) -> tuple[Any, dict[str, Metric], dict[str, Any]]:
    """Dask, metrics by their names, and the columns that are needed, by what they hold."""
    dask = _dask()
    wanted, of_rows = parted(metrics, metric_options)
    columns = {**named, **of_rows}
    for name, column in columns.items():
        if isinstance(column, (str, int)) or (column is None and name in _NOT_NEEDED):
            continue
        raise TypeError(f"{name} must be the name of a column. Got {got(column)} instead.")
    return dask, wanted, {name: column for name, column in columns.items() if column is not None}


def _opened(
    dask: Any, ddf: Any, wanted: Mapping[str, Metric], columns: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Whole queries of the columns that are needed; what is asked, once for all partitions."""
    table = whole_queries(dask, _columns(dask, ddf, columns), columns["qid"])
    return table, dask.delayed((wanted, columns), pure=False)


def _columns(dask: Any, ddf: Any, columns: Mapping[str, Any]) -> Any:
    """What is needed of a table."""
    if not isinstance(ddf, dask.dataframe.DataFrame):
        raise TypeError(
            f"ddf must be a Dask DataFrame. Got {type(ddf).__name__} instead; what is in memory "
            "is for sklearn_rankscore.evaluate, or dask.dataframe.from_pandas(…)."
        )
    if columns["qid"] == ddf.index.name and columns["qid"] not in ddf.columns:
        ddf = ddf.reset_index()
    for name, column in columns.items():
        if column not in ddf.columns:
            hint = meant(str(column), ddf.columns)
            listed = ", ".join(map(repr, ddf.columns))
            raise ValueError(f"{name}={column!r} is no column of ddf, which has {listed}.{hint}")
    return ddf[list(dict.fromkeys(columns.values()))]
