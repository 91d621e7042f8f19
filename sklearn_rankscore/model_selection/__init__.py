"""From a fitted estimator to a score: scorers, targets that carry query ids, splits."""

from sklearn_rankscore.model_selection._rank_scorer import (
    MultiRankScorer,
    QuerySplitWarning,
    RankScorer,
)
from sklearn_rankscore.model_selection._scorer import make_multi_rank_scorer, make_rank_scorer
from sklearn_rankscore.model_selection._split import QueryKFold
from sklearn_rankscore.model_selection._target import RankTarget

__all__ = [
    "MultiRankScorer",
    "QueryKFold",
    "QuerySplitWarning",
    "RankScorer",
    "RankTarget",
    "make_multi_rank_scorer",
    "make_rank_scorer",
]
