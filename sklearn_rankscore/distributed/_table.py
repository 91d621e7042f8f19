"""What is asked of a Dask DataFrame, and whether it has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn_rankscore._messages import describe, suggest
from sklearn_rankscore.distributed._whole_queries import whole_queries
from sklearn_rankscore.metrics.evaluate import split_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn_rankscore.metrics import Metric

_NO_DASK = (
    "sklearn_rankscore.distributed works on Dask DataFrames, and Dask is not installed: "
    'pip install "sklearn_rankscore[distributed]"'
)
_NOT_NEEDED = ("y_true", "sample_weight")


def import_dask() -> Any:
    """Dask, with its DataFrames."""
    try:
        import dask  # noqa: PLC0415 - only where it is asked for
        import dask.dataframe  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(_NO_DASK) from error

    return dask


def asked(
    metrics: Any, metric_options: Mapping[str, Any], named: Mapping[str, Any]
) -> tuple[Any, dict[str, Metric], dict[str, Any]]:
    """Dask, metrics by their names, and the columns that are needed, by what they hold."""
    dask = import_dask()
    wanted, of_rows = split_options(metrics, metric_options)
    columns = {**named, **of_rows}
    for name, column in columns.items():
        if isinstance(column, (str, int)) or (column is None and name in _NOT_NEEDED):
            continue
        raise TypeError(f"{name} must be the name of a column. Got {describe(column)} instead.")
    return dask, wanted, {name: column for name, column in columns.items() if column is not None}


def opened(
    dask: Any, ddf: Any, wanted: Mapping[str, Metric], columns: Mapping[str, Any]
) -> tuple[Any, Any, Any]:
    """Whole queries of the columns that are needed, type of ids; what is asked, once for all."""
    row_order = any(each.settle().ties in ("first", "last") for each in wanted.values())
    needed = _columns(dask, ddf, columns)
    table, id_type = whole_queries(dask, needed, columns["qid"], row_order=row_order)
    return table, id_type, dask.delayed((wanted, columns), pure=False)


def _columns(dask: Any, ddf: Any, columns: Mapping[str, Any]) -> Any:
    """What is needed of a table."""
    if not isinstance(ddf, dask.dataframe.DataFrame):
        raise TypeError(
            f"ddf must be a Dask DataFrame. Got {type(ddf).__name__} instead; what is in memory "
            "is for sklearn_rankscore.evaluate, or dask.dataframe.from_pandas(…)."
        )
    if columns["qid"] == ddf.index.name and columns["qid"] not in ddf.columns:
        ddf = ddf.reset_index()
    listed = list(ddf.columns)
    for name, column in columns.items():
        if column not in listed:
            hint, names = suggest(str(column), listed), ", ".join(map(repr, listed))
            raise ValueError(f"{name}={column!r} is no column of ddf, which has {names}.{hint}")
        if listed.count(column) > 1:
            raise ValueError(
                f"{name}={column!r} must be one column of ddf. Got several of this name."
            )
    return ddf[list(dict.fromkeys(columns.values()))]
