"""The rows that a metric is computed from: grade, score, the query of each, and its item."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_rankscore.metrics._rows.items import Items
from sklearn_rankscore.metrics._rows.queries import Queries
from sklearn_rankscore.metrics._rows.validation import Array, as_grades, as_numbers, as_scores
from sklearn_rankscore.metrics._rows.weights import normalize_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sklearn_rankscore.metrics._rows.item_tables import ItemTable
    from sklearn_rankscore.metrics._rows.threads import InTurn

_NO_IDS = (
    "y_true is flat, shape {shape}, but no query ids were given, so it is not known which rows "
    "are ranked against each other. Pass qid=…, one id per row; or give y_true as "
    "RankTarget(y, qid=…) or as a pandas Series with an index level named 'qid'. For a single "
    "query, pass one line of a rectangle: [[…]]."
)


class MissingRowsError(TypeError):
    """A metric needs a value for each row that was not given."""

    def __init__(self, name: str, metric: str = "The metric") -> None:
        super().__init__(f"{metric} needs {name}=…, one value for each row.")
        self.name = name


@dataclass(frozen=True)
class Rows:
    """Grades and scores, checked, each query's rows together."""

    grade: Array  # (n_rows,) int16, float16, float32 or float64, contiguous
    score: Array  # (n_rows,) float32 or float64, contiguous
    queries: Queries
    weight: Array | None = None  # (n_queries,) from 0 to below 2, so that no sum of them overflows
    weight_unit: float = 1.0  # power of two by which they were divided; 0 if none is positive
    items: Items | None = None
    values: Mapping[str, Array] = field(default_factory=dict)  # (n_rows,) each, by name
    given: Any = None  # y_score as it came

    @classmethod
    def collect(
        cls,
        y_true: Any,
        y_score: Any,
        qid: Any = None,
        *,
        grades: str = "judged",
        one_list: bool = False,
        mapper: InTurn = map,
        sample_weight: Any = None,
        **row_values: Any,
    ) -> Self:
        """Check rows given flat with ids, or as a rectangle with one line per query.

        Grades may be needed of all rows ("judged"), of some ("unjudged") or not at all ("unused").
        With `one_list`, flat rows without ids are one query, which no metric minds. `mapper` is
        `map`, or one that works in threads.
        """
        if qid is None:
            qid = carried_ids(y_true)
        checks: list[Callable[[], Any]] = [
            lambda: as_scores(y_score),
            lambda: _grades(y_true, y_score, grades),
            lambda: None if qid is None else Queries.from_ids(qid),
        ]
        score, grade, queries = mapper(_call, checks)
        if queries is None and one_list and grade.ndim == 1:
            grade, score = grade[None], score[None]
        if queries is None:
            queries = _rectangle(grade, score)
        else:
            grade, score = _flat(grade, "y_true"), _flat(score, "y_score")
            check_same_length("y_score", len(score), len(grade))
            check_same_length("qid", queries.n_rows, len(grade))
        if not grade.size:
            raise ValueError("y_true must hold at least one row. Got zero rows instead.")
        score, grade = queries.arrange_both(score.ravel(), grade.ravel())
        rows = cls(grade, score, queries)
        weight, unit = rows._weights(sample_weight)
        return replace(
            rows,
            given=y_score,
            weight=weight,
            weight_unit=unit,
            items=rows._items(row_values.pop("item", None)),
            values={
                name: rows._one_per_row(values, name)
                for name, values in row_values.items()
                if values is not None
            },
        )

    def column(self, name: str) -> Array:
        """Give a value of each row that not every metric needs."""
        if name == "item" and self.items is not None:
            return self.items.codes
        if name not in self.values:
            raise MissingRowsError(name)
        return self.values[name]

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return 0 if self.items is None else len(self.items.ids)

    @cached_property
    def predictions(self) -> Array:
        """Scores as numbers: those too fine for a float64 are ranked by numbers of their own."""
        numbers = as_numbers(self.given, "y_score").ravel()
        with np.errstate(over="ignore"):
            return self.queries.arrange(numbers.astype(np.float64))

    def items_for(self, table: ItemTable) -> Items | None:
        """Give the items; else, for vectors of which there is one per row, each row as an item."""
        if self.items is not None or not table.by_line or table.name != "item_features":
            return self.items
        check_same_length(table.name, len(table.ids), len(self.grade))
        number = np.arange(len(self.grade))
        return Items(number, self.queries.arrange(number))

    def _items(self, item: Any) -> Items | None:
        if item is None:
            return None
        if self.queries.rectangular and hasattr(item, "__array__"):
            item = np.ravel(item)
        elif self.queries.rectangular and isinstance(item, list):
            item = [one for line in item for one in (line if isinstance(line, list) else [line])]
        items = Items.from_rows(item)
        check_same_length("item", len(items.codes), len(self.grade))
        items = Items(items.ids, self.queries.arrange(items.codes))
        items.check_once(self.queries)
        return items

    def _one_per_row(self, values: Any, name: str) -> Array:
        numbers = as_numbers(values, name)
        check_same_length(name, numbers.size, len(self.grade))
        numbers = numbers.ravel().astype(np.float64)
        if not (np.abs(numbers) <= 1 + 1e-9).all():  # a cosine, rounded
            raise ValueError(
                f"{name} must be from -1 to 1. Got {numbers[np.abs(numbers).argmax()]:g} instead."
            )
        return self.queries.arrange(numbers)

    def _weights(self, sample_weight: Any) -> tuple[Array | None, float]:
        """Weight of each query, from one weight per row (or, for a rectangle, per query)."""
        if sample_weight is None:
            return None, 1.0
        weight = as_numbers(sample_weight, "sample_weight")
        if self.queries.rectangular and weight.size == self.grade.size:
            weight = weight.ravel()
        with np.errstate(over="ignore"):
            weight = _flat(weight, "sample_weight").astype(np.float64)
        if not np.isfinite(weight).all() or (weight < 0).any():
            raise ValueError("sample_weight must be finite and not negative.")
        if not (self.queries.rectangular and len(weight) == len(self.queries.ids)):
            check_same_length("sample_weight", len(weight), len(self.grade))
            weight = self.queries.weight_per_query(weight)
        return normalize_weights(weight)


