"""TemporalSplit: train before T, test from T on."""

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.validation import check_choice, check_positive_integer
from sklearn_rankscore.model_selection._ids import lookup
from sklearn_rankscore.model_selection._ids.target import RankTarget
from sklearn_rankscore.model_selection._splits.times import (
    add_span,
    describe_missing_times,
    find_times,
    format_moment,
    list_moments,
    read_cutoffs,
    read_span,
)

_QUERIES = ("whole", "any")


class TemporalSplit(BaseCrossValidator):  # type: ignore[misc]
    """Folds in time: train on rows before a cut-off, test on rows from it on.

    A model that was trained on later rows than those it is tested on looks better than it will
    be in use. scikit-learn's TimeSeriesSplit splits by the order of rows; TemporalSplit splits by
    their times, so rows need not be sorted, and rows of equal time never fall on both sides.

    Parameters
    ----------
    n_splits : int, default=5
        Number of cut-offs. They divide the rows into parts as equal as the times allow.
    cutoffs : array-like of shape (n_splits,), default=None
        The cut-offs themselves, rising: numbers if the times are numbers, else dates or ISO text,
        in UTC unless they have a time zone.
    gap : number, timedelta or text, default=None
        Length of time before each cut-off to leave out of train, for labels that come late; as
        text such as "40D" or "12h" (units W, D, h, m, s, ms, us, ns).
    test_span : number, timedelta or text, default=None
        Length of time after each cut-off to test on; None: up to the next cut-off, or to the end.
    train_span : number, timedelta or text, default=None
        Length of time to train on (a rolling window); None: all earlier rows (expanding).
    queries : {"whole", "any"}, default="whole"
        "whole": each of train and test keeps only queries that it holds whole. "any": keep all
        rows, for queries such as users, who have rows on both sides of a cut-off: a user's rows
        in the test window are then the whole query. "any" needs no query ids.
    disjoint : bool, default=False
        Whether to leave out of train the rows whose group is in test, so that test has only new
        users; ``groups`` must be passed to `split`.
    times, qid : str, default="times" and "qid"
        Names under which times and query ids are found; see `make_rank_scorer`. If nothing has the
        name of the times, a DatetimeIndex or PeriodIndex of y or X gives them.

    Raises
    ------
    ValueError
        If a parameter is invalid; in `split`, if times or ids are not found, a fold has no rows,
        there are too few different times, or a date or span does not fit into 64 bits.

    See Also
    --------
    split_report : Shows which queries a split cuts, and which training rows are too late.

    Examples
    --------
    >>> from sklearn_rankscore import RankTarget, TemporalSplit
    >>> y = RankTarget([1, 0, 0, 1, 2, 0], qid=list("bbaacc"), times=[7, 7, 1, 2, 9, 9])
    >>> for train, test in TemporalSplit(2).split([[0]] * 6, y):
    ...     print(train, test)
    [2 3] [0 1]
    [0 1 2 3] [4 5]
    """

    # scikit-learn's routing reads this: requested, but optional.
    __metadata_request__split = {"qid": True, "times": True, "groups": True}  # noqa: RUF012

    def __init__(
        self,
        n_splits: int = 5,
        *,
        cutoffs: Any = None,
        gap: Any = None,
        test_span: Any = None,
        train_span: Any = None,
        queries: str = "whole",
        disjoint: bool = False,
        times: str = "times",
        qid: str = "qid",
    ) -> None:
        check_positive_integer(n_splits, "The 'n_splits' parameter")
        check_choice(queries, "The 'queries' parameter", _QUERIES)
        lookup.check_name(times, "times")
        lookup.check_name(qid)
        self.n_splits = n_splits
        self.cutoffs = cutoffs
        self.gap = gap
        self.test_span = test_span
        self.train_span = train_span
        self.queries = queries
        self.disjoint = disjoint
        self.times = times
        self.qid = qid

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn which metadata `split` requests: times and ids, under their names."""
        routing = super().get_metadata_routing()
        lookup.request_by_name(routing.split, qid=self.qid, times=self.times)
        return routing

    def get_n_splits(
        self,
        X: Any = None,
        y: Any = None,
        groups: Any = None,
        *,
        qid: Any = None,
        times: Any = None,
    ) -> int:
        """Count the cut-offs. scikit-learn passes the arguments of `split`; they are not used."""
        del X, y, groups, qid, times
        return int(self.n_splits) if self.cutoffs is None else np.size(self.cutoffs)

    def split(
        self, X: Any, y: Any = None, groups: Any = None, *, qid: Any = None, times: Any = None
    ) -> Iterator[tuple[Array, Array]]:
        """Yield the rows of each fold, in the order of the cut-offs.

        Parameters
        ----------
        X, y, qid
            As for `QueryKFold`; rows in any order.
        groups : array-like of shape (n_rows,), default=None
            What `disjoint` keeps apart, such as users.
        times : array-like of shape (n_rows,), default=None
            Time of each row, numbers or dates; None: they are found on y or X.

        Yields
        ------
        train, test : ndarray
            Row numbers, rising.

        Raises
        ------
        ValueError
            If times or query ids are not found, or a fold would have no rows.
        """
        seeker = type(self).__name__
        group = self._number_groups(X, y, groups)
        when = find_times(self.times, X, y, times)
        if when is None:
            raise ValueError(describe_missing_times(self.times, X, y, seeker))
        query = None
        if self.queries == "whole":
            query = lookup.number_queries(lookup.find_query_ids(self.qid, X, y, qid, seeker))
        for cutoff, train, test in self._parts(when):
            kept = [part if query is None else _whole(part, query) for part in (train, test)]
            for name, part, rows in zip(("train", "test"), (train, test), kept, strict=True):
                if not rows.any():
                    raise ValueError(
                        _describe_empty_part(name, format_moment(cutoff), cut=part.any())
                    )
            if group is not None:
                kept[0] = kept[0] & ~np.isin(group, group[kept[1]])
                if not kept[0].any():
                    raise ValueError(
                        f"disjoint=True leaves no row before {format_moment(cutoff)} in train: "
                        "all of its groups have rows in test too."
                    )
            parts = np.flatnonzero(kept[0]), np.flatnonzero(kept[1])
            if query is None and isinstance(y, RankTarget):
                y.accept_parts(*parts)  # what a user does from then on is the whole test query
            yield parts

    def _number_groups(self, X: Any, y: Any, groups: Any) -> Array | None:
        """Number the groups, or warn that they are not used."""
        if self.disjoint:
            if groups is None:
                raise ValueError("disjoint=True needs groups=…, one for each row.")
            return lookup.number_groups(X, y, groups)
        if groups is not None:
            warnings.warn(
                "TemporalSplit ignores groups, unless disjoint=True.", UserWarning, stacklevel=3
            )
        return None

    def _parts(self, when: Array) -> Iterator[tuple[Any, Array, Array]]:
        """Yield each cut-off with masks of its train and test rows, by times alone."""
        if self.cutoffs is None:
            cutoffs = list_moments(when[_rows_at_equal_shares(when, self.n_splits)])
        else:
            cutoffs = read_cutoffs(self.cutoffs, when)
        spans = {"gap": self.gap, "test_span": self.test_span, "train_span": self.train_span}
        gap, test_span, train_span = (
            None if span is None else read_span(span, name, when) for name, span in spans.items()
        )
        for cutoff, following in pairwise([*cutoffs, None]):
            train_end = cutoff if gap is None else add_span(cutoff, -gap)
            test_end = following if test_span is None else add_span(cutoff, test_span)
            train, test = when < train_end, when >= cutoff
            if train_span is not None:
                train &= when >= add_span(train_end, -train_span)
            if test_end is not None:
                test &= when < test_end
            yield cutoff, train, test


def _rows_at_equal_shares(when: Array, n_splits: int) -> Array:
    """Choose the rows whose times cut all rows into parts as equal as their times allow."""
    _, first, counts = np.unique(when, return_index=True, return_counts=True)
    before = np.cumsum(counts)[:-1]  # rows before each time but the first
    wanted = np.arange(1, n_splits + 1) * (len(when) / (n_splits + 1))
    nearest = [int(np.abs(before - share).argmin()) for share in wanted if len(before)]
    if len(set(nearest)) < n_splits:
        raise ValueError(
            f"n_splits={n_splits} needs as many different cut-offs, but there are only "
            f"{len(counts)} different times, or most rows share a few of them. Choose fewer "
            "n_splits, or give cutoffs=…."
        )
    return np.asarray(first[1:][nearest])


def _whole(rows: Array, query: Array) -> Array:
    """Keep the chosen rows of queries whose rows are all chosen."""
    missing = np.bincount(query, weights=~rows)
    return np.asarray(rows & (missing[query] == 0))


def _describe_empty_part(part: str, cutoff: str, *, cut: Any) -> str:
    if cut:
        return (
            f"TemporalSplit leaves no {part} rows at the cut-off {cutoff}: every query in {part} "
            "also has rows outside it. queries='any' keeps the rows of such queries."
        )
    return (
        f"TemporalSplit finds no {part} rows at the cut-off {cutoff}. Choose other cutoffs, gap "
        "or spans."
    )
