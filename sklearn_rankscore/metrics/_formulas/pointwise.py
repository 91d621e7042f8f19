"""How far are the scores from the grades? The measure of a regression, to stand beside others."""

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._rows.validation import LARGEST


def rmse(r: Ranking) -> Array:
    """RMSE: root mean squared error of the scores, as predictions of the grades.

    RMSE = sqrt(mean of (score - grade)²) over all rows of all queries together. RMSE misleads if
    the scores are used to rank. A constant added to all scores of a query changes RMSE, but not
    the order. An error far down the list costs as much as one at the top. A model that is closer
    to the mean grade of each query may order its rows worse. Show RMSE beside nDCG, but do not
    choose a model by it.

    Less is better: a scorer negates it. It has no value per query, and needs no query ids. A score
    of -inf is an error.

    Range: 0 upwards, in units of grade. Always defined.

    References
    ----------
    `sklearn.metrics.root_mean_squared_error`.

    Examples
    --------
    >>> from sklearn_rankscore import rmse
    >>> rmse([3, 1], [1, 3], qid=[7, 7])
    2.0
    """
    errors = np.where(r.present, r.score.astype(np.float64) - r.grade, 0.0)
    if not (np.abs(errors) <= LARGEST).all():
        raise ValueError(
            f"y_score must be finite for rmse, and no error above {LARGEST:g}. Leave out rows "
            "that were not retrieved."
        )
    return np.array([r.weight @ (errors**2).sum(axis=1), r.weight @ r.n_rows])


def take_root_of_mean(sums: Array) -> float:
    """Compute RMSE from the sums of squares and of weights."""
    return float(np.sqrt(sums[0] / sums[1]))
