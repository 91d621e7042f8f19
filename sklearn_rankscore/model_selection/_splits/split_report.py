"""split_report: which queries a split cuts, and which training rows come too late."""

import inspect
from dataclasses import dataclass
from math import isnan
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import check_cv

from sklearn_rankscore._foreign import check_same_order
from sklearn_rankscore._messages import describe
from sklearn_rankscore._render import as_html, as_text
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics import Metric, get_metric
from sklearn_rankscore.metrics._metric.means import wins_in_any_order
from sklearn_rankscore.metrics._rows.rows import find_carried
from sklearn_rankscore.metrics._rows.validation import as_grades
from sklearn_rankscore.model_selection._ids.lookup import find_query_ids, number_queries
from sklearn_rankscore.model_selection._splits.chance import Chance
from sklearn_rankscore.model_selection._splits.times import describe_missing_times, find_times


def split_report(
    cv: Any,
    X: Any,
    y: Any,
    *,
    qid: Any = None,
    times: Any = None,
    groups: Any = None,
    metric: str | Metric = "ndcg@10",
) -> "SplitReport":
    """Check whether a split is honest: count cut queries and training rows from the future.

    A query that a fold cuts is a shorter list, which is easier to rank, and its other rows are in
    train. To show how much that flatters, the report gives the exact expected score of a *random*
    model on the cut queries and on whole ones. A training row that is not before all test rows
    tells the model about the future.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        The ``cv=`` of a search.
    X : array-like of shape (n_rows, n_features)
        Rows.
    y : array-like of shape (n_rows,)
        Relevance grades.
    qid : array-like of shape (n_rows,) or str, default=None
        Query ids, or their name; None: the name is that of `cv`, or "qid".
    times : array-like of shape (n_rows,) or str, default=None
        Times of rows, or their name; None: the name is that of `cv`, or "times". Without times,
        the report says nothing about the future.
    groups : array-like of shape (n_rows,), default=None
        Groups for a splitter that takes them; None: the query ids for scikit-learn's splitters.
    metric : str or Metric, default="ndcg@10"
        Metric of the random model.

    Returns
    -------
    SplitReport
        Prints as a table with a verdict, in notebooks too; has ``.honest`` and ``.to_frame()``.

    Raises
    ------
    ValueError
        If no query ids are found, lengths differ, or `cv` cannot split the rows.

    See Also
    --------
    QueryKFold : Keeps queries whole.
    TemporalSplit : Trains on the past only.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> from sklearn_rankscore import split_report
    >>> X, y, qid = [[0], [1], [2], [3]], [1, 0, 0, 1], ["a", "b", "a", "b"]
    >>> split_report(KFold(2), X, y, qid=qid)
    fold  train rows  test rows  train queries  test queries  cut  undefined  chance
       0           2          2              2             2    2          1  1.0000
       1           2          2              2             2    2          1  1.0000
    (cut: test queries that are not whole; undefined: without a value of ndcg@10; chance: that
    of a random model on the others)
    Not honest: queries are cut, so that parts of them are scored (4 of 4 in test): a random
    model has ndcg@10 1.0000 on the parts that have a value, 0.8155 on these queries whole;
    use cv=QueryKFold(…).
    """
    scored = get_metric(metric)
    name, passed = _name_and_values(qid, cv, "qid")
    ids = find_query_ids(name, X, y, passed, "split_report")
    name, passed = _name_and_values(times, cv, "times")
    when = find_times(name, X, y, passed)
    if when is None and times is not None:
        raise ValueError(describe_missing_times(name, X, y, "split_report"))
    check_same_order(X=X, y=y, groups=groups)
    query, grades = number_queries(ids), as_grades(y)
    splitter = check_cv(cv, y)
    metadata = _choose_requested(splitter, {"qid": ids, "groups": groups, "times": passed})
    chance = Chance(scored, grades, query, find_carried(y, "sample_weight"))
    rows = np.arange(len(grades))
    folds = tuple(
        _count_fold(chance, query, when, *(_row_numbers(part, rows) for part in fold))
        for fold in splitter.split(X, y, **metadata)
    )
    if not folds:
        raise ValueError(f"cv must give at least one fold. Got {describe(cv)} instead.")
    return SplitReport(
        folds=folds,
        metric=str(scored),
        chance=chance.take_mean(chance.whole),
        why_no_chance=chance.why_not,
        best=chance.best,
        chance_of_parts=chance.compare_parts(),
        replace_undefined_by=scored.settle().replace_undefined_by,
    )


