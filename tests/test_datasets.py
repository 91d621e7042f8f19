"""Generated queries and LETOR files."""

import bz2
import gzip

import numpy as np
import pytest
from conftest import DATA
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score

from sklearn_rankscore import QueryKFold, RankTarget, make_rank_scorer
from sklearn_rankscore.datasets import load_letor, make_interactions, make_ranking


def test_make_ranking_gives_graded_ragged_queries():
    """Shapes, grades, ids in order; the same for the same seed."""
    X, y, qid = make_ranking(200, (3, 9), n_informative=5, n_query_features=2, random_state=1)
    lengths = np.bincount(qid)
    assert X.shape == (len(y), 7) == (lengths.sum(), 7)
    assert set(y) == {0, 1, 2, 3, 4}
    assert lengths.size == 200
    assert set(lengths) == set(range(3, 10))
    assert (np.diff(qid) >= 0).all()
    for query in range(200):
        assert (np.ptp(X[qid == query, 5:], axis=0) == 0).all()
    again = make_ranking(200, (3, 9), n_informative=5, n_query_features=2, random_state=1)
    for one, other in zip((X, y, qid), again, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (make_ranking(200, (3, 9), random_state=2)[1][:50] != y[:50]).any()


def test_its_ranking_can_be_learned():
    """A model beats a constant one by far."""
    X, y, qid = make_ranking(random_state=0)
    target = RankTarget(y, qid=qid)
    scorer, cv = make_rank_scorer("ndcg@10"), QueryKFold(5)
    constant = cross_val_score(Ridge(), np.zeros_like(X), target, scoring=scorer, cv=cv).mean()
    learned = cross_val_score(Ridge(), X, target, scoring=scorer, cv=cv).mean()
    assert learned > constant + 0.1


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_model_with_the_best_rmse_is_not_the_one_with_the_best_ranking(seed):
    """What the package is for, on the embedded default."""
    X, y, qid = make_ranking(random_state=seed)
    search = GridSearchCV(
        HistGradientBoostingRegressor(early_stopping=False, random_state=0),
        {"learning_rate": [0.05, 0.2], "max_leaf_nodes": [4]},
        scoring={
            "ndcg": make_rank_scorer("ndcg@10"),
            "rmse": "neg_root_mean_squared_error",
        },
        refit="ndcg",
        cv=QueryKFold(5),
    ).fit(X, RankTarget(y, qid=qid))
    assert np.argmax(search.cv_results_["mean_test_ndcg"]) == 1
    assert np.argmax(search.cv_results_["mean_test_rmse"]) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_queries": 0},
        {"rows_per_query": (0, 3)},
        {"rows_per_query": (4, 3)},
        {"n_informative": 0},
        {"n_query_features": -1},
    ],
)
def test_make_ranking_refuses_what_is_out_of_range(wrong):
    """At least one of each."""
    with pytest.raises(ValueError, match=f"at least a query.*{next(iter(wrong))}="):
        make_ranking(**wrong)


TEXT = "2 qid:7 1:0.5 3:1 # a comment\n0 qid:7 2:1\n1 qid:9 1:2\n"


def test_make_interactions_is_what_it_says():
    """Lists of different items, each of one user and of one time; the same for a seed."""
    log = make_interactions(30, 50, (1, 3), 20, n_features=4, random_state=1)
    assert log.X.shape == (len(log.y), 5)
    assert log.item_features.shape == (50, 4)
    for values in (log.qid, log.user, log.item, log.times):
        assert values.shape == log.y.shape
    lists = [np.flatnonzero(log.qid == query) for query in np.unique(log.qid)]
    for rows in lists:
        assert len(rows) == len(np.unique(log.item[rows])) == 20
        assert len(np.unique(log.user[rows])) == len(np.unique(log.times[rows])) == 1
    assert (np.diff(log.times) >= 0).all()
    assert np.unique(log.user).size == 30
    assert 1 <= len(lists) / 30 <= 3
    assert set(np.unique(log.y)) <= {0, 1, 2, 3, 4}
    again = make_interactions(30, 50, (1, 3), 20, n_features=4, random_state=1)
    other = make_interactions(30, 50, (1, 3), 20, n_features=4, random_state=2)
    for name in log:
        np.testing.assert_array_equal(log[name], again[name])
    assert not np.array_equal(log.item[:100], other.item[:100])


def test_make_interactions_has_hits_and_a_long_tail():
    """A tenth of the items gets more than a third of what is chosen; taste counts as well."""
    log = make_interactions(random_state=0)
    chosen = np.sort(np.bincount(log.item[log.y > 0], minlength=300))[::-1]
    assert chosen[:30].sum() > chosen.sum() / 3
    assert 0.05 < (log.y > 0).mean() < 0.25
    assert np.corrcoef(log.X[:, 1:].sum(axis=1), log.y)[0, 1] > 0.1
    flat = make_interactions(skew=0.0, random_state=0)
    level = np.sort(np.bincount(flat.item[flat.y > 0], minlength=300))[::-1]
    assert level[:30].sum() < level.sum() / 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_users": 0},
        {"n_items": 10, "rows_per_list": 11},
        {"lists_per_user": (0, 2)},
        {"lists_per_user": (3, 2)},
        {"n_features": 0},
    ],
)
def test_make_interactions_refuses_what_cannot_be(wrong):
    """Named, with what was given."""
    with pytest.raises(ValueError, match="make_interactions needs a user"):
        make_interactions(**wrong)


@pytest.mark.parametrize(
    ("name", "opener"),
    [("rows.txt", open), ("rows.gz", gzip.open), ("rows.bz2", bz2.open)],
)
def test_load_letor_reads_plain_and_compressed_files(tmp_path, name, opener):
    """Grades, ids and sparse features."""
    with opener(tmp_path / name, "wt") as file:
        file.write(TEXT)
    X, y, qid = load_letor(tmp_path / name)
    np.testing.assert_array_equal(X.toarray(), [[0.5, 0, 1], [0, 1, 0], [2, 0, 0]])
    assert y.tolist() == [2, 0, 1]
    assert qid.tolist() == [7, 7, 9]
    assert load_letor(tmp_path / name, n_features=5)[0].shape == (3, 5)
    with pytest.raises(ValueError, match="n_features was set to 2"):
        load_letor(tmp_path / name, n_features=2)


def test_load_letor_reads_real_data():
    """A part of LightGBM's lambdarank example."""
    X, y, qid = load_letor(DATA / "letor" / "first_30_queries.svm")
    assert X.indices.dtype == X.indptr.dtype == np.int32
    assert X.shape == (410, 300)
    assert np.unique(qid).size == 30
    assert set(y) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", ValueError, "holds no rows"),
        ("2 1:0.5\n0 2:1\n", ValueError, "has 0 query ids for 2 rows; each line must read"),
        ("2 qid:1 1:0.5\n0 2:1\n", ValueError, "query ids"),
        ("a,b,c\n1,2,3\n", ValueError, "rows.txt must hold lines .*could not convert"),
    ],
)
def test_load_letor_refuses_other_files(tmp_path, text, error, message):
    """What is wrong, and what was expected."""
    path = tmp_path / "rows.txt"
    path.write_text(text)
    with pytest.raises(error, match=message):
        load_letor(path)
    with pytest.raises(OSError, match="absent"):
        load_letor(tmp_path / "absent.txt")
