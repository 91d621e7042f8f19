"""split_report: what a split does to queries and to time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import check_cv

from sklearn_rankscore.metrics import get_metric
from sklearn_rankscore.metrics._validation import got
from sklearn_rankscore.model_selection._fold_report import FoldReport, SplitReport
from sklearn_rankscore.model_selection._lookup import find_query_ids, sorted_codes
from sklearn_rankscore.model_selection._times import find_times, times_not_found

if TYPE_CHECKING:
    from sklearn_rankscore.metrics import Metric
    from sklearn_rankscore.metrics._validation import Array


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
    (cut: test queries that are not whole; undefined: without a relevant row; chance: ndcg@10
    of a random model on the others)
    Not honest: 4 of 4 test queries are cut, so that parts of them are scored: a random model
    has ndcg@10 1.0000 here, 0.8155 on whole queries; use cv=QueryKFold(…).
    """
    scored = get_metric(metric)
    name, passed = _named(qid, cv, "qid")
    ids = find_query_ids(name, X, y, passed, "split_report")
    name, passed = _named(times, cv, "times")
    when = find_times(name, X, y, passed)
    if when is None and times is not None:
        raise ValueError(times_not_found(name, "split_report"))
    query, grades = sorted_codes(ids), np.asarray(y)
    splitter = check_cv(cv, y)
    known = {"qid": ids if groups is None else None, "groups": groups, "times": when}
    if groups is None and "qid" not in _requests(splitter):
        known["groups"] = ids
    asked_for = {name: known[name] for name in _requests(splitter) if name in known}
    folds = tuple(
        _fold(scored, grades, query, when, np.asarray(train), np.asarray(test))
        for train, test in splitter.split(X, y, **asked_for)
    )
    if not folds:
        raise ValueError(f"cv must give at least one fold. Got {got(cv)} instead.")
    chance = _mean_of_defined(_at_random(scored, grades, query))
    return SplitReport(folds, str(scored), chance)


def _named(value: Any, cv: Any, name: str) -> tuple[str, Any]:
    """Name to look for, and what was passed in its place."""
    own = getattr(cv, name, None)
    return (value, None) if isinstance(value, str) else (own or name, value)


def _requests(splitter: Any) -> list[str]:
    """Metadata that a splitter's `split` asks scikit-learn for."""
    if not hasattr(splitter, "get_metadata_routing"):
        return []
    requests: dict[str, Any] = splitter.get_metadata_routing().split.requests
    return [name for name, request in requests.items() if request is not False]


def _fold(
    metric: Metric, grades: Array, query: Array, when: Array | None, train: Array, test: Array
) -> FoldReport:
    rows_of = np.bincount(query)
    in_test = np.bincount(query[np.unique(test)], minlength=len(rows_of))
    at_random = _at_random(metric, grades[test], query[test])
    return FoldReport(
        train_rows=len(train),
        test_rows=len(test),
        train_queries=len(np.unique(query[train])),
        test_queries=len(at_random),
        cut_queries=int(np.count_nonzero((in_test > 0) & (in_test < rows_of))),
        undefined_queries=int(np.count_nonzero(np.isnan(at_random))),
        repeated_rows=len(np.intersect1d(train, test)),
        future_rows=None if when is None else int((when[train] >= when[test].min()).sum()),
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
