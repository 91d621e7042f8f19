"""Compare models honestly: on the same queries, with an interval and a test for each claim."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np

from sklearn_rankscore._foreign import list_columns
from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array
from sklearn_rankscore.inspection._report import statistics
from sklearn_rankscore.inspection._report.query_values import (
    QueryValues,
    name_models,
    read_tables,
    score_models,
)
from sklearn_rankscore.inspection._report.report import RankReport
from sklearn_rankscore.metrics import Metric
from sklearn_rankscore.metrics._rows.validation import check_positive_integer
from sklearn_rankscore.metrics._rows.weights import as_shares_of_largest, sum_by_weight
from sklearn_rankscore.metrics.evaluate import name_metrics

_METRICS = ("ndcg@10", "map", "mrr")
_NUMBERS = ["mean", "low", "high", "difference", "difference_low", "difference_high"]
_NUMBERS += ["p_randomisation", "p_holm", "p_t", "wins", "ties", "losses"]
_FLIPS = 400  # sign flips for each comparison, so that Holm's p can fall to 0.005
_INSIDE_TIES = {
    "average": "a random order",
    "optimistic": "the best order",
    "pessimistic": "the worst order",
    "first": "the order of the data",
    "last": "the order of the data, reversed,",
}
_SAFE = 30  # of fewer queries, do not trust the interval of a mean


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
    y_score : dict of str to array-like of shape (n_rows,), or DataFrame
        Scores of each model, by its name; of a DataFrame, each column is a model.
    qid : array-like of shape (n_rows,), default=None
        Query id of each row.
    sample_weight : array-like of shape (n_rows,), default=None
        Weight of each query in the means, the same on all of its rows.
    per_query : dict of str to DataFrame or dict, default=None
        Values that you have computed already, in place of the rows: for each model the table of
        `evaluate_per_query` or `distributed.per_query`, computed or lazy, with its weights.
    metrics : iterable or dict of str or Metric, default=None
        Metrics to report; a dict gives them names. None: "ndcg@10", "map" and "mrr", or every
        metric that all per-query tables have.
    baseline : str, default=None
        The model with which the others are compared; None: the first.
    confidence_level : float, default=0.95
        Confidence level of the intervals, above 0 and below 1.
    n_resamples : int, default=1000
        Resamples of queries for the intervals, and sign flips for the tests; at least 400 flips
        for each comparison of the report, so that Holm's p-values can be small.
    random_state : int, Generator or None, default=None
        Seed of the resamples and of the sign flips.
    **metric_options
        Options of the metrics. Each metric takes those that it has; at least one must have each.

    Returns
    -------
    RankReport
        Prints as a table; `rows`, `to_frame`, `to_markdown` and `to_latex` give its numbers.

    Raises
    ------
    ValueError
        If a parameter has a wrong value, if a metric refuses the rows, or if the models do not
        have the same queries.
    TypeError
        If `y_score` or `per_query` is no dict, or a metric has no value per query.

    Notes
    -----
    The intervals are percentile bootstrap intervals over queries (`scipy.stats.bootstrap`); all
    means and differences share the resamples. Two tests, both two-sided, judge each difference: a
    randomisation test, which flips the signs of the differences (`scipy.stats.permutation_test`,
    exact where the queries are so few that it can try all flips; above 1000 queries
    `scipy.stats.monte_carlo_test`), and a paired t-test. Holm's method adjusts the p-values for
    all comparisons of the report together. With weights, a resample takes the weight of each of
    its queries, and the tests multiply each difference by its query's weight.

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
        models = _check_models(y_score, "y_score", "the scores", *asked)
        found = score_models(y_true, models, qid, sample_weight, wanted)
    else:
        rows_too = {"y_true": y_true, "y_score": y_score, "qid": qid}
        _check_alone({**rows_too, "sample_weight": sample_weight}, metric_options)
        models = _check_models(per_query, "per_query", "the per-query table", *asked)
        found, wanted = read_tables(models, metrics)
    first = next(iter(models)) if baseline is None else str(baseline)
    pairs = product(wanted, models)
    rows = [{"metric": one, "model": model, **dict.fromkeys(_NUMBERS)} for one, model in pairs]
    rng = np.random.default_rng(random_state)
    _fill_rows(rows, found, first, wanted, confidence_level, n_resamples, rng)
    weights = {} if found.weight is None else {"sample_weight": found.weight}
    table = {"qid": found.ids, **weights, **found.values}
    n_queries, undefined, tied = len(found.ids), found.undefined, found.tied
    ties = {metric.settle().ties for metric in wanted.values()}
    unsafe = _list_warnings(n_queries, undefined, tied, ties)
    return RankReport(rows, table, first, n_queries, undefined, tied, unsafe, confidence_level)


def _fill_rows(
    rows: list[dict[str, Any]],
    found: QueryValues,
    first: str,
    wanted: Mapping[str, Metric],
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> None:
    """Fill in means, differences from the first model, intervals and tests."""
    weight = as_shares_of_largest(found.weight)
    columns = [found.values[row["model"], row["metric"]] for row in rows]
    others = [row for row in rows if row["model"] != first]
    differences = [
        found.values[row["model"], row["metric"]] - found.values[first, row["metric"]]
        for row in others
    ]
    both = np.array(columns + differences)
    lows, highs = _compute_all_intervals(both, weight, level, n_resamples, rng)
    for row, column, low, high in zip(rows, columns, lows, highs, strict=False):
        row.update(mean=_take_mean(column, weight), low=float(low), high=float(high))
    n, n_flips = len(rows), max(n_resamples, _FLIPS * len(others))
    for row, difference, low, high in zip(others, differences, lows[n:], highs[n:], strict=True):
        row["difference"] = _take_mean(difference, weight)
        row.update(difference_low=float(low), difference_high=float(high))
        seen = ~np.isnan(difference)
        sign = 1 if wanted[row["metric"]].greater_is_better else -1
        its_weight = None if weight is None else weight[seen]
        tests = statistics.compare_pairs(sign * difference[seen], n_flips, rng, its_weight)
        row.update(tests._asdict())
    adjusted = statistics.adjust_by_holm([row["p_randomisation"] for row in others])
    for row, p_value in zip(others, adjusted, strict=True):
        row["p_holm"] = float(p_value)


def _check_models(
    given: Any, name: str, what: str, baseline: Any, confidence_level: Any, n_resamples: Any
) -> dict[str, Any]:
    """Refuse wrong models, baseline, level or number of resamples; give the models by name."""
    if not (isinstance(given, Mapping) or list_columns(given)) or not len(given):
        raise TypeError(
            f"{name} must be a dict of {what} of each model, such as {{'ridge': …}}. Got "
            f"{describe(given)} instead."
        )
    models = name_models(given, None)
    if baseline is not None and str(baseline) not in models:
        raise ValueError(f"baseline must be one of {', '.join(models)}. Got {describe(baseline)}.")
    statistics.check_level(confidence_level)
    if check_positive_integer(n_resamples, "n_resamples") < 2:
        raise ValueError("n_resamples must be at least 2, and 100 to mean anything.")
    return models


def _check_alone(given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse rows and options of metrics beside per-query tables."""
    for name in [*options, *given]:
        if name in options or given[name] is not None:
            raise TypeError(
                f"per_query holds computed values already. Got {name} as well: pass it to "
                "evaluate_per_query(…) or distributed.per_query(…), which compute them."
            )


