"""Metric: a formula made a callable that knows queries, ties, undefined values and weights.

One call goes one way: settle the options here; collect the rows, rank block after block and take
the mean in the engine.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._metric.docstrings import write_docstring
from sklearn_rankscore.metrics._metric.engine import Settled, compute_per_query, run, take_means
from sklearn_rankscore.metrics._metric.names import spell, spell_options
from sklearn_rankscore.metrics._options import (
    OWN_TIES,
    REQUIRED,
    SHARED,
    TIES_WITHOUT_BEST,
    Option,
)

# What some metrics need of each row, besides its grade, its score and its query.
ROW_VALUES = ("item", "similarity")


class PerQuery(NamedTuple):
    """The value of each query; the metric is their mean.

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

    def to_frame(self) -> Any:
        """Give the values as a pandas DataFrame, indexed by query id."""
        import pandas as pd  # noqa: PLC0415 - only where it is asked for

        return pd.DataFrame({"value": self.value}, index=pd.Index(self.qid, name="qid"))

    def __repr__(self) -> str:
        """Say how many queries there are, and show the first values."""
        first = ", ".join(
            f"{query!r}: {value:.6g}"
            for query, value in zip(self.qid[:3].tolist(), self.value, strict=False)
        )
        more = ", …" if len(self.qid) > 3 else ""
        return f"<PerQuery of {len(self.qid):,} queries: {first}{more}>"


