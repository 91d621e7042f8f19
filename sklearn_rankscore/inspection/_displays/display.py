"""What all displays share: axes, colours, drawing the scores of an estimator."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from sklearn_rankscore._foreign import check_same_order
from sklearn_rankscore.metrics._rows.rows import find_carried
from sklearn_rankscore.model_selection._ids.lookup import find_query_ids
from sklearn_rankscore.model_selection._scorers.response import ask_estimator

# The colours of Okabe and Ito, which colour-blind people can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKS = "osD^vPX"


class Display(ABC):
    """Base of all displays: it finds axes to draw on (`ax_`, `figure_`) and scores to draw."""

    figure_: Any = None
    ax_: Any = None

    def plot(self, ax: Any = None) -> Self:
        """Draw on these axes of matplotlib (None: those of a new figure); return the display."""
        if ax is None:
            try:
                import matplotlib.pyplot as plt  # noqa: PLC0415 - only to plot
            except ImportError as error:
                raise ImportError(
                    f"{type(self).__name__} draws with matplotlib: pip install matplotlib"
                ) from error

            _, ax = plt.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on these axes."""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, qid: Any = None, **options: Any
    ) -> Self:
        """Score the rows with fitted estimators, draw the display and return it.

        Parameters
        ----------
        estimator : object or dict of str to object
            A fitted estimator, or several by their names.
        X, y : array-like
            Rows and their grades.
        qid : array-like of shape (n_rows,), default=None
            Query ids. None: `y` or `X` carry them, where a scorer finds them too.
        **options
            Parameters of `from_predictions`.
        """
        estimators = estimator
        if not isinstance(estimator, Mapping):
            estimators = {type(estimator).__name__: estimator}
        ids = find_query_ids("qid", X, y, qid, cls.__name__)
        scores = {name: ask_estimator(model, X, "auto") for name, model in estimators.items()}
        options.setdefault("sample_weight", find_carried(y, "sample_weight"))
        check_same_order(X=X, y=y, sample_weight=options["sample_weight"])
        drawn: Any = cls
        return drawn.from_predictions(np.asarray(y), scores, qid=ids, **options)  # type: ignore[no-any-return]


def draw_legend(ax: Any, labels: Mapping[str, Any]) -> None:
    """Name what was drawn, letter by letter: "_" hides no name, and "$" begins no formula."""
    legend = ax.legend(labels.values(), ["name"] * len(labels))
    texts = [*legend.get_texts(), ax.xaxis.label, ax.yaxis.label]
    for text, name in zip(legend.get_texts(), labels, strict=True):
        text.set_text(name)
    for text in texts:
        text.set_parse_math(False)
