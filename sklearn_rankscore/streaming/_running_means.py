"""Means over queries that come in parts: in batches, or as partitions of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore.metrics._metric.engine import computed, look_up, request_of, undefined
from sklearn_rankscore.metrics._rows.ids import as_python_values, narrow_dtype
from sklearn_rankscore.metrics._rows.item_tables import ItemTable
from sklearn_rankscore.metrics._rows.items import Items
from sklearn_rankscore.metrics._rows.rows import MissingRowsError
from sklearn_rankscore.metrics._rows.weights import check_some_weight, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sklearn_rankscore.metrics._metric.engine import Request
    from sklearn_rankscore.metrics._metric.metric import Metric
    from sklearn_rankscore.metrics._rows.queries import Queries
    from sklearn_rankscore.metrics._rows.validation import Array


class RunningMeans:
    """What metrics add up over queries; two of other queries can be merged.

    It is as large as the metrics are many; for one of all queries' items together, as the items.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._requests = [request_of(metric, {}) for metric in metrics]
        self._sums = [Sum() for _ in metrics]
        self._number: dict[Any, int] = {}  # of each item
        self._unit = 0.0  # in which weights are added up: the largest of a batch's so far
        self.n_queries = 0

    def add(
        self, y_true: Any, y_score: Any, qid: Any, *, n_jobs: int = 1, **row_values: Any
    ) -> Queries:
        """Add rows of whole queries, and say which they were."""
        _check_items(self._requests, row_values.get("item"))
        rows, values = computed(self._requests, y_true, y_score, qid, n_jobs, row_values)
        self.n_queries += len(rows.queries.ids)
        share = self._share_of(rows.weight_unit)
        number = None if rows.items is None else self._numbers(as_python_values(rows.items.ids))
        for request, total, value in zip(self._requests, self._sums, values, strict=True):
            if request.metric.pool is None:
                total.add(weighted_sums(value, rows.weight) * share)
            elif _is_by_item(request):
                total.add(value.total, number)
            else:
                total.add(value.total * share)
        return rows.queries

    def merge(self, other: RunningMeans) -> None:
        """Add what another has added up of other queries."""
        self.n_queries += other.n_queries
        share = self._share_of(other._unit)
        number = self._numbers(list(other._number))
        for request, total, its in zip(self._requests, self._sums, other._sums, strict=True):
            if _is_by_item(request):
                total.add(its.value, number)
            else:
                total.add(its.value * share)

    def _share_of(self, unit: float) -> float:
        """Bring what was added up to the larger unit; what is in the other is to be times this."""
        larger = max(self._unit, unit)
        if self._unit < larger:
            for request, total in zip(self._requests, self._sums, strict=True):
                if not _is_by_item(request):
                    total.scale(self._unit / larger)
            self._unit = larger
        return unit / larger if larger else 0.0

    def means(self) -> list[float]:
        """Mean of each metric, or what a pooled one makes of all queries."""
        if not self.n_queries:
            raise ValueError("There must be at least one row. Got zero rows instead.")
        check_some_weight(self._unit > 0)
        return [
            self._mean(request, total.value)
            for request, total in zip(self._requests, self._sums, strict=True)
        ]

    def __getstate__(self) -> dict[str, Any]:
        """Travel without the metrics and their tables, which whoever merges has."""
        return {**vars(self), "_requests": ()}

    def _mean(self, request: Request, total: Array) -> float:
        if request.metric.pool is not None:
            ids = narrow_dtype(np.fromiter(self._number, dtype=object, count=len(self._number)))
            items = Items(ids, np.empty(0, dtype=np.intp))
            return request.metric.pool(total, **look_up(request, lambda _: items))
        if not total[1]:
            return undefined(request.metric.name, stacklevel=6)
        return float(total[0] / total[1])

    def _numbers(self, ids: list[Any]) -> Array:
        """Numbers of items, new ones for those that were not met before."""
        numbers = (self._number.setdefault(item, len(self._number)) for item in ids)
        return np.fromiter(numbers, dtype=np.intp, count=len(ids))


def _is_by_item(request: Request) -> bool:
    """Whether it adds up something of each item, in which weights do not count."""
    return request.metric.pool is not None and "item" in request.metric.row_values


def _check_items(requests: Iterable[Request], item: Any) -> None:
    """Refuse tables with a line for each row, which are not cut where the rows are."""
    for request in requests:
        if item is None and any(isinstance(one, ItemTable) for one in request.options.values()):
            raise MissingRowsError("item", request.metric.name)


class Sum:
    """A sum of vectors, with what their addition rounds away (Neumaier 1974)."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._sum: Array = np.zeros(0)
        self._lost: Array = np.zeros(0)

    @property
    def value(self) -> Array:
        """The sum."""
        return self._sum + self._lost

    def scale(self, factor: float) -> None:
        """Multiply it, by a power of two."""
        self._sum, self._lost = self._sum * factor, self._lost * factor

    def add(self, part: Array, place: Array | None = None) -> None:
        """Add numbers; `place` says to which each is added."""
        place = np.arange(len(part)) if place is None else place
        more = np.zeros(max(int(place.max(initial=-1)) + 1 - len(self._sum), 0))
        self._sum, self._lost = np.append(self._sum, more), np.append(self._lost, more)
        old = self._sum[place]
        new = old + part
        large = np.abs(old) >= np.abs(part)
        with np.errstate(invalid="ignore"):
            lost = np.where(large, old - new + part, part - new + old)
        self._sum[place] = new
        self._lost[place] += np.where(np.isfinite(new), lost, 0.0)  # the logarithm of 0 stays it
