"""Read tables and dates that users bring from other libraries: pandas, polars, Dask, Arrow."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse


def get_index_level(rows: Any, name: str) -> Any:
    """Give the values of a level of a pandas index by its name, or None."""
    index: Any = getattr(rows, "index", None)
    return index.get_level_values(name) if name in getattr(index, "names", ()) else None


def list_index_levels(rows: Any) -> list[Any]:
    """Give the names of the levels of a pandas index; none for anything else."""
    return [level for level in getattr(getattr(rows, "index", None), "names", ()) if level]


def list_columns(X: Any) -> list[Any]:
    """Give the names of the columns of a frame; none for anything else."""
    return list(getattr(X, "columns", ()))


def drop_column(X: Any, name: str) -> Any:
    """Give X without a column; X itself where it has no such column."""
    if name not in list_columns(X):
        return X
    return X.drop(columns=[name]) if hasattr(X, "iloc") else X.drop(name)


def count_rows(X: Any) -> int:
    """Count the rows of an array, a frame, a sparse matrix or a list."""
    if hasattr(X, "shape"):
        return int(X.shape[0])
    return len(X if hasattr(X, "__len__") else np.asarray(X))


def take_rows(values: Any, rows: Any) -> Any:
    """Choose rows of an array, a frame, a sparse matrix or a list, by their numbers."""
    if sparse.issparse(values):
        return values.tocsr()[rows]
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if isinstance(values, (list, tuple)):  # as an array, numbers beside text would become text
        return [values[row] for row in rows]
    return (values if hasattr(values, "shape") else np.asarray(values))[rows]


def drop_time_zone(dates: Any) -> Any:
    """Give zoned dates of pandas in UTC, without a zone; as an array they would be objects."""
    accessor = getattr(dates, "dt", dates)
    try:
        zoned = accessor.tz is not None
    except (AttributeError, NotImplementedError):  # no dates of pandas, or days of Arrow
        return dates
    return accessor.tz_convert(None) if zoned else dates


def is_extension_column(values: Any) -> bool:
    """Whether pandas keeps the values in a type of its own: text, category, nullable, Arrow."""
    return hasattr(values, "factorize") and not isinstance(values.dtype, np.dtype)


def is_array(values: Any) -> bool:
    """Whether NumPy reads the values as an array of their own type: arrays, Series, columns."""
    return hasattr(values, "__array__")


def keep_exact(values: Any) -> Any:
    """Turn a polars column that NumPy cannot hold exactly into an array of Python objects.

    NumPy has no 128-bit integers and no decimals, and its text of fixed width loses a NUL at the
    end.
    """
    of_polars = type(values).__module__.partition(".")[0] == "polars"
    if of_polars and str(values.dtype).startswith(("String", "Int128", "UInt128", "Decimal")):
        return np.array(values.to_list(), dtype=object)
    return values


def has_dates(values: Any) -> bool:
    """Whether the type of an array or a column is one of dates."""
    return getattr(getattr(values, "dtype", None), "kind", "") == "M"


def get_index_of_dates(rows: Any) -> Any:
    """Give the pandas index of rows if it holds dates or periods, or None."""
    index = getattr(rows, "index", None)
    return index if has_dates(index) or hasattr(index, "to_timestamp") else None


def unwrap_date(value: Any) -> Any:
    """Turn a date, a period (its start) or a span of pandas into NumPy's; keep anything else."""
    for method in ("to_timestamp", "to_datetime64", "to_timedelta64"):
        value = getattr(value, method)() if hasattr(value, method) else value
    return value


def check_same_order(**values: Any) -> None:
    """Refuse Series and frames of pandas that have the same index in different orders."""
    seen: list[tuple[str, Any]] = []
    for name, value in values.items():
        if not hasattr(value, "iloc"):
            continue
        for first, index in seen:
            if _is_reordered(index, value.index):
                raise ValueError(
                    f"{first} and {name} have the same index in different orders, so nobody knows "
                    f"which rows belong together. If they stand in the same order, pass "
                    f"{name}.to_numpy(); if the index tells, pass {name}.loc[{first}.index]."
                )
        if not any(value.index.equals(index) for _, index in seen):
            seen.append((name, value.index))


def _is_reordered(index: Any, other: Any) -> bool:
    if len(index) != len(other) or index.nlevels != other.nlevels or index.equals(other):
        return False
    if not (index.isin(other).all() and other.isin(index).all()):
        return False
    return bool(index.tolist() != other.tolist())  # of other types they can be equal all the same


def split_index(value: Any) -> tuple[Any, Any] | None:
    """Give the index and the values of a pandas object; None for anything else."""
    if hasattr(value, "index") and hasattr(value, "to_numpy"):
        return value.index, value.to_numpy()
    return None


def read_columns(table: Any) -> dict[str, Any] | None:
    """Give the columns of a table by name; compute a lazy one. None for what is no table."""
    if isinstance(table, Mapping):
        return dict(table)
    for compute in ("compute", "collect"):  # Dask, polars
        table = getattr(table, compute)() if hasattr(table, compute) else table
    names = getattr(table, "column_names", getattr(table, "columns", None))  # Arrow, the others
    return None if names is None else {str(name): table[name] for name in names}
