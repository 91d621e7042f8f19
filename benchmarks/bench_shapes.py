"""What the shape of the data costs: lengths of queries, ties, and how time grows with rows.

python benchmarks/bench_shapes.py [--size tiny] [--json FILE]
"""

from collections.abc import Callable, Iterator

import numpy as np
from harness import Line, Page, clock, run
from workloads import Rows, all_tied, half_tied, one_query, one_row_queries, searches, uniform

from sklearn_rankscore import ndcg


def pages(size: str) -> Iterator[Page]:
    """Each shape against the sort of its own scores."""
    repeat = 5 if size == "full" else 2
    shapes = {
        "exponential lengths": (searches(size), None),
        "equal lengths": (uniform(size), None),
        "one query": (one_query(size), 3),
        "queries of one row": (one_row_queries(size), 6),
        "half of the rows tied": (half_tied(searches(size)), 3),
        "all rows of a query tied": (all_tied(searches(size)), None),
    }
    page = Page("ndcg@10 by shape", "x np.sort of so many scores")
    for name, (rows, bar) in shapes.items():
        drawn = np.random.default_rng(3).standard_normal(rows.qid.size)
        seconds = clock({"sort": lambda: np.sort(drawn), "ours": _call(rows)}, repeat)  # noqa: B023
        ratio = seconds["ours"] / seconds["sort"]
        page.lines.append(Line(name, seconds["ours"], ratio=ratio, at_most=bar))
    yield page
    yield _growth(size, repeat)


def _growth(size: str, repeat: int) -> Page:
    """Time per row at ten times the rows."""
    small, large = (searches(size, factor) for factor in (0.27, 2.7))
    seconds = clock({"small": _call(small), "large": _call(large)}, repeat)
    per_row = {
        "small": seconds["small"] / small.qid.size,
        "large": seconds["large"] / large.qid.size,
    }
    page = Page("growth", "x the time per row of fewer")
    page.lines = [
        Line(f"{small.qid.size:,} rows, per row", per_row["small"] * 1e9, "ns"),
        Line(
            f"{large.qid.size:,} rows, per row",
            per_row["large"] * 1e9,
            "ns",
            per_row["large"] / per_row["small"],
            at_most=1.25,
        ),
    ]
    return page


def _call(rows: Rows) -> Callable[[], float]:
    return lambda: ndcg(*rows[:2], qid=rows.qid, k=10)


if __name__ == "__main__":
    run(pages, __doc__)
