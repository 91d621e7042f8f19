"""Rankers of the tests: each hears of its queries in one dialect, and remembers what it heard."""

import numpy as np
from sklearn.base import BaseEstimator


class _Ranker(BaseEstimator):
    def __init__(self, column=1):
        self.column = column

    def remember(self, X, y, **heard):
        self.heard_ = {"X": X, "y": y, **heard}
        self.n_features_in_ = X.shape[1] if hasattr(X, "shape") else len(X[0])
        self.feature_importances_ = np.arange(self.n_features_in_)
        return self

    def predict(self, X):
        return np.asarray(X)[:, self.column].astype(float)


class SizesRanker(_Ranker):
    """As LightGBM: sizes of the groups, in the order of the rows."""

    def fit(
        self,
        X,
        y,
        sample_weight=None,
        init_score=None,
        group=None,
        eval_set=None,
        eval_group=None,
        eval_sample_weight=None,
        callbacks=None,
    ):
        heard = {name: value for name, value in locals().items() if name not in ("self", "X", "y")}
        assert np.sum(group) == X.shape[0]
        return self.remember(X, y, **heard)


class IdsRanker(_Ranker):
    """As XGBoost: sorted integer ids, a weight for each query."""

    def fit(
        self,
        X,
        y,
        *,
        group=None,
        qid=None,
        sample_weight=None,
        eval_set=None,
        eval_qid=None,
        sample_weight_eval_set=None,
    ):
        heard = {name: value for name, value in locals().items() if name not in ("self", "X", "y")}
        assert heard.pop("group") is None
        assert (np.diff(qid) >= 0).all()
        return self.remember(X, y, **heard)


class GroupIdRanker(_Ranker):
    """As CatBoost: ids of which each is in one piece."""

    def fit(self, X, y, group_id=None, sample_weight=None, baseline=None):
        runs = 1 + np.count_nonzero(np.diff(group_id))
        assert runs == len(np.unique(group_id))
        return self.remember(
            X, y, group_id=group_id, sample_weight=sample_weight, baseline=baseline
        )
