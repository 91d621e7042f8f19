"""QueryKFold: folds of whole queries."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.utils import check_random_state

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.validation import check_choice, check_positive_integer
from sklearn_rankscore.model_selection._ids import lookup


class QueryKFold(GroupKFold):  # type: ignore[misc]
    """K folds of whole queries, which it finds itself.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    qid : str, default="qid"
        Name under which query ids are found; see `make_rank_scorer`.
    balance : {"queries", "rows"}, default="queries"
        "queries": folds have equal numbers of queries (they differ by one at most) and, as far as
        that allows, of rows. The mean over folds then counts every query alike. "rows": folds have
        equal numbers of rows, as those of `sklearn.model_selection.GroupKFold`; this goes with
        none of the next three parameters.
    n_repeats : int, default=1
        How often to split anew; above 1, each time the queries are shuffled.
    stratify : str, default=None
        Name of a label of each query, the same on all of its rows, found as query ids are. Folds
        have equal shares of each label, as those of `sklearn.model_selection.StratifiedKFold`.
    shuffle : bool, default=False
        Whether to shuffle the queries. Chance then decides how many rows a fold has.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffle.

    Notes
    -----
    QueryKFold looks for query ids in metadata routed as ``fit(X, y, qid=…)``, a RankTarget, a
    level of y's pandas index, a column of X, and a level of X's pandas index. If you pass
    ``groups=``, it keeps those together instead.

    Examples
    --------
    >>> from sklearn_rankscore import QueryKFold, RankTarget
    >>> y = RankTarget([1, 0, 0, 2], qid=["a", "a", "b", "b"])
    >>> [test.tolist() for _, test in QueryKFold(2).split([[1], [2], [3], [4]], y)]
    [[2, 3], [0, 1]]
    """

    # scikit-learn's routing reads this: both are requested, but optional.
    __metadata_request__split = {"groups": True, "qid": True}  # noqa: RUF012

    def __init__(
        self,
        n_splits: int = 5,
        *,
        qid: str = "qid",
        balance: str = "queries",
        n_repeats: int = 1,
        stratify: str | None = None,
        shuffle: bool = False,
        random_state: Any = None,
    ) -> None:
        lookup.check_name(qid)
        check_choice(balance, "The 'balance' parameter", ("queries", "rows"))
        check_positive_integer(n_repeats, "The 'n_repeats' parameter")
        if stratify is not None:
            lookup.check_name(stratify, "stratify")
        shuffles = shuffle or n_repeats > 1
        if balance == "rows" and (shuffles or stratify is not None):
            raise ValueError(
                "balance='rows' fixes the fold of each query: it goes with no shuffle, n_repeats "
                "or stratify."
            )
        super().__init__(n_splits, shuffle=shuffles, random_state=random_state)
        self.shuffle = shuffle
        self.qid = qid
        self.balance = balance
        self.n_repeats = n_repeats
        self.stratify = stratify

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn which metadata `split` requests: ids under their name, and groups."""
        routing = super().get_metadata_routing()
        lookup.request_by_name(routing.split, qid=self.qid)
        return routing

    def get_n_splits(
        self, X: Any = None, y: Any = None, groups: Any = None, *, qid: Any = None
    ) -> int:
        """Count the folds. scikit-learn passes the arguments of `split`; they are not used."""
        del qid
        return int(super().get_n_splits(X, y, groups)) * self.n_repeats

    def split(
        self, X: Any, y: Any = None, groups: Any = None, *, qid: Any = None
    ) -> Iterator[tuple[Array, Array]]:
        """Yield the rows of each fold.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows.
        y : array-like of shape (n_rows,), default=None
            Relevance grades; they may carry the ids.
        groups : array-like of shape (n_rows,), default=None
            What to keep together instead of queries.
        qid : array-like of shape (n_rows,), default=None
            Query ids; None: they are found on y or X.

        Yields
        ------
        train, test : ndarray
            Row numbers.

        Raises
        ------
        ValueError
            If no query ids are found, or there are fewer queries than folds.
        """
        if groups is None:
            ids = lookup.find_query_ids(self.qid, X, y, qid, type(self).__name__)
            query = lookup.number_queries(ids)
        else:
            query = lookup.number_groups(X, y, groups)
        sizes = np.bincount(query)
        if len(sizes) < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} needs as many queries. Got {len(sizes)} instead."
            )
        label = self._find_labels(X, y, query) if self.stratify else None
        random = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            fold = self._assign(sizes, label, random)[query]
            for number in range(self.n_splits):
                yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)

    def _find_labels(self, X: Any, y: Any, query: Array) -> Array:
        """Find the label of each query."""
        name = str(self.stratify)
        found = lookup.find_row_values(name, X, y, None, "stratify")
        if found is None:
            raise ValueError(
                f"QueryKFold found no {name!r}, which stratify= names. Give it on y, as "
                f"RankTarget(y, qid=…, {name}=…), or as a column of X."
            )
        label = lookup.number_queries(found, name)
        first = np.unique(query, return_index=True)[1]
        if (label != label[first][query]).any():
            raise ValueError(f"stratify={name!r} must be the same on all rows of a query.")
        return np.asarray(label[first])

    def _assign(self, sizes: Array, label: Array | None, random: np.random.RandomState) -> Array:
        """Give the fold of each query."""
        n_queries, shuffles = len(sizes), self.shuffle or self.n_repeats > 1
        fold = np.empty(n_queries, dtype=np.intp)
        if label is not None:
            state = random if shuffles else None
            folds = StratifiedKFold(self.n_splits, shuffle=shuffles, random_state=state)
            for number, (_, test) in enumerate(folds.split(label, label)):
                fold[test] = number
        elif self.balance == "rows":
            rows = np.repeat(np.arange(n_queries), sizes)
            for number, (_, test) in enumerate(super().split(rows, None, rows)):
                fold[rows[test]] = number
        elif shuffles:
            fold[random.permutation(n_queries)] = np.arange(n_queries) * self.n_splits // n_queries
        else:
            fold[:] = _deal(sizes, self.n_splits)
        return fold


def _deal(sizes: Array, n_splits: int) -> Array:
    """Deal queries to folds, the largest first: in each round one query to each fold.

    In a round, the larger a query is, the fewer rows its fold has so far.
    """
    order = np.argsort(sizes)[::-1]  # as GroupKFold, whose folds these are where sizes are equal
    fold, rows = np.empty(len(sizes), dtype=np.intp), np.zeros(n_splits)
    for begin in range(0, len(order), n_splits):
        dealt = order[begin : begin + n_splits]
        to = np.argsort(rows, kind="stable")[: len(dealt)]
        fold[dealt] = to
        rows[to] += sizes[dealt]
    return fold
