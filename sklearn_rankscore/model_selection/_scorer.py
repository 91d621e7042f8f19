"""Scorers: find the query ids, ask the metric."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_rankscore.metrics import get_metric
from sklearn_rankscore.metrics._metric import evaluate
from sklearn_rankscore.metrics._queries import shown
from sklearn_rankscore.model_selection._lookup import find_query_ids
from sklearn_rankscore.model_selection._response import RESPONSE_METHODS, response
from sklearn_rankscore.model_selection._target import RankTarget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sklearn_rankscore.metrics import Metric
    from sklearn_rankscore.metrics._options import Options

_ON_SPLIT_QUERY = ("warn", "raise", "ignore")


class QuerySplitWarning(UserWarning):
    """A split has cut through queries, so that their scores are of parts of them."""


class _Scorer:
    """What scorers share: finding ids, asking the estimator, and scikit-learn's routing."""

    def __init__(
        self, metrics: tuple[Metric, ...], qid: str, response_method: str, on_split_query: str
    ) -> None:
        _check_one_of("response_method", response_method, RESPONSE_METHODS)
        _check_one_of("on_split_query", on_split_query, _ON_SPLIT_QUERY)
        if not (isinstance(qid, str) and qid):
            raise TypeError(
                f"The 'qid' parameter must be the name under which query ids are found. Got "
                f"{qid!r} instead; the ids themselves go on y: RankTarget(y, qid=…)."
            )
        self._metrics = metrics
        self._qid = qid
        self._response_method = response_method
        self._on_split_query = on_split_query
        self._requests: dict[str, bool | str | None] = {"qid": qid, "sample_weight": None}

    def _values(self, estimator: Any, X: Any, y: Any, qid: Any, sample_weight: Any) -> list[float]:
        ids = find_query_ids(self._qid, X, y, qid, type(self).__name__)
        if isinstance(y, RankTarget) and self._on_split_query != "ignore":
            self._notice(y.cut_queries(), y)
        scores = response(estimator, X, self._response_method)
        return evaluate(self._metrics, _plain(y), scores, ids, sample_weight)

    def _notice(self, cut: Any, y: RankTarget) -> None:
        if not len(cut):
            return
        message = (
            f"The split has cut through {len(cut)} queries (among them {shown(cut[0])}): some of their "
            f"{len(y)} rows here are missing or repeated, and their scores are not those of whole "
            "queries. Use cv=QueryKFold(…), or on_split_query='ignore' if that is meant."
        )
        if self._on_split_query == "raise":
            raise ValueError(message)
        warnings.warn(message, QuerySplitWarning, stacklevel=4)

    def get_metadata_routing(self) -> MetadataRequest:
        """Tell scikit-learn which metadata the scorer wants.

        Returns
        -------
        MetadataRequest
            Query ids under their name, and sample weights where they were requested.
        """
        # The owner is a text: an object would be copied with all its data on every look.
        routing = MetadataRequest(owner=type(self).__name__)
        for parameter, alias in self._requests.items():
            routing.score.add_request(param=parameter, alias=alias)
        return routing

    def set_score_request(self, **requests: bool | str | None) -> Any:
        """Say which metadata the scorer requests; usable whether routing is enabled or not.

        Parameters
        ----------
        qid, sample_weight : bool, str or None
            True: requested; a name: requested under that name; False: not requested; None: an
            error if it is passed all the same. Query ids are requested from the start.

        Returns
        -------
        self
            The scorer.
        """
        for parameter in requests:
            _check_one_of("set_score_request", parameter, tuple(self._requests))
        self._requests.update(requests)
        return self

    def _accept_sample_weight(self) -> bool:
        # Asked by scikit-learn where routing is off: may fit(sample_weight=…) reach the scorer?
        # Only on request: weights of rows in training are seldom weights of queries in the mean.
        return self._requests["sample_weight"] not in (None, False)

    def _shown(self) -> str:
        parts = [f"qid={self._qid!r}"] if self._qid != "qid" else []
        if self._response_method != "auto":
            parts.append(f"response_method={self._response_method!r}")
        if self._on_split_query != "warn":
            parts.append(f"on_split_query={self._on_split_query!r}")
        return "".join(f", {part}" for part in parts)


