"""Score rows that come in batches, with one batch in memory at a time."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sklearn_rankscore._foreign import check_same_order
from sklearn_rankscore._messages import describe, error_context, format_id
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics import Metric
from sklearn_rankscore.metrics._metric.metric import ROW_VALUES
from sklearn_rankscore.metrics._rows.ids import (
    as_objects,
    as_python_values,
    check_same_kind_of_ids,
    narrow_dtype,
)
from sklearn_rankscore.metrics._rows.rows import find_carried
from sklearn_rankscore.metrics._rows.validation import check_same_length, encode_ids
from sklearn_rankscore.metrics.evaluate import check_taken, split_options
from sklearn_rankscore.streaming._running_means import RunningMeans

_IN_BATCH = "In batch {} (the first is 0)."
_NAMES = ("y_true", "y_score", "qid", "sample_weight", *ROW_VALUES)


def evaluate_batches(
    batches: Iterable[Any],
    *,
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    n_jobs: int = 1,
    **metric_options: Any,
) -> dict[str, float]:
    """Compute several metrics of rows that come in batches of whole queries.

    Of earlier batches, only sums and the query ids stay in memory; the ids show whether a query
    comes back. Ids must be of one type in all batches: whole numbers, floats, text, dates of one
    unit, or one hashable type.

    Parameters
    ----------
    batches : iterable of tuple or dict
        Each is ``(y_true, y_score, qid)``, as `evaluate` takes them, or a dict with any of the
        keys "y_true", "y_score", "qid", "sample_weight", "item" and "similarity". Batches without
        rows are skipped.
    metrics : iterable or dict of str or Metric
        What is computed, such as ``["ndcg@10", "map"]``; a dict gives the names of the values.
    n_jobs : int, default=1
        Threads to work in, -1 for one per core.
    **metric_options
        Options of the metrics. A metric takes the options that it has; one at least must.

    Returns
    -------
    dict of str to float
        What `evaluate` gives for all rows together.

    Raises
    ------
    ValueError
        If a query comes back in a later batch, or rows or options cannot be used.
    TypeError
        If a batch is neither a tuple nor a dict.

    See Also
    --------
    whole_queries : Cut batches between queries.
    evaluate : The same for rows in memory.

    Examples
    --------
    >>> from sklearn_rankscore import evaluate_batches
    >>> batches = [([1, 0], [2, 1], ["a", "a"]), ([0, 1], [2, 1], ["b", "b"])]
    >>> evaluate_batches(batches, metrics=["mrr", "p@1"])
    {'mrr': 0.75, 'p@1': 0.5}
    """
    for name in metric_options.keys() & {*ROW_VALUES}:
        raise TypeError(
            f"{name} is one value for each row: it comes with the rows, in batches that are "
            f"dicts, {{'y_true': …, 'y_score': …, 'qid': …, {name!r}: …}}."
        )
    wanted, _ = split_options(metrics, metric_options)
    means, seen = RunningMeans(list(wanted.values())), _SeenQueries()
    for number, rows in _read_batches(batches):
        with error_context(_IN_BATCH.format(number)):
            check_taken(wanted, rows.keys() & {*ROW_VALUES})
            queries = means.add(n_jobs=n_jobs, **{"y_true": None, "qid": None, **rows})
            if not queries.rectangular:  # whose lines are all queries of their own
                seen.add(queries.ids)
    return dict(zip(wanted, means.means(), strict=True))


def whole_queries(batches: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Cut batches between queries: hold back the last query of each until all its rows are there.

    Parameters
    ----------
    batches : iterable of tuple or dict
        As for `evaluate_batches`, with flat arrays. The rows of a query must follow each other.

    Returns
    -------
    iterator of dict of str to ndarray
        Batches for `evaluate_batches`.

    Raises
    ------
    ValueError
        If a batch has no query ids, ids of another type than the batches before it, or an array
        of another length than its number of rows.

    Examples
    --------
    >>> from sklearn_rankscore import evaluate_batches, whole_queries
    >>> cut = [([0], [1], ["a"]), ([1, 1], [2, 1], ["a", "b"])]
    >>> [batch["qid"].tolist() for batch in whole_queries(cut)]
    [['a', 'a'], ['b']]
    >>> evaluate_batches(whole_queries(cut), metrics=["mrr"])
    {'mrr': 1.0}
    """
    held: list[dict[str, Array]] = []  # rows of the query with which the last batch ended
    kind = ""
    for number, batch in _read_batches(batches):
        with error_context(_IN_BATCH.format(number)):
            rows = _as_arrays(batch)
            codes, ids = encode_ids(rows["qid"], "qid")
            kind = check_same_kind_of_ids(codes if ids is None else ids, kind)
        last = codes == codes[-1]
        if not (last.all() and held and held[-1]["qid"][-1] == rows["qid"][-1]):
            before = _choose(rows, ~last)
            if held or len(before["qid"]):
                yield _join([*held, before])
            held = []
        held.append(_choose(rows, last))
    if held:
        yield _join(held)


