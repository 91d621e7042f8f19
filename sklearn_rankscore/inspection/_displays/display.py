"""What pictures share, by scikit-learn's conventions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from sklearn_rankscore.model_selection._ids.lookup import find_query_ids
from sklearn_rankscore.model_selection._scorers.response import ask_estimator

# Okabe and Ito's colours, which people who are colour-blind tell apart, and marks besides.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKS = "osD^vPX"


class Display:
    """What displays share: axes to draw on, scores of an estimator."""

    figure_: Any = None
    ax_: Any = None

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where; None: on a new figure.

        Returns
        -------
        Display
            Itself.
        """
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

    def _draw(self, ax: Any) -> None:
        raise NotImplementedError

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, qid: Any = None, **options: Any
    ) -> Self:
        """Draw what a fitted estimator gives for rows.

        Parameters
        ----------
        estimator : object or dict of str to object
            Fitted estimators, by their names.
        X, y : array-like
            Rows and their grades.
        qid : array-like of shape (n_rows,), default=None
            Query ids; None: found on y or X, as a scorer finds them.
        **options
            As for `from_predictions`.

        Returns
        -------
        Display
            Drawn.
        """
        named = isinstance(estimator, Mapping)
        estimators = estimator if named else {type(estimator).__name__: estimator}
        ids = find_query_ids("qid", X, y, qid, cls.__name__)
        scores = {name: ask_estimator(model, X, "auto") for name, model in estimators.items()}
        drawn: Any = cls
        return drawn.from_predictions(np.asarray(y), scores, qid=ids, **options)  # type: ignore[no-any-return]
