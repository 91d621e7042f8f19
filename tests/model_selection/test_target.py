"""RankTarget: ids that are cut along with y."""

import copy
import pickle

import numpy as np
import pytest
from conftest import needs
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, train_test_split
from sklearn.utils import shuffle

from sklearn_rankscore import RankTarget

Y = np.array([2, 0, 1, 0, 3, 1])
QID = np.array(["a", "b", "a", "c", "b", "a"])


def target():
    return RankTarget(Y, qid=QID, item=np.arange(6))


@pytest.mark.parametrize(
    "key",
    [
        slice(1, 5, 2),
        [3, 0, 0],
        np.array([5, 1]),
        np.array([True, False, True, False, False, True]),
        (np.array([4, 2]), Ellipsis),
        (Ellipsis, slice(2)),
        Ellipsis,
        np.array([], dtype=int),
    ],
)
def test_rows_are_chosen_ids_and_all(key):
    """Every way to pick rows, as scikit-learn or people do, picks their ids as well."""
    picked = target()[key]
    assert isinstance(picked, RankTarget)
    np.testing.assert_array_equal(picked, Y[key])
    np.testing.assert_array_equal(picked.qid, QID[key])
    np.testing.assert_array_equal(picked.metadata["item"], np.arange(6)[key])


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        pytest.param(lambda y: y.take([4, 1]), [4, 1], id="take"),
        pytest.param(lambda y: y.astype(float), [*range(6)], id="astype"),
        pytest.param(copy.copy, [*range(6)], id="copy"),
        pytest.param(copy.deepcopy, [*range(6)], id="deepcopy"),
        pytest.param(lambda y: pickle.loads(pickle.dumps(y)), [*range(6)], id="pickle"),
        pytest.param(
            lambda y: pickle.loads(pickle.dumps(y[2:])), [*range(2, 6)], id="pickle of a part"
        ),
    ],
)
def test_methods_that_keep_rows_keep_their_ids(change, rows):
    """Grades, ids and other metadata stay together."""
    other = change(target())
    np.testing.assert_array_equal(other, Y[rows])
    np.testing.assert_array_equal(other.qid, QID[rows])
    np.testing.assert_array_equal(other.metadata["item"], rows)


def test_astype_changes_the_dtype():
    """The grades become floats."""
    assert target().astype(float).dtype == np.float64


def test_metadata_may_have_any_name():
    """No name that a call can pass is taken."""
    y = RankTarget(Y, qid=QID, row=Y * 2, size=Y * 3)[[5, 0, 2]]
    assert y.metadata.keys() == {"row", "size"}
    np.testing.assert_array_equal(y.metadata["row"], Y[[5, 0, 2]] * 2)
    assert y.cut_queries().tolist() == []


def test_a_single_row_is_its_grade():
    """Picking one row gives a plain number."""
    assert target()[4] == 3
    assert not isinstance(target()[4], np.ndarray)


@pytest.mark.parametrize(
    "compute",
    [
        pytest.param(lambda y: y + 1, id="sum"),
        pytest.param(lambda y: -y, id="negative"),
        pytest.param(lambda y: y == 2, id="comparison"),
        pytest.param(np.log1p, id="log1p"),
        pytest.param(lambda y: 2 * y, id="product"),
    ],
)
def test_arithmetic_gives_plain_arrays(compute):
    """The result of arithmetic is no target."""
    assert type(compute(target())) is np.ndarray


def test_arithmetic_gives_the_numbers_of_plain_arrays():
    """NumPy computes with a target, or with a target as mask, as with its grades."""
    assert target().sum() == 7
    assert target().max() == 3
    np.testing.assert_array_equal(np.unique(target()), [0, 1, 2, 3])
    np.testing.assert_array_equal(np.add(Y, 1, where=target() > 0, out=Y * 0), (Y + 1) * (Y > 0))
    assert np.sum(Y, where=RankTarget(Y > 1, qid=QID)) == 5


@pytest.mark.parametrize(
    "lose",
    [
        pytest.param(lambda y: y.reshape(2, 3), id="reshape"),
        pytest.param(lambda y: np.concatenate([y, y]), id="concatenate"),
        pytest.param(lambda y: y.ravel(), id="ravel"),
    ],
)
def test_what_loses_rows_loses_ids(lose):
    """Reshaped or joined arrays have no ids rather than wrong ones."""
    assert getattr(lose(target()), "qid", None) is None


def test_a_target_without_ids_says_so():
    """Its repr tells that the ids were lost."""
    assert "ids lost" in repr(target().reshape(2, 3))


def test_functions_that_sort_a_copy_work():
    """NumPy's and scikit-learn's own calls reach no grade in place."""
    np.testing.assert_array_equal(np.sort(target()), np.sort(Y))
    np.testing.assert_array_equal(np.partition(target(), 2)[2], np.sort(Y)[2])
    np.testing.assert_array_equal(np.unique(target()), np.unique(Y))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda y: np.random.default_rng(0).shuffle(y), id="Generator.shuffle"),
        pytest.param(lambda y: np.random.RandomState(0).shuffle(y), id="RandomState.shuffle"),
        pytest.param(lambda y: y.__setitem__(0, 3), id="assignment"),
        pytest.param(lambda y: y.__iadd__(1), id="+="),
        pytest.param(lambda y: y.sort(), id="sort"),
        pytest.param(lambda y: y.partition(2), id="partition"),
        pytest.param(lambda y: copy.copy(y[::-1]).put([0], 3), id="put into a copy of a view"),
        pytest.param(lambda y: y[::-1].put([0], 3), id="put into a view"),
    ],
)
def test_grades_cannot_be_changed_in_place(change):
    """They would move away from their ids."""
    y = target()
    with pytest.raises(ValueError, match="read-only"):
        change(y)
    np.testing.assert_array_equal(y, Y)


