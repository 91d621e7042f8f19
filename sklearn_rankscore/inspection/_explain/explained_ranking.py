"""The ranking of one query, which keeps the quantities of a formula."""

from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._ranking.ranking import Ranking, cut_into_blocks
from sklearn_rankscore.metrics._rows.rows import Queries, Rows


class ExplainedRanking(Ranking):
    """The Ranking of one query's rows. It keeps what a formula notes and which rows it ranks."""

    def __init__(self, grade: Array, score: Array, ties: str) -> None:
        rows = Rows(grade, score, Queries.from_rectangle((1, len(grade))))
        (block,) = cut_into_blocks(rows.queries)
        super().__init__(block, rows, ties, depth=len(grade))
        self.noted: dict[str, Any] = {"rank": self.rank}
        self._worth = np.zeros(len(grade))  # the value of each row that the formula ranks

    def note(self, **quantities: Any) -> None:
        """Keep the quantities that a formula notes; turn an array of one number into a float."""
        for name, quantity in quantities.items():
            self.noted[name] = float(quantity[0]) if np.shape(quantity) == (1,) else quantity

    def ideal(self, value: Array) -> Array:
        """Give the values in the best order; remember whose they are."""
        self._worth = value[0].astype(np.float64)
        return super().ideal(value)

    def in_order(self, value: Array) -> Array:
        """Sort the values by falling score; remember whose they are."""
        self._worth = value[0].astype(np.float64)
        return super().in_order(value)

    def find_ranked_rows(self) -> Array:
        """Find the row at each rank. Inside a tie, rows stand as the policy has them."""
        number, score = np.arange(len(self._worth)), self.score[0]
        inside = {"optimistic": -self._worth, "pessimistic": self._worth, "last": -number}
        order = np.lexsort((inside.get(self.ties, number), -score))
        return order[: int(self.n_ranked[0])]

    def find_ideal_rows(self) -> Array:
        """Find the row at each place of the best order."""
        return np.argsort(-self._worth, kind="stable")
