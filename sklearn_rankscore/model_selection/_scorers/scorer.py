"""Scorers that know about queries, as those of `sklearn.metrics.make_scorer` do not."""

from collections.abc import Iterable, Mapping
from typing import Any, Generic, Self, TypeVar

import numpy as np
from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest

from sklearn_rankscore.metrics import Metric, get_metric
from sklearn_rankscore.metrics._metric.means import compute_means
from sklearn_rankscore.metrics._metric.metric import ROW_VALUES
from sklearn_rankscore.metrics._metric.names import spell_options
from sklearn_rankscore.metrics._rows.item_tables import ItemTable
from sklearn_rankscore.metrics._rows.rows import Queries
from sklearn_rankscore.metrics._rows.validation import check_choice
from sklearn_rankscore.metrics.evaluate import name_metrics
from sklearn_rankscore.model_selection._ids import lookup
from sklearn_rankscore.model_selection._ids.target import warn_of_cut_queries
from sklearn_rankscore.model_selection._scorers.response import RESPONSE_METHODS, ask_estimator

Score = TypeVar("Score")

_ON_SPLIT_QUERY = ("warn", "raise", "ignore")
_ON_CUT = "on_split_query='ignore'"
_NOT_WHOLE = "they are not scored whole"


class Scorer(Generic[Score]):
    """Base class of `RankScorer` and `MultiRankScorer`."""

    def __init__(
        self,
        metrics: Iterable[Metric],
        names: Mapping[str, str],
        response_method: str,
        on_split_query: str,
    ) -> None:
        check_choice(response_method, "The 'response_method' parameter", RESPONSE_METHODS)
        check_choice(on_split_query, "The 'on_split_query' parameter", _ON_SPLIT_QUERY)
        # Settled now, so that an option that is missing is an error before anything is fitted.
        self._settled = [metric.settle() for metric in metrics]
        wanted = {name for one in self._settled for name in one.metric.row_values}
        for parameter, name in names.items():
            lookup.check_name(name, parameter)
            if parameter != name and parameter in ROW_VALUES and parameter not in wanted:
                listed = ", ".join(str(one.metric) for one in self._settled)
                raise TypeError(f"{listed} takes no {parameter}. Got {parameter}={name!r}.")
        # Under which name the scorer looks for what a metric needs of each row.
        self._names = {p: name for p, name in names.items() if p == "qid" or p in wanted}
        self._response_method = response_method
        self._on_split_query = on_split_query
        self._requests: dict[str, bool | str | None] = {**self._names, "sample_weight": None}
        self._warned: set[str] = set()  # of what, so that a search warns once, not in each fold
        # Tools and displays ask for it.
        self.__name__ = ", ".join(str(one.metric) for one in self._settled)

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        qid: Any = None,
        sample_weight: Any = None,
        item: Any = None,
        similarity: Any = None,
    ) -> Score:
        """Score a fitted estimator.

        Parameters
        ----------
        estimator : object
            Fitted regressor, ranker or classifier.
        X, y : array-like of shape (n_rows, n_features) and (n_rows,)
            Rows to rank, and their relevance grades.
        qid, item, similarity : array-like of shape (n_rows,), default=None
            Query ids, and what the metric needs of each row; None: found on y or X.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row's query, the same on all rows of a query; None: those on y, if any.

        Returns
        -------
        float, or dict of str to float
            The mean over queries, of each metric by its name where there are several; higher is
            better.
        """
        ids = lookup.find_query_ids(self._name_of("qid"), X, y, qid, type(self).__name__)
        queries = Queries.from_ids(ids)
        if self._on_split_query != "ignore":
            raises = self._on_split_query == "raise"
            warn_of_cut_queries(y, ids, _NOT_WHOLE, _ON_CUT, queries=queries, raises=raises)
        of_rows = {}
        if len(self._names) > 1:
            of_rows = self._find_row_values(X, y, {"item": item, "similarity": similarity})
        request = self._requests["sample_weight"]
        if request is False:  # not those on y either
            sample_weight = np.ones(queries.n_rows)
        elif request or sample_weight is not None:
            name = self._name_of("sample_weight")
            sample_weight = lookup.find_row_values(name, X, y, sample_weight, "sample_weight")
        scores = ask_estimator(estimator, X, self._response_method)
        values = compute_means(
            self._settled,
            y,
            scores,
            queries,
            ranker=type(estimator).__name__,
            warned=self._warned,
            sample_weight=sample_weight,
            **of_rows,
        )
        signs = [1.0 if one.metric.greater_is_better else -1.0 for one in self._settled]
        return self._name([0.0 + sign * value for sign, value in zip(signs, values, strict=True)])

    def _name(self, values: list[float]) -> Score:
        raise NotImplementedError

    def _find_row_values(self, X: Any, y: Any, passed: Mapping[str, Any]) -> dict[str, Any]:
        """Find items, and what else the metrics need of each row."""
        names = {parameter: self._name_of(parameter) for parameter in self._names}
        del names["qid"]
        found = {
            parameter: lookup.find_row_values(name, X, y, passed.get(parameter), parameter)
            for parameter, name in names.items()
        }
        needed = {name for one in self._settled for name in one.needs}
        if any(isinstance(o, ItemTable) for one in self._settled for o in one.options.values()):
            needed.add("item")  # in a fold, only items lead from a row to its line in a table
        for parameter, name in names.items():
            if parameter in needed and found[parameter] is None:
                raise ValueError(
                    lookup.describe_missing_row_values(name, parameter, X, y, type(self).__name__)
                )
        return found

    def _name_of(self, parameter: str) -> str:
        """Give the name to look for: the one that was requested, else the one of the scorer."""
        request = self._requests[parameter]
        return request if isinstance(request, str) else self._names.get(parameter, parameter)

    def get_metadata_routing(self) -> MetadataRequest:
        """Tell scikit-learn which metadata the scorer wants, and under which names."""
        # The owner is a text: scikit-learn would copy an object, with all its data, on every look.
        routing = MetadataRequest(owner=type(self).__name__)
        for parameter, alias in self._requests.items():
            routing.score.add_request(param=parameter, alias=alias)
        return routing

    def set_score_request(
        self,
        *,
        qid: bool | str | None = UNCHANGED,
        sample_weight: bool | str | None = UNCHANGED,
        item: bool | str | None = UNCHANGED,
        similarity: bool | str | None = UNCHANGED,
    ) -> Self:
        """Say which metadata the scorer requests; usable whether routing is enabled or not.

        Parameters
        ----------
        qid, sample_weight, item, similarity : bool, str or None
            True: requested; a name: requested under that name; False: not requested; None: an
            error if it is passed all the same. Query ids are requested from the start, and so is
            what the metric needs of each row.

        Returns
        -------
        self
            The scorer.

        Raises
        ------
        TypeError
            If the metric takes no such values.
        """
        given = {"qid": qid, "item": item, "similarity": similarity}
        for parameter, request in {**given, "sample_weight": sample_weight}.items():
            if request == UNCHANGED:
                continue
            if parameter not in self._requests:
                raise TypeError(f"{self!r} takes no {parameter}.")
            self._requests[parameter] = request
        return self

    @property
    def _score_func(self) -> Any:
        # TunedThresholdClassifierCV asks for this, which only scikit-learn's own scorers have.
        raise AttributeError(
            "A threshold is tuned for predicted classes, which a RankScorer does not rank by. "
            "Pass scoring=sklearn.metrics.make_scorer(ndcg, k=10), with y=RankTarget(y, qid=…)."
        )

    def _accept_sample_weight(self) -> bool:
        # Without routing, scikit-learn asks whether fit(sample_weight=…) may reach the scorer.
        # Only on request: weights of rows in training are seldom weights of queries in the mean.
        return self._requests["sample_weight"] not in (None, False)

    def _spell_parameters(self) -> str:
        parts = [f"{p}={name!r}" for p, name in self._names.items() if p != name]
        if self._response_method != "auto":
            parts.append(f"response_method={self._response_method!r}")
        if self._on_split_query != "warn":
            parts.append(f"on_split_query={self._on_split_query!r}")
        return "".join(f", {part}" for part in parts)


