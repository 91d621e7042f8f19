"""The sections that the docstrings of all metrics share, written once."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn_rankscore.metrics._metric.metric import Metric

ROWS = """\
y_true : array-like of shape (n_rows,) or (n_queries, n_rows_per_query)
    Relevance grade of each row: numbers or booleans, not missing. With `qid`, or on a RankTarget
    or a pandas Series with an index level named "qid", flat; else one line per query.
y_score : array-like, shape of y_true
    Score of each row, higher is better; compared in its own precision. -inf means that the row
    was not retrieved: it is not ranked, yet counts among the relevant rows and in the ideal.
qid : array-like of shape (n_rows,), default=None
    Query id of each row, of any type, in any order.
"""

WEIGHT = """\
sample_weight : array-like of shape (n_rows,) or, for a rectangle, (n_queries,), default=None
    Weight of each query in the mean, the same on all its rows; 0 leaves the query out.
"""

OPTIONS = {
    "k": """\
k : int, default=None
    Cutoff, at least 1; beyond a list's end it is the list's end. None: the whole list.
""",
    "gain": """\
gain : {"linear", "exponential"}, mapping, array or callable, default="linear"
    Worth of a grade g: g, or 2**g - 1, or what the table says (an array is indexed by grade), or
    a function of the array of grades. Never negative.
""",
    "discount": """\
discount : {"log2", "jarvelin", "reciprocal"} or callable, default="log2"
    Weight of rank r: 1 / log2(r + 1), or 1 / max(1, log2 r), or 1 / r, or a function of the
    array of ranks that never rises.
""",
    "min_relevance": """\
min_relevance : float, default=None
    A row is relevant when its grade is at least this. None: when its grade is above 0.
""",
    "denominator": """\
denominator : {{denominator}, "attainable"}, default={denominator}
    What the found rows are divided by: as above, or min(k, {attainable}).
""",
    "persistence": """\
persistence : float, default=0.8
    Probability p of going on to the next row, at least 0 and below 1.
""",
    "recall_level": """\
recall_level : float, default=0.5
    Share of the relevant rows that must be found, from 0 to 1.
""",
    "max_grade": """\
max_grade : float, default=4.0
    Highest grade that a row can have; no row may have a higher one.
""",
    "item": """\
item : array-like of shape (n_rows,), default=None
    Item id of each row, of any type; once in a query. None, where a table has one line per row.
""",
    "similarity": """\
similarity : array-like of shape (n_rows,), default=None
    How alike each row's item is to what its person knows, as `profile_similarity` gives it.
""",
    "catalog": """\
catalog : int or array-like of ids, default=None
    The catalogue: how many items there are, or which; repeated ids count once. None: {catalog}.
""",
    "unknown": """\
unknown : {"error", "ignore"}, default="error"
    What to do with scored items that are not in the catalogue.
""",
    "item_features": """\
item_features : mapping, DataFrame, (ids, matrix), array or sparse matrix
    Vector of each item, by its id: of a DataFrame, its index is the ids and all columns are
    features; line i of an array or matrix is item i's, without `item` it is row i's.
""",
    "item_similarity": """\
item_similarity : "cosine" or callable, default="cosine"
    How alike two items are, 1 for equal ones; a callable takes two arrays of vectors, shape
    (n_pairs, n_features), sparse if the features are, and gives a finite number for each pair.
""",
    "popularity": """\
popularity : Popularity, mapping, Series, (ids, values) or array
    How often each item was chosen, from training data, as `item_popularity` makes it of a log; or
    counts (integers, or whole numbers not all up to 1), which are divided by their sum; or
    probabilities. Of a Series, its index is the ids; value i of an array is item i's.
""",
    "unseen": """\
unseen : {"error", "skip", "once", "laplace"}, default="error"
    What an item counts as that is not in `popularity`, or with 0: an error; left out of the mean;
    chosen once; or, for every item, (count + 1) / (total + size of `catalog`).
