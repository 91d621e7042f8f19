"""For people's eyes: the working of a number."""

from sklearn_rankscore.inspection._explain import explain
from sklearn_rankscore.inspection._explanation import Explanation

__all__ = ["Explanation", "explain"]