def _name_and_values(value: Any, cv: Any, name: str) -> tuple[str, Any]:
    """Return the name to look for, and the values if they were given instead of a name."""
    if isinstance(value, str):
        return value, None
    own = getattr(cv, name, None)
    return own if isinstance(own, str) else name, value


def _choose_requested(splitter: Any, metadata: dict[str, Any]) -> dict[str, Any]:
    """Choose what a splitter requests; if a scikit-learn one takes no ids, they are its groups."""
    if not hasattr(splitter, "get_metadata_routing"):  # not a scikit-learn splitter
        takes_groups = "groups" in inspect.signature(splitter.split).parameters
        return {"groups": metadata["groups"]} if takes_groups else {}
    requests = splitter.get_metadata_routing().split.requests
    if metadata["groups"] is None and "qid" not in requests:
        metadata = {**metadata, "groups": metadata["qid"]}
    return {
        name: metadata[name]
        for name, request in requests.items()
        if name in metadata and request is not False
    }


def _row_numbers(part: Any, rows: Array) -> Array:
    """Convert train or test, row numbers (from the end, if negative) or a mask, to row numbers."""
    try:
        chosen = rows[np.asarray(part)] if np.size(part) else rows[:0]
    except IndexError as error:
        raise ValueError(f"cv must give numbers of the {len(rows)} rows: {error}.") from error
    if not chosen.size:
        raise ValueError("cv must give rows for train and for test. Got an empty part instead.")
    return np.asarray(chosen)


def _count_fold(
    chance: Chance, query: Array, when: Array | None, train: Array, test: Array
) -> "FoldReport":
    rows_of = np.bincount(query)
    in_test = np.bincount(query[test], minlength=len(rows_of))
    is_train, is_test = np.zeros((2, len(query)), dtype=bool)
    is_train[train], is_test[test] = True, True
    different = in_test
    if np.count_nonzero(is_test) < len(test):  # some rows are repeated
        different = np.bincount(query[is_test], minlength=len(rows_of))
    # A query with a row missing is not whole, nor is one with a row repeated.
    cut = (in_test > 0) & ((different < rows_of) | (in_test > different))
    at_random = chance.of_fold(test, in_test > 0, cut)
    future = None if when is None else int((when[train] >= when[test].min()).sum())
    return FoldReport(
        train_rows=len(train),
        test_rows=len(test),
        train_queries=int(np.count_nonzero(np.bincount(query[train]))),
        test_queries=int(np.count_nonzero(in_test)),
        cut_queries=int(np.count_nonzero(cut)),
        undefined_queries=0 if chance.why_not else int(np.count_nonzero(np.isnan(at_random))),
        repeated_rows=int(np.count_nonzero(is_train & is_test)),
        future_rows=future,
        chance=chance.take_mean(at_random, in_test > 0),
    )


_WIDTH = 90
_MOST_LINES = 40  # of a printed table
_UNEVEN = 0.1  # folds that differ by more than this share of the largest count queries unequally


class FoldReport(NamedTuple):
    """Counts of one fold of a `SplitReport`."""

    train_rows: int
    test_rows: int
    train_queries: int  # with a row in train
    test_queries: int
    cut_queries: int  # with some rows in test, and others missing or repeated
    undefined_queries: int  # without a value of the metric in test
    repeated_rows: int  # in both parts
    future_rows: int | None  # of train, not before the first row of test; None without times
    chance: float  # expected score of a random model on test; mean over defined queries


