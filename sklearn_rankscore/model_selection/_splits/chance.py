"""What a random model scores on the queries of a split, whole and cut."""

from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics import Metric
from sklearn_rankscore.metrics._rows.rows import Queries

_DRAWS = 32  # of random scores, for metrics that define what equal scores mean


class Chance:
    """What a random model scores on each query; why nobody can say, where nobody can."""

    def __init__(self, metric: Metric, grades: Array, query: Array, weight: Any) -> None:
        self._metric = metric
        if metric.pool is None:  # in a random order, whatever the metric makes of ties
            ties = {"ties": "average"} if "ties" in metric.options else {}
            self._metric = metric.bind(replace_undefined_by=np.nan, **ties)
        self._grades, self._query = grades, query
        self.whole = np.full(int(query.max(initial=-1)) + 1, np.nan)  # (n_queries,)
        self._weight = np.ones(len(self.whole))
        if weight is not None:
            queries = Queries.from_ids(query)
            self._weight[queries.ids] = queries.reduce_weights(np.asarray(weight))
        self.best = float("nan")  # mean of the best order of whole queries
        self._cut: list[tuple[Array, Array]] = []  # queries that are cut, and their parts' values
        self.why_not = ""
        if metric.row_values or metric.pool is not None:
            self.why_not = f"{metric.name} needs more than grades and scores"
            return
        try:
            every = np.arange(len(query))
            self.whole = self._expect(every)
            if metric.grades == "judged":  # else it has nothing to do with the best order
                best = self._compute(self._grades.astype(np.float64), every)
                self.best = self.take_mean(best)
        except ValueError as error:  # grades that the metric cannot take
            self.why_not = str(error)

    def of_fold(self, test: Array, tested: Array, cut: Array) -> Array:
        """Give the value of each query in test, scored on the rows that are there."""
        values = self.whole[tested]
        if cut.any() and not self.why_not:
            parts = self._expect(test[cut[self._query[test]]])
            values[cut[tested]] = parts[cut]
            self._cut.append((np.flatnonzero(cut), parts[cut]))
        return values

    def _expect(self, rows: Array) -> Array:
        """Compute the expected value of each query of these rows; nan for all other queries."""
        scores: Any = [np.zeros(len(rows))]
        if self._metric.own_ties:  # equal scores are no random order: draw some
            rng = np.random.default_rng(0)
            scores = [rng.random(len(rows)) for _ in range(_DRAWS)]
        return np.asarray(np.mean([self._compute(drawn, rows) for drawn in scores], axis=0))

    def _compute(self, scores: Array, rows: Array) -> Array:
        """Compute the value of each query of these rows; nan for all other queries."""
        values = np.full(len(self.whole), np.nan)
        number, found = self._metric.per_query(self._grades[rows], scores, qid=self._query[rows])
        values[number] = found
        return values

    def compare_parts(self) -> tuple[float, float]:
        """Take the means of the parts of queries that have a value, and of these queries whole."""
        if not self._cut:
            return float("nan"), float("nan")
        queries, parts = (np.concatenate(columns) for columns in zip(*self._cut, strict=True))
        defined = ~np.isnan(parts)
        queries, parts = queries[defined], parts[defined]
        return self.take_mean(parts, queries), self.take_mean(self.whole[queries], queries)

    def take_mean(self, values: Array, queries: Any = slice(None)) -> float:
        """Take the mean of these queries (all, unless named), weighted as scorers weight them.

        Parts of queries without a relevant row would score 0 and hide the leak.
        """
        weight = self._weight[queries]
        counted = ~np.isnan(values) & (weight > 0)
        if not counted.any():
            return float("nan")
        return float(np.average(values[counted], weights=weight[counted]))
