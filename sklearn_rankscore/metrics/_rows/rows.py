"""The rows that metrics are computed from, grouped by query."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import call
from typing import Any, Self

import numpy as np

from sklearn_rankscore._foreign import index_level
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows import validation
from sklearn_rankscore.metrics._rows.items import Items
from sklearn_rankscore.metrics._rows.queries import Queries
from sklearn_rankscore.metrics._rows.threads import Mapper
from sklearn_rankscore.metrics._rows.weights import as_shares_of_largest, check_weights

_NO_IDS = (
    "y_true is flat, shape {shape}, but no query ids were given, so nobody knows which rows are "
    "ranked against each other. Pass qid=…, one id per row; or give y_true as "
    "RankTarget(y, qid=…) or as a pandas Series with an index level named 'qid'. For a single "
    "query, pass one line of a rectangle: [[…]]."
)


@dataclass(frozen=True)
class Rows:
    """Grades and scores, checked, each query's rows together."""

    grade: Array  # (n_rows,) int16, float16, float32 or float64, contiguous
    score: Array  # (n_rows,) float32 or float64, contiguous
    queries: Queries
    weight: Array | None = None  # (n_queries,) as given
    items: Items | None = None
    values: Mapping[str, Array] = field(default_factory=dict)  # (n_rows,) each, by name

    @classmethod
    def collect(
        cls,
        y_true: Any,
        y_score: Any,
        qid: Any = None,
        *,
        grades: str = "judged",
        mapper: Mapper = map,
        sample_weight: Any = None,
        **row_values: Any,
    ) -> Self:
        """Check rows given flat with ids, or as a rectangle with one line per query.

        Every row may need a grade ("judged"), or some ("unjudged"), or none ("unused"). `qid` may
        be Queries, if the rows have been grouped already. `mapper` is `map`, or works in threads.
        """
        qid = carried(y_true, "qid") if qid is None else qid
        known = qid is None or isinstance(qid, Queries)
        checks: list[Any] = [partial(validation.as_scores, y_score)]
        if grades == "unused":
            checks.append(partial(_make_no_grades, y_true, y_score))
        else:
            checks.append(partial(validation.as_grades, y_true, unjudged=grades == "unjudged"))
        checks += [] if known else [partial(Queries.from_ids, qid)]
        score, grade, *grouped = mapper(call, checks)
        if qid is None:
            queries = _rectangle(grade, score)
        else:
            queries = qid if known else grouped[0]
            if not grade.ndim == score.ndim == 1:
                grade, score = _flat(grade, "y_true"), _flat(score, "y_score")
            if not len(grade) == len(score) == queries.n_rows:
                validation.check_same_length("y_score", len(score), len(grade))
                validation.check_same_length("qid", queries.n_rows, len(grade))
        if not grade.size:
            raise ValueError("y_true must hold at least one row. Got zero rows instead.")
        score, grade = queries.arrange_both(score.ravel(), grade.ravel())
        rows = cls(grade, score, queries)
        if row_values or sample_weight is not None:
            return rows._add(sample_weight=sample_weight, **row_values)
        return rows

    def _add(self, *, sample_weight: Any = None, item: Any = None, **values: Any) -> Self:
        """Add weights, items, and other values of the rows."""
        return replace(
            self,
            weight=None if sample_weight is None else self._weight_per_query(sample_weight),
            items=None if item is None else Items.of_queries(item, self.queries),
            values={
                name: self.queries.arrange(
                    validation.as_similarities(value, name, len(self.grade))
                )
                for name, value in values.items()
                if value is not None
            },
        )

    def _weight_per_query(self, sample_weight: Any) -> Array:
        """Give the weight of each query, from one per row (or, for a rectangle, per query)."""
        weight = validation.as_numbers(sample_weight, "sample_weight")
        if self.queries.rectangular and weight.size == self.grade.size:
            weight = weight.ravel()
        with np.errstate(over="ignore"):
            weight = _flat(weight, "sample_weight").astype(np.float64)
        check_weights(weight)
        if self.queries.rectangular and len(weight) == len(self.queries.ids):
            return weight
        validation.check_same_length("sample_weight", len(weight), len(self.grade))
        return self.queries.weight_per_query(weight)

    @cached_property
    def relative_weight(self) -> Array | None:
        """Weight of each query as a share of the largest, so that no sum of them overflows."""
        return as_shares_of_largest(self.weight)


def _make_no_grades(y_true: Any, y_score: Any) -> Array:
    """Make a grade of 0 for each row, where no metric needs grades."""
    shape = np.shape(y_score)
    if y_true is not None and np.size(y_true) != np.prod(shape, dtype=int):
        shape = (np.size(y_true),)  # another length, which Rows.collect refuses
    return np.zeros(shape, dtype=np.int16)


def carried(y: Any, name: str) -> Any:
    """Find what travels on y for each row, by its name: on a RankTarget, or as an index level."""
    if not isinstance(y, np.ndarray):
        return index_level(y, name)
    return getattr(y, "qid", None) if name == "qid" else getattr(y, "metadata", {}).get(name)


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
