"""Docstrings of metrics, put together from a formula's text and from the options' records."""

import inspect
from collections.abc import Mapping
from typing import Any

from sklearn_rankscore.metrics._options import Option

_Y_TRUE = """\
y_true : array-like of shape (n_rows,) or (n_queries, n_rows_per_query)
    Relevance grade of each row: {of_grades}. Flat if `qid` is given or y_true
    is a RankTarget or a pandas Series with an index level named "qid"; else one line per query.
"""
_Y_SCORE_AND_QID = """\
y_score : array-like, shape of y_true
    Score of each row, higher is better; compared in its own precision. -inf means that the row
    was not retrieved: it has no rank. If relevant, it still counts as such, and in the ideal.
qid : array-like of shape (n_rows,), default=None
    Query id of each row, of any type, in any order.
"""
_SAMPLE_WEIGHT = """\
sample_weight : array-like of shape (n_rows,) or, for a rectangle, (n_queries,), default=None
    Weight of each query{where}, the same on all its rows; 0 leaves the query out. None: the
    weights that y_true carries, on a RankTarget or in an index level, if any.
"""
_ROW_VALUES = {
    "item": """\
item : array-like of shape (n_rows,), default=None
    Item id of each row, of any type, once in a query; by default, the items that y_true carries.
""",
    "similarity": """\
similarity : array-like of shape (n_rows,), default=None
    Similarity of each row's item to the items its person chose before, from `profile_similarity`.
""",
}
_N_JOBS = """\
n_jobs : int, default=1
    Threads to work in, -1 for one per core. Keep 1 inside a search that runs on all cores.
"""
_MEAN = """\
float
    Mean over the queries; nan, with a warning, if the metric is defined for none of them.
"""
_POOLED = """\
float
    Value of all queries together.
"""
_RAISES = """\
ValueError
    If rows are flat and lack the query ids that the metric needs; if lengths differ; if {values};
    if an id is missing; if an option cannot have its value.
TypeError
    If the metric has no such option, or an array is sparse.
"""


def write_docstring(metric: Any, records: Mapping[str, Option]) -> str:
    """Put the shared sections between a formula's text and its references."""
    head, references, tail = (inspect.getdoc(metric.formula) or "").partition("References\n")
    parameters = [
        _Y_TRUE.format(
            of_grades=_choose_by_grades(
                metric,
                "numbers or booleans, not missing",
                "numbers or booleans, NaN where nobody has judged",
                "not read, may be None",
            )
        ),
        _Y_SCORE_AND_QID,
        _SAMPLE_WEIGHT.format(where="" if metric.pool else " in the mean"),
        *(_ROW_VALUES[name] for name in metric.row_values),
        *(record.entry(name) for name, record in records.items()),
        _N_JOBS,
    ]
    negative = " or negative" if {"gain", "max_grade"} & records.keys() else ""
    raises = _RAISES.format(
        values=_choose_by_grades(
            metric,
            f"a grade or a score is NaN or text, a grade is infinite{negative}",
            "a score is NaN or text, a grade is text or infinite",
            "a score is NaN or text",
        )
    )
    sections = [
        _write_section("Parameters", "".join(parameters)),
        _write_section("Returns", _POOLED if metric.pool else _MEAN),
        _write_section("Raises", raises),
    ]
    return f"{head.rstrip()}\n\n{''.join(sections)}{references}{tail}"


def _choose_by_grades(metric: Any, judged: str, unjudged: str, unused: str) -> str:
    return {"judged": judged, "unjudged": unjudged, "unused": unused}[metric.grades]


def _write_section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{text}\n"
