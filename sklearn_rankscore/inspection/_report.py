"""Compare models honestly: the same queries, an interval and a test for each claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from sklearn_rankscore.inspection._display import by_model
from sklearn_rankscore.inspection._rank_report import RankReport
from sklearn_rankscore.inspection._statistics import check_level, compare, holm, intervals
from sklearn_rankscore.metrics import Metric
from sklearn_rankscore.metrics._compute import per_query_of_all, request_of
from sklearn_rankscore.metrics._evaluate import named_metrics
from sklearn_rankscore.metrics._options import check_positive_integer
from sklearn_rankscore.metrics._validation import got

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._options import Options
    from sklearn_rankscore.metrics._ranking import Ranking
    from sklearn_rankscore.metrics._validation import Array

_SAFE = 30  # queries, below which a mean's interval is not to be trusted


def rank_report(
    y_true: Any,
    y_score: Mapping[str, Any],
    *,
    qid: Any = None,
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric] = ("ndcg@10", "map", "mrr"),
    baseline: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = None,
    **metric_options: Unpack[Options],
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
    metrics : iterable or dict of str or Metric, default=("ndcg@10", "map", "mrr")
        What is reported; a dict gives the names.
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
        If a parameter cannot have its value, or the rows cannot be used.
    TypeError
        If `y_score` is no dict, or a metric has no value per query.

    Notes
    -----
    Intervals are of the percentile bootstrap over queries (`scipy.stats.bootstrap`), models and
    differences resampled together. Differences are tested two-sided by flipping their signs
    (`scipy.stats.permutation_test`, exact where there are so few that all flips can be tried;
    above 1000 queries `scipy.stats.monte_carlo_test`) and by a paired t-test. Holm's adjustment is
    for all comparisons of the report together.

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
    wanted = named_metrics(metrics, metric_options)
    models = _checked(y_score, baseline, confidence_level, n_resamples)
    first = next(iter(models)) if baseline is None else str(baseline)
    rng = np.random.default_rng(random_state)
    values, undefined, tied, ids = _values(y_true, models, qid, wanted)
    rows = [_mean(metric, model, values) for metric, model in product(wanted, models)]
    compared = [row for row in rows if row["model"] != first]
    differences = [
        values[row["model"], row["metric"]] - values[first, row["metric"]] for row in compared
    ]
    _add_intervals(rows, compared, values, differences, confidence_level, n_resamples, rng)
    for row, difference in zip(compared, differences, strict=True):
        seen = difference[~np.isnan(difference)]
        row["difference"] = float(seen.mean()) if len(seen) else np.nan
        better = 1 if wanted[row["metric"]].greater_is_better else -1
        row.update(compare(better * seen, n_resamples, rng)._asdict())
    adjusted = holm(np.array([row["p_randomisation"] for row in compared]))
    for row, p in zip(compared, adjusted, strict=True):
        row["p_holm"] = float(p)
    unsafe = _unsafe(len(ids), undefined, tied)
    return RankReport(
        rows, {"qid": ids, **values}, first, len(ids), undefined, tied, unsafe, confidence_level
    )


def _checked(
    y_score: Any, baseline: Any, confidence_level: Any, n_resamples: Any
) -> dict[str, Any]:
    if not isinstance(y_score, Mapping) or not y_score:
        raise TypeError(
            "y_score must be a dict of the scores of each model, such as {'ridge': scores}. Got "
            f"{got(y_score)} instead."
        )
    models = by_model(y_score, None)
    if baseline is not None and str(baseline) not in models:
        raise ValueError(f"baseline must be one of {', '.join(models)}. Got {got(baseline)}.")
    check_level(confidence_level)
    if check_positive_integer(n_resamples, "n_resamples") < 2:
        raise ValueError("n_resamples must be at least 2, and 100 to mean anything.")
    return models


def tied_rows(r: Ranking) -> Array:
    """How many rows of each query share their score with another."""
    return np.asarray((r.chosen(None).certain & (r.spans()[1] > 1)).sum(axis=1))


_TIED = Metric(tied_rows, shared=("ties",))


def _values(
    y_true: Any, models: Mapping[str, Any], qid: Any, wanted: Mapping[str, Metric]
) -> tuple[dict[Any, Array], dict[str, int], dict[str, float], Array]:
    """Values by model and metric, undefined ones replaced; how many are; how much is tied."""
    values: dict[Any, Array] = {}
    undefined: dict[str, int] = {}
    tied: dict[str, float] = {}
    shown = [
        metric.bind(replace_undefined_by=np.nan)
        if "replace_undefined_by" in metric.options
        else metric
        for metric in wanted.values()
    ]
    n_rows = np.size(next(iter(models.values())))
    ids: Array = np.empty(0)
    for model, scores in models.items():
        ids, (in_ties, *columns) = per_query_of_all([_TIED, *shown], y_true, scores, qid)
        tied[model] = float(in_ties.sum() / n_rows)
        for name, column in zip(wanted, columns, strict=True):
            missing = np.isnan(column)
            undefined[name] = max(undefined.get(name, 0), int(missing.sum()))
            column[missing] = request_of(wanted[name], {}).replace_undefined_by
            values[model, name] = column
    return values, undefined, tied, ids


def _mean(metric: str, model: str, values: Mapping[Any, Array]) -> dict[str, Any]:
    seen = values[model, metric][~np.isnan(values[model, metric])]
    nothing = ("difference", "difference_low", "difference_high", "p_randomisation", "p_holm")
    return {
        "metric": metric,
        "model": model,
        "mean": float(seen.mean()) if len(seen) else np.nan,
        "low": np.nan,
        "high": np.nan,
        **dict.fromkeys((*nothing, "p_t", "wins", "ties", "losses")),
    }


def _add_intervals(
    rows: list[dict[str, Any]],
    compared: list[dict[str, Any]],
    values: Mapping[Any, Array],
    differences: list[Array],
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> None:
    """Intervals of means and differences; columns that lack the same queries together."""
    means = [values[row["model"], row["metric"]] for row in rows]
    columns = np.array([*means, *differences])
    missing = np.isnan(columns)
    low, high = np.full(len(columns), np.nan), np.full(len(columns), np.nan)
    patterns, kind = np.unique(missing, axis=0, return_inverse=True)
    for at, pattern in enumerate(patterns):
        group = np.flatnonzero(kind.ravel() == at)
        low[group], high[group] = intervals(columns[group][:, ~pattern], level, n_resamples, rng)
    for row, lowest, highest in zip(rows, low, high, strict=False):
        row["low"], row["high"] = float(lowest), float(highest)
    for row, lowest, highest in zip(compared, low[len(rows) :], high[len(rows) :], strict=True):
        row["difference_low"], row["difference_high"] = float(lowest), float(highest)


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
