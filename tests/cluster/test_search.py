"""Searches on a cluster and in processes: what one process finds, to 1e-12; little on the wire."""

import pickle

import joblib
import numpy as np
import pytest
import sklearn
from conftest import needs
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from sklearn_rankscore import (
    QueryKFold,
    QueryRanker,
    RankTarget,
    make_multi_rank_scorer,
    make_rank_scorer,
)
from sklearn_rankscore.datasets import make_ranking

ONE = make_rank_scorer("ndcg@10")
MANY = make_multi_rank_scorer(["ndcg@5", "ndcg@10", "map", "mrr", "p@5", "recall@20", "err"])
X, Y, QID = make_ranking(200, random_state=0)


def on_target():
    return X, RankTarget(Y, qid=QID), {}


def on_index():
    pd = needs("pandas")
    return X, pd.Series(Y, index=pd.Index(QID, name="qid")), {}


def in_column():
    pd = needs("pandas")
    return pd.DataFrame(X).rename(columns=str).assign(qid=QID), Y, {}


def routed():
    return X, Y, {"qid": QID}


@pytest.fixture(params=["dask", "loky"])
def parallel(request):
    """Run in the processes of either."""
    if request.param == "dask":
        request.getfixturevalue("client")
        return lambda: joblib.parallel_config(backend="dask")
    return lambda: joblib.parallel_config(backend="loky", n_jobs=2)


def scores(search):
    """What is found, without the times."""
    return {
        name: np.asarray(values, dtype=float)
        for name, values in search.cv_results_.items()
        if "time" not in name and "param" not in name
    }


@pytest.mark.parametrize("scorer", [ONE, MANY], ids=["one", "many"])
@pytest.mark.parametrize("carrier", [on_target, on_index, in_column, routed])
def test_a_search_finds_what_it_finds_in_one_process(parallel, carrier, scorer):
    """Every way in which ids travel, to 1e-12; it refits, and scores."""
    X_given, y, fitted_with = carrier()
    refit = "ndcg@10" if scorer is MANY else True
    search = GridSearchCV(
        QueryRanker(Ridge()),
        {"ranker__alpha": [0.1, 10.0, 1e4]},
        scoring=scorer,
        cv=QueryKFold(3),
        refit=refit,
        error_score="raise",
    )
    with sklearn.config_context(enable_metadata_routing=bool(fitted_with)):
        want = scores(search.fit(X_given, y, **fitted_with))
        alone = search.score(X_given, y, **fitted_with)
        with parallel():
            got = scores(search.fit(X_given, y, **fitted_with))
            assert search.score(X_given, y, **fitted_with) == alone
    assert got.keys() == want.keys()
    for name, values in want.items():
        np.testing.assert_allclose(got[name], values, atol=1e-12, rtol=0, err_msg=name)


def test_boosters_are_searched_as_well(parallel):
    """What is most searched on clusters."""
    lightgbm = needs("lightgbm")
    ranker = QueryRanker(lightgbm.LGBMRanker(n_estimators=5, verbose=-1, n_jobs=1))
    search = GridSearchCV(
        ranker, {"ranker__num_leaves": [4, 15]}, scoring=ONE, cv=QueryKFold(3), error_score="raise"
    )
    want = scores(search.fit(X, RankTarget(Y, qid=QID)))
    with parallel():
        got = scores(search.fit(X, RankTarget(Y, qid=QID)))
    for name, values in want.items():
        np.testing.assert_allclose(got[name], values, atol=1e-12, rtol=0, err_msg=name)


def test_splitters_of_others_do_not_lose_the_ids(parallel):
    """Nothing of the package sees y before it is sent, but its size is asked."""
    y = RankTarget(Y, qid=QID)
    options = {"scoring": ONE, "cv": GroupKFold(3), "groups": QID, "error_score": "raise"}
    want = cross_val_score(Ridge(), X, y, **options)
    with parallel():
        got = cross_val_score(Ridge(), X, y, **options)
    np.testing.assert_allclose(got, want, atol=1e-12, rtol=0)


