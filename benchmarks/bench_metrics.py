"""Speed of the metrics, and of their peers, on one large evaluation.

    python benchmarks/bench_metrics.py [--rows-per-query 119] [--queries 31531]

The workload: queries of exponential length, random scores without ties, grades 0 to 4, ids in
order. Everything is measured in one run, as medians; the ratio to ``np.sort`` of all scores, which
any ranking has to do in some form, tells machines apart from programs. What has to loop over
queries in Python is timed on a part of them and extrapolated.
"""

from __future__ import annotations

import argparse
import time
from importlib.util import find_spec
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import ndcg_score

from sklearn_rankscore import get_metric, metric_names, ndcg

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE = 2000  # queries of which a loop is timed


def main() -> None:
    """Print one line per program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--queries", type=int, default=31531)
    parser.add_argument("--rows-per-query", type=float, default=119)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    y, s, qid = workload(options.queries, options.rows_per_query)
    print(f"{y.size} rows in {options.queries} queries, nDCG@10")

    unit = clock(lambda: np.sort(s), options.repeat)
    ours = clock(lambda: ndcg(y, s, qid=qid, k=10), options.repeat)
    rows = {"np.sort(y_score)": unit, "ndcg(y, s, qid=qid, k=10)": ours}
    shuffled = np.random.default_rng(1).permutation(y.size)
    mixed = [values[shuffled] for values in (y, s, qid)]
    tied = np.round(s, 1)
    rows["  rows in random order"] = clock(lambda: ndcg(*mixed[:2], qid=mixed[2], k=10), 3)
    rows["  scores rounded to 0.1"] = clock(lambda: ndcg(y, tied, qid=qid, k=10), 3)
    for name in (name for name in metric_names() if not get_metric(name).row_values):
        rows[f"  {name}, whole list"] = clock(metric_call(name, y, s, qid), 3)
    rows["sklearn.metrics.ndcg_score per query (extrapolated)"] = clock(
        lambda: per_query(y, s, qid), 1
    ) * (options.queries / min(SAMPLE, options.queries))
    if find_spec("pytrec_eval"):
        rows |= trec_eval(y, s, qid)
    for name, seconds in rows.items():
        print(
            f"{name:<52} {seconds:8.4f} s  {seconds / unit:8.2f} x sort  "
            f"{seconds / ours:8.2f} x ours"
        )


def workload(n_queries: int, rows_per_query: float) -> tuple[Any, Any, Any]:
    """Flat rows of queries of exponential length, at most 1251 rows each."""
    rng = np.random.default_rng(0)
    lengths = np.minimum(1 + rng.exponential(rows_per_query, n_queries).astype(int), 1251)
    qid = np.repeat(np.arange(n_queries), lengths)
    return rng.integers(0, 5, qid.size), rng.standard_normal(qid.size), qid


def clock(call: Callable[[], object], repeat: int) -> float:
    """Median seconds of a call."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return median(times)


def metric_call(name: str, y: Any, s: Any, qid: Any) -> Callable[[], float]:
    """Bind the arguments of a metric."""
    metric = get_metric(name)
    return lambda: metric(y, s, qid=qid)


def per_query(y: Any, s: Any, qid: Any) -> float:
    """scikit-learn's nDCG, called once for each query of two rows or more."""
    starts = np.flatnonzero(np.diff(qid, prepend=-1))[: SAMPLE + 1]
    values = [
        ndcg_score(y[None, a:b], s[None, a:b], k=10) for a, b in pairwise(starts) if b - a > 1
    ]
    return float(np.mean(values))


def trec_eval(y: Any, s: Any, qid: Any) -> dict[str, float]:
    """pytrec_eval on a part of the queries, with and without building its dicts."""
    import pytrec_eval  # noqa: PLC0415 - a peer, only where it is installed

    end = int(np.searchsorted(qid, SAMPLE))
    scale = (qid[-1] + 1) / min(SAMPLE, qid[-1] + 1)
    start = time.perf_counter()
    judged: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for row, (query, grade, score) in enumerate(
        zip(qid[:end].tolist(), y[:end].tolist(), s[:end].tolist(), strict=True)
    ):
        judged.setdefault(str(query), {})[str(row)] = grade
        run.setdefault(str(query), {})[str(row)] = score
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"})
    built = time.perf_counter()
    evaluator.evaluate(run)
    done = time.perf_counter()
    return {
        "pytrec_eval evaluate (extrapolated)": (done - built) * scale,
        "pytrec_eval with its dicts (extrapolated)": (done - start) * scale,
    }


if __name__ == "__main__":
    main()
