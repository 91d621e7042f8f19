"""Which query ids have come before, in earlier batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn_rankscore._messages import format_id
from sklearn_rankscore.metrics._rows.ids import as_python_values, check_same_kind_of_ids

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._rows.validation import Array


class SeenQueries:
    """Distinct query ids of batches; each id of a later batch must be new."""

    def __init__(self) -> None:
        self._ids: set[Any] = set()
        self._kind = ""

    def add(self, ids: Array) -> None:
        """Refuse an id that has come before, and remember the others."""
        self._kind = check_same_kind_of_ids(ids, self._kind)
        new = as_python_values(ids)
        again = self._ids.intersection(new)
        if again:
            query = next(query for query in new if query in again)
            raise ValueError(
                f"Query {format_id(query)} comes back in a later batch: all rows of a query must "
                "come in one, as part of a list is scored like a shorter list. If batches cut "
                "through queries in order, pass whole_queries(batches); if not, sort the rows by "
                "query first."
            )
        self._ids.update(new)
