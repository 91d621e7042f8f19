"""Explain the value of one query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore._messages import format_id
from sklearn_rankscore.inspection._explain.explanation import Explanation
from sklearn_rankscore.inspection._explain.workings import WORKINGS, Working
from sklearn_rankscore.metrics import get_metric
from sklearn_rankscore.metrics._formulas.cumulated_gain import gains
from sklearn_rankscore.metrics._metric.engine import collect_rows
from sklearn_rankscore.metrics._metric.names import spell_options
from sklearn_rankscore.metrics._ranking.ranking import Ranking, cut_into_blocks
from sklearn_rankscore.metrics._rows.ids import as_objects, narrow_dtype
from sklearn_rankscore.metrics._rows.items import find_places
from sklearn_rankscore.metrics._rows.rows import Queries, Rows, carried
from sklearn_rankscore.metrics._rows.validation import check_same_length

if TYPE_CHECKING:
    from sklearn_rankscore.metrics import Metric
    from sklearn_rankscore.metrics._metric.engine import Settled
    from sklearn_rankscore.metrics._rows.validation import Array


def explain(
    y_true: Any,
    y_score: Any,
    *,
    metric: str | Metric = "ndcg@10",
    qid: Any = None,
    query: Any = None,
    item: Any = None,
    **metric_options: Any,
) -> Explanation:
    """Show how a metric comes to its value for one query, as a lecturer would write it.

    Parameters
    ----------
    y_true, y_score, qid
        Rows as for the metric itself.
    metric : str or Metric, default="ndcg@10"
        What is explained: cumulative gain, DCG, ideal DCG, nDCG, average precision, precision,
        recall, F1, R-precision, reciprocal rank, hit rate, RBP or ERR.
    query : object, default=None
        Id of the query; of a rectangle, the number of the line. None: the only one there is.
    item : array-like of shape (n_rows,), default=None
        What rows are called; None: what a RankTarget carries by the name "item", else their
        numbers.
    **metric_options
        Options of the metric, such as ``gain="exponential"``.

    Returns
    -------
    Explanation
        Its value is the metric's for that query; it prints as tables and steps, in a notebook as
        HTML, and ``to_frame()`` gives the table of ranked rows.

    Raises
    ------
    ValueError
        If the metric has no working to be shown, there is no such query or more than one to
        choose from, or the rows cannot be used.

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
    if bound.name not in WORKINGS:
        raise ValueError(
            f"{bound.name} has no working that is shown by rank. Metrics that have one are "
            f"{', '.join(WORKINGS)}."
        )
    request = bound.settle()
    rows = collect_rows([request], y_true, y_score, qid)
    at = _number_of(query, rows.queries)
    labels = carried(y_true, "item") if item is None else item
    working = _working(rows, at, request, labels)
    options = dict(request.options)
    tables, steps, value = WORKINGS[bound.name](
        working, bound.name, options.pop("k", None), options
    )
    name = f"{bound}{spell_options(bound.bound)}"
    found = rows.queries.ids[at]
    found = found.item() if isinstance(found, np.generic) else found
    return Explanation(name, found, tuple(tables), tuple(steps), value)


def _number_of(query: Any, queries: Queries) -> int:
    """Which query is meant."""
    if query is None:
        if len(queries.ids) > 1:
            raise ValueError(
                f"There are {len(queries.ids):,} queries. Say which is to be explained: "
                f"query={format_id(queries.in_order_of_appearance(queries.ids)[0])}, for example."
            )
        return 0
    wanted = query if isinstance(query, np.generic) else narrow_dtype(as_objects([query], "query"))
    try:
        at = int(find_places(np.atleast_1d(wanted), queries.ids)[0])
    except TypeError as error:
        raise TypeError(f"query must be the id of one query. Got {query!r} instead.") from error
    if at < 0:
        raise ValueError(
            f"There is no query {query!r}. Ids are such as "
            f"{format_id(queries.in_order_of_appearance(queries.ids)[0])}."
        )
    return at


def _working(rows: Rows, at: int, request: Settled, labels: Any) -> Working:
    queries = rows.queries
    here = slice(queries.starts[at], queries.starts[at] + queries.lengths[at])
    number = queries.arrange(np.arange(len(rows.grade)))[here]
    label = "row" if labels is None else "item"
    if labels is not None:
        labels = list(
            np.ravel(labels) if queries.rectangular else as_objects(list(labels), "item")
        )
        check_same_length("item", len(labels), len(rows.grade))
    names = number.tolist() if labels is None else [labels[row] for row in number.tolist()]
    grade, score = rows.grade[here], rows.score[here]
    alone = Rows(grade, score, Queries.from_rectangle((1, len(grade))))
    ranking = Ranking(cut_into_blocks(alone.queries)[0], alone, request.ties, len(grade))
    gain = request.options.get("gain")
    if gain is not None:
        worth = gains(ranking, gain, relative=request.metric.name == "ndcg")[0]
    else:
        worth = (
            grade
            if "max_grade" in request.options
            else ranking.relevant(request.options["min_relevance"])[0]
        )
    order = _order(score, np.asarray(worth, dtype=float), request.ties)
    ranked = order[score[order] > -np.inf]
    sorted_score = score[ranked]
    same = np.zeros(len(ranked) + 1, dtype=bool)
    same[1:-1] = sorted_score[1:] == sorted_score[:-1]
    tied = (same[1:] | same[:-1]) & (request.ties == "average")
    return Working(ranking, order, names, sorted_score, grade, tied, label)


def _order(score: Array, worth: Array, ties: str) -> Array:
    """Rows by falling score, and inside ties as the policy has it."""
    inside = {"optimistic": -worth, "pessimistic": worth, "last": -np.arange(len(score))}
    return np.lexsort((inside.get(ties, np.arange(len(score))), -score))
