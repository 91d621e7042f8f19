"""Means of metrics, and a warning where they cannot tell a good ranking from a bad one."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._metric.engine import (
    Settled,
    compute,
    round_scores,
    run,
    take_means,
)
from sklearn_rankscore.metrics._rows.rows import Queries, Rows

_FEW_ROWS = 1000  # show whether nearly all rows may be relevant
_FEW_QUERIES = 10  # show whether any order may win
_NEARLY_ALL = 0.95
_ANY_ORDER, _NOTHING = "any order", "nothing relevant"


class UninformativeRankingWarning(UserWarning):
    """Scores of these lists, or of this model, say nothing about the order of the rows."""


def wins_in_any_order(chance: float, best: float) -> bool:
    """Whether a random model has nearly the score of the best order."""
    return best > 0 and abs(best - chance) <= 0.02 * best


def compute_means(
    settled: Sequence[Settled],
    y_true: Any,
    y_score: Any,
    qid: Any,
    *,
    ranker: str = "y_score",
    warned: set[str] | None = None,
    **rest: Any,
) -> list[float]:
    """Compute the mean of each metric; `rest` goes to `run`. Warn of a ranking that says nothing.

    `ranker` is what warnings call the scores. A caller that keeps the set `warned` hears of each
    kind of lists once, and once of each ranker that gives no order.
    """
    rows, values = run(settled, y_true, y_score, qid, **rest)
    warned = set() if warned is None else warned
    if _ANY_ORDER not in warned and warn_if_any_order_wins(settled, rows, stacklevel=4):
        warned.add(_ANY_ORDER)
    if _NOTHING not in warned and _warn_if_nothing_is_relevant(settled, rows, stacklevel=4):
        warned.add(_NOTHING)
    ranks = any(one.metric.pool is None for one in settled)
    if ranks and ranker not in warned and has_no_order(settled, rows):
        warned.add(ranker)
        warn_of_no_order(ranker, stacklevel=4)
    return take_means(settled, rows, values)


def warn_if_any_order_wins(settled: Sequence[Settled], rows: Rows, stacklevel: int) -> bool:
    """Warn where a random model has nearly the score of the best order; return whether it does.

    Lists are suspect where nearly all rows are relevant, or none is longer than the cutoff.
    """
    suspects = [one for one in settled if _may_any_order_win(one, rows)]
    for part in (_take_first(rows, _FEW_QUERIES), rows):
        won = _find_won(suspects, part) if suspects else []
        suspects = [one for one, _, _ in won]
    if won:
        listed = ", ".join(
            f"{one.metric} {chance:.4f}" + (f" of {best:.4f}" if best < 0.9999 else "")
            for one, chance, best in won
        )
        warnings.warn(
            f"Any order of these lists wins: a random model has {listed}. "
            f"{_find_cause(won[0][0], rows)}",
            UninformativeRankingWarning,
            stacklevel=stacklevel,
        )
    return bool(won)


def _may_any_order_win(one: Settled, rows: Rows) -> bool:
    """Whether a look at grades and lengths leaves it open; it is nearly always enough."""
    metric = one.metric
    if metric.grades != "judged" or not metric.greater_is_better:
        return False
    if metric.own_ties or metric.row_values or metric.pool is not None:
        return False
    longest = rows.queries.lengths.max()
    cut = longest <= (one.options.get("k") or 1)
    if cut and not np.isneginf(rows.score).any():  # else it matters which rows are retrieved
        return True
    step = max(len(rows.grade) // _FEW_ROWS, 1)
    return all(
        _share_relevant(one, grade) >= _NEARLY_ALL for grade in (rows.grade[::step], rows.grade)
    )


def _share_relevant(one: Settled, grade: Array) -> float:
    """Compute the share of rows that are relevant to the metric."""
    lowest = one.options.get("min_relevance")
    relevant = grade > 0 if lowest is None else grade >= lowest
    return np.count_nonzero(relevant) / len(grade)


def _take_first(rows: Rows, n: int) -> Rows:
    """Take the first queries."""
    of = rows.queries
    lengths = of.lengths[:n]
    end = int(of.starts[len(lengths) - 1] + lengths[-1])
    queries = Queries(of.ids[:n], of.starts[:n], lengths)
    return Rows(rows.grade[:end], rows.score[:end], queries)


def _find_won(suspects: Sequence[Settled], rows: Rows) -> list[tuple[Settled, float, float]]:
    """Find the metrics that any order wins, each with its means in a random and the best order."""
    plain = [one._replace(ties="average", replace_undefined_by=np.nan) for one in suspects]
    missed = np.isneginf(rows.score)
    chance, best = (
        [_take_mean_of_defined(value) for value in compute(plain, ranked, map)]
        for ranked in (
            replace(rows, score=np.where(missed, -np.inf, score))
            for score in (0.0, rows.grade.astype(np.float64))
        )
    )
    found = zip(suspects, chance, best, strict=True)
    return [(one, low, high) for one, low, high in found if wins_in_any_order(low, high)]


def _take_mean_of_defined(value: Array) -> float:
    defined = value[~np.isnan(value)]
    return float(defined.mean()) if len(defined) else 0.0


def _find_cause(one: Settled, rows: Rows) -> str:
    """Say why any order wins, and what to do."""
    if rows.queries.lengths.max() == 1:
        return "Each query has one row: are these ids of rows, not of queries?"
    share = _share_relevant(one, rows.grade)
    if share >= _NEARLY_ALL:
        return (
            f"{share:.0%} of the rows are relevant: add the candidates that were not chosen, with "
            "grade 0; see 'Honest splits' in the README."
        )
    return "No list is longer than the cutoff: choose a smaller one."


def _warn_if_nothing_is_relevant(settled: Sequence[Settled], rows: Rows, stacklevel: int) -> bool:
    """Warn where a metric is undefined for all queries, and has the value that stands for that."""
    highest = rows.grade.max()
    names = []
    for one in settled:
        lowest = one.options.get("min_relevance")
        if "min_relevance" not in one.options and not isinstance(one.options.get("gain"), str):
            continue
        none = highest <= 0 if lowest is None else highest < lowest
        if none and one.metric.greater_is_better and not np.isnan(one.replace_undefined_by):
            names.append(f"{one.metric} is {one.replace_undefined_by:g}")
    if names:
        warnings.warn(
            f"No row is relevant, so {', '.join(names)} whatever the order. The highest grade is "
            f"{highest:g}.",
            UninformativeRankingWarning,
            stacklevel=stacklevel,
        )
    return bool(names)


def has_no_order(settled: Sequence[Settled], rows: Rows) -> bool:
    """Whether the rows of each query all have one score, though there are rows to order."""
    rounded = any(one.in_single_precision for one in settled)
    score, queries = rows.score, rows.queries
    longest = int(queries.lengths.argmax())
    begin = queries.starts[longest]
    ranked = score[begin : begin + queries.lengths[longest]]
    ranked = round_scores(ranked) if rounded else ranked
    ranked = ranked[ranked > -np.inf]
    if len(ranked) < 2 or (ranked != ranked[0]).any():  # as nearly always
        return False
    score = round_scores(score) if rounded else score
    highest = np.maximum.reduceat(score, queries.starts)
    lowest = np.minimum.reduceat(np.where(score > -np.inf, score, np.inf), queries.starts)
    return bool((highest <= lowest).all())


def warn_of_no_order(ranker: str, stacklevel: int) -> None:
    """Warn that scores leave each query's rows in no order."""
    warnings.warn(
        f"{ranker} gives all rows of each query the same score, so it is no better than a random "
        "order. To learn an order, a model needs enough rows, and features that differ within a "
        "query.",
        UninformativeRankingWarning,
        stacklevel=stacklevel,
    )
