"""Where the metadata of rows (query ids, items, times) is found; the one error for "not found"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn_rankscore.metrics._rows import carried_ids, check_same_length
from sklearn_rankscore.metrics._validation import got
from sklearn_rankscore.model_selection._target import RankTarget

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._validation import Array


def find(name: str, X: Any, y: Any, passed: Any = None) -> Any:
    """Metadata of each row by its name, or None; the first place that has it wins.

    1. what was passed at the call, or routed by scikit-learn;
    2. a RankTarget: its query ids, whatever the name, if the name is none of its metadata;
    3. a level of y's pandas index;
    4. a column of X (pandas, polars);
    5. a level of X's pandas index.
    """
    if passed is not None:
        return passed
    found = y.metadata.get(name, y.qid) if isinstance(y, RankTarget) else carried_ids(y, name)
    if found is None and name in list(getattr(X, "columns", ())):
        found = X[name]
    return carried_ids(X, name) if found is None else found


def check_name(name: Any) -> None:
    """Refuse ids where the name is wanted under which they are found."""
    if not (isinstance(name, str) and name):
        raise TypeError(
            "The 'qid' parameter must be the name under which query ids are found. Got "
            f"{got(name)} instead; the ids themselves go on y: RankTarget(y, qid=…)."
        )


def find_query_ids(name: str, X: Any, y: Any, passed: Any, seeker: str) -> Any:
    """Query id of each row, of which there must be one per row."""
    found = find(name, X, y, passed)
    if found is None:
        lost = isinstance(y, RankTarget) and y.qid is None
        raise ValueError(
            f"{seeker} found no query ids. "
            + ("This RankTarget was reshaped or joined and lost its own. " if lost else "")
            + "Give them in one of five ways: y = RankTarget(y, qid=…), which works everywhere; "
            f"a level {name!r} of y's pandas index; a column {name!r} of X; a level {name!r} of "
            f"X's pandas index; or, with scikit-learn's metadata routing enabled, "
            f"fit(X, y, {name}=…). groups=… alone reaches only the splitter."
        )
    if hasattr(found, "__len__"):
        check_same_length("qid", len(found), _n_rows(X, y))
    return found


def _n_rows(X: Any, y: Any) -> int:
    rows: Array = X if y is None else y
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)
