"""Means over queries that come in parts: in batches, or as partitions of a table."""

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics import Metric
from sklearn_rankscore.metrics._metric.engine import Settled, look_up_items, run, warn_undefined
from sklearn_rankscore.metrics._rows.ids import as_python_values, narrow_dtype
from sklearn_rankscore.metrics._rows.item_tables import ItemTable
from sklearn_rankscore.metrics._rows.items import Items
from sklearn_rankscore.metrics._rows.rows import Queries, find_carried
from sklearn_rankscore.metrics._rows.weights import check_some_weight, sum_by_weight


class RunningMeans:
    """Means of metrics over queries that are added part by part; two can be merged.

    The object keeps two numbers for each part and metric; for a metric that counts the items of
    all queries, one number for each item.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._settled = [metric.settle() for metric in metrics]
        # For each part, its largest weight, which is the unit of its sums, and the sums by metric.
        self._parts: list[tuple[float, Array]] = []
        # For metrics that add up one value per item; weights do not scale these values.
        self._by_item = {
            at: np.zeros(0)
            for at, one in enumerate(self._settled)
            if one.metric.pool is not None and "item" in one.metric.row_values
        }
        self._number: dict[Any, int] = {}  # of each item
        self.n_queries = 0

    def add(
        self, y_true: Any, y_score: Any, qid: Any, *, n_jobs: int = 1, **of_rows: Any
    ) -> Queries:
        """Add rows of whole queries, and give the queries."""
        item = of_rows.get("item")
        _check_items(self._settled, find_carried(y_true, "item") if item is None else item)
        rows, values = run(self._settled, y_true, y_score, qid, n_jobs=n_jobs, **of_rows)
        self.n_queries += len(rows.queries.ids)
        sums = np.zeros((len(values), 2))
        for at, (one, value) in enumerate(zip(self._settled, values, strict=True)):
            if at in self._by_item and rows.items is not None:
                self._add_by_item(at, as_python_values(rows.items.ids), value)
            else:
                pooled = one.metric.pool is not None
                sums[at] = value if pooled else sum_by_weight(value, rows.relative_weight)
        largest = 1.0 if rows.weight is None else float(rows.weight.max())
        self._parts.append((largest, sums))
        return rows.queries

    def merge(self, other: "RunningMeans") -> None:
        """Add the parts of another RunningMeans, which must hold other queries."""
        self.n_queries += other.n_queries
        self._parts += other._parts  # noqa: SLF001 - of its own class
        for at, value in other._by_item.items():  # noqa: SLF001
            self._add_by_item(at, list(other._number), value)  # noqa: SLF001

    def means(self) -> list[float]:
        """Mean of each metric, or what a pooled one makes of all queries."""
        if not self.n_queries:
            raise ValueError("There must be at least one row. Got zero rows instead.")
        largest = max(unit for unit, _ in self._parts)
        check_some_weight(largest > 0)
        sums = np.array([sums * (unit / largest) for unit, sums in self._parts])
        return [
            self._mean(one, at, [fsum(column) for column in sums[:, at].T])
            for at, one in enumerate(self._settled)
        ]

    def _mean(self, one: Settled, at: int, sums: list[float]) -> float:
        if at in self._by_item:
            ids = narrow_dtype(np.fromiter(self._number, dtype=object, count=len(self._number)))
            options = look_up_items(one, Items(ids, np.empty(0, dtype=np.intp)))
            return float(one.metric.pool(self._by_item[at], **options))
        if one.metric.pool is not None:
            return float(one.metric.pool(np.array(sums), **one.options))
        return sums[0] / sums[1] if sums[1] else warn_undefined(one.metric.name, stacklevel=6)

    def _add_by_item(self, at: int, ids: list[Any], value: Array) -> None:
        """Add values of items, numbering those that were not met before."""
        numbers = [self._number.setdefault(item, len(self._number)) for item in ids]
        longer = np.zeros(len(self._number))
        longer[: len(self._by_item[at])] = self._by_item[at]
        longer[numbers] += value
        self._by_item[at] = longer

    def __getstate__(self) -> dict[str, Any]:
        """Pickle all but the metrics and their tables, which the merging object has."""
        return {**vars(self), "_settled": ()}


def _check_items(settled: Iterable[Settled], item: Any) -> None:
    """Refuse item tables where rows have no items: a table by row is not cut into batches."""
    for one in settled:
        if item is None and any(isinstance(value, ItemTable) for value in one.options.values()):
            raise TypeError(f"{one.metric.name} needs item=…, one value for each row.")
