"""From any fitted estimator to one number per row, by which its rows are ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._validation import Array

RESPONSE_METHODS = ("auto", "predict", "decision_function", "predict_proba")


def response(estimator: Any, X: Any, method: str = "auto") -> Array:
    """Score of each row, shape (n_rows,), higher is better.

    A regressor or ranker says ``predict``. A classifier of two grades says ``decision_function``,
    else the probability of the higher one; of more grades, the expected grade
    sum of p(grade) * grade. Never the predicted class, which ties most rows.
    """
    if method == "auto":
        method = _method_of(estimator)
    if not hasattr(estimator, method):
        hint = (
            "a classifier of more than two grades is ranked by its expected grade; "
            "sklearn.calibration.CalibratedClassifierCV gives it probabilities"
            if method == "predict_proba"
            else "a ranking needs predict, decision_function or predict_proba"
        )
        raise ValueError(
            f"{type(estimator).__name__} has no {method}, so its rows cannot be ranked: {hint}."
        )
    scores = np.asarray(getattr(estimator, method)(X))
    if method == "predict_proba" and scores.ndim == 2:
        return _expected_grade(scores, getattr(estimator, "classes_", None))
    if scores.ndim == 2 and scores.shape[1] == 1:
        return scores.ravel()
    if scores.ndim != 1:
        raise ValueError(
            f"{type(estimator).__name__}.{method} must give one score per row to rank by. "
            f"Got shape {scores.shape} instead."
        )
    return scores


def _method_of(estimator: Any) -> str:
    try:
        classifies = is_classifier(estimator)
    except AttributeError:  # an estimator without scikit-learn's tags
        classifies = False
    if not classifies:
        return "predict"
    two_grades = len(getattr(estimator, "classes_", ())) == 2
    decides = two_grades and hasattr(estimator, "decision_function")
    return "decision_function" if decides else "predict_proba"


def _expected_grade(proba: Array, classes: Any) -> Array:
    grades = np.asarray(classes)
    if grades.shape != (proba.shape[1],):
        raise ValueError(
            f"predict_proba gives {proba.shape[1]} columns for the classes {classes!r}; a "
            "classifier needs one column per class to be ranked by its expected grade."
        )
    if grades.dtype.kind not in "biuf":
        raise ValueError(
            "A classifier is ranked by its expected grade, so that its classes must be numbers. "
            f"Got classes {classes!r} instead."
        )
    # Two classes are ranked alike by the probability of the higher, to the last bit.
    if len(grades) == 2:
        return np.asarray(proba[:, 1])
    return np.asarray(proba @ grades.astype(np.float64))
