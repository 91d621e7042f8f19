"""Ranking metrics: from (y_true, y_score, qid) to a number."""

from typing import Any

from sklearn_rankscore._messages import describe
from sklearn_rankscore.metrics._formulas import (
    correlation,
    coverage,
    cumulated_gain,
    curves,
    diversity,
    pointwise,
    preferences,
    relevance,
    surprise,
    user_models,
)
from sklearn_rankscore.metrics._metric import names
from sklearn_rankscore.metrics._metric.metric import Metric, PerQuery

# A program that gives 1 for most undefined metrics gives 0 for the metrics marked so.
_ZERO = {"replace_undefined_by": 0.0}

# THE TABLE: every public metric, one line each.
average_precision = Metric(
    relevance.average_precision, aliases=("ap", "map"), conventions={"catboost": _ZERO}
)
bpref = Metric(preferences.bpref)
catalog_coverage = Metric(
    coverage.catalog_coverage,
    aliases=("coverage",),
    grades="unused",
    row_values=("item",),
    pool=coverage.compute_share_covered,
    best_orders=False,
    shared=("ties",),
)
cumulative_gain = Metric(cumulated_gain.cumulative_gain, aliases=("cg",))
dcg = Metric(cumulated_gain.dcg)
eleven_point_precision = Metric(curves.eleven_point_precision, aliases=("11pt",))
expected_reciprocal_rank = Metric(
    user_models.expected_reciprocal_rank, aliases=("err",), conventions={"catboost": _ZERO}
)
f1 = Metric(relevance.f1)
fall_out = Metric(relevance.fall_out, greater_is_better=False)
hit_rate = Metric(user_models.hit_rate, aliases=("hr", "success"))
ideal_dcg = Metric(cumulated_gain.ideal_dcg, aliases=("idcg",))
interpolated_precision = Metric(curves.interpolated_precision, aliases=("iprec",))
intra_list_diversity = Metric(
    diversity.intra_list_diversity,
    aliases=("ild", "diversity"),
    grades="unused",
    row_values=("item",),
    needs=diversity.find_needed_values,
    best_orders=False,
    shared=("ties", "replace_undefined_by"),
)
judged = Metric(relevance.judged, grades="unjudged")
kendall_tau_b = Metric(correlation.kendall_tau_b, aliases=("kendall",), own_ties=True)
ndcg = Metric(cumulated_gain.ndcg)
novelty = Metric(
    surprise.novelty,
    grades="unused",
    row_values=("item",),
    check=surprise.check_novelty,
    shared=("ties", "replace_undefined_by"),
)
pairwise_accuracy = Metric(preferences.pairwise_accuracy)
precision = Metric(
    relevance.precision, aliases=("p",), conventions={"xgboost": _ZERO, "catboost": _ZERO}
)
r_precision = Metric(relevance.r_precision, aliases=("rprec",))
rank_biased_precision = Metric(user_models.rank_biased_precision, aliases=("rbp",))
recall = Metric(relevance.recall, aliases=("r",))
reciprocal_rank = Metric(
    user_models.reciprocal_rank, aliases=("rr", "mrr"), conventions={"catboost": _ZERO}
)
rmse = Metric(pointwise.rmse, greater_is_better=False, pool=pointwise.take_root_of_mean, shared=())
roc_auc = Metric(
    preferences.roc_auc,
    aliases=("auc",),
    conventions={"catboost": {"ties": "average", "replace_undefined_by": 0.0}},
)
serendipity = Metric(
    surprise.serendipity,
    row_values=("item", "similarity"),
    check=surprise.check_serendipity,
    needs=surprise.find_needed_values,
    shared=("ties", "replace_undefined_by"),
)
spearman_rho = Metric(correlation.spearman_rho, aliases=("spearman", "ic"), own_ties=True)

_METRICS = {value.name: value for value in list(globals().values()) if isinstance(value, Metric)}
_SPELLINGS = {
    spelling: metric.name
    for metric in _METRICS.values()
    for spelling in (metric.name, *metric.aliases)
}

# Every metric of THE TABLE (a test compares the two). The package exports these names.
__all__ = [
    "Metric",
    "PerQuery",
    "average_precision",
    "bpref",
    "catalog_coverage",
    "cumulative_gain",
    "dcg",
    "eleven_point_precision",
    "expected_reciprocal_rank",
    "f1",
    "fall_out",
    "get_metric",
    "hit_rate",
    "ideal_dcg",
    "interpolated_precision",
    "intra_list_diversity",
    "judged",
    "kendall_tau_b",
    "metric_names",
    "ndcg",
    "novelty",
    "pairwise_accuracy",
    "precision",
    "r_precision",
    "rank_biased_precision",
    "recall",
    "reciprocal_rank",
    "rmse",
    "roc_auc",
    "serendipity",
    "spearman_rho",
]


def metric_names() -> list[str]:
    """Names of all metrics, sorted, without their aliases.

    Returns
    -------
    list of str
        Each is a name for `get_metric`, with a cutoff if the metric has the option `k`.

    Examples
    --------
    >>> from sklearn_rankscore import metric_names
    >>> "ndcg" in metric_names()
    True
    """
    return sorted(_METRICS)


def get_metric(name: str | Metric, **options: Any) -> Metric:
    """Look up a metric by a name such as "ndcg@10", "map" or "p@5".

    Parameters
    ----------
    name : str or Metric
        Name or alias of a metric, with a cutoff after "@" or without; case does not count.
    **options
        Options to set, as in a call of the metric.

    Returns
    -------
    Metric
        The metric with k and the options set. ``str()`` of it gives the canonical name.

    Raises
    ------
    ValueError
        If there is no such metric, the cutoff is not a positive integer or is given twice, or an
        option cannot have the value.
    TypeError
        If the metric has no such option, or `name` is neither text nor a Metric.

    Examples
    --------
    >>> from sklearn_rankscore import get_metric
    >>> print(get_metric("MAP@10"))
    average_precision@10
    """
    if isinstance(name, str):
        canonical, k = names.parse(name, _SPELLINGS)
        metric = _METRICS[canonical] if k is None else _METRICS[canonical].bind(k=k)
    elif isinstance(name, Metric):
        metric = name
    else:
        raise TypeError(
            f"A metric must be a name such as 'ndcg@10', or a Metric. Got {describe(name)} "
            "instead."
        )
    bound = metric.bind(**options) if options else metric
    if "k" in metric.bound and bound.bound["k"] != metric.bound["k"]:
        raise ValueError(f"{str(name)!r} has a cutoff already. Got k={bound.bound['k']} besides.")
    return bound
