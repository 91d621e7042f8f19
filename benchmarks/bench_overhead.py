"""What a call costs that has hardly anything to do: 50 queries of 10 rows.

python benchmarks/bench_overhead.py [--size tiny] [--json FILE]
"""

from collections.abc import Iterator

import numpy as np
from harness import Page, compare, run
from sklearn.metrics import ndcg_score

from sklearn_rankscore import evaluate, ndcg


def pages(size: str) -> Iterator[Page]:
    """The whole public call against scikit-learn's on the same rectangle."""
    rng = np.random.default_rng(0)
    grade, score = rng.integers(0, 5, (50, 10)), rng.standard_normal((50, 10))
    flat, qid = (grade.ravel(), score.ravel()), np.repeat(np.arange(50), 10)
    yield compare(
        "50 queries of 10 rows",
        "ndcg_score(rectangle, k=10)",
        {
            "ndcg_score(rectangle, k=10)": lambda: ndcg_score(grade, score, k=10),
            "ndcg(rectangle, k=10)": lambda: ndcg(grade, score, k=10),
            "ndcg(flat rows, qid, k=10)": lambda: ndcg(*flat, qid=qid, k=10),
            "four metrics of flat rows": lambda: evaluate(
                *flat, qid=qid, metrics=["ndcg@10", "map", "mrr", "p@5"]
            ),
        },
        {"ndcg(rectangle, k=10)": 0.15, "ndcg(flat rows, qid, k=10)": 0.15},
        201 if size == "full" else 3,
    )


if __name__ == "__main__":
    run(pages, __doc__)
