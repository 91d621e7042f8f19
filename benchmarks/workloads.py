"""What is measured on: each workload one function, the same for a seed."""

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

TEN = (
    "ndcg@5",
    "ndcg@10",
    "ndcg",
    "map",
    "mrr",
    "p@5",
    "p@10",
    "recall@10",
    "hit_rate@10",
    "dcg@10",
)


class Rows(NamedTuple):
    """Grades, scores and ids of rows."""

    y_true: Array
    y_score: Array
    qid: Array

    @property
    def n_queries(self) -> int:
        """How many queries there are."""
        return int(self.qid.max()) + 1


def searches(size: str = "full", factor: float = 1.0) -> Rows:
    """W: 3.76 million rows in 31 531 queries of exponential length, mean 119, at most 1 251."""
    rng = np.random.default_rng(0)
    n_queries = int((31_531 if size == "full" else 60) * factor)
    lengths = np.minimum(1 + rng.exponential(119, n_queries).astype(int), 1251)
    return _rows(rng, lengths)


def uniform(size: str = "full") -> Rows:
    """As many rows as W, in queries of 119."""
    rng = np.random.default_rng(0)
    return _rows(rng, np.full(31_531 if size == "full" else 60, 119))


def one_query(size: str = "full") -> Rows:
    """One query of 3 million rows."""
    return _rows(np.random.default_rng(0), np.array([3_000_000 if size == "full" else 3_000]))


def one_row_queries(size: str = "full") -> Rows:
    """3 million queries of one row."""
    return _rows(np.random.default_rng(0), np.ones(3_000_000 if size == "full" else 3_000, int))


def half_tied(rows: Rows) -> Rows:
    """Half of the rows, drawn at random, have scores of one decimal."""
    score = rows.y_score.copy()
    some = np.random.default_rng(1).random(score.size) < 0.5
    score[some] = np.round(score[some], 1)
    return rows._replace(y_score=score)


def all_tied(rows: Rows) -> Rows:
    """One score for all."""
    return rows._replace(y_score=np.zeros_like(rows.y_score))


def interleaved(rows: Rows) -> Rows:
    """The same rows in random order."""
    order = np.random.default_rng(2).permutation(rows.qid.size)
    return Rows(*(values[order] for values in rows))


def _rows(rng: np.random.Generator, lengths: Array) -> Rows:
    qid = np.repeat(np.arange(len(lengths)), lengths)
    return Rows(rng.integers(0, 5, qid.size), rng.standard_normal(qid.size), qid)