class RankScorer(_Scorer):
    """Scorer of one metric, made by `make_rank_scorer`; call it as any scikit-learn scorer."""

    @property
    def metric(self) -> Metric:
        """The metric, its options set."""
        return self._metrics[0]

    def __call__(
        self, estimator: Any, X: Any, y: Any, *, qid: Any = None, sample_weight: Any = None
    ) -> float:
        """Score a fitted estimator.

        Parameters
        ----------
        estimator : object
            Fitted regressor, ranker or classifier.
        X : array-like of shape (n_rows, n_features)
            Rows to rank.
        y : array-like of shape (n_rows,)
            Their relevance grades.
        qid : array-like of shape (n_rows,), default=None
            Their query ids; None: found on y or X.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row's query, the same on all rows of a query.

        Returns
        -------
        float
            The metric's mean over queries; higher is better.
        """
        return self._values(estimator, X, y, qid, sample_weight)[0]

    def __repr__(self) -> str:
        """As it would be made."""
        return f"make_rank_scorer({_quoted(self.metric)}{self._shown()})"


class MultiRankScorer(_Scorer):
    """Scorer of several metrics, made by `make_multi_rank_scorer`: one prediction, one sort."""

    def __init__(self, names: tuple[str, ...], *args: Any) -> None:
        super().__init__(*args)
        self._names = names

    def __call__(
        self, estimator: Any, X: Any, y: Any, *, qid: Any = None, sample_weight: Any = None
    ) -> dict[str, float]:
        """Score a fitted estimator by each metric; parameters as for `RankScorer`."""
        values = self._values(estimator, X, y, qid, sample_weight)
        return dict(zip(self._names, values, strict=True))

    def __repr__(self) -> str:
        """As it would be made."""
        return f"make_multi_rank_scorer({list(self._names)}{self._shown()})"


def make_rank_scorer(
    metric: str | Metric,
    *,
    qid: str = "qid",
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
    response_method : {"auto", "predict", "decision_function", "predict_proba"}, default="auto"
        What rows are ranked by. "auto": what a regressor or ranker predicts; for a classifier of
        two grades its decision function or probability, for more its expected grade.
    on_split_query : {"warn", "raise", "ignore"}, default="warn"
        What to do when a RankTarget shows that the split has cut through queries.
    **metric_options
        Options of the metric, such as ``gain="exponential"``.

    Returns
    -------
    RankScorer
        ``scorer(estimator, X, y)`` gives a float, higher is better. Pickles, copies, and runs in
        any joblib backend.

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
    >>> cross_val_score(Ridge(), X, RankTarget(grades, qid=qid), scoring=scorer, cv=QueryKFold(3))
    array([0.85972695, 1.        , 1.        ])
    """
    return RankScorer((get_metric(metric, **metric_options),), qid, response_method, on_split_query)


def make_multi_rank_scorer(
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    *,
    qid: str = "qid",
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
    qid, response_method, on_split_query
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
    if isinstance(metrics, str):
        raise TypeError(f"metrics must be a list of names. Got {metrics!r}; pass [{metrics!r}].")
    given = metrics if isinstance(metrics, Mapping) else list(metrics)
    wanted = {
        str(name): get_metric(given[name] if isinstance(given, Mapping) else name)
        for name in given
    }
    if not given or len(wanted) < len(given):
        raise ValueError(f"metrics must be one or more different metrics. Got {given!r} instead.")
    known = {option for metric in wanted.values() for option in metric.options}
    bound = []
    for metric in wanted.values():
        # What no metric knows goes to the first, which refuses it.
        refused = metric_options.keys() - known
        own = {o: v for o, v in metric_options.items() if o in metric.options or o in refused}
        bound.append(get_metric(metric, **own))  # type: ignore[arg-type]
    return MultiRankScorer(tuple(wanted), tuple(bound), qid, response_method, on_split_query)


def _plain(y: Any) -> Any:
    return np.asarray(y) if isinstance(y, RankTarget) else y


def _check_one_of(parameter: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(
            f"The {parameter!r} parameter must be one of {', '.join(map(repr, choices))}. "
            f"Got {value!r} instead."
        )


def _quoted(metric: Metric) -> str:
    options = [f", {name}={value!r}" for name, value in metric.bound.items() if name != "k"]
    return f"{str(metric)!r}{''.join(options)}"
