"""Explanation: the working of one query's value, printed as tables and steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from math import isnan
from typing import Any, NamedTuple, Self

import numpy as np

from sklearn_rankscore._render import as_html, as_text

_ENDS = 30  # print only this many lines from each end of a table of more than twice as many


class Table(NamedTuple):
    """Lines of numbers and texts under the names of their columns."""

    caption: str
    columns: list[str]
    lines: list[list[Any]]
    note: str = ""  # what the marks mean

    @classmethod
    def from_columns(cls, caption: str, columns: Mapping[str, Any], note: str = "") -> Self:
        """Make a table of columns; the first has as many values as the table has lines."""
        n_lines = len(next(iter(columns.values())))
        lines = [[_simplify(column[at]) for column in columns.values()] for at in range(n_lines)]
        return cls(caption, list(columns), lines, note)


@dataclass(frozen=True)
class Explanation:
    """How a metric comes to its value for one query; prints in a terminal and in a notebook.

    Attributes
    ----------
    metric : str
        Name of the metric, with its options.
    query : object
        Id of the query; None where the metric is explained as a mean over queries.
    tables : tuple of Table
        The ranked rows and, for DCG-like metrics, the best order; for ideal DCG only the latter.
    steps : tuple of str
        How the columns lead to the value, which the last step gives.
    value : float
        The value; nan where the metric is undefined for the query.

    Examples
    --------
    >>> from sklearn_rankscore import explain
    >>> explain([[0, 1]], [[2, 1]], metric="mrr").value
    0.5
    """

    metric: str
    query: Any
    tables: tuple[Table, ...]
    steps: tuple[str, ...]
    value: float

    @property
    def title(self) -> str:
        """Name of the metric, and the query."""
        return self.metric if self.query is None else f"{self.metric} of query {self.query!r}"

    def to_frame(self) -> Any:
        """Give the first table as a pandas DataFrame indexed by rank, in full precision."""
        import pandas as pd  # noqa: PLC0415 - only where it is asked for

        table = self.tables[0]
        frame = pd.DataFrame(table.lines, columns=table.columns)
        if "rank" in frame:
            frame["rank"] = frame["rank"].astype(str).str.rstrip("=").astype(int)
        return frame.set_index(table.columns[0])

    def __str__(self) -> str:
        """Write the tables, and the steps below them."""
        parts = [self.title]
        for table in self.tables:
            parts += ["", table.caption, as_text(_format_table(table))]
            parts += [table.note] * bool(table.note)
        return "\n".join([*parts, "", *self.steps])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = "".join(
            as_html(_format_table(table), table.caption, table.note) for table in self.tables
        )
        steps = "".join(f"<p>{escape(step)}</p>" for step in self.steps)
        return f"<div><p><b>{escape(self.title)}</b></p>{tables}{steps}</div>"


def _simplify(value: Any) -> Any:
    """Turn a NumPy number into Python's own, and a whole number into an int."""
    value = value.item() if isinstance(value, np.generic) else value
    whole = isinstance(value, float) and abs(value) < 1e15 and value.is_integer()
    return int(value) if whole else value


def format_number(value: float) -> str:
    """Write a number with at most four decimals and six digits."""
    if value == 0 or 0.01 <= abs(value) < 100:
        return f"{value + 0.0:.4f}".rstrip("0").rstrip(".")
    return f"{value:.6g}" if 100 <= abs(value) < 1e6 else f"{value:.4g}"


def _format_table(table: Table) -> list[list[str]]:
    """Write the cells of a table, names first; of a long table only both ends."""
    lines = [
        [_format_cell(name, value) for name, value in zip(table.columns, line, strict=True)]
        for line in table.lines
    ]
    if len(lines) > 2 * _ENDS:
        lines[_ENDS:-_ENDS] = [["…"] * len(table.columns)]
    return [table.columns, *lines]


def _format_cell(name: str, value: Any) -> str:
    if not isinstance(value, float) or name in ("item", "query"):
        return " ".join(str(value).split())
    if isnan(value):
        return ""
    return f"{value + 0.0:.6g}" if name == "score" else format_number(value)
