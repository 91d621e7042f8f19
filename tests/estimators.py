"""Estimators of the tests, where worker processes can import them."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class ByColumn(RegressorMixin, BaseEstimator):
    """Ranks by one column of X; counts its predictions. Column 1 is the good one."""

    calls = 0

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y, sample_weight=None):
        assert type(np.asarray(y)) is np.ndarray
        self.fitted_ = True
        return self

    def predict(self, X):
        type(self).calls += 1
        return np.asarray(X)[:, self.column].astype(float)


class Blend(ByColumn):
    """Ranks by a blend of the good column and noise; the more weight, the better."""

    def __init__(self, weight=0.5):
        self.weight = weight

    def predict(self, X):
        X = np.asarray(X)[:, :3].astype(float)
        return self.weight * X[:, 1] + 3 * (1 - self.weight) * X[:, 2]


class Iterated(ByColumn):
    """Has a resource that a halving search can spend."""

    def __init__(self, column=0, max_iter=1):
        super().__init__(column)
        self.max_iter = max_iter


class Remembering(ByColumn):
    """Remembers what it has predicted."""

    predicted: list = []  # noqa: RUF012 - shared by all clones

    def predict(self, X):
        scores = super().predict(X)
        self.predicted.append(scores)
        return scores


class Sum(RegressorMixin, BaseEstimator):
    """Ranks by the sum of the columns; their importance is how they correlate with the grades."""

    def fit(self, X, y):
        X = np.asarray(X, dtype=float)
        self.coef_ = np.array([abs(np.corrcoef(column, y)[0, 1]) for column in X.T])
        return self

    def predict(self, X):
        return np.asarray(X, dtype=float).sum(axis=1)


class Threshold(ClassifierMixin, BaseEstimator):
    """Classifies by column 1 of X, its probability a logistic function of it."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        high = 1 / (1 + np.exp(-np.asarray(X)[:, 1].astype(float)))
        return np.column_stack([1 - high, high])

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]
