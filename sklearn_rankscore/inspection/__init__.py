"""Look at results: explain a value, compare models, draw displays."""

from sklearn_rankscore.inspection._displays.metric_at_k import MetricAtKDisplay
from sklearn_rankscore.inspection._displays.precision_recall import PrecisionRecallDisplay
from sklearn_rankscore.inspection._displays.query_difference import QueryDifferenceDisplay
from sklearn_rankscore.inspection._explain.explain import explain
from sklearn_rankscore.inspection._explain.explanation import Explanation
from sklearn_rankscore.inspection._report.rank_report import rank_report
from sklearn_rankscore.inspection._report.report import RankReport

__all__ = [
    "Explanation",
    "MetricAtKDisplay",
    "PrecisionRecallDisplay",
    "QueryDifferenceDisplay",
    "RankReport",
    "explain",
    "rank_report",
]
