"""QueryKFold: folds of whole queries."""

from collections.abc import Iterator
from typing import Any

from sklearn.model_selection import GroupKFold

from sklearn_rankscore._typing import Array
from sklearn_rankscore.model_selection._ids import lookup


class QueryKFold(GroupKFold):  # type: ignore[misc]
    """K folds of whole queries: a GroupKFold that finds the query ids itself.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    qid : str, default="qid"
        Name under which query ids are found; see `make_rank_scorer`.
    shuffle : bool, default=False
        Whether to shuffle the queries; if False, folds have as equal numbers of rows as possible.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffle.

    Notes
    -----
    QueryKFold looks for query ids in metadata routed as ``fit(X, y, qid=…)``, a RankTarget, a
    level of y's pandas index, a column of X, and a level of X's pandas index. If you pass
    ``groups=``, it keeps those together instead. Given the same ids, the folds are those of
    `sklearn.model_selection.GroupKFold`.

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
        shuffle: bool = False,
        random_state: Any = None,
    ) -> None:
        lookup.check_name(qid)
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)
        self.qid = qid

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
        return int(super().get_n_splits(X, y, groups))

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
            groups = lookup.number_queries(ids)
        yield from super().split(X, y, groups)
