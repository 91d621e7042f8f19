"""How long the way through the code is: calls, files, and changes of file of one call.

python benchmarks/bench_path.py [--size tiny] [--json FILE]
"""

import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from harness import Line, Page, run
from sklearn.linear_model import Ridge

import sklearn_rankscore
from sklearn_rankscore import RankTarget, make_rank_scorer, ndcg

HOUSE = str(Path(sklearn_rankscore.__file__).parent)
# The same counts before rows were collected once and options settled by the metric.
BEFORE = {
    "ndcg(y, s, qid=q, k=10)": (102, 12, 41),
    'make_rank_scorer("ndcg@10")(model, X, target)': (137, 19, 62),
}


def files_of(call: Callable[[], object]) -> list[str]:
    """File of each call of a Python function of the package, in order."""
    call()  # what is made once is made
    files: list[str] = []

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(HOUSE):
            files.append(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return files


def pages(size: str) -> Iterator[Page]:
    """One call of a metric, and one of a scorer; each count to be at most half of that before."""
    del size
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(50), 10)
    grade, score = rng.integers(0, 5, qid.size), rng.standard_normal(qid.size)
    X, target = rng.standard_normal((qid.size, 3)), RankTarget(grade, qid=qid)
    model, scorer = Ridge().fit(X, grade), make_rank_scorer("ndcg@10")
    calls = (lambda: ndcg(grade, score, qid=qid, k=10), lambda: scorer(model, X, target))
    for (what, before), call in zip(BEFORE.items(), calls, strict=True):
        files = files_of(call)
        counts = len(files), len(set(files)), sum(one != other for one, other in pairwise(files))
        names = ("calls", "files", "changes of file")
        lines = [
            Line(f"{name} of {what}", value, "", ratio=value / was, at_most=0.5)
            for name, value, was in zip(names, counts, before, strict=True)
        ]
        yield Page(f"The way of {what}", "x before", lines)


if __name__ == "__main__":
    run(pages, __doc__)