def _call(check: Callable[[], Any]) -> Any:
    return check()


def _grades(y_true: Any, y_score: Any, needed: str) -> Array:
    if needed != "unused":
        return as_grades(y_true, unjudged=needed == "unjudged")
    shape = np.shape(y_score)
    if y_true is not None and np.size(y_true) != np.prod(shape, dtype=int):
        shape = (np.size(y_true),)  # of another length, which is said later
    return np.zeros(shape, dtype=np.int16)


def queries_of(qid: Any, n_rows: int) -> Queries:
    """Group rows by their ids, of which there must be one per row."""
    queries = Queries.from_ids(qid)
    check_same_length("qid", queries.n_rows, n_rows)
    return queries


def check_same_length(name: str, length: int, n_rows: int) -> None:
    """Refuse an array that has not one value per row."""
    if length != n_rows:
        hint = ""
        if "qid" in name:
            hint = " Query ids are wanted, one per row, not group sizes."
        elif name in ("item_features", "popularity"):
            hint = " If each line of it is of an item, pass item=… as well."
        raise ValueError(
            f"{name} must have one value per row. Got {length} values for {n_rows} rows instead."
            f"{hint}"
        )


def carried_ids(y: Any) -> Any:
    """Query ids that travel on y: a RankTarget's own, or a level of a pandas index."""
    return getattr(y, "qid", None) if isinstance(y, np.ndarray) else index_level(y, "qid")


def carried_values(y: Any, name: str) -> Any:
    """What else travels on y for each row, by its name."""
    if isinstance(y, np.ndarray):
        return getattr(y, "metadata", {}).get(name)
    return index_level(y, name)


def index_level(rows: Any, name: str) -> Any:
    """Values of a level of a pandas index by its name, or None."""
    index: Any = getattr(rows, "index", None)
    return index.get_level_values(name) if name in getattr(index, "names", ()) else None


def _flat(values: Array, name: str) -> Array:
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        return values.ravel()
    raise ValueError(
        f"{name} must be flat, shape (n_rows,), unless rows are a rectangle without query ids. "
        f"Got shape {values.shape} instead."
    )


def _rectangle(grade: Array, score: Array) -> Queries:
    if grade.ndim < 2:
        raise ValueError(_NO_IDS.format(shape=grade.shape))
    if grade.ndim > 2:
        raise ValueError(
            "y_true must be flat, or a rectangle of shape (n_queries, n_rows_per_query). "
            f"Got shape {grade.shape} instead."
        )
    if grade.shape != score.shape:
        raise ValueError(
            f"y_score must have the shape of y_true, {grade.shape}. Got {score.shape} instead."
        )
    if grade.shape[1] == 1 < len(grade):
        raise ValueError(
            f"y_true is one column, shape {grade.shape}: as a rectangle that is a query for each "
            "row, with nothing to rank. Pass it flat, with qid=…, one id per row."
        )
    return Queries.from_rectangle(grade.shape)
