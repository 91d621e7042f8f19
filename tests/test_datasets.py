"""Generated queries and LETOR files."""

from __future__ import annotations

import bz2
import gzip

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score

from sklearn_rankscore import QueryKFold, RankTarget, make_rank_scorer
from sklearn_rankscore.datasets import load_letor, make_ranking


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


def test_load_letor_reads_plain_and_compressed_files(tmp_path):
    """Grades, ids and sparse features."""
    for name, opener in (("rows.txt", open), ("rows.gz", gzip.open), ("rows.bz2", bz2.open)):
        with opener(tmp_path / name, "wt") as file:
            file.write(TEXT)
        X, y, qid = load_letor(tmp_path / name)
        np.testing.assert_array_equal(X.toarray(), [[0.5, 0, 1], [0, 1, 0], [2, 0, 0]])
        assert y.tolist() == [2, 0, 1]
        assert qid.tolist() == [7, 7, 9]
        assert load_letor(tmp_path / name, n_features=5)[0].shape == (3, 5)
        with pytest.raises(ValueError, match="n_features was set to 2"):
            load_letor(tmp_path / name, n_features=2)


def test_load_letor_reads_real_data(shared):
    """The lambdarank example of LightGBM."""
    X, y, qid = load_letor(shared("data") / "letor" / "train.svm")
    assert X.indices.dtype == X.indptr.dtype == np.int32
    assert X.shape == (3005, 300)
    assert np.unique(qid).size == 201
    assert set(y) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", ValueError, "holds no rows"),
        ("2 1:0.5\n0 2:1\n", ValueError, "has 0 query ids for 2 rows; each line must read"),
        ("2 qid:1 1:0.5\n0 2:1\n", ValueError, "query ids"),
        ("a,b,c\n1,2,3\n", ValueError, "rows.txt is not read as lines .*could not convert"),
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
