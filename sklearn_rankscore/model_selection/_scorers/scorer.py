"""Make scorers: what `sklearn.metrics.make_scorer` would be if it knew queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from sklearn_rankscore.metrics import get_metric
from sklearn_rankscore.metrics._metric.engine import request_of
from sklearn_rankscore.metrics.evaluate import named_metrics
from sklearn_rankscore.model_selection._scorers.rank_scorer import MultiRankScorer, RankScorer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sklearn_rankscore.metrics import Metric
    from sklearn_rankscore.metrics._metric.options import Options


def make_rank_scorer(
    metric: str | Metric,
    *,
    qid: str = "qid",
    item: str = "item",
    similarity: str = "similarity",
    response_method: str = "auto",
    on_split_query: str = "warn",
    **metric_options: Unpack[Options],
) -> RankScorer:
    """Make a scorer that knows about queries, for ``scoring=`` anywhere in scikit-learn.

    Parameters
    ----------
    metric : str or Metric
        What is scored, such as "ndcg@10", "map" or "p@5"; see `metric_names`.
    qid : str, default="qid"
        Name under which the query ids of rows are found, first hit wins: metadata routed as
        ``fit(X, y, qid=…)``, a RankTarget (whatever the name), a level of y's pandas index, a
        column of X, a level of X's pandas index.
    item, similarity : str, default="item", "similarity"
        Names under which the items of rows, and their similarities to a profile, are found in the
        same places, for metrics that need them. A column of X is a feature to the model as well;
        ``RankTarget(y, qid=…, item=…)`` is none.
    response_method : {"auto", "predict", "decision_function", "predict_proba"}, default="auto"
        What rows are ranked by. "auto": what a regressor or ranker predicts; for a classifier of
        two grades its decision function or probability, for more its expected grade.
    on_split_query : {"warn", "raise", "ignore"}, default="warn"
        What to do when a RankTarget shows that the split has cut through queries.
    **metric_options
        Options of the metric, such as ``gain="exponential"``, and tables by item, such as
        ``popularity=counts``: one for all folds, so make it of what came before all of them.

    Returns
    -------
    RankScorer
        ``scorer(estimator, X, y)`` gives a float, higher is better: a metric of which less is
        better is negated. Pickles, copies, and runs in any joblib backend.

    Raises
    ------
    ValueError
        If there is no such metric or option value; when called, if no query ids are found.
    TypeError
        If the metric has no such option.

    See Also
    --------
    make_multi_rank_scorer : Several metrics from one prediction.

    References
    ----------
    `sklearn.metrics.make_scorer`, which this follows for metrics of queries.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn_rankscore import QueryKFold, RankTarget, make_rank_scorer
    >>> X, grades, qid = [[3], [1], [2], [1], [5], [4]], [2, 0, 1, 0, 1, 2], [1, 1, 2, 2, 3, 3]
    >>> scorer = make_rank_scorer("ndcg@10")
    >>> y = RankTarget(grades, qid=qid)
    >>> cross_val_score(Ridge(), X, y, scoring=scorer, cv=QueryKFold(3)).round(4).tolist()
    [0.8597, 1.0, 1.0]
    >>> y = RankTarget(grades, qid=qid, item=["a", "b", "a", "c", "b", "a"])
    >>> make_rank_scorer("coverage@1", catalog=5)(Ridge().fit(X, y), X, y)
    0.4
    """
    bound = (get_metric(metric, **metric_options),)
    names = {"qid": qid, "item": item, "similarity": similarity}
    return RankScorer(_complete(bound), names, response_method, on_split_query)


def make_multi_rank_scorer(
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    *,
    qid: str = "qid",
    item: str = "item",
    similarity: str = "similarity",
    response_method: str = "auto",
    on_split_query: str = "warn",
    **metric_options: Unpack[Options],
) -> MultiRankScorer:
    """Make one scorer of several metrics: one prediction, one sort, a dict of scores.

    Parameters
    ----------
    metrics : iterable or dict of str or Metric
        What is scored, such as ``["ndcg@10", "map", "mrr"]``; a dict gives the names of the
        scores.
    qid, item, similarity, response_method, on_split_query
        As for `make_rank_scorer`.
    **metric_options
        Options of the metrics; each takes those that it has, at least one must have each.

    Returns
    -------
    MultiRankScorer
        ``scorer(estimator, X, y)`` gives a dict with the metrics' names as they were given; in a
        search, ``refit="ndcg@10"`` chooses by one of them.

    Raises
    ------
    ValueError
        If there is no such metric or option value, or one is named twice, or there is none.
    TypeError
        If no metric has such an option, or `metrics` is a single name.

    See Also
    --------
    make_rank_scorer : One metric.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rankscore import RankTarget, make_multi_rank_scorer
    >>> X, y = [[3], [1], [2], [1]], RankTarget([2, 0, 0, 1], qid=["a", "a", "b", "b"])
    >>> make_multi_rank_scorer(["ndcg@1", "mrr"])(Ridge().fit(X, y), X, y)
    {'ndcg@1': 0.5, 'mrr': 0.75}
    """
    wanted = named_metrics(metrics, metric_options)
    bound = _complete(tuple(wanted.values()))
    names = {"qid": qid, "item": item, "similarity": similarity}
    return MultiRankScorer(tuple(wanted), bound, names, response_method, on_split_query)


def _complete(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    """Refuse metrics that lack an option without a default, before anything is fitted."""
    for metric in metrics:
        request_of(metric, {})
    return metrics