def test_grades_cannot_move_away_from_their_ids():
    """Neither a view nor the arrays that the caller gave reach inside."""
    own_ids, own_grades = QID.copy(), Y.copy()
    y = RankTarget(own_grades, qid=own_ids)
    own_ids[:], own_grades[:] = "z", 0
    np.testing.assert_array_equal(y.qid, QID)
    np.testing.assert_array_equal(y, Y)
    assert np.median(target()) == 1
    # A copy by NumPy's own word is a plain array to be written to, as pandas does.
    plain = y.copy()
    plain[0] = 3
    assert type(plain) is np.ndarray
    into = np.empty(2, dtype=Y.dtype)
    np.take(y, [4, 1], out=into)
    np.testing.assert_array_equal(into, Y[[4, 1]])
    y.shape = (2, 3)
    assert y.qid is None


def test_scikit_learn_cuts_it_into_folds():
    """train_test_split, GroupKFold and shuffle keep grades and ids together."""
    X = np.arange(6)[:, None]
    parts = train_test_split(X, target(), random_state=0)
    shuffled = shuffle(X, target(), random_state=0)
    for rows, y in [(parts[0], parts[2]), (parts[1], parts[3]), shuffled]:
        np.testing.assert_array_equal(y, Y[rows.ravel()])
        np.testing.assert_array_equal(y.qid, QID[rows.ravel()])
    for train, test in GroupKFold(3).split(X, target(), groups=QID):
        assert not set(target()[train].qid) & set(target()[test].qid)


def test_models_see_plain_grades():
    """Fitting on a RankTarget is fitting on the array."""
    X = np.arange(12.0).reshape(6, 2)
    np.testing.assert_array_equal(Ridge().fit(X, target()).coef_, Ridge().fit(X, Y).coef_)
    model = LogisticRegression().fit(X, target())
    np.testing.assert_array_equal(model.classes_, [0, 1, 2, 3])


def test_cut_queries_are_those_without_all_their_rows():
    """A query counts as cut if rows of it are missing or repeated."""
    y = target()
    assert y.cut_queries().tolist() == []
    assert y[[1, 4, 3]].cut_queries().tolist() == []
    assert y[[0, 1, 4]].cut_queries().tolist() == ["a"]
    assert y[[0, 1, 4]][1:].cut_queries().tolist() == []
    assert y[[1, 1, 4]].cut_queries().tolist() == ["b"]
    assert y[[1, 1, 3]].cut_queries().tolist() == ["b"]  # as many rows, but not the same
    assert y[:0].cut_queries().tolist() == []


@pytest.mark.parametrize(
    "qid",
    [[2**63, 2**63 + 1, -1], ["a", "a\0", "b"], [True, 1.5, None.__class__]],
    ids=["beyond int64", "text with NUL", "mixed"],
)
def test_ids_come_back_as_they_were(qid):
    """No id is cast."""
    assert RankTarget([1, 2, 3], qid=qid).qid.tolist() == qid


def test_ids_of_any_kind():
    """Ids may be mixed types, tuples, a range, or a column of pandas."""
    assert RankTarget([1, 2], qid=[1, "1"]).qid.tolist() == [1, "1"]
    assert RankTarget([1, 2], qid=[("u", 1), ("u", 2)])[1:].qid.tolist() == [("u", 2)]
    assert RankTarget([1, 2], qid=range(2)).qid.tolist() == [0, 1]
    assert RankTarget([[1], [2]], qid=[1, 2]).shape == (2,)
    again = RankTarget(target(), qid=QID[::-1])
    assert again.qid.tolist() == QID[::-1].tolist()
    pd = needs("pandas")
    frame = pd.DataFrame({"y": Y, "q": pd.Categorical(QID)}, index=range(6, 0, -1))
    y = RankTarget(frame["y"], qid=frame["q"])
    assert y[3:].qid.tolist() == QID[3:].tolist()


def test_it_shows_grades_and_queries():
    """The repr is short, whatever the length."""
    assert repr(target()) == "RankTarget([2, 0, 1, 0, 3, 1], 3 queries)"
    assert len(repr(RankTarget(np.zeros(10**5), qid=np.arange(10**5)))) < 200
    assert str(target()[:2]) == "[2 0]"


@pytest.mark.parametrize(
    ("y", "metadata", "message"),
    [
        ([1, 2], {"qid": [1]}, "qid must have one value per row. Got 1 values for 2 rows"),
        ([1, 2], {"qid": [1, None]}, "row 1 has no query id"),
        ([1, np.nan], {"qid": [1, 1]}, "y_true must not be missing"),
        (["a", "b"], {"qid": [1, 1]}, "y_true must hold real numbers"),
        (
            [[1, 2], [3, 4]],
            {"qid": [1, 1]},
            r"y must be flat, shape \(n_rows,\). Got shape \(2, 2",
        ),
        ([1, 2], {"qid": [1, 1], "item": [1]}, "item must have one value per row. Got 1 values"),
        ([1, 2], {"qid": [1, 1], "item": np.ones((2, 2))}, "item must have one value per row"),
    ],
)
def test_bad_targets_are_refused_when_they_are_made(y, metadata, message):
    """The error comes at once, not first when they are scored."""
    with pytest.raises(ValueError, match=message):
        RankTarget(y, **metadata)
