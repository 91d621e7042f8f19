"""QueryKFold: GroupKFold that finds the ids itself."""

import numpy as np
import pytest
import sklearn
from conftest import needs
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, check_cv, cross_val_predict, cross_val_score

from sklearn_rankscore import QueryKFold, RankTarget

RNG = np.random.default_rng(0)
QID = RNG.permutation(np.repeat(np.array([f"q{i}" for i in range(17)]), np.arange(1, 18)))
X, Y = RNG.standard_normal((QID.size, 2)), RNG.integers(0, 3, QID.size)


def same(splits, others):
    pairs = list(zip(splits, others, strict=True))
    for (train, test), (other_train, other_test) in pairs:
        np.testing.assert_array_equal(train, other_train)
        np.testing.assert_array_equal(test, other_test)
    assert pairs


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("qid", [QID, np.unique(QID, return_inverse=True)[1] * -7])
def test_folds_are_those_of_group_k_fold(shuffle, qid):
    """Same ids, same folds; no query in two of them."""
    seed = 3 if shuffle else None
    ours = QueryKFold(4, shuffle=shuffle, random_state=seed)
    theirs = list(GroupKFold(4, shuffle=shuffle, random_state=seed).split(X, Y, groups=qid))
    if not shuffle:  # shuffled, GroupKFold draws from the ids themselves
        same(ours.split(X, RankTarget(Y, qid=qid)), theirs)
    same(ours.split(X, Y, qid=qid), ours.split(X, RankTarget(Y, qid=qid)))
    same(ours.split(X, Y, groups=qid), theirs)
    for train, test in ours.split(X, RankTarget(Y, qid=qid)):
        assert not set(qid[train]) & set(qid[test])


def test_ids_without_an_order():
    """Mixed types make folds too."""
    qid = [1, 1, "1", "1", (2,), (2,)]
    for train, test in QueryKFold(3).split(np.zeros((6, 1)), RankTarget(range(6), qid=qid)):
        assert len(train) == 4
        assert len(test) == 2


def test_ids_from_frames():
    """Index levels and columns."""
    pd, pl = needs("pandas"), needs("polars")
    want = list(GroupKFold(3).split(X, Y, groups=QID))
    frame = pd.DataFrame(X, columns=["a", "b"])
    index = pd.Index(QID, name="qid")
    same(QueryKFold(3).split(X, pd.Series(Y, index=index)), want)
    same(QueryKFold(3).split(frame.assign(qid=QID), Y), want)
    same(QueryKFold(3).split(frame.assign(qid=QID)), want)
    same(QueryKFold(3).split(frame.set_index(index), Y), want)
    same(QueryKFold(3, qid="user").split(frame.assign(user=QID), Y), want)
    same(
        QueryKFold(3).split(
            pl.DataFrame(X, schema=["a", "b"]).with_columns(qid=pl.Series(QID)), Y
        ),
        want,
    )


def test_in_scikit_learn():
    """As cv=, routing off and on, cloned and shown."""
    y = RankTarget(Y, qid=QID)
    want = cross_val_score(Ridge(), X, Y, groups=QID, cv=GroupKFold(4))
    np.testing.assert_array_equal(cross_val_score(Ridge(), X, y, cv=QueryKFold(4)), want)
    np.testing.assert_array_equal(
        cross_val_score(Ridge(), X, Y, cv=QueryKFold(4), groups=QID), want
    )
    assert cross_val_predict(Ridge(), X, y, cv=QueryKFold(4)).shape == Y.shape
    assert check_cv(QueryKFold(4)).get_n_splits(X, y) == 4
    assert "qid='user'" in repr(QueryKFold(4, qid="user"))
    assert clone(QueryKFold(4, qid="user"), safe=False).qid == "user"


@pytest.mark.parametrize(
    ("cv", "params"),
    [
        (QueryKFold(4), {"qid": QID}),
        (QueryKFold(4), {"groups": QID}),
        (QueryKFold(4, qid="user"), {"user": QID}),
        (QueryKFold(4, qid="user"), {"id": QID}),
    ],
    ids=["qid", "groups", "by name", "requested"],
)
def test_routed_ids(cv, params):
    """Under the name of the splitter, or of a request."""
    want = cross_val_score(Ridge(), X, Y, groups=QID, cv=GroupKFold(4))
    with sklearn.config_context(enable_metadata_routing=True):
        if "id" in params:
            cv.set_split_request(qid="id")
        scores = cross_val_score(Ridge(), X, Y, cv=cv, params=params)
    np.testing.assert_array_equal(scores, want)


def test_what_cannot_be_split():
    """No ids, too few queries, a wrong length."""
    with pytest.raises(ValueError, match=r"QueryKFold found no query ids.*five ways"):
        next(QueryKFold(3).split(X, Y))
    with pytest.raises(ValueError, match="n_splits=18 greater than the number of groups: 17"):
        next(QueryKFold(18).split(X, RankTarget(Y, qid=QID)))
    with pytest.raises(ValueError, match="not group sizes"):
        next(QueryKFold(3).split(X, Y, qid=np.arange(1, 18)))
    with pytest.raises(TypeError, match=r"must be a name, under which the values"):
        QueryKFold(3, qid=QID)
    with pytest.raises(ValueError, match="lost its ids"):
        next(QueryKFold(3).split(X, RankTarget(Y, qid=QID).reshape(-1)))
