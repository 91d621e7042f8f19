"""Metric: a formula made a callable that knows queries, ties, undefined values and weights."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from sklearn_rankscore.metrics._metric import names
from sklearn_rankscore.metrics._metric.docstrings import metric_docstring
from sklearn_rankscore.metrics._metric.engine import (
    means_of,
    per_query_of_all,
    request_of,
    row_values_of,
)
from sklearn_rankscore.metrics._metric.options import (
    ROW_VALUES,
    SHARED,
    CallOptions,
    Options,
    check_options,
    defaults_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sklearn_rankscore.metrics._rows.validation import Array


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
    grades : {"judged", "unjudged", "unused"}
        Whether every row needs a grade; or may have none (NaN), as nobody has judged it; or no
        grade is used, so that `y_true` may be None.
    own_ties : bool
        Whether the metric itself defines what equal scores mean, so that ``ties="average"`` is
        that, not an expectation over their orders.
    row_values : tuple of str
        What else it may need of each row: "item", "similarity". Passed to a call by these names;
        a scorer finds them as it finds query ids.
    pool : callable or None
        For a metric that has no value per query: ``pool(total, **options)`` makes its value of
        what the formula gives for each block of queries, added up.
    check : callable or None
        ``check(options)`` refuses options that do not go together.
    best_orders : bool
        Whether there is a value for the best and for the worst order of tied rows.
    shared : tuple of str
        Which of the options that most metrics have it has.

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
    grades: str = "judged"
    own_ties: bool = False
    row_values: tuple[str, ...] = ()
    pool: Callable[..., float] | None = None
    check: Callable[[Mapping[str, Any]], None] | None = None
    best_orders: bool = True
    shared: tuple[str, ...] = tuple(SHARED)
    options: Mapping[str, Any] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Check the bound options; let help(), signature() and make_scorer() see a function."""
        defaults = defaults_of(self.formula, self.shared)
        vars(self).update(
            options=MappingProxyType(defaults),
            __name__=self.name,
            __doc__=metric_docstring(self, defaults),
        )
        vars(self).update(
            bound=MappingProxyType(self.checked(self.bound)),
            __signature__=_signature(self.row_values, defaults | dict(self.bound)),
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
        n_jobs: int = 1,
        **options: Unpack[CallOptions],
    ) -> float:
        """Return the mean over queries; the metric's own docstring has the parameters."""
        if misplaced:
            raise TypeError(
                f"{self.name} takes y_true and y_score, all else by name: qid=…, k=…. It is a "
                f"metric; the scorer that a search wants is make_rank_scorer({str(self)!r})."
            )
        given: dict[str, Any] = dict(options)
        row_values = row_values_of([self], y_true, given)
        request = request_of(self, given)
        row_values["sample_weight"] = sample_weight
        return means_of([request], y_true, y_score, qid, n_jobs=n_jobs, **row_values)[0]

    def per_query(
        self,
        y_true: Any,
        y_score: Any,
        *,
        qid: Any = None,
        n_jobs: int = 1,
        **options: Unpack[CallOptions],
    ) -> PerQuery:
        """Value of each query: what the mean is taken of.

        Parameters
        ----------
        y_true, y_score, qid, n_jobs, **options
            As for the metric itself; weights belong to the mean.

        Returns
        -------
        PerQuery
            Named tuple of two arrays of shape (n_queries,), `qid` and `value`. Undefined values
            are replaced as in the mean; pass ``replace_undefined_by=np.nan`` to see them.

        Raises
        ------
        TypeError
            For a metric of all queries together, such as `catalog_coverage`.
        """
        given: dict[str, Any] = dict(options)
        row_values = row_values_of([self], y_true, given)
        metric = self.bind(**given) if given else self
        ids, values = per_query_of_all([metric], y_true, y_score, qid, n_jobs=n_jobs, **row_values)
        return PerQuery(ids, values[0])

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse options that the metric does not have, and values that they cannot take."""
        for name in ROW_VALUES:
            if name in self.row_values and name in options:
                raise TypeError(
                    f"{name} is one value for each row: it goes into a call, {self.name}(y_true, "
                    f"y_score, {name}=…), and is no option of the metric. A scorer finds it by "
                    f"its name: make_rank_scorer({str(self.name)!r}, {name}='…')."
                )
        checked = check_options(options, self.options, self.name)
        ties = checked.get("ties")
        if ties in ("optimistic", "pessimistic") and not self.best_orders:
            raise ValueError(
                f"{self.name} has no value for ties={ties!r}: which of the tied rows are best "
                "chosen is a search over all choices. Pass 'average', 'first' or 'last'."
            )
        return checked

    def bind(self, **options: Unpack[Options]) -> Metric:
        """Return the metric with some options set."""
        bound = {**self.bound, **options}
        return replace(self, bound=bound)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made from."""
        own = {item.name: getattr(self, item.name) for item in fields(self) if item.init}
        return partial(Metric, **own | {"bound": dict(self.bound)}), ()

    def __hash__(self) -> int:
        """Hash by name: equal metrics have equal names."""
        return hash(str(self))

    def __str__(self) -> str:
        """Canonical name, such as "ndcg@10"."""
        return names.spell(self.name, self.bound.get("k"))

    def __repr__(self) -> str:
        """Canonical name, and the other options that are set."""
        return f"<Metric {self}{names.spell_options(self.bound)}>"


def _signature(row_values: tuple[str, ...], options: Mapping[str, Any]) -> inspect.Signature:
    of_rows = dict.fromkeys(("qid", "sample_weight", *row_values))
    keywords = of_rows | dict(options) | {"n_jobs": 1}
    positional, keyword = (
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    )
    return inspect.Signature(
        [inspect.Parameter(name, positional) for name in ("y_true", "y_score")]
        + [inspect.Parameter(name, keyword, default=value) for name, value in keywords.items()],
        return_annotation=float,
    )
