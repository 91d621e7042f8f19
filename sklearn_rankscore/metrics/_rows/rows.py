"""The rows that metrics are computed from, grouped by query."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import call
from typing import Any, Self

import numpy as np
from scipy import sparse

from sklearn_rankscore._foreign import check_same_order, get_index_level, is_array
from sklearn_rankscore._messages import format_id
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows import validation
from sklearn_rankscore.metrics._rows.factorize import factorize
from sklearn_rankscore.metrics._rows.items import Items
from sklearn_rankscore.metrics._rows.threads import Mapper
from sklearn_rankscore.metrics._rows.weights import as_shares_of_largest, check_weights

# If the first rows show that queries are interleaved, nobody needs to look at the rest.
_FEW = 1000

_NO_IDS = (
    "y_true is flat, shape {shape}, but no query ids were given, so nobody knows which rows are "
    "ranked against each other. Pass qid=…, one id per row; or give y_true as "
    "RankTarget(y, qid=…) or as a pandas Series with an index level named 'qid'. For a single "
    "query, pass one line of a rectangle: [[…]]."
)


@dataclass(frozen=True)
class Queries:
    """Which rows belong together."""

    ids: Array  # (n_queries,)
    starts: Array  # (n_queries,) first row of each query, once the rows are arranged; rising
    lengths: Array  # (n_queries,)
    codes: Array | None = None  # (n_rows,) query of each row; None: the rows lie together
    rectangular: bool = False  # given as a rectangle, a line per query

    @classmethod
    def from_ids(cls, qid: Any, n_rows: int | None = None, name: str = "qid") -> Self:
        """Group rows by id; ids that are already contiguous cost one comparison pass."""
        if isinstance(qid, str):
            raise TypeError(
                f"{name} must be the ids themselves, one per row. Got the text {qid!r}."
            )
        values, ids = validation.encode_ids(qid, name)
        if n_rows is not None:
            validation.check_same_length(name, len(values), n_rows)
        if not len(values):
            return cls(values, values.astype(np.intp), values.astype(np.intp))
        if len(values) > _FEW and _any_comes_back(values, _find_run_starts(values[:_FEW])):
            return cls._interleaved(values, ids)
        starts = _find_run_starts(values)
        if _any_comes_back(values, starts):
            return cls._interleaved(values, ids)
        heads = values[starts]
        lengths = np.diff(starts, append=len(values))
        return cls(heads if ids is None else ids[heads], starts, lengths)

    @classmethod
    def _interleaved(cls, values: Array, ids: Array | None) -> Self:
        distinct, codes, lengths = factorize(values)
        starts = np.cumsum(lengths) - lengths
        return cls(distinct if ids is None else ids[distinct], starts, lengths, codes)

    @classmethod
    def from_rectangle(cls, shape: tuple[int, ...]) -> Self:
        """Take each line of a rectangle as a query."""
        n_queries, width = shape
        ids = np.arange(n_queries)
        return cls(ids, ids * width, np.full(n_queries, width), rectangular=True)

    @property
    def n_rows(self) -> int:
        """Number of rows of all queries."""
        return int(self.lengths.sum()) if self.codes is None else len(self.codes)

    @cached_property
    def _order(self) -> Array:
        """Row numbers that bring each query's rows together, by a counting sort of the codes.

        SciPy's conversion of a sparse matrix is that sort: one column with an entry for each row
        becomes lines with the entries of each query.
        """
        codes = np.asarray(self.codes)
        row = np.arange(len(codes), dtype=np.int32 if len(codes) < 2**31 else np.int64)
        entries = (row, codes, np.array([0, len(codes)]))
        return np.asarray(sparse.csc_matrix(entries, shape=(len(self.ids), 1)).tocsr().data)

    def arrange_both(self, score: Array, grade: Array) -> tuple[Array, Array]:
        """Arrange scores and grades; short grades move with the scores, in one pass."""
        if self.codes is None:
            return np.ascontiguousarray(score), np.ascontiguousarray(grade)
        if grade.dtype != np.int16:
            return self.arrange(score), self.arrange(grade)
        lowest, highest = int(grade.min()), int(grade.max())
        column = grade.astype(np.int32)  # as SciPy wants the columns of a sparse matrix
        if lowest < 0:
            column -= lowest
            highest -= lowest
        shape = (len(self.ids), highest + 1)
        entries = sparse.coo_matrix((score, (self.codes, column)), shape=shape)
        entries.has_canonical_format = True  # so that SciPy does not add up rows of one grade
        lines = entries.tocsr()
        arranged = lines.indices.astype(np.int16)
        if lowest < 0:
            arranged += np.int16(lowest)  # a grade that wrapped around comes back
        return lines.data, arranged

    def arrange(self, values: Array) -> Array:
        """Put one value per row in the order in which each query's rows lie together."""
        if self.codes is None:
            return np.ascontiguousarray(values)
        return np.ascontiguousarray(values).take(self._order)

    def sort_by_appearance(self, values: Array) -> Array:
        """Put one value per query in the order in which the queries first appear."""
        if self.codes is None:
            return values
        return values[np.argsort(self._order[self.starts])]

    def spread_over_rows(self, values: Array) -> Array:
        """Give each row, in input order, the value of its query."""
        if self.codes is None:
            return np.repeat(values, self.lengths)
        return values[self.codes]

    def reduce_weights(self, weight: Array) -> Array:
        """Give the weight of each query, from one per row, the same on all rows of a query."""
        of_query = self.arrange(weight)[self.starts]
        differs = weight != self.spread_over_rows(of_query)
        if differs.any():
            query = format_id(self.spread_over_rows(self.ids)[differs.argmax()])
            raise ValueError(
                "sample_weight is the weight of a query and must be the same on all rows of a "
                f"query. Got different weights in query {query} instead."
            )
        return of_query


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

        Every row needs a grade ("judged"), or may lack one ("unjudged"), or no grade is read
        ("unused"). `qid` may be Queries of grouped rows. `mapper` is `map`, or works in threads.
        """
        check_same_order(
            y_true=y_true, y_score=y_score, qid=qid, sample_weight=sample_weight, **row_values
        )
        qid = find_carried(y_true, "qid") if qid is None else qid
        known = qid is None or isinstance(qid, Queries)
        checks: list[Any] = [partial(validation.as_scores, y_score)]
        if grades == "unused":
            checks.append(partial(_make_zero_grades, y_true, y_score))
        else:
            checks.append(partial(validation.as_grades, y_true, unjudged=grades == "unjudged"))
        checks += [] if known else [partial(Queries.from_ids, qid)]
        score, grade, *grouped = mapper(call, checks)
        if qid is None:
            queries = _read_rectangle(grade, score)
        else:
            queries = qid if known else grouped[0]
            if not grade.ndim == score.ndim == 1:
                grade, score = _flatten(grade, "y_true"), _flatten(score, "y_score")
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
            items=None if item is None else _number_items(item, self.queries),
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
            weight = _flatten(weight, "sample_weight").astype(np.float64)
        check_weights(weight)
        if self.queries.rectangular and len(weight) == len(self.queries.ids):
            return weight
        validation.check_same_length("sample_weight", len(weight), len(self.grade))
        return self.queries.reduce_weights(weight)

    @cached_property
    def relative_weight(self) -> Array | None:
        """Weight of each query as a share of the largest, so that no sum of them overflows."""
        return as_shares_of_largest(self.weight)


def _find_run_starts(values: Array) -> Array:
    """Find the rows at which a run of equal ids begins."""
    begins = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return np.flatnonzero(begins)


def _any_comes_back(values: Array, starts: Array) -> bool:
    """Whether any id has more than one run."""
    heads = values[starts]
    return not (heads[1:] > heads[:-1]).all() and len(np.unique(heads)) < len(heads)


def _number_items(item: Any, queries: Queries) -> Items:
    """Number the items of rows, arranged with the rows; refuse an item twice in a query."""
    if queries.rectangular and is_array(item):
        item = np.ravel(item)
    elif queries.rectangular and isinstance(item, list):
        item = [one for line in item for one in (line if isinstance(line, list) else [line])]
    items = Items.from_rows(item)
    validation.check_same_length("item", len(items.codes), queries.n_rows)
    codes, n_items = queries.arrange(items.codes), len(items.ids)
    n_keys = len(queries.starts) * n_items
    first_key = np.arange(len(queries.starts)) * n_items
    first_key = first_key.astype(np.int32 if n_keys < 2**31 else np.int64)
    keys = np.repeat(first_key, queries.lengths) + codes
    keys.sort()
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        at, item = divmod(int(keys[twice[0]]), n_items)
        raise ValueError(
            f"An item can be ranked once in a query. Got item {format_id(items.ids[item])} more "
            f"than once in query {format_id(queries.ids[at])}; drop the repeated rows."
        )
    return Items(items.ids, codes)


def _make_zero_grades(y_true: Any, y_score: Any) -> Array:
    """Make a grade of 0 for each row, where no metric needs grades."""
    shape = np.shape(y_score)
    if y_true is not None and np.size(y_true) != np.prod(shape, dtype=int):
        shape = (np.size(y_true),)  # another length, which Rows.collect refuses
    return np.zeros(shape, dtype=np.int16)


def find_carried(y: Any, name: str) -> Any:
    """Find the values that y carries for each row, on a RankTarget or in an index level."""
    if not isinstance(y, np.ndarray):
        return get_index_level(y, name)
    return getattr(y, "qid", None) if name == "qid" else getattr(y, "metadata", {}).get(name)


def _flatten(values: Array, name: str) -> Array:
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        return values.ravel()
    raise ValueError(
        f"{name} must be flat, shape (n_rows,), unless rows are a rectangle without query ids. "
        f"Got shape {values.shape} instead."
    )


def _read_rectangle(grade: Array, score: Array) -> Queries:
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
            f"y_true is one column, shape {grade.shape}: each row would be a query of its own, "
            "with nothing to rank. Pass it flat, with qid=…, one id per row."
        )
    return Queries.from_rectangle(grade.shape)
