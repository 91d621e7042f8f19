"""From a fitted estimator to a score: scorers, targets that carry query ids, splits."""

from sklearn_rankscore.model_selection._ids.target import QuerySplitWarning, RankTarget
from sklearn_rankscore.model_selection._rankers.ranker import QueryRanker
from sklearn_rankscore.model_selection._scorers.scorer import (
    MultiRankScorer,
    RankScorer,
    make_multi_rank_scorer,
    make_rank_scorer,
)
from sklearn_rankscore.model_selection._splits.query_kfold import QueryKFold
from sklearn_rankscore.model_selection._splits.split_report import SplitReport, split_report
from sklearn_rankscore.model_selection._splits.temporal import TemporalSplit

__all__ = [
    "MultiRankScorer",
    "QueryKFold",
    "QueryRanker",
    "QuerySplitWarning",
    "RankScorer",
    "RankTarget",
    "SplitReport",
    "TemporalSplit",
    "make_multi_rank_scorer",
    "make_rank_scorer",
    "split_report",
]
