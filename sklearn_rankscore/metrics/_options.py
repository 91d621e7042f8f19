"""Options of metrics: a record for each, with its check, default, words and conventions.

A formula's keyword-only parameters are its metric's options, and the default of each is the
option's record::

    def rank_biased_precision(r, *, k=K, min_relevance=MIN_RELEVANCE, persistence=PERSISTENCE): …

Here are the records that several families of metrics share.

`PROGRAMS` are the conventions: other programs that use the same names. A record's `conventions`
give its value in a program; a metric for which a program differs says so in THE TABLE.

sklearn     sklearn.metrics: dcg_score, ndcg_score.
trec_eval   NIST trec_eval: scores in 32 bits, ties by document id, descending. Give the rows in
            that order.
lightgbm    LightGBM's ndcg and map, on rows in input order; relevant means label > 0.5.
xgboost     XGBoost's ndcg@n, map@n and pre@n. Without @n XGBoost cuts at 32; k=None does not.
catboost    CatBoost's NDCG, DCG, MAP, MRR, PrecisionAt, RecallAt, ERR, QueryAUC: tied rows stand
            in their worst order, but count half in QueryAUC. Its ERR takes a grade as the
            probability of being satisfied.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from textwrap import indent
from typing import Any

import numpy as np

from sklearn_rankscore.metrics._rows.validation import Check, check_cutoff, number_that, one_of

PROGRAMS = ("sklearn", "trec_eval", "lightgbm", "xgboost", "catboost")
TIE_POLICIES = ("average", "optimistic", "pessimistic", "first", "last")
REQUIRED = object()  # the default of an option that has none


@dataclass(frozen=True)
class Option:
    """One option of a metric."""

    # check(value, parameter) gives the value in its one form, or raises an error that names the
    # parameter. The default needs no check.
    check: Check
    kind: str  # types and choices, as the docstring shows them
    text: str  # what the option does, as the docstring says it
    default: Any = REQUIRED  # its value if nobody says another
    conventions: Mapping[str, Any] = field(default_factory=dict)  # its value in other programs

    def entry(self, name: str) -> str:
        """Write the option's entry in the section Parameters of a docstring."""
        default = f'"{self.default}"' if isinstance(self.default, str) else repr(self.default)
        kind = self.kind if self.default is REQUIRED else f"{self.kind}, default={default}"
        return f"{name} : {kind}\n{indent(self.text, '    ')}\n"


def option(*args: Any, **kwargs: Any) -> Any:
    """Make an Option, typed so that it can be the default of a formula's parameter."""
    return Option(*args, **kwargs)


def _check_undefined(value: Any, parameter: str) -> float:
    if isinstance(value, Real) and value != value:  # noqa: PLR0124 - NaN
        return np.nan  # the one NaN, so that equal options compare equal
    number: float = _finite_or_nan(value, parameter)
    return number


_finite_or_nan = number_that(np.isfinite, "a finite number or nan")

K = option(
    check_cutoff,
    "int",
    "Cutoff, at least 1; all rows of a shorter list are in its top k. None: the whole list.",
    None,
)
MIN_RELEVANCE = option(
    number_that(np.isfinite, "a finite number or None"),
    "float",
    "A row is relevant when its grade is at least this. None: when its grade is above 0.",
    None,
)
REPLACE_UNDEFINED_BY = option(
    _check_undefined,
    "float",
    "Value of a query for which the metric is undefined; nan leaves the query out of the mean.",
    0.0,
    {"sklearn": 0.0, "trec_eval": 0.0, "lightgbm": 1.0, "xgboost": 1.0, "catboost": 1.0},
)
CONVENTION = option(
    one_of(*PROGRAMS),
    "{" + ", ".join(f'"{program}"' for program in PROGRAMS) + "}",
    """\
Gain, ties, denominator, persistence and undefined value as that program has them. Options that
you pass as well win. Weights stay as they are here: LightGBM and XGBoost add an unweighted 1 for
a query without relevant rows, so their nDCG can exceed 1; this package does not imitate that.
XGBoost without @n cuts at 32; pass k=32.""",
    None,
)
TIES = option(
    one_of(*TIE_POLICIES),
    "{" + ", ".join(f'"{policy}"' for policy in TIE_POLICIES) + "}",
    """\
Rows of equal score: the expectation over all their orders, the best or the worst value that
an order gives, input order, or input order reversed.""",
    "average",
    {"sklearn": "average", "catboost": "pessimistic"}
    | dict.fromkeys(("trec_eval", "lightgbm", "xgboost"), "first"),
)
# For metrics with their own definition of what equal scores mean.
OWN_TIES = replace(
    TIES,
    text="""\
Rows of equal score: as said above, the best or the worst value that an order gives, input
order, or input order reversed.""",
)
# For metrics that have no value for the best or the worst order of tied rows, because finding that
# order takes a search over all orders.
TIES_WITHOUT_BEST = replace(
    TIES,
    check=one_of("average", "first", "last"),
    kind='{"average", "first", "last"}',
    text="""\
Rows of equal score: the expectation over all their orders, input order, or input order
reversed.""",
)

# What most metrics have beside the options of their formulas.
SHARED: dict[str, Option] = {
    "ties": TIES,
    "replace_undefined_by": REPLACE_UNDEFINED_BY,
    "convention": CONVENTION,
}