class RankScorer(Scorer[float]):
    """Scorer of one metric, made by `make_rank_scorer`; call it as any scikit-learn scorer.

    Attributes
    ----------
    metric : Metric
        What is scored, its options set.

    Examples
    --------
    >>> from sklearn_rankscore import make_rank_scorer
    >>> make_rank_scorer("map@10", min_relevance=2).metric
    <Metric average_precision@10, min_relevance=2.0>
    """

    @property
    def metric(self) -> Metric:
        """The metric, its options set."""
        metric: Metric = self._settled[0].metric
        return metric

    def _name(self, values: list[float]) -> float:
        return values[0]

    def __repr__(self) -> str:
        """Show the call that makes it."""
        metric = f"{str(self.metric)!r}{spell_options(self.metric.bound)}"
        return f"make_rank_scorer({metric}{self._spell_parameters()})"


class MultiRankScorer(Scorer[dict[str, float]]):
    """Scorer of several metrics, made by `make_multi_rank_scorer`: one prediction, one sort.

    Attributes
    ----------
    metrics : dict of str to Metric
        What is scored, by the names of the scores.

    Examples
    --------
    >>> from sklearn_rankscore import make_multi_rank_scorer
    >>> list(make_multi_rank_scorer(["ndcg@10", "mrr"]).metrics)
    ['ndcg@10', 'mrr']
    """

    def __init__(self, score_names: tuple[str, ...], *args: Any) -> None:
        super().__init__(*args)
        self._score_names = score_names
        self.__name__ = ", ".join(score_names)

    @property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by the names of their scores."""
        metrics = [one.metric for one in self._settled]
        return dict(zip(self._score_names, metrics, strict=True))

    def _name(self, values: list[float]) -> dict[str, float]:
        return dict(zip(self._score_names, values, strict=True))

    def __repr__(self) -> str:
        """Show the call that makes it."""
        options = {o: v for one in self._settled for o, v in one.metric.bound.items()}
        names = f"{list(self._score_names)}{spell_options(options)}"
        return f"make_multi_rank_scorer({names}{self._spell_parameters()})"


def make_rank_scorer(
    metric: str | Metric,
    *,
    qid: str = "qid",
    item: str = "item",
    similarity: str = "similarity",
    response_method: str = "auto",
    on_split_query: str = "warn",
    **metric_options: Any,
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
        same places, for metrics that need them. The model also learns from a column of X, but not
        from what ``RankTarget(y, qid=…, item=…)`` carries.
    response_method : {"auto", "predict", "decision_function", "predict_proba"}, default="auto"
        What rows are ranked by. "auto": what a regressor or ranker predicts; for a classifier of
        two grades its decision function or probability, for more its expected grade.
    on_split_query : {"warn", "raise", "ignore"}, default="warn"
        What to do when a RankTarget shows that the split has cut through queries.
    **metric_options
        Options of the metric, such as ``gain="exponential"``, and tables by item, such as
        ``popularity=counts``. A table serves all folds: compute it from data before all of them.

    Returns
    -------
    RankScorer
        ``scorer(estimator, X, y)`` gives a float, higher is better: a metric that is better when
        lower is negated. The scorer can be pickled and copied, and runs in any joblib backend.

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
    return RankScorer(bound, names, response_method, on_split_query)


def make_multi_rank_scorer(
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    *,
    qid: str = "qid",
    item: str = "item",
    similarity: str = "similarity",
    response_method: str = "auto",
    on_split_query: str = "warn",
    **metric_options: Any,
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
        Options of the metrics. Each metric takes those it has; one that no metric has is an error.

    Returns
    -------
    MultiRankScorer
        ``scorer(estimator, X, y)`` gives a dict with the metrics' names as they were given; in a
        search, ``refit="ndcg@10"`` chooses by one of them.

    Raises
    ------
    ValueError
        If there is no such metric or option value, a name occurs twice, or `metrics` is empty.
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
    wanted = name_metrics(metrics, metric_options)
    names = {"qid": qid, "item": item, "similarity": similarity}
    return MultiRankScorer(tuple(wanted), wanted.values(), names, response_method, on_split_query)
