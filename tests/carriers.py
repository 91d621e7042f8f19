"""Data of the tests for searches, each way in which its query ids can travel, scores by hand."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sklearn
from conftest import needs
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GroupKFold

from sklearn_rankscore import RankTarget


def make_data(seed=0, n_queries=30, n_rows=8):
    """Rows of a query apart from each other; column 0 is constant, 1 is good, 2 is noise."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_queries) * 7 - 50, n_rows))
    y = rng.integers(0, 4, qid.size)
    noise = rng.standard_normal((2, qid.size))
    return np.column_stack([np.zeros(qid.size), y + noise[0], noise[1]]), y, qid


@dataclass
class Carried:
    """The same rows, their ids in one place; calls are made with routing as the place needs."""

    X: Any
    y: Any
    params: dict[str, Any] = field(default_factory=dict)
    routing: bool = False

    def call(self, function, *args, **kwargs):
        """Call with X, y and, where ids are routed, the ids."""
        with sklearn.config_context(enable_metadata_routing=self.routing):
            return function(*args, self.X, self.y, **self.params, **kwargs)

    def validate(self, function, estimator, **kwargs):
        """Call a function of model_selection, which takes what is routed as a dict."""
        with sklearn.config_context(enable_metadata_routing=self.routing):
            return function(estimator, self.X, self.y, params=self.params or None, **kwargs)


def _frame(X):
    return needs("pandas").DataFrame(X, columns=list("abcdefgh")[: X.shape[1]])


def _polars(X, qid):
    pl = needs("polars")
    frame = pl.DataFrame(X, schema=list("abcdefgh")[: X.shape[1]])
    return frame.with_columns(qid=pl.Series(qid))


def _index(qid):
    return needs("pandas").Index(qid, name="qid")


CARRIERS = {
    "routed": lambda X, y, qid: Carried(X, y, {"qid": qid}, routing=True),
    "RankTarget": lambda X, y, qid: Carried(X, RankTarget(y, qid=qid)),
    "y index": lambda X, y, qid: Carried(X, needs("pandas").Series(y, index=_index(qid))),
    "X column": lambda X, y, qid: Carried(_frame(X).assign(qid=qid), y),
    "X column, polars": lambda X, y, qid: Carried(_polars(X, qid), y),
    "X index": lambda X, y, qid: Carried(_frame(X).set_index(_index(qid)), y),
}


def by_hand(y, score, qid, k=10):
    """Mean over queries of scikit-learn's nDCG, which has no value for a single row."""
    values = []
    for rows in (qid == query for query in np.unique(qid)):
        single = rows.sum() == 1
        values.append(
            float(y[rows][0] > 0) if single else ndcg_score([y[rows]], [score[rows]], k=k)
        )
    return np.mean(values)


def folds(qid, n_splits=3):
    """Row numbers of folds of whole queries, by scikit-learn."""
    return list(GroupKFold(n_splits).split(qid, qid, groups=qid))


def folds_by_hand(y, score, qid, n_splits=3, k=10):
    """Score of each fold."""
    return [by_hand(y[test], score[test], qid[test], k) for _, test in folds(qid, n_splits)]


def close(got, want):
    """Equal to 1e-12."""
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-12)
