"""Draw the difference between two models in each query."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from sklearn_rankscore.inspection._displays.display import COLOURS, Display, draw_legend
from sklearn_rankscore.inspection._report.query_values import drop_weightless, name_models
from sklearn_rankscore.inspection._report.statistics import EQUAL
from sklearn_rankscore.metrics import Metric, get_metric
from sklearn_rankscore.metrics._metric.engine import compute_per_query


class QueryDifferenceDisplay(Display):
    """The difference between two models in each query, sorted: who wins where.

    Parameters
    ----------
    difference : ndarray of shape (n_queries,)
        Difference of the metric in each query.
    qid : ndarray of shape (n_queries,)
        Query ids.
    metric : str
        Name of the metric.
    names : tuple of two str
        Names of the models; the difference is the second minus the first.
    greater_is_better : bool, default=True
        Whether the model with the higher value wins.
    weight : ndarray of shape (n_queries,), default=None
        Weight of each query in the mean; None: all count alike.

    Examples
    --------
    >>> from sklearn_rankscore import QueryDifferenceDisplay
    >>> QueryDifferenceDisplay([0.1, -0.2], [7, 8], "ndcg@10", ("old", "new")).difference.tolist()
    [0.1, -0.2]
    """

    def __init__(
        self,
        difference: Any,
        qid: Any,
        metric: str,
        names: tuple[str, str],
        *,
        greater_is_better: bool = True,
        weight: Any = None,
    ) -> None:
        self.difference, self.qid = np.asarray(difference), np.asarray(qid)
        self.metric, self.names = metric, names
        self.greater_is_better = greater_is_better
        self.weight = None if weight is None else np.asarray(weight)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Mapping[str, Any],
        *,
        qid: Any = None,
        sample_weight: Any = None,
        metric: str | Metric = "ndcg@10",
        ax: Any = None,
        **metric_options: Any,
    ) -> Self:
        """Draw the differences between the scores of two models, and return the display.

        Parameters
        ----------
        y_true, qid, sample_weight, ax
            As for `MetricAtKDisplay`.
        y_score : dict of str to array-like
            Scores of two models by their names; the difference is the second minus the first.
        metric : str or Metric, default="ndcg@10"
            Metric to compare.
        **metric_options
            Options of the metric.

        Raises
        ------
        ValueError
            If `y_score` does not hold the scores of two models, or the metric is undefined for
            every query.
        """
        models = name_models(y_score, None)
        if len(models) != 2:
            raise ValueError(
                "A difference is of two models: y_score={'old': scores, 'new': scores}. Got "
                f"{len(models)}."
            )
        bound = get_metric(metric, **metric_options)
        first, second = (
            compute_per_query([bound.settle()], y_true, scores, qid, sample_weight=sample_weight)
            for scores in models.values()
        )
        ids, (before, after), weight = drop_weightless(first[0], first[1] + second[1], first[2])
        one, other = models
        return cls(
            after - before,
            ids,
            str(bound),
            (one, other),
            greater_is_better=bound.greater_is_better,
            weight=weight,
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        defined = ~np.isnan(self.difference)
        if not defined.any():
            raise ValueError(f"{self.metric} is undefined for every query: nothing to draw.")
        weight = None if self.weight is None else self.weight[defined]
        mean = float(np.average(self.difference[defined], weights=weight))
        seen = np.sort(self.difference[defined])[::-1]
        seen[np.abs(seen) <= EQUAL] = 0.0
        edges = np.arange(len(seen) + 1) + 0.5
        one, other = self.names
        more, less = (other, one) if self.greater_is_better else (one, other)
        labels: dict[str, Any] = {}
        for wins, colour, name in ((seen > 0, COLOURS[0], more), (seen < 0, COLOURS[1], less)):
            n = int(wins.sum())
            height = np.append(np.where(wins, seen, 0.0), 0.0)
            label = f"{name} is better: {n:,} quer{'y' if n == 1 else 'ies'}"
            labels[label] = ax.fill_between(edges, height, step="post", color=colour, lw=0)
        ax.axhline(0, color="black", lw=0.8)
        labels[f"mean: {mean:+.4f}"] = ax.axhline(mean, color="black", lw=0.8, ls="--")
        ax.set(
            xlabel=f"queries, by difference ({int((seen == 0).sum()):,} equal)",
            ylabel=f"{self.metric}: {other} less {one}",
        )
        draw_legend(ax, labels)
