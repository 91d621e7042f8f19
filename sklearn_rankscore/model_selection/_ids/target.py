"""RankTarget: query ids that travel on y."""

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self

import joblib
import numpy as np

from sklearn_rankscore._foreign import (
    check_same_order,
    drop_time_zone,
    has_dates,
    is_array,
    keep_exact,
)
from sklearn_rankscore._messages import format_id
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows import validation
from sklearn_rankscore.metrics._rows.ids import as_objects, narrow_dtype
from sklearn_rankscore.metrics._rows.rows import Queries


class QuerySplitWarning(UserWarning):
    """A split has cut through queries, so that they are scored or learned in parts."""


class RankTarget(np.ndarray[Any, np.dtype[Any]]):
    """Relevance grades that carry the query id of each row.

    A model sees the plain array of grades. When scikit-learn cuts a RankTarget into folds, the ids
    come along, so that scorers and splitters find them: no routing, no extra column. A RankTarget
    also remembers how many rows each query had at first. So a scorer notices a split that cuts
    through a query. It is read-only, so that no grade moves away from its id. Arithmetic gives
    plain arrays: to binarise, make ``RankTarget(y > 1, qid=qid)``.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Relevance grades: numbers or booleans, finite. The dtype is kept.
    qid : array-like of shape (n_rows,)
        Query id of each row, of any type, in any order.
    **metadata : array-like of shape (n_rows,)
        Anything else of each row that others find by its name, such as ``item`` or ``times``.

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
    _accepted: frozenset[str] = frozenset()  # parts in which queries are meant to be cut
    # Keys of `_rows`. The last two are no Python names, so that no keyword takes them.
    _QID, _SIZE, _ROW = "qid", "rows of the query", "number of the row"

    def __new__(cls, y: Any, *, qid: Any, **metadata: Any) -> Self:
        """Check the arrays and put them together."""
        check_same_order(y=y, qid=qid, **metadata)
        validation.as_grades(y)
        grades = validation.as_numbers(np.array(y), "y")
        if grades.ndim != 1 and not (grades.ndim == 2 and grades.shape[1] == 1):
            raise ValueError(f"y must be flat, shape (n_rows,). Got shape {grades.shape} instead.")
        rows = {name: _as_one_dimension(values, name) for name, values in metadata.items()}
        for name, values in rows.items():
            validation.check_same_length(name, len(values), len(grades))
        return cls._whole(grades.ravel(), {**rows, cls._QID: _as_one_dimension(qid, cls._QID)})

    @classmethod
    def _whole(
        cls, y: Array, rows: Mapping[str, Array], accepted: frozenset[str] = frozenset()
    ) -> Self:
        """Put together grades and ids that hold all rows of their queries."""
        queries = Queries.from_ids(rows[cls._QID], len(y))
        lengths = queries.lengths.astype(np.min_scalar_type(queries.lengths.max(initial=0)))
        row = np.arange(len(y), dtype=np.min_scalar_type(len(y)))
        rows = {**rows, cls._SIZE: queries.spread_over_rows(lengths), cls._ROW: row}
        return cls._put_together(y, rows, accepted)

    @classmethod
    def _put_together(
        cls, y: Array, rows: Mapping[str, Array], accepted: frozenset[str] = frozenset()
    ) -> Self:
        _tell_dask(cls)
        target = np.asarray(y).view(cls)
        arrays: list[Array] = [target, *rows.values()]
        for array in arrays:
            array.flags.writeable = False
        vars(target).update(_rows=dict(rows), _accepted=accepted)
        return target

    @property
    def nbytes(self) -> int:
        """Bytes of the grades and of all that belongs to the rows; Dask asks before it sends."""
        rows: list[Array] = [np.asarray(self), *self._known_rows().values()]
        return sum(values.nbytes for values in rows)

    def _known_rows(self) -> dict[str, Array]:
        """Give what belongs to each row; nothing if the array has another shape now."""
        _tell_dask(type(self))
        rows = self._rows or {}
        return rows if rows and self.shape == rows[self._QID].shape else {}

    @property
    def qid(self) -> Array | None:
        """Query ids; None if the array no longer has its rows (reshaped, concatenated, …)."""
        return self._known_rows().get(self._QID)

    @property
    def metadata(self) -> dict[str, Array]:
        """What else belongs to each row, by name."""
        own = (self._QID, self._SIZE, self._ROW)
        return {name: rows for name, rows in self._known_rows().items() if name not in own}

    def named(self, name: str) -> Array | None:
        """Find the metadata of this name, else the query ids; None if the ids are lost."""
        rows = self._known_rows()
        return rows.get(name, rows.get(self._QID))

    def cut_queries(self, queries: Queries | None = None) -> Array:
        """Find the ids of the queries that no longer hold each original row exactly once.

        `queries` are the rows grouped by the ids; None: they are grouped now.
        """
        rows = self._known_rows()
        if not rows or not len(self):
            return np.empty(0)
        if queries is None:
            queries = Queries.from_ids(rows[self._QID])
        cut = queries.lengths != queries.arrange(rows[self._SIZE])[queries.starts]
        row = rows[self._ROW]
        rising = (row[1:] > row[:-1]).all()  # none is repeated
        first = row if rising else np.unique(row, return_index=True)[1]
        if len(first) < len(self):  # some rows are repeated, which may hide that others miss
            again = np.delete(np.arange(len(self)), first)
            cut[queries.spread_over_rows(np.arange(len(cut)))[again]] = True
        return np.asarray(queries.sort_by_appearance(queries.ids)[queries.sort_by_appearance(cut)])

    def _pick(self, rows: Callable[[Array], Array]) -> Any:
        """Apply a choice of rows to the grades and to all that belongs to the rows."""
        picked = rows(np.asarray(self))
        known = self._known_rows()
        if not known or not isinstance(picked, np.ndarray) or picked.ndim != 1:
            return picked
        # Copies: a view would let one array change another's grades, but not its ids.
        kept = {name: np.array(rows(values)) for name, values in known.items()}
        return self._put_together(np.array(picked), kept, self._accepted)

    def __getitem__(self, key: Any) -> Any:
        """Choose rows, ids and all; a single row is its grade."""
        return self._pick(lambda values: values[key])

    def take(self, indices: Any, *args: Any, **kwargs: Any) -> Any:
        """Choose rows by number, ids and all; with `out`, choose grades alone."""
        if kwargs.get("out") is not None or len(args) > 1:
            return np.asarray(self).take(indices, *args, **kwargs)
        return self._pick(lambda values: values.take(indices, *args, **kwargs))

    def copy(self, order: Any = "C") -> Any:
        """Copy the grades into a plain array that can be written to, as pandas expects."""
        return np.asarray(self).copy(order)

    def accept_parts(self, *parts: Array) -> None:
        """Remember parts, by row numbers, in which queries are cut on purpose, as in time."""
        row = self._known_rows().get(self._ROW)
        if row is not None:
            digests = {joblib.hash(np.sort(row[part])) for part in parts}
            vars(self)["_accepted"] = self._accepted | digests

    @property
    def is_accepted(self) -> bool:
        """Whether these rows are such a part."""
        row = self._known_rows().get(self._ROW)
        if row is None or not self._accepted:
            return False
        return joblib.hash(np.sort(row)) in self._accepted

    def rows_in_place(self) -> bool:
        """Whether the i-th row is still the i-th row of the target as it was first made."""
        rows = self._known_rows()
        return bool(rows) and bool((rows[self._ROW] == np.arange(len(self))).all())

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Cast the grades; the ids stay."""
        grades = np.asarray(self).astype(dtype, *args, **kwargs)
        return self._put_together(np.array(grades), self._known_rows(), self._accepted)

    def __copy__(self, memo: Any = None) -> Any:
        """Copy grades, ids and all."""
        return self._pick(np.array)

    __deepcopy__ = __copy__

    def __reduce__(self) -> Any:
        """Pickle as plain arrays, which joblib can share between processes.

        Of whole queries, the pickle leaves out what follows from the ids.
        """
        rows, put_together = self._known_rows(), RankTarget._put_together
        if self.rows_in_place():
            queries = Queries.from_ids(rows[self._QID], len(self))
            if (queries.spread_over_rows(queries.lengths) == rows[self._SIZE]).all():
                own = (self._SIZE, self._ROW)
                rows = {name: values for name, values in rows.items() if name not in own}
                put_together = RankTarget._whole
        return put_together, (np.asarray(self), rows, self._accepted)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """View the grades; joblib's caches, which hash the view as bytes, see the ids as well."""
        seen = super().view(*args, **kwargs)
        if args == (np.uint8,) and self._known_rows():
            # Two targets with equal grades and different queries must not share a cached result.
            ids = np.frombuffer(joblib.hash(self._known_rows()).encode(), dtype=np.uint8)
            return np.concatenate([np.asarray(seen), ids])
        return seen

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute on plain arrays: a sum or a comparison is no RankTarget."""
        plain = [_as_plain(value) for value in inputs]
        for name, value in kwargs.items():
            kwargs[name] = tuple(map(_as_plain, value)) if name == "out" else _as_plain(value)
        return getattr(ufunc, method)(*plain, **kwargs)

    def __repr__(self) -> str:
        """Show the grades, and the number of queries."""
        grades = np.array2string(np.asarray(self), separator=", ", threshold=20)
        if self.qid is None:
            return f"RankTarget({grades}, ids lost)"
        n_queries = len(Queries.from_ids(self.qid, len(self)).ids) if len(self) else 0
        return f"RankTarget({grades}, {n_queries} queries)"


def _as_plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, RankTarget) else value


def _as_one_dimension(values: Any, name: str) -> Array:
    """Read one value per row; tuples stay tuples, and mixed types stay what they are."""
    validation.check_not_masked(values, name)
    if has_dates(values):
        values = drop_time_zone(values)
    array = (
        np.array(keep_exact(values))
        if is_array(values)
        else narrow_dtype(as_objects(values, name))
    )
    if array.ndim != 1:
        raise ValueError(
            f"{name} must have one value per row, shape (n_rows,). Got shape {array.shape}."
        )
    return array


def warn_of_cut_queries(
    y: Any,
    ids: Any,
    effect: str,
    if_meant: str,
    *,
    queries: Queries | None = None,
    raises: bool = False,
) -> None:
    """Warn, or raise, if y is a RankTarget, `ids` are its own, and a split has cut its queries."""
    if not isinstance(y, RankTarget):  # only a RankTarget knows the full size of its queries
        return
    if ids is not y.qid and not np.array_equal(np.asarray(ids), np.asarray(y.qid)):
        return
    cut = y.cut_queries(queries)
    if not len(cut) or y.is_accepted:
        return
    message = (
        f"The split has cut through queries, {len(cut)} in this part, such as {format_id(cut[0])}:"
        f" some of their rows are missing or repeated, so that {effect}. Use cv=QueryKFold(…), in"
        f" a halving search also another resource than 'n_samples'; or {if_meant} if you mean it."
    )
    if raises:
        raise ValueError(message)
    warnings.warn(message, QuerySplitWarning, stacklevel=4)


def _tell_dask(target: type) -> None:
    """Tell Dask, if it is imported, that a RankTarget is more than the array that it looks like.

    Dask sends and hashes the numbers of any array, without what a subclass adds to them: a worker
    would get grades that have lost their ids. Dask can be told only after its import, so each
    target tells it again when it is made and when its rows are read; joblib reads `nbytes`, and
    so the rows, before it sends a target.
    """
    for module, name, way in _WAYS:
        # Another thread may still be importing the module: the next call tells it.
        dispatch = getattr(sys.modules.get(module), name, None)
        if dispatch is not None:
            dispatch.register(target, way)


def _refuse_to_serialize(_: Any) -> Any:
    """Refuse, so that Dask goes on to its next way of sending: pickle."""
    raise NotImplementedError


def _hash_for_dask(target: Any) -> Any:
    """Let Dask hash the grades, the ids and all else."""
    from dask.tokenize import normalize_token  # noqa: PLC0415 - it is Dask that calls

    known = target._known_rows()  # noqa: SLF001 - of this file's class
    return normalize_token(("RankTarget", np.asarray(target), known))


_WAYS = (
    ("distributed.protocol", "dask_serialize", _refuse_to_serialize),
    ("dask.tokenize", "normalize_token", _hash_for_dask),
)
