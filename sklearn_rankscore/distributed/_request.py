"""What a call asks of a Dask DataFrame: metrics, and the columns that they need."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sklearn_rankscore._messages import describe, suggest
from sklearn_rankscore.metrics import Metric
from sklearn_rankscore.metrics.evaluate import split_options

_NO_DASK = (
    "sklearn_rankscore.distributed works on Dask DataFrames, and Dask is not installed: "
    'pip install "sklearn_rankscore[distributed]"'
)
_MAY_BE_NONE = ("y_true", "sample_weight")


class Request(NamedTuple):
    """Metrics by the names of their values, and names of columns by what they hold."""

    metrics: dict[str, Metric]
    columns: dict[str, Any]


def import_dask() -> Any:
    """Import Dask, with its DataFrames."""
    try:
        import dask  # noqa: PLC0415 - only where it is asked for
        import dask.dataframe  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(_NO_DASK) from error

    return dask


def read_request(
    metrics: Any, metric_options: Mapping[str, Any], columns: Mapping[str, Any]
) -> Request:
    """Check the arguments of a call, as far as this is possible without the table."""
    wanted, of_rows = split_options(metrics, metric_options)
    columns = {**columns, **of_rows}
    for name, column in columns.items():
        left_out = column is None and name in _MAY_BE_NONE
        if not (isinstance(column, (str, int)) or left_out):
            raise TypeError(
                f"{name} must be the name of a column. Got {describe(column)} instead."
            )
    return Request(wanted, {name: each for name, each in columns.items() if each is not None})


def select_columns(dask: Any, ddf: Any, columns: Mapping[str, Any]) -> Any:
    """Take the requested columns of a table, and refuse a table that lacks one."""
    if not isinstance(ddf, dask.dataframe.DataFrame):
        raise TypeError(
            f"ddf must be a Dask DataFrame. Got {type(ddf).__name__} instead; pass rows in memory "
            "to sklearn_rankscore.evaluate, or through dask.dataframe.from_pandas(…)."
        )
    if columns["qid"] == ddf.index.name and columns["qid"] not in ddf.columns:
        ddf = ddf.reset_index()
    existing = list(ddf.columns)
    for name, column in columns.items():
        if column not in existing:
            hint, names = suggest(str(column), existing), ", ".join(map(repr, existing))
            raise ValueError(f"{name}={column!r} is no column of ddf, which has {names}.{hint}")
        if existing.count(column) > 1:
            raise ValueError(
                f"{name}={column!r} must be one column of ddf. Got several of this name."
            )
    return ddf[list(dict.fromkeys(columns.values()))]
