"""Explain the value of one query."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rankscore._foreign import check_same_order
from sklearn_rankscore._messages import format_id
from sklearn_rankscore.inspection._explain.explained_ranking import ExplainedRanking
from sklearn_rankscore.inspection._explain.explanation import Explanation, Table, format_number
from sklearn_rankscore.inspection._explain.layouts import LAYOUTS
from sklearn_rankscore.inspection._explain.workings import Result, write_working
from sklearn_rankscore.metrics import Metric, get_metric
from sklearn_rankscore.metrics._metric.engine import collect_rows, compute_per_query, round_scores
from sklearn_rankscore.metrics._metric.names import spell_options
from sklearn_rankscore.metrics._rows.ids import as_objects, narrow_dtype
from sklearn_rankscore.metrics._rows.items import find_places
from sklearn_rankscore.metrics._rows.rows import Queries, find_carried
from sklearn_rankscore.metrics._rows.validation import check_same_length


def explain(
    y_true: Any,
    y_score: Any = None,
    *,
    metric: str | Metric = "ndcg@10",
    qid: Any = None,
    query: Any = None,
    item: Any = None,
    **metric_options: Any,
) -> Explanation:
    """Show step by step how a metric comes to its value for one query.

    Parameters
    ----------
    y_true, y_score, qid
        Rows as for the metric itself. Flat rows without query ids are one query; without scores,
        rows are ranked in the order given.
    metric : str or Metric, default="ndcg@10"
        The metric to explain: cumulative gain, DCG, ideal DCG, nDCG, average precision, precision,
        recall, F1, R-precision, reciprocal rank, hit rate, RBP or ERR.
    query : object, default=None
        Id of the query; for a rectangle, the number of the line. None: the only query there is,
        or, of several, how the metric is their mean.
    item : array-like of shape (n_rows,), default=None
        Name of each row. None: the "item" that a RankTarget carries, or else the row's number.
    **metric_options
        Options of the metric, such as ``gain="exponential"``.

    Returns
    -------
    Explanation
        Its `value` is the metric's value for the query. It prints as tables and steps, in a
        notebook as HTML; ``to_frame()`` gives the table of ranked rows.

    Raises
    ------
    ValueError
        If `explain` does not know the metric, if there is no such query, or if the metric refuses
        the rows or is undefined for every query.

    Examples
    --------
    >>> from sklearn_rankscore import explain
    >>> y_true, y_score = [3, 0, 1, 2], [0.9, 0.8, 0.2, 0.2]
    >>> print(explain(y_true, y_score, qid=["q"] * 4, metric="ndcg@3", item=list("abcd")))
    ndcg@3 of query 'q'
    <BLANKLINE>
    Ranked by score
    rank  item  score  grade  gain  discount  discounted gain  running DCG
       1     a    0.9      3     3         1                3            3
       2     b    0.8      0     0    0.6309                0            3
      3=     c    0.2      1   1.5       0.5             0.75         3.75
    = tied with another row: each has what is expected over all orders of the tie.
    <BLANKLINE>
    In the best order
    rank  item  grade  gain  discount  discounted gain  running DCG
       1     a      3     3         1                3            3
       2     d      2     2    0.6309           1.2619       4.2619
       3     c      1     1       0.5              0.5       4.7619
    <BLANKLINE>
    DCG@3 = sum of the discounted gains = 3.75
    ideal DCG@3 = sum of the discounted gains in the best order = 4.76186
    nDCG@3 = 3.75 / 4.7619 = 0.787507
    """
    bound = get_metric(metric, **metric_options)
    if bound.name not in LAYOUTS:
        raise ValueError(
            f"{bound.name} has no working that explain can show. It can show {', '.join(LAYOUTS)}."
        )
    settled = bound.settle()
    check_same_order(y_true=y_true, y_score=y_score, qid=qid, item=item)
    has_scores = y_score is not None
    if not has_scores:  # in the order given, the first highest
        y_score = -np.arange(float(np.size(y_true))).reshape(np.shape(y_true))
    if qid is None and np.ndim(y_score) == 1 and find_carried(y_true, "qid") is None:
        y_true, y_score = [y_true], [y_score]  # one query, a line of a rectangle
    rows = collect_rows([settled], y_true, y_score, qid)
    if settled.in_single_precision:
        rows = replace(rows, score=round_scores(rows.score))
    queries = rows.queries
    name = f"{bound}{spell_options(bound.bound)}"
    if query is None and len(queries.ids) > 1:
        return _explain_mean(bound, name, y_true, y_score, qid)
    at = _find_query(query, queries)
    label, names = _name_rows(find_carried(y_true, "item") if item is None else item, queries)
    here = slice(queries.starts[at], queries.starts[at] + queries.lengths[at])
    names = [names[row] for row in queries.arrange(np.arange(len(rows.grade)))[here].tolist()]
    ranking = ExplainedRanking(rows.grade[here], rows.score[here], settled.ties)
    value = float(bound.formula(ranking, **settled.options)[0])
    result = Result(bound.name, value, settled.options, has_scores)
    tables, steps = write_working(LAYOUTS[bound.name], ranking, result, names, label)
    found = queries.ids[at]
    found = found.item() if isinstance(found, np.generic) else found
    return Explanation(name, found, tuple(tables), tuple(steps), value)


def _explain_mean(bound: Metric, name: str, y_true: Any, y_score: Any, qid: Any) -> Explanation:
    """Show the value of each query, and their mean."""
    ids, (values,), weight = compute_per_query([bound.settle()], y_true, y_score, qid)
    columns: dict[str, Any] = {"query": ids.tolist(), str(bound): values}
    summed = values
    counts = np.ones(len(values)) if weight is None else weight
    if weight is not None:
        summed = values * weight
        columns |= {"weight": weight, f"weight * {bound}": summed}
    defined = ~np.isnan(values) & (counts > 0)
    if not defined.any():
        raise ValueError(f"{bound.name} is undefined for every query: no mean to explain.")
    value = float(np.average(values[defined], weights=counts[defined]))
    total, of = (format_number(float(part[defined].sum())) for part in (summed, counts))
    step = f"mean over queries = {total} / {of} = {value:.6g}"
    return Explanation(name, None, (Table.from_columns("Each query", columns),), (step,), value)


def _find_query(query: Any, queries: Queries) -> int:
    """Find the number of the query with this id; if the id is None, of the only query."""
    if query is None and len(queries.ids) == 1:
        return 0
    example = format_id(queries.sort_by_appearance(queries.ids)[0])
    wanted = query if isinstance(query, np.generic) else narrow_dtype(as_objects([query], "query"))
    try:
        at = int(find_places(np.atleast_1d(wanted), queries.ids)[0])
    except TypeError as error:
        raise TypeError(f"query must be the id of one query. Got {query!r} instead.") from error
    if at < 0:
        raise ValueError(f"There is no query {query!r}. Pass an id such as {example}.")
    return at


def _name_rows(item: Any, queries: Queries) -> tuple[str, Sequence[Any]]:
    """Give the word for a row, and the name of each row: its item, or else its number."""
    if item is None:
        return "row", range(queries.n_rows)
    names = list(np.ravel(item) if queries.rectangular else as_objects(list(item), "item"))
    check_same_length("item", len(names), queries.n_rows)
    return "item", names
