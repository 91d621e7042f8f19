"""Estimators of scikit-learn that score within their own fit, each compared by hand."""

import numpy as np
from carriers import by_hand, close, folds
from consumers import BINARY, CV, NOISY, QID, SCORER, X, Y, consumer
from estimators import Sum
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, Ridge, RidgeCV
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from sklearn_rankscore import make_rank_scorer


@consumer("SequentialFeatureSelector", X=NOISY)
def _(c):
    selector = SequentialFeatureSelector(Sum(), n_features_to_select=1, scoring=SCORER, cv=CV)
    c.call(selector.fit)
    assert selector.get_support().tolist() == [False, True, False, False]


@consumer("RFECV", X=NOISY)
def _(c):
    selector = RFECV(Sum(), scoring=SCORER, cv=CV)
    c.call(selector.fit)
    for fold, (train, test) in enumerate(folds(QID)):
        best = np.argsort(-Sum().fit(NOISY[train], Y[train]).coef_)
        sums = [NOISY[test][:, best[:n]].sum(axis=1) for n in range(1, 5)]
        want = [by_hand(Y[test], predicted, QID[test]) for predicted in sums]
        close(selector.cv_results_[f"split{fold}_test_score"], want)
    assert selector.support_.tolist() == [False, True, False, False]


ALPHAS = [1e6, 1.0, 100.0]


@consumer("RidgeCV(cv=…)")
def _(c):
    model = RidgeCV(ALPHAS, scoring=SCORER, cv=CV)
    c.call(model.fit)
    # A column of ids is a feature like any other, unless the model drops it.
    features = np.asarray(c.X, dtype=float)
    means = []
    for alpha in ALPHAS:
        scores = []
        for train, test in folds(QID):
            predicted = Ridge(alpha=alpha).fit(features[train], Y[train]).predict(features[test])
            scores.append(by_hand(Y[test], predicted, QID[test]))
        means.append(np.mean(scores))
    close(model.best_score_, max(means))
    assert model.alpha_ == ALPHAS[int(np.argmax(means))]


@consumer("RidgeCV")
def _(c):
    model = RidgeCV(ALPHAS, scoring=SCORER)
    c.call(model.fit)
    left_out = [
        by_hand(Y, cross_val_predict(Ridge(alpha=alpha), X, Y, cv=LeaveOneOut()), QID)
        for alpha in ALPHAS
    ]
    close(model.best_score_, max(left_out))
    assert model.alpha_ == ALPHAS[int(np.argmax(left_out))]


@consumer("LogisticRegressionCV", y=BINARY)
def _(c):
    settings = {"tol": 1e-10, "max_iter": 10_000}
    cs = [1e-6, 1.0]
    # Before scikit-learn 1.8 it hands its scorer the classes -1 and 1.
    scorer = make_rank_scorer("ndcg@10", gain={-1: 0, 0: 0, 1: 1})
    model = LogisticRegressionCV(Cs=cs, scoring=scorer, cv=CV, **settings)
    c.call(model.fit)
    scores = (
        next(iter(model.scores_.values())) if isinstance(model.scores_, dict) else model.scores_
    )
    for fold, (train, test) in enumerate(folds(QID)):
        for at, C in enumerate(cs):
            fitted = LogisticRegression(C=C, **settings).fit(X[train], BINARY[train])
            decision = fitted.decision_function(X[test])
            close(scores[fold, at], by_hand(BINARY[test], decision, QID[test]))


@consumer("HistGradientBoosting, early stopping")
def _(c):
    c.call(HistGradientBoostingRegressor(scoring=SCORER, early_stopping=True).fit)
