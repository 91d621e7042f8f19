"""Explanation: the working of one query's value, to be read."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from sklearn_rankscore._render import as_html, as_text

_ENDS = 30  # lines of a long table that are printed from its top, and from its end


class Table(NamedTuple):
    """Numbers and texts by line, under names; `note` says what the marks mean."""

    caption: str
    columns: list[str]
    lines: list[list[Any]]
    note: str = ""


@dataclass(frozen=True)
class Explanation:
    """How a metric comes to its value for one query; prints in a terminal and in a notebook.

    Attributes
    ----------
    metric : str
        Name of the metric, with its options.
    query : object
        Id of the query.
    tables : tuple of Table
        The ranked rows and, where the metric has one, the ideal order.
    steps : tuple of str
        What is done with the columns, the last line giving the value.
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
        """What is explained."""
        return f"{self.metric} of query {self.query!r}"

    def to_frame(self) -> Any:
        """Give the table of ranked rows as a pandas DataFrame, the rank as its index.

        Returns
        -------
        pandas.DataFrame
            One line for each rank, numbers as they are.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        import pandas as pd  # noqa: PLC0415 - only where it is asked for

        table = self.tables[0]
        frame = pd.DataFrame(table.lines, columns=table.columns)
        frame["rank"] = frame["rank"].astype(str).str.rstrip("=").astype(int)
        return frame.set_index("rank")

    def __str__(self) -> str:
        """Tables, and what is done with them."""
        parts = [self.title]
        for table in self.tables:
            parts += ["", table.caption, as_text(_cells(table))]
            parts += [table.note] * bool(table.note)
        return "\n".join([*parts, "", *self.steps])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = "".join(
            as_html(_cells(table), table.caption, table.note) for table in self.tables
        )
        steps = "".join(f"<p>{escape(step)}</p>" for step in self.steps)
        return f"<div><p><b>{escape(self.title)}</b></p>{tables}{steps}</div>"


def format_number(value: float) -> str:
    """Four decimals at most, as many as say something; of small numbers four digits."""
    if value == 0 or 0.01 <= abs(value) < 1e6:
        return f"{value + 0.0:.4f}".rstrip("0").rstrip(".")
    return f"{value:.4g}"


def _cells(table: Table) -> list[list[str]]:
    lines = [
        [_cell(name, value) for name, value in zip(table.columns, line, strict=True)]
        for line in table.lines
    ]
    if len(lines) > 2 * _ENDS:  # of a long list its ends
        lines[_ENDS:-_ENDS] = [["…"] * len(table.columns)]
    return [table.columns, *lines]


def _cell(name: str, value: Any) -> str:
    if name == "item":
        return " ".join(str(value).split())
    if isinstance(value, float):
        if value != value:  # noqa: PLR0124 - NaN: nothing to say
            return ""
        return f"{value + 0.0:.10g}" if name == "score" else format_number(value)
    return str(value)
