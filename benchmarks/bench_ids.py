"""What ids cost: contiguous or in any order, as numbers, text, objects or categories.

python benchmarks/bench_ids.py [--size tiny] [--json FILE]
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from harness import Page, compare, run
from workloads import Rows, interleaved, searches

from sklearn_rankscore import ndcg


def pages(size: str) -> Iterator[Page]:
    """Ids of W in every form, the rows together and apart."""
    rows = searches(size)
    repeat = 5 if size == "full" else 2
    apart = interleaved(rows)
    calls: dict[str, Callable[[], object]] = {"np.sort(y_score)": lambda: np.sort(rows.y_score)}
    for name, ids in _forms(rows).items():
        calls[f"{name}, contiguous"] = _call(rows, ids)
    for name, ids in _forms(apart).items():
        calls[f"{name}, interleaved"] = _call(apart, ids)
    yield compare(
        f"ndcg@10, {rows.qid.size:,} rows",
        "np.sort(y_score)",
        calls,
        {"int64, interleaved": 4, "int32, interleaved": 4},
        repeat,
    )
    few = {
        "int64, contiguous": calls["int64, contiguous"],
        "text, contiguous": calls["text, contiguous"],
    }
    yield compare("text beside numbers", "int64, contiguous", few, {"text, contiguous": 2}, repeat)


def _forms(rows: Rows) -> dict[str, Any]:
    text = np.array([f"query {at}" for at in range(rows.n_queries)])[rows.qid]
    forms = {
        "int64": rows.qid.astype(np.int64),
        "int32": rows.qid.astype(np.int32),
        "int64, with gaps": rows.qid * 1_000_003,
        "text": text,
        "objects": text.astype(object),
    }
    if find_spec("pandas"):
        import pandas as pd  # noqa: PLC0415

        forms["categories"] = pd.Series(pd.Categorical(text))
    return forms


def _call(rows: Rows, ids: Any) -> Callable[[], float]:
    return lambda: ndcg(*rows[:2], qid=ids, k=10)


if __name__ == "__main__":
    run(pages, __doc__)
