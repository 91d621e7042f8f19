"""Which rows belong to which query."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import sparse

from sklearn_rankscore._messages import format_id
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.factorize import factorize
from sklearn_rankscore.metrics._rows.validation import check_same_length, encode_ids

# If the first rows show that queries are interleaved, nobody needs to look at the rest.
_FEW = 1000


@dataclass(frozen=True)
class Queries:
    """Which rows belong together."""

    ids: Array  # (n_queries,)
    starts: Array  # (n_queries,) first row of each query, once the rows are arranged; rising
    lengths: Array  # (n_queries,)
    codes: Array | None = None  # (n_rows,) query of each row; None: the rows lie together
    rectangular: bool = False  # given as a rectangle, a line per query

    @classmethod
    def from_ids(cls, qid: Any, n_rows: int | None = None) -> Self:
        """Group rows by id; ids that are already contiguous cost one comparison pass."""
        if isinstance(qid, str):
            raise TypeError(f"qid must be the ids themselves, one per row. Got the text {qid!r}.")
        values, ids = encode_ids(qid, "qid")
        if n_rows is not None:
            check_same_length("qid", len(values), n_rows)
        if not len(values):
            return cls(values, values.astype(np.intp), values.astype(np.intp))
        if len(values) > _FEW and _come_back(values, _run_starts(values[:_FEW])):
            return cls._interleaved(values, ids)
        starts = _run_starts(values)
        if _come_back(values, starts):
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

    def in_order_of_appearance(self, values: Array) -> Array:
        """Put one value per query in the order in which the queries first appear."""
        if self.codes is None:
            return values
        return values[np.argsort(self._order[self.starts])]

    def per_row(self, values: Array) -> Array:
        """Give each row, in input order, the value of its query."""
        if self.codes is None:
            return np.repeat(values, self.lengths)
        return values[self.codes]

    def weight_per_query(self, weight: Array) -> Array:
        """Give the weight of each query, from one per row, the same on all rows of a query."""
        of_query = self.arrange(weight)[self.starts]
        differs = weight != self.per_row(of_query)
        if differs.any():
            query = format_id(self.per_row(self.ids)[differs.argmax()])
            raise ValueError(
                "sample_weight is the weight of a query and must be the same on all rows of a "
                f"query. Got different weights in query {query} instead."
            )
        return of_query


def _run_starts(values: Array) -> Array:
    """Find the rows at which a run of equal ids begins."""
    begins = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return np.flatnonzero(begins)


def _come_back(values: Array, starts: Array) -> bool:
    """Whether any id has more than one run."""
    heads = values[starts]
    return not (heads[1:] > heads[:-1]).all() and len(np.unique(heads)) < len(heads)
