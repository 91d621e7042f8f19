"""RankReport: models side by side, with what chance alone would do."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING, Any

from sklearn_rankscore._render import as_html, as_markdown, as_text

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._rows.validation import Array

_WIDTH = 99  # of a line of text below a table


@dataclass(frozen=True)
class RankReport:
    """Models compared on the same queries; prints in a terminal and in a notebook.

    Attributes
    ----------
    rows : list of dict
        One for each metric and model: "metric", "model", "mean", "low" and "high" of its interval;
        against the baseline "difference", its "difference_low" and "difference_high",
        "p_randomisation", "p_holm" (adjusted for all comparisons of the report), "p_t", and
        "wins", "ties" and "losses" in queries. None where there is nothing to compare.
    per_query : dict
        "qid", with weights "sample_weight", and by (model, metric) the values of each query.
    baseline : str
        What the others are compared with.
    n_queries : int
        Number of queries.
    undefined : dict of str to int
        By metric, for how many queries it is undefined; of per-query tables, how many values
        were not replaced.
    tied : dict of str to float
        By model, the share of rows whose score another row of their query has; empty where there
        were per-query tables and no rows.
    warnings : list of str
        What would make a conclusion unsafe.
    confidence_level : float
        Of the intervals.

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
        """Give the rows as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            Indexed by metric and model.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        import pandas as pd  # noqa: PLC0415 - only where it is asked for

        return pd.DataFrame(self.rows).set_index(["metric", "model"])

    def to_markdown(self) -> str:
        """Write the table in Markdown.

        Returns
        -------
        str
            A pipe table, numbers to the right.
        """
        return as_markdown(self._lines(), n_left=2)

    def to_latex(self) -> str:
        """Write the table in LaTeX.

        Returns
        -------
        str
            A tabular environment, which needs no package.
        """
        names, *body = ([_latex(cell) for cell in line] for line in self._lines())
        lines = [" & ".join(line) + r" \\" for line in (names, *body)]
        head = r"\begin{tabular}{ll" + "r" * (len(names) - 2) + "}"
        return "\n".join([head, lines[0], r"\hline", *lines[1:], r"\end{tabular}"])

    def __str__(self) -> str:
        """Table, what it is made of, and what makes it unsafe."""
        notes = [self._legend(), *(f"Unsafe: {warning}." for warning in self.warnings)]
        return "\n".join([as_text(self._lines()), *(fill(note, _WIDTH) for note in notes)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        unsafe = "".join(f"<p><b>Unsafe:</b> {escape(w)}.</p>" for w in self.warnings)
        return f"<div>{as_html(self._lines(), self._title(), self._legend())}{unsafe}</div>"

    def _title(self) -> str:
        models = f"{self._n_models} model{'s' * (self._n_models != 1)}"
        return f"{models}, {self.n_queries:,} quer{'y' if self.n_queries == 1 else 'ies'}"

    @property
    def _n_models(self) -> int:
        return len({row["model"] for row in self.rows})

    def _lines(self) -> list[list[str]]:
        percent = f"{100 * self.confidence_level:g} %"
        names = ["metric", "model", "mean", percent]
        if self._n_models > 1:
            names += ["difference", percent, "p", "p (Holm)", "p (t)", "wins/ties/losses"]
        lines = [names]
        for row in self.rows:
            names_of = (" ".join(row[name].split()) for name in ("metric", "model"))
            line = [*names_of, f"{row['mean']:.4f}"]
            line.append(_interval(row["low"], row["high"]))
            if self._n_models > 1:
                line += [""] * 6 if row["difference"] is None else _compared(row)
            lines.append(line)
        return lines

    def _legend(self) -> str:
        weighted = ", weighted by sample_weight" * ("sample_weight" in self.per_query)
        parts = [f"{self._title()}{weighted}; intervals by bootstrap over queries"]
        if self._n_models > 1:
            parts.append(
                f"differences from {self.baseline}, p by sign flips, Holm's for all of them"
            )
        missing = [f"{metric} {n:,}" for metric, n in self.undefined.items() if n]
        if missing:
            parts.append(f"undefined queries: {', '.join(missing)}")
        tied = [f"{model} {share:.0%}" for model, share in self.tied.items() if share >= 0.005]
        if tied:
            parts.append(f"tied rows: {', '.join(tied)}")
        return f"({'; '.join(parts)})"


def _interval(low: float, high: float) -> str:
    return "" if low != low else f"{low:.4f} to {high:.4f}"  # noqa: PLR0124 - NaN: of one query


def _compared(row: dict[str, Any]) -> list[str]:
    low, high = row["difference_low"], row["difference_high"]
    interval = "" if low != low else f"{low:+.4f} to {high:+.4f}"  # noqa: PLR0124
    p_values = [_p(row[name]) for name in ("p_randomisation", "p_holm", "p_t")]
    counts = f"{row['wins']:,}/{row['ties']:,}/{row['losses']:,}"
    return [f"{row['difference']:+.4f}", interval, *p_values, counts]


def _p(value: float) -> str:
    if value != value:  # noqa: PLR0124
        return ""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


_LATEX = {mark: f"\\{mark}" for mark in "&%$#_{}"} | {mark: f"${mark}$" for mark in "<>+-"}
_LATEX |= {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(mark, mark) for mark in text)
