"""The warning that a split has cut through queries."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sklearn_rankscore._messages import format_id
from sklearn_rankscore.model_selection._ids.target import RankTarget


class QuerySplitWarning(UserWarning):
    """A split has cut through queries, so that they are scored or learned in parts."""


def warn_of_cut_queries(
    y: Any, ids: Any, effect: str, if_meant: str, *, raises: bool = False
) -> None:
    """Warn, or raise, if y is a RankTarget whose own queries, `ids`, have been cut through."""
    if not isinstance(y, RankTarget):  # it alone knows the full size of its queries
        return
    cut = y.cut_queries()
    if not len(cut) or not np.array_equal(np.asarray(ids), np.asarray(y.qid)):
        return
    message = (
        f"The split has cut through queries, {len(cut)} in this part, such as "
        f"{format_id(cut[0])}: "
        f"some of their rows are missing or repeated, so that {effect}. Use cv=QueryKFold(…), "
        "in a halving search also another resource than 'n_samples'; or "
        f"{if_meant} if that is meant."
    )
    if raises:
        raise ValueError(message)
    warnings.warn(message, QuerySplitWarning, stacklevel=4)
