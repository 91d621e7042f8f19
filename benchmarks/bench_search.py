"""How much of a grid search is scoring.

python benchmarks/bench_search.py [--size tiny] [--json FILE]
"""

import time
from collections.abc import Iterator
from typing import Any

from harness import Line, Page, run
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GridSearchCV

from sklearn_rankscore import QueryKFold, RankTarget, evaluate, make_multi_rank_scorer
from sklearn_rankscore.datasets import make_ranking

METRICS = ("ndcg@10", "map", "mrr")


def pages(size: str) -> Iterator[Page]:
    """200 000 rows, four candidates, three folds; scoring without what a model predicts in it."""
    X, y, qid = make_ranking(2_000 if size == "full" else 9, (90, 110), random_state=0)
    spent = []
    scorer = make_multi_rank_scorer(METRICS)

    def timed(estimator: Any, X: Any, y: Any) -> dict[str, float]:
        values = scorer(estimator, X, y)
        scores = estimator.predict(X)
        start = time.perf_counter()
        evaluate(y, scores, metrics=METRICS)
        spent.append(time.perf_counter() - start)
        return values

    search = GridSearchCV(
        HistGradientBoostingRegressor(random_state=0),
        {"learning_rate": [0.05, 0.1], "max_leaf_nodes": [15, 31]},
        scoring=timed,
        cv=QueryKFold(3),
        refit=False,
    )
    start = time.perf_counter()
    search.fit(X, RankTarget(y, qid=qid))
    # What was done a second time only to be timed is not part of the search.
    whole = time.perf_counter() - start - sum(spent)
    share = sum(spent) / whole
    yield Page(
        f"GridSearchCV, {len(y):,} rows, {len(spent)} fits, {len(METRICS)} metrics",
        "of the search",
        [
            Line("the search", whole),
            Line("scoring", sum(spent), ratio=share, at_most=0.02),
        ],
    )


if __name__ == "__main__":
    run(pages, __doc__)
