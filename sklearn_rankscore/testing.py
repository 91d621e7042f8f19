"""Checks of this package against scikit-learn, for users to run on their own data."""

from typing import Any

import numpy as np
from sklearn.metrics import ndcg_score

from sklearn_rankscore._messages import format_id
from sklearn_rankscore.metrics import ndcg
from sklearn_rankscore.metrics._metric.engine import run

TOLERANCE = 1e-12


def assert_matches_sklearn(
    y_true: Any, y_score: Any, qid: Any = None, k: int | None = None
) -> float:
    """Check nDCG, query by query, against `sklearn.metrics.ndcg_score`.

    The check calls scikit-learn's function once per query. It skips queries of a single row and
    queries with infinite scores, which scikit-learn refuses.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_rows,)
        Grades, at least 0, and scores.
    qid : array-like of shape (n_rows,)
        Query id of each row; None if y_true carries them.
    k : int, default=None
        Cutoff.

    Returns
    -------
    float
        Largest difference over all compared queries.

    Raises
    ------
    AssertionError
        If a query's values differ by more than 1e-12; the message names the first such query.
    ValueError
        If there is no query to compare, or `ndcg` refuses the input.

    References
    ----------
    `sklearn.metrics.ndcg_score`.

    Examples
    --------
    >>> from sklearn_rankscore.testing import assert_matches_sklearn
    >>> assert_matches_sklearn([2, 0, 1, 0, 1], [3, 2, 1, 1, 1], qid=[1, 1, 2, 2, 2]) < 1e-12
    True
    """
    rows, (ours,) = run([ndcg.settle({"k": k})], y_true, y_score, qid)
    largest, compared = 0.0, 0
    of_query = rows.queries.ids, ours, rows.queries.starts, rows.queries.lengths
    for query, value, start, length in zip(*of_query, strict=True):
        lines = (a[None, start : start + length] for a in (rows.grade, rows.score))
        grade, score = (line.astype(np.float64) for line in lines)
        if length == 1 or not np.isfinite(score).all():
            continue
        theirs = float(ndcg_score(grade, score, k=k))
        difference = abs(float(value) - theirs)
        if not difference <= TOLERANCE:
            raise AssertionError(
                f"nDCG of query {format_id(query)} is {float(value)!r} here and {theirs!r} in "
                f"scikit-learn; they differ by {difference:.3g}, more than {TOLERANCE:g}."
            )
        largest, compared = max(largest, difference), compared + 1
    if not compared:
        raise ValueError(
            "There is no query to compare: scikit-learn needs queries of two or more rows with "
            "finite scores."
        )
    return largest
