"""For people's eyes: the working of a number, models compared honestly, and pictures."""

from sklearn_rankscore.inspection._explain import explain
from sklearn_rankscore.inspection._explanation import Explanation
from sklearn_rankscore.inspection._metric_at_k import MetricAtKDisplay
from sklearn_rankscore.inspection._precision_recall import PrecisionRecallDisplay
from sklearn_rankscore.inspection._query_difference import QueryDifferenceDisplay
from sklearn_rankscore.inspection._rank_report import RankReport
from sklearn_rankscore.inspection._report import rank_report

__all__ = [
    "Explanation",
    "MetricAtKDisplay",
    "PrecisionRecallDisplay",
    "QueryDifferenceDisplay",
    "RankReport",
    "explain",
    "rank_report",
]
