"""RankScorer and MultiRankScorer: the objects that find the query ids and ask the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn_rankscore.metrics._metric.names import spell_options
from sklearn_rankscore.model_selection._scorers.base_scorer import Scorer

if TYPE_CHECKING:
    from sklearn_rankscore.metrics import Metric


class RankScorer(Scorer):
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
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        qid: Any = None,
        sample_weight: Any = None,
        item: Any = None,
        similarity: Any = None,
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
        item, similarity : array-like of shape (n_rows,), default=None
            What the metric needs of each row; None: found as the ids are.

        Returns
        -------
        float
            The metric's mean over queries; higher is better.
        """
        return self._values(estimator, X, y, qid, sample_weight, item=item, similarity=similarity)[
            0
        ]

    def __repr__(self) -> str:
        """As it would be made."""
        metric = f"{str(self.metric)!r}{spell_options(self.metric.bound)}"
        return f"make_rank_scorer({metric}{self._shown()})"


class MultiRankScorer(Scorer):
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

    @property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by the names of their scores."""
        return dict(zip(self._score_names, self._metrics, strict=True))

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
    ) -> dict[str, float]:
        """Score a fitted estimator by each metric; parameters as for `RankScorer`."""
        values = self._values(
            estimator, X, y, qid, sample_weight, item=item, similarity=similarity
        )
        return dict(zip(self._score_names, values, strict=True))

    def __repr__(self) -> str:
        """As it would be made."""
        options = {o: v for metric in self._metrics for o, v in metric.bound.items()}
        names = f"{list(self._score_names)}{spell_options(options)}"
        return f"make_multi_rank_scorer({names}{self._shown()})"
