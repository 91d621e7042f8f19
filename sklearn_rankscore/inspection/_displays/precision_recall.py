"""Draw precision against recall."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.inspection._displays.display import COLOURS, MARKS, Display, draw_legend
from sklearn_rankscore.inspection._explain.explain import explain
from sklearn_rankscore.inspection._report.query_values import drop_weightless, name_models
from sklearn_rankscore.metrics import get_metric
from sklearn_rankscore.metrics._metric.engine import compute_per_query


class PrecisionRecallDisplay(Display):
    """Precision against recall: the mean at 11 levels of recall, or the path of one query.

    Parameters
    ----------
    precision : dict of str to ndarray of shape (n_points,)
        By model: the interpolated precision, averaged over queries; or the precision at each rank
        of one query.
    recall : dict of str to ndarray of shape (n_points,)
        By model: the recall at the same points.
    relevant : dict of str to ndarray of bool, default=None
        By model: for the path of one query, whether the row at each rank is relevant.

    Examples
    --------
    >>> from sklearn_rankscore import PrecisionRecallDisplay
    >>> PrecisionRecallDisplay({"a": [1.0, 0.5]}, {"a": [0.5, 1.0]}).relevant is None
    True
    """

    def __init__(
        self,
        precision: Mapping[str, Any],
        recall: Mapping[str, Any],
        relevant: Mapping[str, Any] | None = None,
    ) -> None:
        self.precision, self.recall, self.relevant = dict(precision), dict(recall), relevant

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        qid: Any = None,
        sample_weight: Any = None,
        query: Any = None,
        min_relevance: float | None = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the mean of all queries, or the path of one query, and return the display.

        Parameters
        ----------
        y_true, y_score, qid, sample_weight, name, ax
            As for `MetricAtKDisplay`.
        query : object, default=None
            Id of the query whose path to draw; tied rows keep their order. None: draw the
            interpolated precision at recalls of 0, 0.1, … and 1, averaged over queries.
        min_relevance : float, default=None
            A row is relevant when its grade is at least this; None: above 0.
        """
        models = name_models(y_score, name)
        if query is not None:
            return cls(*_trace_paths(y_true, models, qid, query, min_relevance)).plot(ax)
        levels = np.arange(11) / 10
        settled = [
            get_metric("iprec", recall_level=level, min_relevance=min_relevance).settle()
            for level in levels
        ]
        precision = {}
        for model, scores in models.items():
            found = compute_per_query(settled, y_true, scores, qid, sample_weight=sample_weight)
            _, columns, weight = drop_weightless(*found)
            precision[model] = np.average(columns, axis=1, weights=weight)
        return cls(precision, dict.fromkeys(models, levels)).plot(ax)

    def _draw(self, ax: Any) -> None:
        labels: dict[str, Any] = {}
        for at, (model, precision) in enumerate(self.precision.items()):
            colour, mark = COLOURS[at % len(COLOURS)], MARKS[at % len(MARKS)]
            recall = np.asarray(self.recall[model])
            ax.plot(recall, precision, "-", color=colour, lw=1.2, zorder=1)
            hit = np.ones(len(recall), bool) if self.relevant is None else self.relevant[model]
            hit, height = np.asarray(hit), np.asarray(precision)
            labels[model] = ax.scatter(recall[hit], height[hit], 28, color=colour, marker=mark)
            ax.scatter(
                recall[~hit], height[~hit], 28, facecolors="white", edgecolors=colour, marker=mark
            )
        kind = "interpolated precision" if self.relevant is None else "precision"
        ax.set(xlabel="recall", ylabel=kind, xlim=(-0.03, 1.03), ylim=(-0.03, 1.05))
        ax.grid(alpha=0.3)
        if self.relevant is not None:
            ax.set_title("filled: the row is relevant; hollow: it is not", fontsize="medium")
        if len(self.precision) > 1:
            draw_legend(ax, labels)


def _trace_paths(
    y_true: Any, models: Mapping[str, Any], qid: Any, query: Any, min_relevance: float | None
) -> tuple[dict[str, Array], dict[str, Array], dict[str, Array]]:
    """Follow precision and recall down the ranks of one query; say which rows are relevant."""
    precision, recall, relevant = {}, {}, {}
    for model, scores in models.items():
        explanation = explain(
            y_true,
            scores,
            qid=qid,
            query=query,
            metric="recall",
            ties="first",
            min_relevance=min_relevance,
        )
        table = explanation.tables[0]
        hit = np.array([line[table.columns.index("relevant")] for line in table.lines], dtype=bool)
        found = np.cumsum(hit)
        precision[model] = found / np.arange(1, len(hit) + 1)
        share_of_found = found / max(found.max(initial=0), 1)
        recall[model], relevant[model] = explanation.value * share_of_found, hit
    return precision, recall, relevant
