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
    with pytest.raises(ValueError, match=r"QueryKFold found no query ids.*RankTarget\(y, qid=…\)"):
        next(QueryKFold(3).split(X, Y))
    with pytest.raises(ValueError, match=r"n_splits=18 needs as many queries\. Got 17"):
        next(QueryKFold(18).split(X, RankTarget(Y, qid=QID)))
    with pytest.raises(ValueError, match="not group sizes"):
        next(QueryKFold(3).split(X, Y, qid=np.arange(1, 18)))
    with pytest.raises(TypeError, match=r"must be a name, under which the values"):
        QueryKFold(3, qid=QID)
    with pytest.raises(ValueError, match="lost its ids"):
        next(QueryKFold(3).split(X, RankTarget(Y, qid=QID).reshape(-1)))


SIZES = [8, 2, 2, 2, 2, 2, 2, 2, 2]


def uneven():
    """Nine queries, one of them large."""
    qid = np.repeat(np.arange(9), SIZES)
    return np.zeros((len(qid), 1)), RankTarget(np.zeros(len(qid)), qid=qid), qid


def test_folds_have_equal_numbers_of_queries():
    """A large query is no fold of its own; rows are as equal as that allows."""
    X_, y, qid = uneven()
    tests = [test for _, test in QueryKFold(3).split(X_, y)]
    assert [len(set(qid[test])) for test in tests] == [3, 3, 3]
    assert sorted(map(len, tests)) == [6, 6, 12]
    assert sorted(np.concatenate(tests).tolist()) == list(range(len(qid)))
    by_rows = [len(set(qid[test])) for _, test in QueryKFold(3, balance="rows").split(X_, y)]
    assert sorted(by_rows) == [1, 4, 4]


def test_rows_are_balanced_among_folds_of_equal_queries():
    """In each round the largest query goes to the fold with the fewest rows."""
    qid = np.repeat(np.arange(6), [9, 8, 7, 3, 2, 1])
    tests = [test for _, test in QueryKFold(3).split(qid, RankTarget(qid, qid=qid))]
    assert [len(test) for test in tests] == [10, 10, 10]


def test_repeats_shuffle_anew():
    """Each repeat has all rows once; a seed gives the same folds again."""
    X_, y, _ = uneven()
    cv = QueryKFold(3, n_repeats=2, random_state=0)
    folds = [test.tolist() for _, test in cv.split(X_, y)]
    assert cv.get_n_splits() == len(folds) == 6
    for repeat in (folds[:3], folds[3:]):
        assert sorted(row for test in repeat for row in test) == list(range(len(X_)))
    assert folds[:3] != folds[3:]
    assert [test.tolist() for _, test in cv.split(X_, y)] == folds


def test_stratified_folds_share_the_labels():
    """Each fold has as many queries of each country."""
    qid = np.repeat(np.arange(12), 2)
    country = np.array(["x", "x", "y"])[qid % 3]
    y = RankTarget(qid, qid=qid, country=country)
    for _, test in QueryKFold(4, stratify="country").split(qid, y):
        assert sorted(country[test][::2]) == ["x", "x", "y"]
    with pytest.raises(ValueError, match="must be the same on all rows of a query"):
        next(QueryKFold(4, stratify="odd").split(qid, RankTarget(qid, qid=qid, odd=np.arange(24))))
    with pytest.raises(ValueError, match="found no 'land'"):
        next(QueryKFold(4, stratify="land").split(qid, y))
    with pytest.raises(ValueError, match="'balance' parameter must be one of"):
        QueryKFold(3, balance="users")
    for other in ({"shuffle": True}, {"n_repeats": 2}, {"stratify": "country"}):
        with pytest.raises(ValueError, match="it goes with no shuffle, n_repeats or stratify"):
            QueryKFold(3, balance="rows", **other)


def test_groups_and_labels_are_one_per_row():
    """Of another length, or missing, they are errors by their own name."""
    with pytest.raises(
        ValueError, match=r"groups must have one value per row\. Got 3 values for 6"
    ):
        next(QueryKFold(2).split(np.zeros((6, 1)), None, groups=[1, 2, 3]))
    y = RankTarget(np.ones(4), qid=[1, 2, 3, 4], country=np.array(["a", None, "b", "b"], object))
    with pytest.raises(ValueError, match="country must not be missing: row 1 has none"):
        next(QueryKFold(2, stratify="country").split(np.zeros((4, 1)), y))
