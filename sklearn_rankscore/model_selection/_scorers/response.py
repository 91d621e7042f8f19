"""Ask any fitted estimator for one score per row, to rank the rows by."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector

from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array

RESPONSE_METHODS = ("auto", "predict", "decision_function", "predict_proba")


def ask_estimator(estimator: Any, X: Any, method: str = "auto") -> Array:
    """Ask a fitted estimator for the score of each row, shape (n_rows,), higher is better.

    With "auto", a regressor or ranker answers with ``predict``. A classifier of two grades answers
    with ``decision_function`` or, without one, with the probability of the higher grade. With
    more grades it answers with the expected grade, sum of p(grade) * grade; never with predicted
    classes, as they tie most rows. An outlier detector answers with ``decision_function``.
    """
    if method == "auto":
        method = _choose_method(estimator)
    if not hasattr(estimator, method):
        hint = (
            "a classifier of more than two grades is ranked by its expected grade; "
            "sklearn.calibration.CalibratedClassifierCV gives it probabilities"
            if method == "predict_proba" and hasattr(estimator, "classes_")
            else "a ranking needs predict, decision_function or predict_proba"
        )
        raise ValueError(
            f"{type(estimator).__name__} has no {method}, so its rows cannot be ranked: {hint}."
        )
    answer = getattr(estimator, method)(X)
    if isinstance(answer, list) and len({np.shape(part) for part in answer}) > 1:
        raise ValueError(
            f"{type(estimator).__name__}.{method} gives {len(answer)} arrays, one per output. "
            "A ranking needs an estimator of one output."
        )
    scores = np.asarray(answer)
    if method == "predict_proba" and scores.ndim == 2:
        return _expect_grade(scores, getattr(estimator, "classes_", None))
    if method == "decision_function" and len(getattr(estimator, "classes_", ())) == 2:
        low, high = _read_grades(estimator.classes_)  # the decision is for the second class
        scores = scores if low < high else -scores
    if scores.ndim == 2 and scores.shape[1] == 1:
        return scores.ravel()
    if scores.ndim != 1:
        raise ValueError(
            f"{type(estimator).__name__}.{method} must give one score per row to rank by. "
            f"Got shape {scores.shape} instead."
        )
    return scores


def _choose_method(estimator: Any) -> str:
    n_classes = len(getattr(estimator, "classes_", ()))
    if n_classes == 2 and hasattr(estimator, "decision_function"):
        return "decision_function"
    if n_classes or has_tag(is_classifier, estimator):
        return "predict_proba"
    return "decision_function" if has_tag(is_outlier_detector, estimator) else "predict"


def has_tag(kind: Callable[[Any], bool], estimator: Any) -> bool:
    """Whether scikit-learn's tags say that an estimator is of this kind."""
    try:
        return kind(estimator)
    except AttributeError:  # an estimator without scikit-learn's tags
        return False


def _expect_grade(proba: Array, classes: Any) -> Array:
    if np.shape(classes) != (proba.shape[1],):
        raise ValueError(
            f"predict_proba gives {proba.shape[1]} columns for the classes {describe(classes)}; a "
            "classifier needs one column per class to be ranked by its expected grade."
        )
    grades = _read_grades(classes)
    if len(grades) == 2:  # ranked alike by the probability of the higher, to the last bit
        return np.asarray(proba[:, grades.argmax()])
    return np.asarray(proba @ grades)


def _read_grades(classes: Any) -> Array:
    grades = np.asarray(classes)
    if grades.dtype == object:
        grades = np.asarray(grades.tolist())
    if grades.dtype.kind not in "biuf":
        raise ValueError(
            "A classifier is ranked by the grades that its classes are, so that they must be "
            f"numbers. Got classes {describe(classes)} instead."
        )
    return grades.astype(np.float64)
