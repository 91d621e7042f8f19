"""SplitReport: what was found in a split, as text, as HTML, as a table of pandas."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from statistics import fmean
from textwrap import fill
from typing import Any, NamedTuple

from sklearn_rankscore._render import as_html, as_text

_WIDTH = 90
_MOST = 40  # folds that are shown


class FoldReport(NamedTuple):
    """One fold of a `SplitReport`.

    Attributes
    ----------
    train_rows, test_rows : int
        Rows of each part.
    train_queries, test_queries : int
        Queries of which any row is in the part.
    cut_queries : int
        Queries of the test part of which not all rows are in it.
    undefined_queries : int
        Queries of the test part for which the metric is undefined, having no relevant row there.
    repeated_rows : int
        Rows that are in both parts.
    future_rows : int or None
        Rows of train that are not before the first row of test; None if no times are known.
    chance : float
        Expected score of a random model on the test part, exactly; over the defined queries.
    """

    train_rows: int
    test_rows: int
    train_queries: int
    test_queries: int
    cut_queries: int
    undefined_queries: int
    repeated_rows: int
    future_rows: int | None
    chance: float


@dataclass(frozen=True, repr=False)
class SplitReport:
    """What a split does to queries and to time, made by `split_report`; print it, or show it.

    Attributes
    ----------
    folds : tuple of FoldReport
        Counts of each fold.
    metric : str
        Name of the metric of `chance`.
    chance : float
        Expected score of a random model on all queries, whole; over the defined ones.

    Examples
    --------
    >>> from sklearn_rankscore import RankTarget, split_report
    >>> y = RankTarget([1, 0, 0, 1], qid=["a", "b", "a", "b"])
    >>> split_report(2, [[0], [1], [2], [3]], y).honest
    False
    """

    folds: tuple[FoldReport, ...]
    metric: str
    chance: float

    @property
    def honest(self) -> bool:
        """Whether nothing was found that makes scores on this split misleading."""
        return not self._problems()

    @property
    def verdict(self) -> str:
        """What was found, and the cure."""
        problems = self._problems()
        return f"Not honest: {'; '.join(problems)}." if problems else self._all_well()

    def to_frame(self) -> Any:
        """Give the folds as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One line per fold.
        """
        import pandas as pd  # noqa: PLC0415 - optional

        return pd.DataFrame(self.folds).rename_axis(index="fold")

    def __repr__(self) -> str:
        """Table, legend and verdict."""
        text = [fill(text, _WIDTH) for text in (f"({self._legend()})", self.verdict)]
        return "\n".join([as_text(self._lines()), *text])

    def _repr_html_(self) -> str:
        return as_html(self._lines(), self.verdict, self._legend())

    def _timed(self) -> bool:
        return self.folds[0].future_rows is not None

    def _legend(self) -> str:
        return (
            f"cut: test queries that are not whole; undefined: without a value of {self.metric}; "
            + ("future: train rows not before the first test row; " if self._timed() else "")
            + "chance: that of a random model on the others"
        )

    def _lines(self) -> list[list[str]]:
        names = ["train rows", "test rows", "train queries", "test queries", "cut", "undefined"]
        lines = [["fold", *names, *["future"] * self._timed(), "chance"]]
        for number, fold in enumerate(self.folds):
            counts = [*fold[:6], *[fold.future_rows] * self._timed()]
            lines.append([str(number), *(f"{n:,}" for n in counts), f"{fold.chance:.4f}"])
        if len(lines) > _MOST:  # leave-one-query-out has a fold for each
            lines[_MOST // 2 : -_MOST // 2] = [["…"] * len(lines[0])]
        return lines

    def _total(self, count: str) -> int:
        return sum(getattr(fold, count) or 0 for fold in self.folds)

    def _problems(self) -> list[str]:
        """What makes scores on this split misleading, and the cure of each."""
        cut, future = self._total("cut_queries"), self._total("future_rows")
        problems = []
        if cut and (future or not self._timed()):
            problems.append(f"{self._cut()}; use cv=QueryKFold(…)")
        if repeated := self._total("repeated_rows"):
            problems.append(f"rows stand in train and in test of the same fold ({repeated:,})")
        if future:
            folds = sum(bool(fold.future_rows) for fold in self.folds)
            problems.append(
                f"train holds rows that are not before the first test row ({future:,} in {folds} "
                f"of {len(self.folds)} folds), so that the model knows the future that it is "
                "tested on; use cv=TemporalSplit(…)"
            )
        return problems

    def _cut(self) -> str:
        """How many queries are cut, and what that does to a random model."""
        cut, tested = self._total("cut_queries"), self._total("test_queries")
        defined = [fold.chance for fold in self.folds if not isnan(fold.chance)]
        text = f"queries are cut ({cut:,} of {tested:,} in test), so that parts of them are scored"
        if defined:
            text += (
                f": a random model has {self.metric} {fmean(defined):.4f} on the parts that "
                f"have a value, {self.chance:.4f} on whole queries"
            )
        return text

    def _all_well(self) -> str:
        text = "Honest: no query is cut"
        if self._total("cut_queries"):
            text = f"Honest in time, but {self._cut()}"
        elif self._timed():
            text += ", and no row of train is from the future"
        if undefined := self._total("undefined_queries"):
            tested = self._total("test_queries")
            text += f". Queries without a value score 0 ({undefined:,} of {tested:,} in test)"
        return f"{text}."
