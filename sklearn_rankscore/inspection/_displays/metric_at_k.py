"""Draw a metric against its cutoff."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.inspection._displays.display import COLOURS, MARKS, Display, draw_legend
from sklearn_rankscore.inspection._report.query_values import drop_weightless, name_models
from sklearn_rankscore.inspection._report.statistics import check_level, compute_intervals
from sklearn_rankscore.metrics import Metric, get_metric
from sklearn_rankscore.metrics._metric.engine import compute_per_query
from sklearn_rankscore.metrics._rows.validation import check_cutoff

CUTOFFS = range(1, 21)


class MetricAtKDisplay(Display):
    """A metric against its cutoff: a line for each model, with its interval.

    Parameters
    ----------
    metric : str
        Name of the metric, without a cutoff.
    k : ndarray of shape (n_cutoffs,)
        Cutoffs.
    mean, low, high : dict of str to ndarray of shape (n_cutoffs,)
        By model, the mean over queries, and the lower and upper end of its interval.

    Examples
    --------
    >>> from sklearn_rankscore import MetricAtKDisplay
    >>> display = MetricAtKDisplay("ndcg", [1, 2], {"a": [0.5, 0.6]}, {}, {})
    >>> display.k.tolist()
    [1, 2]
    """

    def __init__(
        self,
        metric: str,
        k: Any,
        mean: Mapping[str, Any],
        low: Mapping[str, Any],
        high: Mapping[str, Any],
    ) -> None:
        self.metric = metric
        self.k = np.asarray(k)
        self.mean, self.low, self.high = dict(mean), dict(low), dict(high)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        qid: Any = None,
        sample_weight: Any = None,
        metric: str | Metric = "ndcg",
        k: Iterable[int] = CUTOFFS,
        name: str | None = None,
        confidence_level: float = 0.95,
        random_state: Any = None,
        ax: Any = None,
        **metric_options: Any,
    ) -> Self:
        """Draw the metric at each cutoff, computed from scores, and return the display.

        Parameters
        ----------
        y_true, qid, sample_weight
            Grades, query ids and weights of queries, as for a metric.
        y_score : array-like or dict of str to array-like
            Scores of one model, or of several by their names.
        metric : str or Metric, default="ndcg"
            A metric that has a cutoff.
        k : iterable of int, default=range(1, 21)
            Cutoffs.
        name : str, default=None
            Name of the model, if `y_score` holds the scores of one.
        confidence_level : float, default=0.95
            Confidence level of the bootstrap intervals.
        random_state : int, Generator or None, default=None
            Seed of the intervals.
        ax : matplotlib axes, default=None
            Axes to draw on; None: those of a new figure.
        **metric_options
            Options of the metric.
        """
        bound = get_metric(metric, **metric_options)
        if not isinstance(k, Iterable) or not (cutoffs := [check_cutoff(one, "k") for one in k]):
            raise ValueError(f"k must be one or more cutoffs, such as range(1, 21). Got {k!r}.")
        cutoffs = sorted(set(cutoffs))
        check_level(confidence_level)
        rng = np.random.default_rng(random_state)
        models = name_models(y_score, name)
        curves = compute_curves(
            y_true,
            models,
            qid,
            bound,
            cutoffs,
            level=confidence_level,
            rng=rng,
            sample_weight=sample_weight,
        )
        return cls(bound.name, cutoffs, *curves).plot(ax)

    def _draw(self, ax: Any) -> None:
        labels: dict[str, Any] = {}
        for at, (model, mean) in enumerate(self.mean.items()):
            colour = COLOURS[at % len(COLOURS)]
            mark = MARKS[at % len(MARKS)]
            (labels[model],) = ax.plot(self.k, mean, mark + "-", ms=4, color=colour)
            if model in self.low:
                ax.fill_between(
                    self.k, self.low[model], self.high[model], color=colour, alpha=0.15, lw=0
                )
                if len(self.k) == 1:
                    ax.vlines(self.k, self.low[model], self.high[model], color=colour, alpha=0.5)
        ax.set(xlabel="k", ylabel=f"{self.metric}@k")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.grid(alpha=0.3)
        if len(self.mean) > 1:
            draw_legend(ax, labels)


def compute_curves(
    y_true: Any,
    models: Mapping[str, Any],
    qid: Any,
    metric: Metric,
    cutoffs: Sequence[int],
    *,
    level: float = 0.95,
    rng: np.random.Generator,
    sample_weight: Any = None,
) -> tuple[dict[str, Array], dict[str, Array], dict[str, Array]]:
    """Compute, by model, the mean at each cutoff, and the ends of its interval."""
    means, lows, highs = {}, {}, {}
    settled = [metric.settle({"k": value}) for value in cutoffs]
    for model, scores in models.items():
        found = compute_per_query(settled, y_true, scores, qid, sample_weight=sample_weight)
        _, columns, weight = drop_weightless(*found)
        table = np.array(columns)
        defined = ~np.isnan(table).any(axis=0)
        if not defined.any():
            raise ValueError(f"{metric.name} is undefined for every query: nothing to draw.")
        table, weight = table[:, defined], None if weight is None else weight[defined]
        means[model] = np.average(table, axis=1, weights=weight)
        lows[model], highs[model] = compute_intervals(table, level, 1000, rng, weight)
    return means, lows, highs
