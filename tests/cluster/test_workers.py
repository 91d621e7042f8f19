"""Workers that die in the middle: Dask tries again, the numbers are the same."""

import os
import signal

import numpy as np
import pytest
from conftest import needs

from sklearn_rankscore import evaluate
from sklearn_rankscore.distributed import means, per_query, score

COLUMNS = {"y_true": "grade", "y_score": "score", "qid": "query"}
METRICS = ["ndcg@5", "map", "rmse"]


def draw():
    """4000 rows in 200 queries."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(200), 20)
    return {"grade": rng.integers(0, 4, 4000), "score": rng.random(4000), "query": qid}


def deadly(folder, time):
    """Kill the process of whoever is given a certain row for the so-and-so-manieth time."""

    def pass_on(rows):
        ids = rows["query"] if "query" in rows else rows["qid"]
        if (ids == 150).any():
            (folder / str(len(list(folder.iterdir())))).touch()
            if len(list(folder.iterdir())) == time:
                os.kill(os.getpid(), signal.SIGKILL)
        return rows

    return pass_on


@pytest.mark.parametrize("mixed", [False, True], ids=["sorted", "shuffled"])
@pytest.mark.parametrize("time", [1, 2], ids=["looked at", "scored"])
def test_a_worker_that_is_killed_changes_no_number(client, tmp_path, mixed, time):
    """While the ids are looked at, and while rows are brought together and scored."""
    dd, pd = needs("dask.dataframe"), needs("pandas")
    rows = pd.DataFrame(draw())
    want = evaluate(rows["grade"], rows["score"], qid=rows["query"], metrics=METRICS)
    order = rows.sample(frac=1, random_state=0) if mixed else rows
    ddf = dd.from_pandas(order, npartitions=8, sort=False)
    ddf = ddf.map_partitions(deadly(tmp_path, time), meta=rows.iloc[:0])
    before = set(client.run(os.getpid).values())
    got = score(ddf, metrics=METRICS, **COLUMNS)
    assert got == pytest.approx(want, abs=1e-12)
    assert len(list(tmp_path.iterdir())) > time, "nobody was killed"
    client.wait_for_workers(2)
    assert set(client.run(os.getpid).values()) != before


@pytest.mark.parametrize("mixed", [False, True], ids=["sorted", "shuffled"])
def test_a_worker_that_is_killed_after_it_scored(client, tmp_path, mixed):
    """What it had brought together is brought together again."""
    dd, pd = needs("dask.dataframe"), needs("pandas")
    rows = pd.DataFrame(draw())
    want = evaluate(rows["grade"], rows["score"], qid=rows["query"], metrics=METRICS[:2])
    order = rows.sample(frac=1, random_state=0) if mixed else rows
    lazy = per_query(
        dd.from_pandas(order, npartitions=8, sort=False), metrics=METRICS[:2], **COLUMNS
    )
    got = lazy.map_partitions(deadly(tmp_path, 1), meta=lazy).compute()
    assert len(got) == 200
    assert means(got) == pytest.approx(want, abs=1e-12)
    assert len(list(tmp_path.iterdir())) > 1, "nobody was killed"
