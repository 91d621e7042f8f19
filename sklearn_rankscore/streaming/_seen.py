"""Remember the query ids of earlier batches."""

from typing import Any

from sklearn_rankscore._messages import format_id
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.ids import as_python_values, check_same_kind_of_ids


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
                "come in one batch, as part of a list would be scored like a shorter list. If the "
                "rows are sorted by query, pass whole_queries(batches); else sort them first."
            )
        self._ids.update(new)
