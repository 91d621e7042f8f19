"""Metric: a formula made a callable that knows queries, ties, undefined values and weights."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rankscore.metrics import _names
from sklearn_rankscore.metrics._docs import metric_docstring
from sklearn_rankscore.metrics._options import Options, check_options, defaults_of, settle
from sklearn_rankscore.metrics._ranking import Ranking
from sklearn_rankscore.metrics._rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sklearn_rankscore.metrics._validation import Array


class PerQuery(NamedTuple):
    """One value per query: what a metric is the mean of.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        Query ids, in order of first appearance; line numbers for a rectangle.
    value : ndarray of shape (n_queries,)
        Value of each query.

    Examples
    --------
    >>> from sklearn_rankscore import reciprocal_rank
    >>> per_query = reciprocal_rank.per_query([0, 1, 1], [2, 1, 3], qid=["b", "b", "a"])
    >>> dict(zip(per_query.qid.tolist(), per_query.value.tolist()))
    {'b': 0.5, 'a': 1.0}
    """

    qid: Array
    value: Array


@dataclass(frozen=True, repr=False)
class Metric:
    """A ranking metric: call it for the mean over queries, or `per_query` for each value.

    Parameters
    ----------
    formula : callable
        ``formula(ranking, *, k=None, **options)`` gives one value per query of a Ranking, nan
        where undefined. Its name is the metric's; its keyword-only parameters are its options.
    aliases : tuple of str
        Other names of the same metric.
    bound : dict
        Options that are set already, as `get_metric("ndcg@10")` sets k.
    greater_is_better : bool
        Whether more is better; a scorer negates a metric of which less is.

    Attributes
    ----------
    options : dict
        Options that the metric has, with their defaults.

    Examples
    --------
    >>> from sklearn_rankscore import ndcg
    >>> ndcg.per_query([3, 2, 0, 0, 1], [2, 3, 1, 2, 1], qid=["a", "a", "a", "b", "b"], k=1).value
    array([0.66666667, 0.        ])
    >>> ndcg.bind(k=10, gain="exponential")
    <Metric ndcg@10, gain='exponential'>
    """

    formula: Callable[..., Array]
    aliases: tuple[str, ...] = ()
    bound: Mapping[str, Any] = field(default_factory=dict)
    greater_is_better: bool = True
    options: Mapping[str, Any] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Check the bound options; let help(), signature() and make_scorer() see a function."""
        defaults = defaults_of(self.formula)
        vars(self).update(
            options=MappingProxyType(defaults),
            bound=MappingProxyType(check_options(self.bound, defaults, self.name)),
            __name__=self.name,
            __doc__=metric_docstring(self.formula, defaults),
            __signature__=_signature(defaults | dict(self.bound)),
        )

    @property
    def name(self) -> str:
        """Name of the metric, without a cutoff."""
        return self.formula.__name__

    def __call__(
        self,
        y_true: Any,
        y_score: Any,
        *misplaced: Any,
        qid: Any = None,
        sample_weight: Any = None,
        **options: Unpack[Options],
    ) -> float:
        """Return the mean over queries; the metric's own docstring has the parameters."""
        if misplaced:
            raise TypeError(
                f"{self.name} takes y_true and y_score, all else by name: qid=…, k=…. It is a "
                f"metric; the scorer that a search wants is make_rank_scorer({str(self)!r})."
            )
        request = _request(self, options)
        rows = Rows.collect(y_true, y_score, qid)
        return _means([self], _values([request], rows), rows, sample_weight)[0]

    def per_query(
        self, y_true: Any, y_score: Any, *, qid: Any = None, **options: Unpack[Options]
    ) -> PerQuery:
        """Value of each query: what the mean is taken of.

        Parameters
        ----------
        y_true, y_score, qid, **options
            As for the metric itself; weights belong to the mean.

        Returns
        -------
        PerQuery
            Named tuple of two arrays of shape (n_queries,), `qid` and `value`. Undefined values
            are replaced as in the mean; pass ``replace_undefined_by=np.nan`` to see them.
        """
        request = _request(self, options)
        rows = Rows.collect(y_true, y_score, qid)
        return PerQuery(rows.queries.ids, _values([request], rows)[0])

    def bind(self, **options: Unpack[Options]) -> Metric:
        """Return the metric with some options set."""
        bound = {**self.bound, **options}
        return Metric(self.formula, self.aliases, bound, self.greater_is_better)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made from."""
        return Metric, (self.formula, self.aliases, dict(self.bound), self.greater_is_better)

    def __hash__(self) -> int:
        """Hash by name: equal metrics have equal names."""
        return hash(str(self))

    def __str__(self) -> str:
        """Canonical name, such as "ndcg@10"."""
        return _names.spell(self.name, self.bound.get("k"))

    def __repr__(self) -> str:
        """Canonical name, and the other options that are set."""
        return f"<Metric {self}{_names.spell_options(self.bound)}>"


class _Request(NamedTuple):
    metric: Metric
    ties: str
    replace_undefined_by: float
    options: dict[str, Any]  # the formula's own


def _request(metric: Metric, options: Mapping[str, Any]) -> _Request:
    """Give every option its value."""
    given = {**metric.bound, **check_options(options, metric.options, metric.name)}
    own = settle(given, metric.options, metric.name)
    del own["convention"]
    return _Request(metric, own.pop("ties"), own.pop("replace_undefined_by"), own)


def evaluate(
    metrics: Sequence[Metric], y_true: Any, y_score: Any, qid: Any, sample_weight: Any = None
) -> list[float]:
    """Compute several metrics from one validation and, for each tie policy, one sort."""
    rows = Rows.collect(y_true, y_score, qid)
    values = _values([_request(metric, {}) for metric in metrics], rows)
    return _means(metrics, values, rows, sample_weight)


def per_query_of_all(
    metrics: Sequence[Metric], y_true: Any, y_score: Any, qid: Any
) -> tuple[Array, Array]:
    """Ids of the queries, and their values of shape (n_metrics, n_queries)."""
    rows = Rows.collect(y_true, y_score, qid)
    return rows.queries.ids, _values([_request(metric, {}) for metric in metrics], rows)


def _values(requests: Sequence[_Request], rows: Rows) -> Array:
    """Values of shape (n_requests, n_queries), undefined ones replaced."""
    for request in requests:
        highest: float | None = request.options.get("max_grade")
        if isinstance(request.options.get("gain"), str) or highest is not None:
            _check_not_negative(rows.grade, request.metric)
        if highest is not None:
            _check_not_above(rows.grade, highest, request.metric)
    values = np.empty((len(requests), len(rows.queries.ids)))
    for ties in dict.fromkeys(request.ties for request in requests):
        group = [at for at, request in enumerate(requests) if request.ties == ties]
        cutoffs: list[Any] = [requests[at].options.get("k") for at in group]
        depth = None if None in cutoffs else max(cutoffs)
        for block in rows.queries.blocks():
            ranking = Ranking(block, rows.grade, rows.score, ties, depth)
            for at in group:
                request = requests[at]
                values[at, block.queries] = request.metric.formula(ranking, **request.options)
    for request, value in zip(requests, values, strict=True):
        value[np.isnan(value)] = request.replace_undefined_by
    return values


def _means(
    metrics: Sequence[Metric], values: Array, rows: Rows, sample_weight: Any
) -> list[float]:
    weight = rows.weights(sample_weight)
    return [_mean(metric, value, weight) for metric, value in zip(metrics, values, strict=True)]


def _mean(metric: Metric, value: Array, weight: Array | None) -> float:
    defined = ~np.isnan(value)
    if weight is not None:
        defined &= weight > 0
    if not defined.any():
        warnings.warn(
            f"{metric.name} is undefined for every query; its docstring says when. Set "
            "replace_undefined_by to say what such a query scores.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
        return float("nan")
    return float(np.average(value[defined], weights=None if weight is None else weight[defined]))


def _check_not_negative(grade: Array, metric: Metric) -> None:
    lowest = grade.min()
    if lowest < 0:
        raise ValueError(
            f"y_true of {metric.name} must not be negative, as it is a gain. Got {lowest:g} "
            "instead. Grade a row that is not relevant 0, or map grades with gain=…."
        )


def _check_not_above(grade: Array, highest: float, metric: Metric) -> None:
    if grade.max() > highest:
        raise ValueError(
            f"y_true of {metric.name} must not be above max_grade={highest:g}. Got "
            f"{grade.max():g} instead; pass the highest grade of your scale as max_grade."
        )


def _signature(defaults: Mapping[str, Any]) -> inspect.Signature:
    rows = ["y_true", "y_score"]
    keywords = {"qid": None, "sample_weight": None, **defaults}
    positional, keyword = (
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    )
    return inspect.Signature(
        [inspect.Parameter(name, positional) for name in rows]
        + [inspect.Parameter(name, keyword, default=value) for name, value in keywords.items()],
        return_annotation=float,
    )