""",
    "popular_share": """\
popular_share : float, default=0.2
    Share of the items that count as popular, from 0 to 1.
""",
    "max_similarity": """\
max_similarity : float, default=0.5
    Highest similarity to the profile at which an item is unexpected.
""",
    "definition": """\
definition : {"unexpected", "recommenders", "rectools"}, default="unexpected"
    Which published definition; see above.
""",
    "ties": """\
ties : {"average", "optimistic", "pessimistic", "first", "last"}, default="average"
    Rows of equal score: the expectation over all their orders, the best or the worst value that
    an order gives, input order, or input order reversed.
""",
    "replace_undefined_by": """\
replace_undefined_by : float, default=0.0
    What a query scores for which the metric is undefined; nan leaves it out of the mean.
""",
    "convention": """\
convention : {"sklearn", "trec_eval", "lightgbm", "xgboost", "catboost"}, default=None
    Gain, ties, denominator, persistence and undefined value as that program has them. An option
    given beside it wins. Weights are no part of it: LightGBM and XGBoost add an unweighted 1 for a
    query without relevant rows and can so report an nDCG above 1, which is not imitated. Without
    @n XGBoost cuts at 32; pass k=32.
""",
}

N_JOBS = """\
n_jobs : int, default=1
    Threads to work in, -1 for one per core. A search over models fills the cores already.
"""

RETURNS = """\
float
    Mean over the queries; nan, with a warning, if the metric is defined for none of them.
"""

ROW_WEIGHT = """\
sample_weight : array-like of shape (n_rows,) or, for a rectangle, (n_queries,), default=None
    Weight of each query's rows, the same on all of them; 0 leaves the query out.
"""

POOLED = """\
float
    Of all queries together.
"""

RAISES = """\
ValueError
    If y_true is flat and no query ids are found; if lengths differ; if a grade or a score is NaN
    or text, a grade is infinite{negative}, an id is missing; if an option cannot have its value.
TypeError
    If the metric has no such option, or an array is sparse.
"""


_BY_TABLE = "those in `popularity`"
_NO_NAN = "if a grade or a score is NaN\n    or text, a grade is infinite"


def metric_docstring(metric: Metric, defaults: Mapping[str, Any]) -> str:
    """Put the shared sections between a formula's text and its references."""
    head, references, tail = (inspect.getdoc(metric.formula) or "").partition("References\n")
    named = {*metric.row_values, *defaults}
    weight = ROW_WEIGHT if metric.pool else WEIGHT
    parameters = [
        ROWS,
        weight,
        *(text for option, text in OPTIONS.items() if option in named),
        N_JOBS,
    ]
    body = _section("Parameters", "".join(parameters))
    body += _section("Returns", POOLED if metric.pool else RETURNS) + _section("Raises", RAISES)
    denominator = defaults.get("denominator")
    marks = {
        "{denominator}": f'"{denominator}"',
        "{attainable}": "rows retrieved" if denominator == "k" else "relevant rows",
        "{negative}": ", a grade is negative" if {"gain", "max_grade"} & named else "",
        "{catalog}": "the items that are scored" if "unknown" in named else _BY_TABLE,
    }
    if metric.own_ties:
        marks["the expectation over all their orders"] = "as said above"
    if "ties" in named and not metric.best_orders:
        marks['"average", "optimistic", "pessimistic", "first", "last"'] = (
            '"average", "first", "last"'
        )
        marks["all their orders, the best or the worst value that\n    an order gives,"] = (
            "all their orders,"
        )
    if metric.grades == "unjudged":
        marks["not missing. With"] = "NaN where nobody has judged. With"
        marks[_NO_NAN] = "if a score is NaN or text,\n    a grade is text"
    for mark, value in marks.items():
        body = body.replace(mark, value)
    return f"{head.rstrip()}\n\n{body}{references}{tail}"


def _section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{text}\n"
