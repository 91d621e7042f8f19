"""Rows for a ranker: those of a query together, and all that belongs to them in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite, column_or_1d

from sklearn_rankscore._foreign import count_rows
from sklearn_rankscore.metrics._rows.rows import Queries
from sklearn_rankscore.metrics._rows.validation import check_not_masked, check_same_length
from sklearn_rankscore.model_selection._ids.lookup import number_queries

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._rows.validation import Array


@dataclass(frozen=True)
class SortedRows:
    """Rows sorted by query, stably: the queries in the order of their ids."""

    X: Any
    y: Array
    query: Array  # (n_rows,) number of each row's query, rising
    ids: Any  # (n_rows,) as they came
    order: Array | None  # (n_rows,) what brought the rows together; None: they were

    @classmethod
    def sort(cls, X: Any, y: Any, ids: Any) -> SortedRows:
        """Bring the rows of each query together; within a query they keep their order."""
        check_not_masked(y, "y")
        grades = column_or_1d(np.asarray(y), warn=True)
        assert_all_finite(grades, input_name="y")
        query = number_queries(ids)
        if (query[1:] >= query[:-1]).all():
            return cls(X, grades, query, ids, None)
        order = np.argsort(query, kind="stable")
        return cls(_take(X, order), grades[order], query[order], ids, order)

    def along(self, values: Any) -> Any:
        """Bring what has one value per row into the order of the rows; leave anything else."""
        is_array = isinstance(values, (list, tuple)) or getattr(values, "shape", ()) != ()
        if self.order is None or not is_array or count_rows(values) != len(self.order):
            return values
        return _take(values, self.order)

    def renumber(self, rows: Any) -> Any:
        """Give numbers of rows, as they came, their numbers in the table."""
        if self.order is None:
            return rows
        return np.argsort(self.order)[np.asarray(rows)]

    @property
    def sizes(self) -> Array:
        """Rows of each query."""
        return np.bincount(self.query)

    def one_weight_per_query(self, weight: Any) -> Array:
        """Weight of each query, from one per row."""
        check_not_masked(weight, "sample_weight")
        weight = np.asarray(weight)
        check_same_length("sample_weight", len(weight), len(self.query))
        Queries.from_ids(self.ids, len(weight)).weight_per_query(weight)
        first = np.unique(self.query, return_index=True)[1]
        return np.asarray(self.along(weight)[first])


def _take(values: Any, rows: Array) -> Any:
    """Choose rows of a frame, an array, a sparse matrix or a list."""
    if sparse.issparse(values):
        return values.tocsr()[rows]
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if isinstance(values, (list, tuple)):  # as an array, numbers beside text would become text
        return [values[row] for row in rows]
    return (values if hasattr(values, "shape") else np.asarray(values))[rows]