@dataclass(frozen=True, repr=False)
class SplitReport:
    """Counts of each fold and a verdict, made by `split_report`; print it.

    Attributes
    ----------
    folds : tuple of FoldReport
        Counts of each fold.
    metric : str
        Name of the metric that `chance` is a value of.
    chance : float
        Expected score of a random model on all queries, whole; mean over defined queries. For a
        metric that defines what equal scores mean, it is the mean of random scores.
    why_no_chance : str
        Why there is no such score, as for grades that the metric cannot take; else empty.
    best : float
        Score of the best order of all queries.
    chance_of_parts : tuple of two float
        Expected score of a random model on the parts of cut queries that have a value, and on the
        same queries whole.
    replace_undefined_by : float
        What a query without a value scores.

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
    why_no_chance: str = ""
    best: float = float("nan")
    chance_of_parts: tuple[float, float] = (float("nan"), float("nan"))
    replace_undefined_by: float = 0.0

    @property
    def honest(self) -> bool:
        """True if the report finds nothing that makes scores on this split misleading."""
        return not self._problems()

    @property
    def verdict(self) -> str:
        """The faults of the split and their cures."""
        problems = self._problems()
        return f"Not honest: {'; '.join(problems)}." if problems else self._honest_verdict()

    def to_frame(self) -> Any:
        """Convert the folds to a pandas DataFrame, one line per fold."""
        import pandas as pd  # noqa: PLC0415 - optional

        return pd.DataFrame(self.folds).rename_axis(index="fold")

    def __repr__(self) -> str:
        """Table, legend and verdict."""
        text = [fill(text, _WIDTH) for text in (f"({self._legend()})", self.verdict)]
        return "\n".join([as_text(self._table()), *text])

    def _repr_html_(self) -> str:
        return as_html(self._table(), self.verdict, self._legend())

    def _has_times(self) -> bool:
        return self.folds[0].future_rows is not None

    def _legend(self) -> str:
        parts = ["cut: test queries that are not whole"]
        if not self.why_no_chance:
            parts.append(f"undefined: without a value of {self.metric}")
        if self._has_times():
            parts.append("future: train rows not before the first test row")
        if self.why_no_chance:
            parts.append(f"no score of a random model: {self.why_no_chance.rstrip('.')}")
        else:
            parts.append("chance: that of a random model on the others")
        return "; ".join(parts)

    def _table(self) -> list[list[str]]:
        names = ["train rows", "test rows", "train queries", "test queries", "cut", "undefined"]
        lines = [["fold", *names, *["future"] * self._has_times(), "chance"]]
        for number, fold in enumerate(self.folds):
            counts = [*fold[:6], *[fold.future_rows] * self._has_times()]
            chance = "" if isnan(fold.chance) else f"{fold.chance:.4f}"
            lines.append([str(number), *(f"{n:,}" for n in counts), chance])
        if len(lines) > _MOST_LINES:  # leave-one-query-out has a fold per query
            lines[_MOST_LINES // 2 : -_MOST_LINES // 2] = [["…"] * len(lines[0])]
        return lines

    def _total(self, count: str) -> int:
        return sum(getattr(fold, count) or 0 for fold in self.folds)

    def _problems(self) -> list[str]:
        """List what makes scores on this split misleading, with a cure where there is one."""
        cut, future = self._total("cut_queries"), self._total("future_rows")
        problems = []
        if wins_in_any_order(self.chance, self.best):
            problems.append(
                f"any order of these lists wins: a random model has {self.metric} "
                f"{self.chance:.4f} on whole queries, and the best order {self.best:.4f}; add the "
                "candidates that were not chosen, with grade 0, or choose a smaller cutoff"
            )
        if cut and (future or not self._has_times()):
            cut_queries = self._describe_cut("queries are cut, so that parts of them are scored")
            problems.append(f"{cut_queries}; use cv=QueryKFold(…)")
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

    def _describe_cut(self, what: str) -> str:
        """Write how many queries are cut, and what that does to a random model."""
        cut, tested = self._total("cut_queries"), self._total("test_queries")
        part, whole = self.chance_of_parts
        text = f"{what} ({cut:,} of {tested:,} in test)"
        if not isnan(part):
            text += (
                f": a random model has {self.metric} {part:.4f} on the parts that have a value, "
                f"{whole:.4f} on these queries whole"
            )
        return text

    def _honest_verdict(self) -> str:
        """Write the verdict on an honest split."""
        text = "Honest: no query is cut"
        if self._total("cut_queries"):
            text = "Honest in time: no row of train is from the future. " + self._describe_cut(
                "Parts of queries are scored"
            )
        elif self._has_times():
            text += ", and no row of train is from the future"
        if undefined := self._total("undefined_queries"):
            tested = self._total("test_queries")
            score = f"score {self.replace_undefined_by:g}"
            score = "are left out" if isnan(self.replace_undefined_by) else score
            text += f". Queries without a value {score} ({undefined:,} of {tested:,} in test)"
        counts = [fold.test_queries for fold in self.folds]
        if max(counts) - min(counts) > max(1, _UNEVEN * max(counts)):
            text += (
                f". Folds test {min(counts):,} to {max(counts):,} queries, so that the mean over "
                "folds does not count every query alike"
            )
        return f"{text}."