def _take_mean(column: Array, weight: Array | None) -> float:
    """Take the weighted mean of the defined values; NaN if there are none."""
    total, total_weight = sum_by_weight(column, weight)
    return float(total / total_weight) if total_weight else np.nan


def _compute_all_intervals(
    columns: Array, weight: Array | None, level: float, n_resamples: int, rng: Any
) -> tuple[Array, Array]:
    """Compute the intervals of columns; those that lack the same queries share their resamples."""
    missing = np.isnan(columns)
    low, high = np.full(len(columns), np.nan), np.full(len(columns), np.nan)
    groups: dict[bytes, list[int]] = {}
    for at, line in enumerate(missing):
        groups.setdefault(line.tobytes(), []).append(at)
    for _, group in sorted(groups.items()):
        pattern = missing[group[0]]
        its_weight = None if weight is None else weight[~pattern]
        low[group], high[group] = statistics.compute_intervals(
            columns[group][:, ~pattern], level, n_resamples, rng, its_weight
        )
    return low, high


def _list_warnings(
    n_queries: int, undefined: Mapping[str, int], tied: Mapping[str, float], ties: set[str]
) -> list[str]:
    """List what makes a conclusion unsafe: few queries, undefined values, tied rows."""
    warnings = []
    if n_queries < _SAFE:
        what = "1 query is" if n_queries == 1 else f"{n_queries} queries are"
        warnings.append(f"{what} few; intervals and tests want {_SAFE} or more")
    for metric, count in undefined.items():
        if 2 * count > n_queries:
            warnings.append(f"{metric} is undefined for most queries ({count:,} of {n_queries:,})")
    assumed = " and ".join(dict.fromkeys(_INSIDE_TIES[policy] for policy in sorted(ties)))
    for model, share in tied.items():
        if share > 0.5:
            warnings.append(
                f"{share:.0%} of the rows of {model} are tied with rows of other grades; its "
                f"values assume {assumed} inside ties"
            )
    return warnings