class _SeenQueries:
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
                f"Query {format_id(query)} comes back in a later batch. All rows of a query must "
                "come in one batch: a part of its list would be scored as a list of its own. If "
                "the rows are sorted by query, pass whole_queries(batches); else sort them first."
            )
        self._ids.update(new)


def _read_batches(batches: Iterable[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the number of each batch that has rows, and its rows by name."""
    if not isinstance(batches, Iterable):
        raise TypeError(f"batches must be an iterable of (y_true, y_score, qid). Got {batches!r}.")
    first: set[str] = set()
    for number, batch in enumerate(batches):
        with error_context(_IN_BATCH.format(number)):
            rows = _read_batch(batch)
            if not max(np.size(rows[name]) for name in ("y_true", "y_score") if name in rows):
                continue
            names = {*rows} - {"qid"}  # which y_true may carry
            first = first or names
            if odd := names ^ first:
                raise ValueError(f"{min(odd)} must be in all batches, or in none.")
        yield number, rows


def _read_batch(batch: Any) -> dict[str, Any]:
    """Read a batch, a tuple or a dict, as a dict of columns."""
    if isinstance(batch, Mapping):
        unknown = [name for name in batch if name not in _NAMES]
        if unknown:
            raise TypeError(
                f"Keys of a batch must be among {', '.join(_NAMES)}. Got {unknown[0]!r} instead."
            )
        rows = dict(batch)
    elif (
        not isinstance(batch, (tuple, list)) or len(batch) not in {2, 3} or np.ndim(batch[1]) == 0
    ):
        raise TypeError(
            "Each batch must be a tuple (y_true, y_score, qid), or a dict of these. Got "
            f"{describe(batch)} instead. For tables, pass ((t['grade'], t['score'], t['query']) "
            "for t in tables); for rows that are in memory, call evaluate."
        )
    else:
        rows = dict(zip(("y_true", "y_score", "qid"), batch, strict=False))
    rows = {name: values for name, values in rows.items() if values is not None}
    if "y_score" not in rows:
        raise TypeError("A batch must have y_score. Got none.")
    carried = {name: find_carried(rows.get("y_true"), name) for name in _NAMES[2:]}
    return {name: values for name, values in carried.items() if values is not None} | rows


def _as_arrays(rows: dict[str, Any]) -> dict[str, Array]:
    """Give the columns of a batch as arrays of one length."""
    if "qid" not in rows:
        raise ValueError("A batch must have query ids, (y_true, y_score, qid). Got none instead.")
    check_same_order(**rows)
    arrays = {name: _as_array(values, name) for name, values in rows.items()}
    for name, values in arrays.items():
        check_same_length(name, len(values), len(arrays["y_score"]))
    return arrays


def _as_array(values: Any, name: str) -> Array:
    if np.ma.isMaskedArray(values):
        return np.array(values.tolist(), dtype=object)  # None where it is masked
    if hasattr(values, "__array__"):
        return np.asarray(values)
    return narrow_dtype(as_objects(values, name))


def _choose(rows: Mapping[str, Array], chosen: Array) -> dict[str, Array]:
    return {name: values[chosen] for name, values in rows.items()}


def _join(parts: list[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
