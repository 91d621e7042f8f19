"""RankReport: models side by side, with intervals and tests."""

import re
from dataclasses import dataclass
from html import escape
from math import isnan
from textwrap import fill
from typing import Any

from sklearn_rankscore._render import as_html, as_markdown, as_printable, as_text
from sklearn_rankscore._typing import Array

_WIDTH = 99  # of a line of text below a table
# Columns of a table in a paper; the last two are of several models.
_PAPER = ["metric", "model", "mean", "low", "high", "difference", "p_holm"]


@dataclass(frozen=True)
class RankReport:
    """Models compared on the same queries; prints in a terminal and in a notebook.

    Attributes
    ----------
    rows : list of dict
        One row for each metric and model: "metric", "model", "mean", and "low" and "high" of its
        interval; the "difference" from the baseline, its "difference_low" and "difference_high",
        "p_randomisation", "p_holm" (adjusted for all comparisons of the report), "p_t", and the
        number of queries in "wins", "ties" and "losses". None in the rows of the baseline.
    per_query : dict
        "qid", "sample_weight" if there are weights, and by (model, metric) the value of each
        query.
    baseline : str
        The model with which the others are compared.
    n_queries : int
        Number of queries.
    undefined : dict of str to int
        By metric, the number of queries for which it is undefined; for per-query tables, the
        number of values that are missing.
    tied : dict of str to float
        By model, the share of rows within the deepest cutoff that are tied with rows of other
        grades; empty for per-query tables, which have no rows.
    warnings : list of str
        Reasons why a conclusion would be unsafe.
    confidence_level : float
        Confidence level of the intervals.

    Examples
    --------
    >>> from sklearn_rankscore import rank_report
    >>> y_true, qid = [1, 0, 0, 1] * 2, [0, 0, 1, 1, 2, 2, 3, 3]
    >>> report = rank_report(y_true, {"up": [1, 2] * 4, "down": [2, 1] * 4}, qid=qid,
    ...                      metrics=["mrr"], random_state=0)
    >>> [row["mean"] for row in report.rows]
    [0.75, 0.75]
    """

    rows: list[dict[str, Any]]
    per_query: dict[Any, Array]
    baseline: str
    n_queries: int
    undefined: dict[str, int]
    tied: dict[str, float]
    warnings: list[str]
    confidence_level: float

    def to_frame(self) -> Any:
        """Give the rows as a pandas DataFrame, indexed by metric and model."""
        import pandas as pd  # noqa: PLC0415 - only where it is asked for

        return pd.DataFrame(self.rows).set_index(["metric", "model"])

    def to_markdown(self) -> str:
        """Write the table in Markdown: a pipe table with numbers aligned to the right."""
        return as_markdown(self._write_cells(), n_left=2)

    def to_latex(self) -> str:
        """Write a LaTeX tabular for booktabs, by pandas and jinja2: means, intervals, p-values."""
        columns = _PAPER if self._n_models > 1 else _PAPER[:-2]
        try:
            table = self.to_frame().reset_index()[columns].rename(columns={"p_holm": "p (Holm)"})
            for name in ("metric", "model"):
                table[name] = table[name].map(as_printable)
            latex = table.to_latex(index=False, float_format="%.4f", na_rep="", escape=True)
        except ImportError as error:
            message = "to_latex needs pandas and jinja2: pip install pandas jinja2"
            raise ImportError(message) from error
        # A row that begins with these would be an argument of the line's end before it.
        latex = re.sub(r"^(?=[\[*])", "{}", str(latex), flags=re.MULTILINE)
        return latex.replace("|", r"\textbar{}")

    def __str__(self) -> str:
        """Write the table, its legend, and what makes a conclusion unsafe."""
        notes = [self._write_legend(), *(f"Unsafe: {warning}." for warning in self.warnings)]
        return "\n".join([as_text(self._write_cells()), *(fill(note, _WIDTH) for note in notes)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        unsafe = "".join(f"<p><b>Unsafe:</b> {escape(w)}.</p>" for w in self.warnings)
        table = as_html(self._write_cells(), self._write_title(), self._write_legend())
        return f"<div>{table}{unsafe}</div>"

    def _write_title(self) -> str:
        models = f"{self._n_models} model{'s' * (self._n_models != 1)}"
        return f"{models}, {self.n_queries:,} quer{'y' if self.n_queries == 1 else 'ies'}"

    @property
    def _n_models(self) -> int:
        return len({row["model"] for row in self.rows})

    def _write_cells(self) -> list[list[str]]:
        percent = f"{100 * self.confidence_level:g} %"
        names = ["metric", "model", "mean", percent]
        if self._n_models > 1:
            names += ["difference", percent, "p", "p (Holm)", "p (t)", "wins/ties/losses"]
        lines = [names]
        for row in self.rows:
            names_of = (" ".join(row[name].split()) for name in ("metric", "model"))
            line = [*names_of, f"{row['mean']:.4f}"]
            line.append(_format_interval(row["low"], row["high"]))
            if self._n_models > 1:
                line += [""] * 6 if row["difference"] is None else _format_comparison(row)
            lines.append(line)
        return lines

    def _write_legend(self) -> str:
        weighted = ", weighted by sample_weight" * ("sample_weight" in self.per_query)
        parts = [f"{self._write_title()}{weighted}; intervals by bootstrap over queries"]
        if self._n_models > 1:
            parts.append(
                f"differences from {as_printable(self.baseline)}, p by sign flips, Holm's for all "
                "of them"
            )
        missing = [f"{metric} {n:,}" for metric, n in self.undefined.items() if n]
        if missing:
            parts.append(f"undefined queries: {', '.join(missing)}")
        tied = [
            f"{as_printable(model)} {share:.0%}"
            for model, share in self.tied.items()
            if share >= 0.005
        ]
        if tied:
            parts.append(f"tied rows: {', '.join(tied)}")
        return f"({'; '.join(parts)})"


def _format_interval(low: float, high: float, sign: str = "") -> str:
    """Write an interval; nothing for that of one query, which is NaN."""
    return "" if isnan(low) else f"{low:{sign}.4f} to {high:{sign}.4f}"


def _format_comparison(row: dict[str, Any]) -> list[str]:
    interval = _format_interval(row["difference_low"], row["difference_high"], "+")
    p_values = [_format_p_value(row[name]) for name in ("p_randomisation", "p_holm", "p_t")]
    counts = f"{row['wins']:,}/{row['ties']:,}/{row['losses']:,}"
    return [f"{row['difference']:+.4f}", interval, *p_values, counts]


def _format_p_value(value: float) -> str:
    if isnan(value):
        return ""
    return "<0.001" if value < 0.001 else f"{value:.3f}"
