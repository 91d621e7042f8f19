"""For people's eyes: the working of a number, and models compared honestly."""

from sklearn_rankscore.inspection._explain import explain
from sklearn_rankscore.inspection._explanation import Explanation
from sklearn_rankscore.inspection._rank_report import RankReport
from sklearn_rankscore.inspection._report import rank_report

__all__ = ["Explanation", "RankReport", "explain", "rank_report"]
