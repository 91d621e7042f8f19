"""split_report: what a split does to queries and to time."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import check_cv

from sklearn_rankscore._messages import describe
from sklearn_rankscore.metrics import get_metric
from sklearn_rankscore.metrics._rows.validation import as_grades
from sklearn_rankscore.model_selection._ids.lookup import find_query_ids, sorted_codes
from sklearn_rankscore.model_selection._splits.fold_report import FoldReport, SplitReport
from sklearn_rankscore.model_selection._splits.times import Times, find_times, times_not_found

if TYPE_CHECKING:
    from sklearn_rankscore.metrics import Metric
    from sklearn_rankscore.metrics._rows.validation import Array


def split_report(
    cv: Any,
    X: Any,
    y: Any,
    *,
    qid: Any = None,
    times: Any = None,
    groups: Any = None,
    metric: str | Metric = "ndcg@10",
) -> SplitReport:
    """Is my split honest? Shows what it does to queries and to time, fold by fold.

    A query that is cut by a fold is a shorter list, which is easier to rank, and its other rows
    are in train. How much that flatters is shown by what a *random* model scores there: the exact
    expectation, beside that on whole queries. A training row that is not before all test rows
    tells the model of the future.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        What is passed as ``cv=`` to a search.
    X : array-like of shape (n_rows, n_features)
        Rows.
    y : array-like of shape (n_rows,)
        Relevance grades.
    qid : array-like of shape (n_rows,) or str, default=None
        Query ids, or the name under which they are found; None: the name that `cv` uses, or "qid".
    times : array-like of shape (n_rows,) or str, default=None
        Times of rows, or their name, likewise; without any, time is not judged.
    groups : array-like of shape (n_rows,), default=None
        Groups for a splitter that asks for them; None: the query ids.
    metric : str or Metric, default="ndcg@10"
        Metric of the random model.

    Returns
    -------
    SplitReport
        Prints as a table with a verdict, in notebooks too; ``.honest``, ``.to_frame()``.

    Raises
    ------
    ValueError
        If no query ids are found, lengths do not agree, or `cv` cannot split the rows.

    See Also
    --------
    QueryKFold : Keeps queries whole.
    TemporalSplit : Trains on the past only.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> from sklearn_rankscore import split_report
    >>> X, y, qid = [[0], [1], [2], [3]], [1, 0, 0, 1], ["a", "b", "a", "b"]
    >>> split_report(KFold(2), X, y, qid=qid)
    fold  train rows  test rows  train queries  test queries  cut  undefined  chance
       0           2          2              2             2    2          1  1.0000
       1           2          2              2             2    2          1  1.0000
    (cut: test queries that are not whole; undefined: without a value of ndcg@10; chance: that
    of a random model on the others)
    Not honest: queries are cut (4 of 4 in test), so that parts of them are scored: a random
    model has ndcg@10 1.0000 on the parts that have a value, 0.8155 on whole queries; use
    cv=QueryKFold(…).
    """
    scored = get_metric(metric)
    if scored.own_ties or scored.row_values or scored.pool is not None:
        why = "defines equal scores itself" if scored.own_ties else "is none of grades and ranks"
        raise ValueError(
            f"metric must be one whose value for equal scores is that of a random order. Got "
            f"{scored.name}, which {why}."
        )
    name, passed = _named(qid, cv, "qid")
    ids = find_query_ids(name, X, y, passed, "split_report")
    name, passed = _named(times, cv, "times")
    when = find_times(name, X, y, passed)
    if when is None and times is not None:
        raise ValueError(times_not_found(name, X, y, "split_report"))
    query, grades = sorted_codes(ids), as_grades(y)
    splitter = check_cv(cv, y)
    asked_for = _asked_for(splitter, {"qid": ids, "groups": groups, "times": passed})
    folds = tuple(
        _fold(scored, grades, query, when, _rows(train), _rows(test))
        for train, test in splitter.split(X, y, **asked_for)
    )
    if not folds:
        raise ValueError(f"cv must give at least one fold. Got {describe(cv)} instead.")
    chance = _mean_of_defined(_at_random(scored, grades, query))
    return SplitReport(folds, str(scored), chance)


def _named(value: Any, cv: Any, name: str) -> tuple[str, Any]:
    """Name to look for, and what was passed in its place."""
    if isinstance(value, str):
        return value, None
    own = getattr(cv, name, None)
    return own if isinstance(own, str) else name, value


def _asked_for(splitter: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Of what is known, what a splitter asks for; ids are groups where it has no word for them."""
    if not hasattr(splitter, "get_metadata_routing"):  # of another library
        takes = inspect.signature(splitter.split).parameters
        return {"groups": known["groups"]} if "groups" in takes else {}
    requests = splitter.get_metadata_routing().split.requests
    if known["groups"] is None and "qid" not in requests:
        known["groups"] = known["qid"]
    wanted = [name for name, request in requests.items() if request is not False]
    return {name: known[name] for name in wanted if name in known}


def _rows(part: Any) -> Array:
    """Row numbers of a part, which may be given as a mask."""
    rows = np.asarray(part)
    rows = np.flatnonzero(rows) if rows.dtype.kind == "b" else rows
    if not rows.size:
        raise ValueError("cv must give rows for train and for test. Got an empty part instead.")
    return rows


def _fold(
    metric: Metric, grades: Array, query: Array, when: Times | None, train: Array, test: Array
) -> FoldReport:
    rows_of = np.bincount(query)
    distinct = np.bincount(query[np.unique(test)], minlength=len(rows_of))
    in_test = np.bincount(query[test], minlength=len(rows_of))
    cut = (in_test > 0) & ((distinct < rows_of) | (in_test > distinct))  # or has rows twice
    at_random = _at_random(metric, grades[test], query[test])
    future = None if when is None else int((when.ticks[train] >= when.ticks[test].min()).sum())
    return FoldReport(
        train_rows=len(train),
        test_rows=len(test),
        train_queries=len(np.unique(query[train])),
        test_queries=len(at_random),
        cut_queries=int(np.count_nonzero(cut)),
        undefined_queries=int(np.count_nonzero(np.isnan(at_random))),
        repeated_rows=len(np.intersect1d(train, test)),
        future_rows=future,
        chance=_mean_of_defined(at_random),
    )


def _at_random(metric: Metric, grades: Array, query: Array) -> Array:
    """Expected value of each query if its rows were ranked at random; nan where undefined."""
    return metric.bind(replace_undefined_by=np.nan).per_query(
        grades, np.zeros(len(grades)), qid=query
    )[1]


def _mean_of_defined(values: Array) -> float:
    # A part of a query with nothing relevant in it would hide the leak if it scored 0.
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")
