"""Find the metadata of rows (query ids, items, times); one error if it is nowhere."""

from typing import Any

import numpy as np

from sklearn_rankscore._foreign import (
    check_same_order,
    count_rows,
    get_index_level,
    list_columns,
    list_index_levels,
)
from sklearn_rankscore._messages import describe, suggest
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.rows import Queries, find_carried
from sklearn_rankscore.metrics._rows.validation import check_same_length
from sklearn_rankscore.model_selection._ids.target import RankTarget

# What other people call query ids.
_KNOWN_NAMES = frozenset(
    [
        "query",
        "query_id",
        "queryid",
        "q_id",
        "group",
        "group_id",
        "srch_id",
        "search_id",
        "session",
        "session_id",
        "user",
        "user_id",
        "userid",
        "impression_id",
    ]
)


def find(name: str, X: Any, y: Any, passed: Any = None) -> Any:
    """Find metadata of each row by its name, or give None; the first place that has it wins.

    1. what the caller passed, or scikit-learn routed;
    2. a RankTarget;
    3. a level of y's pandas index;
    4. a column of X (pandas, polars);
    5. a level of X's pandas index.
    """
    if passed is not None:
        return passed
    found = find_carried(y, name)
    if found is None and name in list_columns(X):
        found = X[name]
    return get_index_level(X, name) if found is None else found


def check_name(name: Any, parameter: str = "qid") -> None:
    """Refuse a parameter that is no name, such as the ids themselves."""
    if not (isinstance(name, str) and name):
        raise TypeError(
            f"The {parameter!r} parameter must be a name, under which the values are found. Got "
            f"{describe(name)} instead; the values go on y: RankTarget(y, {parameter}=…)."
        )


def find_query_ids(
    name: str, X: Any, y: Any, passed: Any, seeker: str, parameter: str = "qid"
) -> Any:
    """Find the query id of each row; refuse ids that are more or fewer than the rows."""
    if passed is None and isinstance(y, RankTarget):
        passed = y.named(name)
    found = find(name, X, y, passed) if passed is None else passed
    if found is None:
        raise ValueError(
            f"{seeker} found no query ids. {describe_what_came(name, 'qid', X, y)}"
            f"{_list_ways(name, 'qid=…')} groups=… alone reaches only the splitter."
        )
    _check_rows(X, y, parameter, found)
    return found


def find_row_values(name: str, X: Any, y: Any, passed: Any, parameter: str) -> Any:
    """Find values of each row, or give None: not every metric needs them."""
    found = find(name, X, y, passed)
    _check_rows(X, y, parameter, found)
    return found


def _check_rows(X: Any, y: Any, name: str, values: Any) -> None:
    """Refuse values that are more or fewer than the rows, or whose index has another order."""
    check_same_order(X=X, y=y, **{name: values})
    if hasattr(values, "__len__"):
        check_same_length(name, len(values), count_rows(X if y is None else y))


def describe_missing_row_values(name: str, parameter: str, X: Any, y: Any, seeker: str) -> str:
    """Say where a scorer looks for values of the rows, for an error message."""
    return (
        f"{seeker} found no {parameter} of the rows by the name {name!r}. "
        f"{describe_what_came(name, parameter, X, y)}{_list_ways(name, f'qid=…, {name}=…')}"
    )


def _list_ways(name: str, on_target: str) -> str:
    return (
        f"Give them as RankTarget(y, {on_target}), as a column {name!r} of X or by metadata "
        "routing; see 'How should my query ids travel?' in the README."
    )


def describe_what_came(name: str, parameter: str, X: Any, y: Any) -> str:
    """Say which names X and y have, for an error message about one that they lack."""
    if isinstance(y, RankTarget) and y.qid is None:
        return "This RankTarget was reshaped or joined, so it lost its ids and metadata. "
    if np.ndim(y) == 2 and 1 not in np.shape(y):
        return (
            f"y is a rectangle, shape {np.shape(y)}, and scikit-learn cuts rows: pass X and y "
            "flat, y = RankTarget(y.ravel(), qid=numpy.repeat(ids, width)). "
        )
    names = [*list_columns(X), *(y.metadata if isinstance(y, RankTarget) else ())]
    names += [*list_index_levels(X), *list_index_levels(y)]
    if names:
        other = [known for known in names if str(known).lower() in _KNOWN_NAMES]
        hint = suggest(name, names, f"{parameter}=")
        if parameter == "qid" and not hint and other:
            hint = f" If {other[0]!r} holds the query ids, pass qid={other[0]!r}."
        return f"There are only the names {describe(names)}.{hint} "
    if type(y) is np.ndarray and type(X) is np.ndarray:
        return (
            "X and y came as plain arrays: without ids, or a caller in between (a sampler, RFECV, "
            "a stacking estimator, …) dropped them. "
        )
    return ""


def number_groups(X: Any, y: Any, groups: Any) -> Array:
    """Number the group of each row, as `number_queries` does."""
    _check_rows(X, y, "groups", groups)
    return number_queries(groups, "groups")


def number_queries(ids: Any, name: str = "qid") -> Array:
    """Number the query of each row by the order of the ids, or by appearance if they have none."""
    queries = Queries.from_ids(ids, name=name)
    try:
        codes = np.unique(queries.ids, return_inverse=True)[1]
    except TypeError:  # ids of mixed types have no order
        codes = np.arange(len(queries.ids))
    return queries.spread_over_rows(codes)


def request_by_name(request: Any, **names: str) -> None:
    """Ask scikit-learn for metadata under the names that the user gave it.

    A request that the user has set by hand stays as it is.
    """
    for parameter, name in names.items():
        if name != parameter and request.requests.get(parameter) is True:
            request.add_request(param=parameter, alias=name)
