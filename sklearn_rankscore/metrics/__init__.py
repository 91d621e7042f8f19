"""Ranking metrics: from (y_true, y_score, qid) to a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from sklearn_rankscore.metrics import (
    _accuracy,
    _beyond,
    _correlation,
    _cumulated_gain,
    _curves,
    _names,
    _pointwise,
    _preferences,
    _serendipity,
    _user_models,
)
from sklearn_rankscore.metrics._metric import Metric, PerQuery
from sklearn_rankscore.metrics._validation import got

if TYPE_CHECKING:
    from sklearn_rankscore.metrics._options import Options

# THE TABLE: every public metric, one line each.
average_precision = Metric(_accuracy.average_precision, aliases=("ap", "map"))
bpref = Metric(_preferences.bpref)
catalog_coverage = Metric(
    _beyond.catalog_coverage,
    aliases=("coverage",),
    grades="unused",
    row_values=("item",),
    pool=_beyond.share_covered,
    best_orders=False,
    shared=("ties",),
)
cumulative_gain = Metric(_cumulated_gain.cumulative_gain, aliases=("cg",))
dcg = Metric(_cumulated_gain.dcg)
eleven_point_precision = Metric(_curves.eleven_point_precision, aliases=("11pt",))
expected_reciprocal_rank = Metric(_user_models.expected_reciprocal_rank, aliases=("err",))
f1 = Metric(_accuracy.f1)
fall_out = Metric(_accuracy.fall_out, greater_is_better=False)
hit_rate = Metric(_user_models.hit_rate, aliases=("hr", "success"))
ideal_dcg = Metric(_cumulated_gain.ideal_dcg, aliases=("idcg",))
interpolated_precision = Metric(_curves.interpolated_precision, aliases=("iprec",))
intra_list_diversity = Metric(
    _beyond.intra_list_diversity,
    aliases=("ild", "diversity"),
    grades="unused",
    row_values=("item",),
    best_orders=False,
    shared=("ties", "replace_undefined_by"),
)
judged = Metric(_accuracy.judged, grades="unjudged")
kendall_tau_b = Metric(_correlation.kendall_tau_b, aliases=("kendall",), own_ties=True)
ndcg = Metric(_cumulated_gain.ndcg)
novelty = Metric(
    _beyond.novelty,
    grades="unused",
    row_values=("item",),
    check=_beyond.check_novelty,
    shared=("ties", "replace_undefined_by"),
)
pairwise_accuracy = Metric(_correlation.pairwise_accuracy)
precision = Metric(_accuracy.precision, aliases=("p",))
r_precision = Metric(_accuracy.r_precision, aliases=("rprec",))
rank_biased_precision = Metric(_user_models.rank_biased_precision, aliases=("rbp",))
recall = Metric(_accuracy.recall, aliases=("r",))
reciprocal_rank = Metric(_user_models.reciprocal_rank, aliases=("rr", "mrr"))
rmse = Metric(_pointwise.rmse, greater_is_better=False, pool=_pointwise.root_of_mean, shared=())
roc_auc = Metric(_preferences.roc_auc, aliases=("auc",))
serendipity = Metric(
    _serendipity.serendipity,
    row_values=("item", "similarity"),
    check=_serendipity.check_serendipity,
    shared=("ties", "replace_undefined_by"),
)
spearman_rho = Metric(_correlation.spearman_rho, aliases=("spearman", "ic"), own_ties=True)

_METRICS = {value.name: value for value in list(globals().values()) if isinstance(value, Metric)}
_SPELLINGS = {
    spelling: metric.name
    for metric in _METRICS.values()
    for spelling in (metric.name, *metric.aliases)
}

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
        Each is a name for `get_metric`, alone or with a cutoff.

    Examples
    --------
    >>> from sklearn_rankscore import metric_names
    >>> "ndcg" in metric_names()
    True
    """
    return sorted(_METRICS)


def get_metric(name: str | Metric, **options: Unpack[Options]) -> Metric:
    """Metric of a name such as "ndcg@10", "map" or "p@5".

    Parameters
    ----------
    name : str or Metric
        Name or alias of a metric, with a cutoff after "@" or without; case does not count.
    **options
        Options of the metric to be set, as in a call of it.

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
        canonical, k = _names.parse(name, _SPELLINGS)
        metric = _METRICS[canonical] if k is None else _METRICS[canonical].bind(k=k)
    elif isinstance(name, Metric):
        metric = name
    else:
        raise TypeError(
            f"A metric must be a name such as 'ndcg@10', or a Metric. Got {got(name)} instead."
        )
    bound = metric.bind(**options) if options else metric
    if "k" in metric.bound and bound.bound["k"] != metric.bound["k"]:
        raise ValueError(f"{str(name)!r} has a cutoff already. Got k={bound.bound['k']} besides.")
    return bound
