"""RankScorer: the object that finds the query ids and asks the metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest

from sklearn_rankscore.metrics._compute import evaluate
from sklearn_rankscore.metrics._names import spell_options
from sklearn_rankscore.metrics._options import check_choice
from sklearn_rankscore.model_selection._cut_queries import warn_of_cut_queries
from sklearn_rankscore.model_selection._lookup import check_name, find, find_query_ids
from sklearn_rankscore.model_selection._response import RESPONSE_METHODS, response

if TYPE_CHECKING:
    from sklearn_rankscore.metrics import Metric

_ON_SPLIT_QUERY = ("warn", "raise", "ignore")
_ON_CUT = "on_split_query='ignore'"


class _Scorer:
    """What scorers share: finding ids, asking the estimator, and scikit-learn's routing."""

    def __init__(
        self, metrics: tuple[Metric, ...], qid: str, response_method: str, on_split_query: str
    ) -> None:
        check_choice(response_method, "The 'response_method' parameter", RESPONSE_METHODS)
        check_choice(on_split_query, "The 'on_split_query' parameter", _ON_SPLIT_QUERY)
        check_name(qid)
        self._metrics = metrics
        self._qid = qid
        self._response_method = response_method
        self._on_split_query = on_split_query
        self._requests: dict[str, bool | str | None] = {"qid": qid, "sample_weight": None}

    def _values(self, estimator: Any, X: Any, y: Any, qid: Any, sample_weight: Any) -> list[float]:
        ids = find_query_ids(self._qid, X, y, qid, type(self).__name__)
        if self._on_split_query != "ignore":
            warn_of_cut_queries(
                y,
                ids,
                "they are not scored whole",
                _ON_CUT,
                raises=self._on_split_query == "raise",
            )
        if self._accept_sample_weight():
            request = self._requests["sample_weight"]
            name = request if isinstance(request, str) else "sample_weight"
            sample_weight = find(name, X, y, sample_weight)
        scores = response(estimator, X, self._response_method)
        values = evaluate(self._metrics, y, scores, ids, sample_weight)
        signed = zip(self._metrics, values, strict=True)
        return [value if metric.greater_is_better else 0.0 - value for metric, value in signed]

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

    def set_score_request(
        self,
        *,
        qid: bool | str | None = UNCHANGED,
        sample_weight: bool | str | None = UNCHANGED,
    ) -> Self:
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
        for parameter, request in {"qid": qid, "sample_weight": sample_weight}.items():
            if request != UNCHANGED:
                self._requests[parameter] = request
        return self

    @property
    def _score_func(self) -> Any:
        # What TunedThresholdClassifierCV asks of scikit-learn's own scorers, and of them only.
        raise AttributeError(
            "A threshold is tuned for predicted classes, which a RankScorer does not rank by. "
            "Pass scoring=sklearn.metrics.make_scorer(ndcg, k=10), with y=RankTarget(y, qid=…)."
        )

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
        metric = f"{str(self.metric)!r}{spell_options(self.metric.bound)}"
        return f"make_rank_scorer({metric}{self._shown()})"


class MultiRankScorer(_Scorer):
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

    def __init__(self, names: tuple[str, ...], *args: Any) -> None:
        super().__init__(*args)
        self._names = names

    @property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by the names of their scores."""
        return dict(zip(self._names, self._metrics, strict=True))

    def __call__(
        self, estimator: Any, X: Any, y: Any, *, qid: Any = None, sample_weight: Any = None
    ) -> dict[str, float]:
        """Score a fitted estimator by each metric; parameters as for `RankScorer`."""
        values = self._values(estimator, X, y, qid, sample_weight)
        return dict(zip(self._names, values, strict=True))

    def __repr__(self) -> str:
        """As it would be made."""
        return f"make_multi_rank_scorer({list(self._names)}{self._shown()})"
