"""RankTarget: query ids that travel on y."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_rankscore.metrics._rows import check_same_length, queries_of
from sklearn_rankscore.metrics._validation import Array, as_grades, as_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class RankTarget(np.ndarray[Any, np.dtype[Any]]):
    """Relevance grades that carry the query id of each row.

    To a model it is the plain array of grades. Wherever scikit-learn cuts it into folds, the ids
    are cut along, so that a scorer and a splitter find them: no routing, no extra column. It also
    remembers how many rows each query had when it was made, so that a scorer notices when a split
    has cut through a query. Arithmetic, and whatever else does not pick rows, gives plain arrays.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Relevance grades: numbers or booleans, finite. The dtype is kept.
    qid : array-like of shape (n_rows,)
        Query id of each row, of any type, in any order.
    **metadata : array-like of shape (n_rows,)
        Whatever else belongs to each row and is wanted by name, such as ``item`` or ``time``.

    Attributes
    ----------
    qid : ndarray of shape (n_rows,)
        Query ids.
    metadata : dict of str to ndarray
        The other arrays.

    Raises
    ------
    ValueError
        If an array has not one value per row, or a grade or an id is missing.

    Examples
    --------
    >>> from sklearn_rankscore import RankTarget
    >>> y = RankTarget([2, 0, 1, 0], qid=["a", "a", "b", "b"])
    >>> y
    RankTarget([2, 0, 1, 0], 2 queries)
    >>> y[[3, 2]].qid.tolist()
    ['b', 'b']
    """

    _rows: dict[str, Array] | None = None  # one array per name; None once rows are unknown
    _QID, _SIZE = "qid", "rows of the query"  # the second is no name that a call could pass

    def __new__(cls, y: Any, *, qid: Any, **metadata: Any) -> Self:
        """Check the arrays and put them together."""
        as_grades(y)
        grades = as_numbers(np.array(y), "y")
        if grades.ndim != 1 and not (grades.ndim == 2 and grades.shape[1] == 1):
            raise ValueError(f"y must be flat, shape (n_rows,). Got shape {grades.shape} instead.")
        queries = queries_of(qid, len(grades))
        rows = {cls._QID: _one_dimensional(qid, cls._QID)}
        for name, values in metadata.items():
            rows[name] = _one_dimensional(values, name)
            check_same_length(name, len(rows[name]), len(grades))
        rows[cls._SIZE] = queries.per_row(queries.lengths)
        return cls._put_together(grades.ravel(), rows)

    @classmethod
    def _put_together(cls, y: Array, rows: Mapping[str, Array] | None) -> Self:
        target = np.asarray(y).view(cls)
        vars(target)["_rows"] = None if rows is None else dict(rows)
        return target

    @property
    def qid(self) -> Array | None:
        """Query ids; None if the array no longer has its rows (reshaped, concatenated, …)."""
        return None if self._rows is None else self._rows[self._QID]

    @property
    def metadata(self) -> dict[str, Array]:
        """What else was given for each row."""
        rows = {} if self._rows is None else self._rows
        return {name: rows[name] for name in rows if name not in (self._QID, self._SIZE)}

    def cut_queries(self) -> Array:
        """Ids of the queries that have not all the rows they were made with.

        Returns
        -------
        ndarray of shape (n_cut,)
            Empty for a RankTarget that is whole, or was cut between queries only.
        """
        if self._rows is None or not len(self):
            return np.empty(0)
        queries = queries_of(self.qid, len(self))
        size = queries.arrange(self._rows[self._SIZE])[queries.starts]
        return np.asarray(queries.ids[queries.lengths != size])

    def _pick(self, rows: Callable[[Array], Array]) -> Any:
        """Apply a choice of rows to the grades and to all that belongs to them."""
        picked = rows(np.asarray(self))
        if self._rows is None or not isinstance(picked, np.ndarray) or picked.ndim != 1:
            return picked
        kept = {name: rows(values) for name, values in self._rows.items()}
        return self._put_together(picked, kept)

    def __getitem__(self, key: Any) -> Any:
        """Choose rows, ids and all; a single row is its grade."""
        return self._pick(lambda values: values[key])

    def take(self, indices: Any, *args: Any, **kwargs: Any) -> Any:
        """Choose rows by number, ids and all."""
        return self._pick(lambda values: values.take(indices, *args, **kwargs))

    def copy(self, order: Any = "C") -> RankTarget:
        """Copy grades, ids and all."""
        return self._put_together(np.array(self, order=order), self._rows)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Cast the grades; the ids stay."""
        return self._put_together(np.asarray(self).astype(dtype, *args, **kwargs), self._rows)

    def sort(self, *args: Any, **kwargs: Any) -> None:
        """Sort the grades in place; they part from their ids, which are forgotten."""
        self._rows = None
        super().sort(*args, **kwargs)

    def partition(self, *args: Any, **kwargs: Any) -> None:
        """Partition the grades in place; they part from their ids, which are forgotten."""
        self._rows = None
        super().partition(*args, **kwargs)

    def __copy__(self) -> RankTarget:
        """Copy grades, ids and all."""
        return self.copy()

    def __deepcopy__(self, memo: Any) -> RankTarget:
        """Copy grades, ids and all."""
        rows = None if self._rows is None else {n: v.copy() for n, v in self._rows.items()}
        return self._put_together(np.array(self), rows)

    def __reduce__(self) -> Any:
        """Pickle as plain arrays, which joblib can share between processes."""
        return RankTarget._put_together, (np.asarray(self), self._rows)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute on plain arrays: a sum or a comparison is no target."""
        plain = [np.asarray(x) if isinstance(x, RankTarget) else x for x in inputs]
        if isinstance(kwargs.get("out"), tuple):
            kwargs["out"] = tuple(
                np.asarray(x) if isinstance(x, RankTarget) else x for x in kwargs["out"]
            )
        return getattr(ufunc, method)(*plain, **kwargs)

    def __repr__(self) -> str:
        """Grades, and how many queries they belong to."""
        grades = np.array2string(np.asarray(self), separator=", ", threshold=20)
        if self._rows is None:
            return f"RankTarget({grades}, ids lost)"
        n_queries = len(queries_of(self.qid, len(self)).ids) if len(self) else 0
        return f"RankTarget({grades}, {n_queries} queries)"


def _one_dimensional(values: Any, name: str) -> Array:
    """One value per row, as given: tuples and mixed types stay what they are."""
    if hasattr(values, "__array__"):
        array = np.asarray(values)
    else:
        array = np.fromiter(values, dtype=object, count=len(values))
        if len(set(map(type, array))) == 1 and not isinstance(array[0], tuple):
            array = np.asarray(array.tolist())
    if array.ndim != 1:
        raise ValueError(
            f"{name} must have one value per row, shape (n_rows,). Got shape {array.shape}."
        )
    return array
