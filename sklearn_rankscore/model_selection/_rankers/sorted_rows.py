"""Training rows sorted by query, as every ranker wants them."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d

from sklearn_rankscore._foreign import count_rows, take_rows
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.rows import Queries
from sklearn_rankscore.metrics._rows.validation import check_not_masked, check_same_length
from sklearn_rankscore.model_selection._ids.lookup import number_queries


@dataclass(frozen=True)
class SortedRows:
    """Rows sorted by query, stably: the queries in the order of their ids."""

    X: Any
    y: Array
    query: Array  # (n_rows,) number of each row's query, rising
    ids: Any  # (n_rows,) query ids in the order in which the rows came
    order: Array | None  # (n_rows,) permutation that sorted the rows; None: they were sorted

    @classmethod
    def sort(cls, X: Any, y: Any, ids: Any) -> Self:
        """Sort rows by query; within a query they keep their order."""
        check_not_masked(y, "y")
        grades = column_or_1d(np.asarray(y), warn=True)
        assert_all_finite(grades, input_name="y")
        query = number_queries(ids)
        if (query[1:] >= query[:-1]).all():
            return cls(X, grades, query, ids, None)
        order = np.argsort(query, kind="stable")
        return cls(take_rows(X, order), grades[order], query[order], ids, order)

    def sort_values(self, values: Any) -> Any:
        """Sort values as the rows were, if there is one per row; else return them unchanged."""
        is_array = isinstance(values, (list, tuple)) or getattr(values, "shape", ()) != ()
        if self.order is None or not is_array or count_rows(values) != len(self.order):
            return values
        return take_rows(values, self.order)

    def renumber(self, rows: Any) -> Any:
        """Convert row numbers from before the sort to row numbers after it."""
        if self.order is None:
            return rows
        return np.argsort(self.order)[np.asarray(rows)]

    @property
    def sizes(self) -> Array:
        """Number of rows of each query."""
        return np.bincount(self.query)

    def take_one_weight_per_query(self, weight: Any) -> Array:
        """Reduce weights to one per query; refuse weights that differ within a query."""
        check_not_masked(weight, "sample_weight")
        weight = np.asarray(weight)
        check_same_length("sample_weight", len(weight), len(self.query))
        Queries.from_ids(self.ids, len(weight)).reduce_weights(weight)
        first = np.unique(self.query, return_index=True)[1]
        return np.asarray(self.sort_values(weight)[first])