@dataclass(frozen=True, repr=False)
class Metric:
    """A ranking metric: call it for the mean over queries, or `per_query` for each value.

    Parameters
    ----------
    formula : callable
        ``formula(ranking, *, k=None, **options)`` gives one value per query of a Ranking, nan
        where undefined. Its name is the metric's; its keyword-only parameters are its options,
        and the default of each is the option's record.
    aliases : tuple of str
        Other names of the same metric.
    bound : dict
        Options that are set already, as `get_metric("ndcg@10")` sets k.
    greater_is_better : bool
        Whether a higher value is better; if not, a scorer negates the metric.
    grades : {"judged", "unjudged", "unused"}
        "judged": every row needs a grade; "unjudged": a row that nobody has judged may have none
        (NaN); "unused": the metric reads no grades, and `y_true` may be None.
    own_ties : bool
        Whether the metric itself defines what equal scores mean: ``ties="average"`` then follows
        this definition and takes no expectation over orders.
    row_values : tuple of str
        What else it may need of each row: "item", "similarity". Passed to a call by these names;
        a scorer finds them as it finds query ids.
    pool : callable or None
        For a metric that has no value per query: ``pool(total, **options)`` makes its value from
        the sum of what the formula gives for each block of queries.
    check : callable or None
        ``check(options)`` refuses options that do not go together.
    needs : callable or None
        ``needs(options)`` says which of `row_values` these options need. None: all of them.
    best_orders : bool
        Whether there is a value for the best and for the worst order of tied rows.
    shared : tuple of str
        The options that this metric takes from those that most metrics have.
    conventions : dict of str to dict
        For each program, the options of this metric whose values differ from the general ones.

    Attributes
    ----------
    name : str
        Name of the metric, without a cutoff.
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
    needs: Callable[[Mapping[str, Any]], Iterable[str]] | None = None
    best_orders: bool = True
    shared: tuple[str, ...] = tuple(SHARED)
    conventions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    name: str = field(init=False, compare=False)
    options: Mapping[str, Any] = field(init=False, compare=False)
    _records: Mapping[str, Option] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Check the bound options; let help(), signature() and make_scorer() see a function."""
        records = _find_records(self)
        defaults = {name: record.default for name, record in records.items()}
        vars(self).update(
            name=self.formula.__name__,
            _records=records,
            options=MappingProxyType(defaults),
            __name__=self.formula.__name__,
            __doc__=write_docstring(self, records),
        )
        self._set_bound(self.bound)

    def _set_bound(self, options: Mapping[str, Any]) -> None:
        bound = self.check_options(options)
        vars(self).update(
            bound=MappingProxyType(bound), __signature__=_make_signature(self, bound)
        )

    def __call__(
        self,
        y_true: Any,
        y_score: Any,
        *misplaced: Any,
        qid: Any = None,
        sample_weight: Any = None,
        n_jobs: int = 1,
        **options: Any,
    ) -> float:
        """Return the mean over queries; the metric's own docstring has the parameters."""
        if misplaced:
            raise TypeError(
                f"{self.name} takes y_true and y_score, all else by name: qid=…, k=…. It is a "
                f"metric; the scorer that a search wants is make_rank_scorer({str(self)!r})."
            )
        of_rows = {"sample_weight": sample_weight}
        for name in self.row_values:
            of_rows[name] = options.pop(name, None)
        settled = [self.settle(options)]
        rows, values = run(settled, y_true, y_score, qid, n_jobs=n_jobs, **of_rows)
        return take_means(settled, rows, values)[0]

    def per_query(
        self, y_true: Any, y_score: Any, *, qid: Any = None, n_jobs: int = 1, **options: Any
    ) -> PerQuery:
        """Compute the value of each query, over which the metric takes its mean.

        Parameters
        ----------
        y_true, y_score, qid, n_jobs, **options
            As for the metric itself, except for sample_weight, which only the mean takes.

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
        of_rows = {name: options.pop(name, None) for name in self.row_values}
        settled = [self.settle(options)]
        ids, values, _ = compute_per_query(settled, y_true, y_score, qid, n_jobs=n_jobs, **of_rows)
        return PerQuery(ids, values[0])

    def check_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse options that the metric does not have, and values that they cannot take."""
        checked = {}
        for name, value in options.items():
            record = self._records.get(name)
            if record is None:
                raise TypeError(self._describe_unknown(name))
            as_it_is = value is record.default
            parameter = f"The {name!r} parameter of {self.name}"
            checked[name] = value if as_it_is else record.check(value, parameter)
        return checked

    def _describe_unknown(self, option: str) -> str:
        if option in self.row_values:
            return (
                f"{option} is one value for each row: it goes into a call, {self.name}(y_true, "
                f"y_score, {option}=…), and is no option of the metric. A scorer finds it by "
                f"its name: make_rank_scorer({self.name!r}, {option}='…')."
            )
        known = f"Its options are {', '.join(self.options)}." if self.options else "It has none."
        return f"{self.name} has no option {option!r}. {known}"

    def settle(self, options: Mapping[str, Any] | None = None) -> Settled:
        """Give every option its value: what was said, else the convention's, else the default."""
        said = {**self.bound, **self.check_options(options)} if options else self.bound
        program = said.get("convention")
        values = {**self.options, **(self._find_convention(program) if program else {}), **said}
        for name, value in values.items():
            if value is REQUIRED:
                raise TypeError(f"{self.name} needs {name}=….")
        if self.check is not None:
            self.check(values)
        needs = self.row_values if self.needs is None else tuple(self.needs(values))
        values.pop("convention", None)
        ties, undefined = values.pop("ties", "average"), values.pop("replace_undefined_by", np.nan)
        return Settled(self, ties, undefined, values, needs, program == "trec_eval")

    def _find_convention(self, program: str) -> Mapping[str, Any]:
        """Find the option values of another program's convention."""
        records = self._records.items()
        general = {o: r.conventions[program] for o, r in records if program in r.conventions}
        return general | dict(self.conventions.get(program, {}))

    def bind(self, **options: Any) -> "Metric":
        """Return the metric with some options set."""
        bound = copy(self)
        bound._set_bound({**self.bound, **options})  # noqa: SLF001 - of its own class
        return bound

    def __copy__(self) -> "Metric":
        """Copy without writing the docstring again."""
        other = object.__new__(Metric)
        vars(other).update(vars(self))
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made from."""
        own = {item.name: getattr(self, item.name) for item in fields(self) if item.init}
        return partial(Metric, **own | {"bound": dict(self.bound)}), ()

    def __hash__(self) -> int:
        """Hash by name: equal metrics have equal names."""
        return hash(str(self))

    def __str__(self) -> str:
        """Canonical name, such as "ndcg@10"."""
        return spell(self.name, self.bound.get("k"))

    def __repr__(self) -> str:
        """Canonical name, and the other options that are set."""
        return f"<Metric {self}{spell_options(self.bound)}>"


def _find_records(metric: Metric) -> dict[str, Option]:
    """Records of the metric's options: those of its formula, and those that it shares."""
    parameters = inspect.signature(metric.formula).parameters.values()
    own = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    for name, record in own.items():
        if not isinstance(record, Option):
            raise TypeError(
                f"The default of each keyword-only parameter of {metric.formula.__name__} must be "
                f"an Option. Got {record!r} for {name} instead."
            )
    shared = {name: SHARED[name] for name in metric.shared}
    if "ties" in shared and metric.own_ties:
        shared["ties"] = OWN_TIES
    if "ties" in shared and not metric.best_orders:
        shared["ties"] = TIES_WITHOUT_BEST
    return own | shared


def _make_signature(metric: Metric, bound: Mapping[str, Any]) -> inspect.Signature:
    of_rows = dict.fromkeys(("qid", "sample_weight", *metric.row_values))
    options = {
        name: inspect.Parameter.empty if value is REQUIRED else value
        for name, value in {**metric.options, **bound}.items()
    }
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    keyword = inspect.Parameter.KEYWORD_ONLY
    keywords = of_rows | options | {"n_jobs": 1}
    return inspect.Signature(
        [inspect.Parameter(name, positional) for name in ("y_true", "y_score")]
        + [inspect.Parameter(name, keyword, default=value) for name, value in keywords.items()],
        return_annotation=float,
    )
