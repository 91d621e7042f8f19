"""Speed of the metrics on W, and of every peer that is installed.

    python benchmarks/bench_metrics.py [--size tiny] [--json FILE]

Ours takes flat arrays and checks them; of a peer, the call alone and the call with what has to be
built for it are measured.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np
from harness import Line, Page, clock, compare, run
from peers import PEERS
from workloads import TEN, Rows, half_tied, searches

from sklearn_rankscore import evaluate, get_metric, metric_names, ndcg

# How many times faster ours must be; of a call on what is built already.
FASTER = {
    "scikit_learn_per_query": 150,
    "pytrec_eval": 15,
    "ranx": 25,
    "torchmetrics": 50,
    "numba_sequential": 1 / 0.4,
    "numba_parallel": 1 / 0.9,
}
SLOW = ("scikit_learn_per_query", "scikit_learn_padded", "pytrec_eval", "ir_measures", "ranx")


def pages(size: str) -> Iterator[Page]:
    """W against np.sort, then against each peer, then each metric by itself."""
    rows = searches(size)
    tied, repeat = half_tied(rows), 9 if size == "full" else 2
    yield compare(
        f"{rows.qid.size:,} rows, {rows.n_queries:,} queries",
        "np.sort(y_score)",
        {
            "np.sort(y_score)": lambda: np.sort(rows.y_score),
            "ndcg@10": lambda: ndcg(*rows[:2], qid=rows.qid, k=10),
            "ndcg, full depth": lambda: ndcg(*rows[:2], qid=rows.qid),
            "ndcg@10, half of the rows tied": lambda: ndcg(*tied[:2], qid=tied.qid, k=10),
            "ten metrics and cutoffs in one pass": lambda: evaluate(
                *rows[:2], qid=rows.qid, metrics=TEN
            ),
        },
        {
            "ndcg@10": 2,
            "ndcg, full depth": 3,
            "ndcg@10, half of the rows tied": 3,
            "ten metrics and cutoffs in one pass": 6,
        },
        repeat,
    )
    yield _threads(rows, repeat)
    yield _peers(rows, repeat)
    alone = [name for name in metric_names() if not get_metric(name).row_values]
    calls = {name: _call(name, rows) for name in alone}
    yield compare("each metric, whole lists", "ndcg", calls, {}, 3 if size == "full" else 1)


def _call(name: str, rows: Rows) -> Callable[[], float]:
    metric = get_metric(name)
    return lambda: metric(*rows[:2], qid=rows.qid)


def _threads(rows: Rows, repeat: int) -> Page:
    """Two threads against one."""
    seconds = clock(
        {
            "n_jobs=1": lambda: ndcg(*rows[:2], qid=rows.qid, k=10),
            "n_jobs=2": lambda: ndcg(*rows[:2], qid=rows.qid, k=10, n_jobs=2),
        },
        repeat,
    )
    faster = seconds["n_jobs=1"] / seconds["n_jobs=2"]
    lines = [Line("ndcg@10, n_jobs=1", seconds["n_jobs=1"])]
    lines.append(Line("ndcg@10, n_jobs=2", seconds["n_jobs=2"], ratio=faster, at_least=1.6))
    return Page("threads", "times faster than one", lines)


def _peers(rows: Rows, repeat: int) -> Page:
    """Each peer in turn with ours; how far its mean is from ours stands beside it."""
    page = Page("nDCG@10 of the peers", "times ours", [])
    for name in PEERS:
        page.lines += _peer(name, rows, 1 if name in SLOW else repeat)
    return page


def _peer(name: str, rows: Rows, repeat: int) -> list[Line]:
    build, call = PEERS[name](rows)
    start = time.perf_counter()
    built = build()
    building = time.perf_counter() - start
    theirs = call(built)

    def ours() -> float:
        return ndcg(*rows[:2], qid=rows.qid, k=10)

    seconds = clock({"ours": ours, "theirs": lambda: call(built)}, repeat)
    unit = seconds["ours"] if repeat > 1 else clock({"ours": ours}, 5)["ours"]
    what = f"{name} (mean differs by {abs(theirs - ours()):.0e})"
    return [
        Line(what, seconds["theirs"], ratio=seconds["theirs"] / unit, at_least=FASTER.get(name)),
        Line("  and what it builds first", building, ratio=building / unit),
    ]


if __name__ == "__main__":
    run(pages, __doc__)
