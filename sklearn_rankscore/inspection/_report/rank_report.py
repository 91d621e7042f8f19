"""Compare models honestly: the same queries, an interval and a test for each claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore._messages import describe
from sklearn_rankscore.inspection._report.compared import of_rows, of_tables, scores_by_model
from sklearn_rankscore.inspection._report.report import RankReport
from sklearn_rankscore.inspection._report.statistics import check_level, compare, holm, intervals
from sklearn_rankscore.metrics._rows.validation import check_positive_integer
from sklearn_rankscore.metrics._rows.weights import as_shares_of_largest, weighted_sums
from sklearn_rankscore.metrics.evaluate import name_metrics

if TYPE_CHECKING:
    from sklearn_rankscore.metrics import Metric
    from sklearn_rankscore.metrics._rows.validation import Array

_METRICS = ("ndcg@10", "map", "mrr")
_SAFE = 30  # queries, below which a mean's interval is not to be trusted


def rank_report(
    y_true: Any = None,
    y_score: Mapping[str, Any] | None = None,
    *,
    qid: Any = None,
    sample_weight: Any = None,
    per_query: Mapping[str, Any] | None = None,
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric] | None = None,
    baseline: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = None,
    **metric_options: Any,
) -> RankReport:
    """Compare models on the same queries: means, intervals, paired tests.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Relevance grade of each row; a RankTarget or an index may carry the query ids.
    y_score : dict of str to array-like of shape (n_rows,)
        Scores of each model, by its name.
    qid : array-like of shape (n_rows,), default=None
        Query id of each row.
    sample_weight : array-like of shape (n_rows,), default=None
        Weight of each query in the means, the same on all of its rows.
    per_query : dict of str to DataFrame or dict, default=None
        In the place of the rows, values that are there already: by model the table of
        `evaluate_per_query` or `distributed.per_query`, computed or not, weights and all.
    metrics : iterable or dict of str or Metric, default=None
        What is reported; a dict gives the names. None: "ndcg@10", "map" and "mrr", or all that the
        per-query tables have.
    baseline : str, default=None
        The model that the others are compared with; None: the first.
    confidence_level : float, default=0.95
        Of the intervals, above 0 and below 1.
    n_resamples : int, default=1000
        Resamples of queries for the intervals, and sign flips for the tests.
    random_state : int, Generator or None, default=None
        Seed of both.
    **metric_options
        Options of the metrics; each takes those that it has, at least one must have each.

    Returns
    -------
    RankReport
        Prints as a table; `rows`, `to_frame`, `to_markdown` and `to_latex` give its numbers.

    Raises
    ------
    ValueError
        If a parameter cannot have its value, rows cannot be used, or models have not the same
        queries.
    TypeError
        If `y_score` or `per_query` is no dict, or a metric has no value per query.

    Notes
    -----
    Intervals are of the percentile bootstrap over queries (`scipy.stats.bootstrap`), models and
    differences resampled together. Differences are tested two-sided by flipping their signs
    (`scipy.stats.permutation_test`, exact where there are so few that all flips can be tried;
    above 1000 queries `scipy.stats.monte_carlo_test`) and by a paired t-test. Holm's adjustment is
    for all comparisons of the report together. With weights, a resample has those of its queries,
    and the differences that are tested are multiplied by theirs.

    References
    ----------
    Smucker, Allan and Carterette (2007), A comparison of statistical significance tests for
    information retrieval evaluation, CIKM. Holm (1979), A simple sequentially rejective multiple
    test procedure.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rankscore import rank_report
    >>> from sklearn_rankscore.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> models = {"one feature": X[:, 0], "two features": X[:, 0] + np.abs(X[:, 1]) / 2}
    >>> report = rank_report(y, models, qid=qid, metrics=["ndcg@10"], random_state=0)
    >>> row = report.rows[1]
    >>> row["difference"] > 0, row["p_holm"] < 0.05
    (True, True)
    """
    asked = baseline, confidence_level, n_resamples
    if per_query is None:
        wanted = name_metrics(_METRICS if metrics is None else metrics, metric_options)
        models = _checked(y_score, "y_score", "the scores", *asked)
        compared = of_rows(y_true, models, qid, sample_weight, wanted)
    else:
        rows_too = {"y_true": y_true, "y_score": y_score, "qid": qid}
        _check_alone({**rows_too, "sample_weight": sample_weight}, metric_options)
        models = _checked(per_query, "per_query", "the per-query table", *asked)
        compared, wanted = of_tables(models, metrics)
    first = next(iter(models)) if baseline is None else str(baseline)
    ids, values, given_weight, undefined, tied = compared
    weight = as_shares_of_largest(given_weight)
    rng = np.random.default_rng(random_state)
    rows = [_line(metric, model) for metric, model in product(wanted, models)]
    others = [row for row in rows if row["model"] != first]
    columns = [values[row["model"], row["metric"]] for row in rows]
    columns += [
        values[row["model"], row["metric"]] - values[first, row["metric"]] for row in others
    ]
    lows, highs = _intervals(np.array(columns), weight, confidence_level, n_resamples, rng)
    for row, column, low, high in zip(rows, columns, lows, highs, strict=False):
        row.update(mean=_mean(column, weight), low=float(low), high=float(high))
    n = len(rows)
    for row, column, low, high in zip(others, columns[n:], lows[n:], highs[n:], strict=True):
        row["difference"] = _mean(column, weight)
        row.update(difference_low=float(low), difference_high=float(high))
        seen = ~np.isnan(column)
        better = 1 if wanted[row["metric"]].greater_is_better else -1
        of_seen = None if weight is None else weight[seen]
        row.update(compare(better * column[seen], n_resamples, rng, of_seen)._asdict())
    for row, p in zip(others, holm([row["p_randomisation"] for row in others]), strict=True):
        row["p_holm"] = float(p)
    table = {
        "qid": ids,
        **({} if given_weight is None else {"sample_weight": given_weight}),
        **values,
    }
    unsafe = _unsafe(len(ids), undefined, tied)
    return RankReport(rows, table, first, len(ids), undefined, tied, unsafe, confidence_level)


def _checked(
    given: Any, name: str, what: str, baseline: Any, confidence_level: Any, n_resamples: Any
) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not given:
        raise TypeError(
            f"{name} must be a dict of {what} of each model, such as {{'ridge': …}}. Got "
            f"{describe(given)} instead."
        )
    models = scores_by_model(given, None)
    if baseline is not None and str(baseline) not in models:
        raise ValueError(f"baseline must be one of {', '.join(models)}. Got {describe(baseline)}.")
    check_level(confidence_level)
    if check_positive_integer(n_resamples, "n_resamples") < 2:
        raise ValueError("n_resamples must be at least 2, and 100 to mean anything.")
    return models


def _check_alone(given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    for name in [*options, *given]:
        if name in options or given[name] is not None:
            raise TypeError(
                f"per_query has the values of queries already. Got {name} as well: it belongs to "
                "what made them, evaluate_per_query(…) or distributed.per_query(…)."
            )


def _line(metric: str, model: str) -> dict[str, Any]:
    """Row of a report, in which nothing is compared yet."""
    nothing = ("difference", "difference_low", "difference_high", "p_randomisation", "p_holm")
    names = ("p_t", "wins", "ties", "losses")
    start: dict[str, Any] = {"metric": metric, "model": model}
    return {**start, **dict.fromkeys(("mean", "low", "high", *nothing, *names))}


def _mean(column: Array, weight: Array | None) -> float:
    total, of_weight = weighted_sums(column, weight)
    return float(total / of_weight) if of_weight else np.nan


def _intervals(
    columns: Array, weight: Array | None, level: float, n_resamples: int, rng: Any
) -> tuple[Array, Array]:
    """Intervals of means and differences; columns that lack the same queries together."""
    missing = np.isnan(columns)
    low, high = np.full(len(columns), np.nan), np.full(len(columns), np.nan)
    patterns, kind = np.unique(missing, axis=0, return_inverse=True)
    for at, pattern in enumerate(patterns):
        group = np.flatnonzero(kind.ravel() == at)
        of_seen = None if weight is None else weight[~pattern]
        low[group], high[group] = intervals(
            columns[group][:, ~pattern], level, n_resamples, rng, of_seen
        )
    return low, high


def _unsafe(n_queries: int, undefined: Mapping[str, int], tied: Mapping[str, float]) -> list[str]:
    warnings = []
    if n_queries < _SAFE:
        warnings.append(f"{n_queries} queries are few; intervals and tests want {_SAFE} or more")
    for metric, count in undefined.items():
        if 2 * count > n_queries:
            warnings.append(f"{metric} is undefined for most queries ({count:,} of {n_queries:,})")
    for model, share in tied.items():
        if share > 0.5:
            warnings.append(
                f"{share:.0%} of the rows of {model} are tied; its values are those of a random "
                "order inside ties"
            )
    return warnings
