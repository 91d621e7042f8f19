"""Metric: a formula made a callable that knows queries, ties, undefined values and weights."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from sklearn_rankscore.metrics import _names
from sklearn_rankscore.metrics._compute import collect, means_of, request_of, values_of
from sklearn_rankscore.metrics._docs import metric_docstring
from sklearn_rankscore.metrics._options import Options, check_options, defaults_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    takes_unjudged : bool
        Whether a grade may be NaN, which says that nobody has judged the row.
    own_ties : bool
        Whether the metric itself defines what equal scores mean, so that ``ties="average"`` is
        that, not an expectation over their orders.

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
    takes_unjudged: bool = False
    own_ties: bool = False
    options: Mapping[str, Any] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Check the bound options; let help(), signature() and make_scorer() see a function."""
        defaults = defaults_of(self.formula)
        vars(self).update(
            options=MappingProxyType(defaults),
            bound=MappingProxyType(check_options(self.bound, defaults, self.name)),
            __name__=self.name,
            __doc__=metric_docstring(
                self.formula, defaults, own_ties=self.own_ties, unjudged=self.takes_unjudged
            ),
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
        request = request_of(self, options)
        rows = collect([self], y_true, y_score, qid)
        return means_of([self], values_of([request], rows), rows, sample_weight)[0]

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
        request = request_of(self, options)
        rows = collect([self], y_true, y_score, qid)
        return PerQuery(rows.queries.ids, values_of([request], rows)[0])

    def bind(self, **options: Unpack[Options]) -> Metric:
        """Return the metric with some options set."""
        bound = {**self.bound, **options}
        return replace(self, bound=bound)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made from."""
        own = self.formula, self.aliases, dict(self.bound)
        return Metric, (*own, self.greater_is_better, self.takes_unjudged, self.own_ties)

    def __hash__(self) -> int:
        """Hash by name: equal metrics have equal names."""
        return hash(str(self))

    def __str__(self) -> str:
        """Canonical name, such as "ndcg@10"."""
        return _names.spell(self.name, self.bound.get("k"))

    def __repr__(self) -> str:
        """Canonical name, and the other options that are set."""
        return f"<Metric {self}{_names.spell_options(self.bound)}>"


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