TARGETS = {
    "whole": lambda y: y,
    "part": lambda y: y[1001:2500],
    "mixed": lambda y: y[np.random.default_rng(0).permutation(len(y))],
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_arrives_whole(client, name):
    """Grades, ids, other arrays, and what it knows of queries that were cut; worker to worker."""
    y = TARGETS[name](RankTarget(Y, qid=QID.astype(str), item=np.arange(len(Y))))
    first, second = client.scheduler_info()["workers"]
    sent = client.scatter(y, workers=[first])
    moved = client.submit(lambda target: target, sent, workers=[second], pure=False)
    for arrived in (sent.result(), moved.result(), pickle.loads(pickle.dumps(y))):
        assert isinstance(arrived, RankTarget)
        np.testing.assert_array_equal(arrived, y)
        np.testing.assert_array_equal(arrived.qid, y.qid)
        np.testing.assert_array_equal(arrived.metadata["item"], y.metadata["item"])
        np.testing.assert_array_equal(arrived.cut_queries(), y.cut_queries())
        assert arrived.rows_in_place() == y.rows_in_place()
    assert (len(y.cut_queries()) > 0) == (name == "part")


def test_cut_queries_are_noticed_in_processes(parallel):
    """A split that cuts through queries is refused there as well."""
    y = RankTarget(Y, qid=QID)
    strict = make_rank_scorer("ndcg@10", on_split_query="raise")
    with parallel(), pytest.raises(ValueError, match="cut"):
        cross_val_score(Ridge(), X, y, scoring=strict, cv=3, error_score="raise")


def test_dask_hashes_ids_as_well():
    """Two targets of the same grades and other queries are two."""
    tokenize = needs("dask.tokenize").tokenize
    y = RankTarget(Y, qid=QID)
    assert tokenize(y) == tokenize(RankTarget(Y, qid=QID))
    assert tokenize(y) != tokenize(RankTarget(Y, qid=QID + (QID > 3)))
    assert tokenize(y) != tokenize(RankTarget(Y, qid=QID, item=QID))
    assert tokenize(y) != tokenize(np.asarray(y))
    assert tokenize(y[:500]) != tokenize(y[:501])


@pytest.mark.parametrize("scorer", [ONE, MANY], ids=["one", "many"])
def test_a_scorer_is_small_on_the_wire(scorer):
    """Under 2 kB, though it knows its metrics."""
    assert len(pickle.dumps(scorer)) < 2000
    again = pickle.loads(pickle.dumps(scorer))
    model, y = Ridge().fit(X, Y), RankTarget(Y, qid=QID)
    assert again(model, X, y) == scorer(model, X, y)


def test_a_target_is_its_arrays_on_the_wire():
    """A whole one, to 1 kB; a part of it a few bytes a row more, to know what was cut."""
    extra = np.arange(len(Y))
    y = RankTarget(Y, qid=QID, item=extra)
    arrays = Y.nbytes + QID.nbytes + extra.nbytes
    assert len(pickle.dumps(y)) < arrays + 1000
    assert y.nbytes >= arrays
    part = y[3:-3]
    assert len(pickle.dumps(part)) < arrays + 7 * len(y) + 1500


def test_an_import_after_the_target_is_no_loss():
    """A target from before Dask was imported is sent whole by a search."""
    needs("distributed")
    import subprocess
    import sys

    code = """if __name__ == "__main__":
        import numpy as np
        from sklearn_rankscore import RankTarget
        y = RankTarget(np.arange(1000) % 3, qid=np.arange(1000) // 10)
        from dask.sizeof import sizeof
        from distributed.protocol import deserialize, serialize
        assert sizeof(y) >= 16000
        print(type(deserialize(*serialize(y))).__name__)
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout.split() == ["RankTarget"], run.stderr
