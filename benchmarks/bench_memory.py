"""Memory beyond the inputs: the peak of what NumPy allocates during a call.

python benchmarks/bench_memory.py [--size tiny] [--json FILE]
"""

import tracemalloc
from collections.abc import Callable, Iterator

from harness import Line, Page, run
from workloads import TEN, half_tied, interleaved, searches

from sklearn_rankscore import evaluate, ndcg


def pages(size: str) -> Iterator[Page]:
    """Peak of each call as a share of the bytes that went in."""
    rows = searches(size)
    tied, apart = half_tied(rows), interleaved(rows)
    given = sum(values.nbytes for values in rows)
    page = Page(f"{rows.qid.size:,} rows, {given / 2**20:,.0f} MiB of input", "x the input")
    page.lines = [
        _line("ndcg@10", lambda: ndcg(*rows[:2], qid=rows.qid, k=10), given, 0.5),
        _line("ndcg, full depth", lambda: ndcg(*rows[:2], qid=rows.qid), given, 0.5),
        _line("half of the rows tied", lambda: ndcg(*tied[:2], qid=tied.qid), given, 0.5),
        _line("ten metrics", lambda: evaluate(*rows[:2], qid=rows.qid, metrics=TEN), given, 0.5),
        _line(
            "ndcg@10, two threads", lambda: ndcg(*rows[:2], qid=rows.qid, k=10, n_jobs=2), given
        ),
        _line("interleaved ids", lambda: ndcg(*apart[:2], qid=apart.qid, k=10), given),
    ]
    yield page


def _line(what: str, call: Callable[[], object], given: int, at_most: float | None = None) -> Line:
    call()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Line(what, peak / 2**20, "MiB", peak / given, at_most=at_most)


if __name__ == "__main__":
    run(pages, __doc__)
