"""TemporalSplit: train before T, test from T on, against the definition row by row."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
import sklearn
from carriers import close
from conftest import needs
from estimators import ByColumn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_rankscore import RankTarget, TemporalSplit, make_rank_scorer, ndcg, split_report

RNG = np.random.default_rng(0)
QID = RNG.permutation(np.repeat(np.arange(40), 6))
TIMES = RNG.integers(0, 50, 40)[QID]  # one time a query
OWN_TIMES = RNG.integers(0, 50, QID.size)  # one time a row: queries straddle
Y = RNG.integers(0, 4, QID.size)
X = np.column_stack([np.zeros(QID.size), Y + RNG.standard_normal(QID.size)])
DAY = np.datetime64("2024-01-01", "D")


def by_definition(times, cutoffs, qid=None, gap=0, test_span=None, train_span=None):
    """Rows of each fold, one at a time."""
    for at, cutoff in enumerate(cutoffs):
        end = cutoffs[at + 1] if at + 1 < len(cutoffs) else np.inf
        end = end if test_span is None else cutoff + test_span
        start = -np.inf if train_span is None else cutoff - gap - train_span
        train = [row for row, time in enumerate(times) if start <= time < cutoff - gap]
        test = [row for row, time in enumerate(times) if cutoff <= time < end]
        if qid is not None:
            train, test = (
                [
                    row
                    for row in part
                    if all(other in part for other in np.flatnonzero(qid == qid[row]))
                ]
                for part in (train, test)
            )
        yield train, test


SETTINGS = [
    {},
    {"gap": 3},
    {"test_span": 8},
    {"train_span": 12},
    {"gap": 2, "test_span": 9, "train_span": 15},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("times", [TIMES, OWN_TIMES], ids=["queries", "rows"])
@pytest.mark.parametrize("queries", ["whole", "any"])
@pytest.mark.parametrize("dates", [False, True])
def test_folds_are_those_of_the_definition(settings, times, queries, dates):
    """Numbers and dates, gaps and spans, whole queries or any rows."""
    if times is OWN_TIMES and queries == "whole":
        times = np.minimum(49, TIMES + OWN_TIMES % 3)  # some straddle, not all
    cutoffs = [20, 30, 40]
    want = list(by_definition(times, cutoffs, QID if queries == "whole" else None, **settings))
    if dates:
        settings = {name: np.timedelta64(days, "D") for name, days in settings.items()}
        times, cutoffs = DAY + times, DAY + np.array(cutoffs)
    cv = TemporalSplit(cutoffs=cutoffs, queries=queries, **settings)
    y = RankTarget(Y, qid=QID, times=times)
    got = [(train.tolist(), test.tolist()) for train, test in cv.split(X, y)]
    assert got == want
    assert cv.get_n_splits(X, y) == len(got) == 3


@pytest.mark.parametrize("n_splits", [1, 2, 5])
@pytest.mark.parametrize("times", [TIMES, OWN_TIMES, np.repeat([3, 1, 2, 9, 5, 7], 40)])
def test_cut_offs_of_equal_counts(n_splits, times):
    """Equal times on one side; parts as equal as they allow; each row from the first T on."""
    cv = TemporalSplit(n_splits, queries="any")
    folds = list(cv.split(X, RankTarget(Y, qid=QID, times=times)))
    assert len(folds) == n_splits
    largest = np.unique(times, return_counts=True)[1].max()
    tested = np.concatenate([test for _, test in folds])
    for train, test in folds:
        assert times[train].max() < times[test].min()
        assert not set(times[train]) & set(times[test])
        assert abs(len(test) - len(times) / (n_splits + 1)) <= largest
    assert len(np.unique(tested)) == len(tested)
    np.testing.assert_array_equal(
        np.sort(tested), np.flatnonzero(times >= times[folds[0][1]].min())
    )


def places():
    """Where times can be: X, y, times passed, name."""
    pd, pl = needs("pandas"), needs("polars")
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(TIMES, unit="D")
    plain = pd.DataFrame(X, columns=["a", "b"])
    qid = pd.Index(QID, name="qid")
    both = pd.MultiIndex.from_arrays([QID, days], names=["qid", "times"])
    python = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=int(t)) for t in TIMES]
    yield "RankTarget", X, RankTarget(Y, qid=QID, times=TIMES), {}
    yield "RankTarget of dates", X, RankTarget(Y, qid=QID, times=days), {}
    yield "passed", X, RankTarget(Y, qid=QID), {"times": TIMES}
    yield "passed as list", X, RankTarget(Y, qid=QID), {"times": TIMES.tolist()}
    yield "passed as datetimes of UTC", X, RankTarget(Y, qid=QID), {"times": python}
    yield "passed as Series", X, Y, {"times": pd.Series(days), "qid": QID}
    yield "level of y", X, pd.Series(Y, index=both), {}
    yield "level of X", plain.set_index(both), Y, {}
    yield "column", plain.assign(times=days, qid=QID), Y, {}
    yield (
        "column with a time zone",
        plain.assign(times=days.tz_localize("Asia/Tokyo")),
        Y,
        {"qid": QID},
    )
    yield (
        "column of nullable integers",
        plain.assign(times=pd.array(TIMES, dtype="Int64")).set_index(qid),
        Y,
        {},
    )
    yield "polars", pl.DataFrame({"b": X[:, 1], "times": python, "qid": QID}), Y, {}
    yield (
        "polars with dates",
        pl.DataFrame({"times": [d.date() for d in python], "qid": QID}),
        Y,
        {},
    )
    yield "periods", plain.set_index(qid).assign(times=days.to_period("D")), Y, {}
    yield "DatetimeIndex of X", plain.set_index(days), RankTarget(Y, qid=QID), {}
    yield "DatetimeIndex of y", X, pd.Series(Y, index=days), {"qid": QID}
    yield "DatetimeIndex with a zone", plain.set_index(days.tz_localize("UTC")), Y, {"qid": QID}


def test_times_are_found_wherever_metadata_is():
    """All of them make the same folds."""
    want = [
        (train.tolist(), test.tolist())
        for train, test in TemporalSplit(3).split(X, RankTarget(Y, qid=QID, times=TIMES))
    ]
    for name, X_, y, passed in places():
        got = TemporalSplit(3).split(X_, y, **passed)
        assert [(train.tolist(), test.tolist()) for train, test in got] == want, name
    frame = needs("pandas").DataFrame({"when": TIMES, "user": QID})
    got = TemporalSplit(3, times="when", qid="user").split(frame)
    assert [(train.tolist(), test.tolist()) for train, test in got] == want


@pytest.mark.parametrize(
    "times",
    [
        np.array([0, 1, 2, 3], dtype=np.uint8),
        np.array([0, 1, 2, 3], dtype=np.uint64) + np.uint64(2**63 - 9),
        np.array([0, 1, 2, 3], dtype=np.int64) + 2**53,
        np.array([False, False, True, True]),
        np.array([-np.inf, 0.1, 0.2, np.inf]),
        np.datetime64("1500-01-01", "s") + np.arange(4),
        np.datetime64("2024", "Y") + np.arange(4),
        [datetime(2024, 1, 1), datetime(2024, 1, 2), datetime(2024, 1, 3), datetime(2024, 1, 4)],  # noqa: DTZ001
    ],
    ids=lambda times: str(getattr(times, "dtype", "datetime")),
)
def test_times_of_every_kind(times):
    """To the last bit, and long before pandas begins."""
    folds = list(TemporalSplit(1, queries="any").split(np.zeros((4, 1)), times=times))
    assert [(train.tolist(), test.tolist()) for train, test in folds] == [([0, 1], [2, 3])]
    order = [3, 0, 2, 1]
    ((train, test),) = TemporalSplit(1, queries="any").split(
        np.zeros((4, 1)), times=[times[at] for at in order]
    )
    assert (train.tolist(), test.tolist()) == ([1, 3], [0, 2])


def test_cut_offs_of_dates():
    """As dates of NumPy, Python and pandas, or as text."""
    y = RankTarget(Y, qid=QID, times=DAY + TIMES)
    want = [test.tolist() for _, test in TemporalSplit(cutoffs=[DAY + 20]).split(X, y)]
    pd = needs("pandas")
    stamp = pd.Timestamp("2024-01-21")
    for cutoffs in (
        "2024-01-21",
        ["2024-01-21"],
        [date(2024, 1, 21)],
        [datetime(2024, 1, 21, tzinfo=UTC)],
        [stamp],
        [stamp.tz_localize("UTC")],
        pd.DatetimeIndex([stamp]),
    ):
        cv = TemporalSplit(cutoffs=cutoffs)
        assert [test.tolist() for _, test in cv.split(X, y)] == want, cutoffs
        assert cv.get_n_splits() == 1
    gaps = (np.timedelta64(48, "h"), timedelta(days=2), pd.Timedelta("2D"))
    folds = [
        [train.tolist() for train, _ in TemporalSplit(cutoffs="2024-01-21", gap=gap).split(X, y)]
        for gap in gaps
    ]
    assert folds[0] == folds[1] == folds[2]


def test_in_scikit_learn():
    """As cv=, routing off and on; each fold as by hand."""
    cv = TemporalSplit(3)
    target = RankTarget(Y, qid=QID, times=TIMES)
    want = [ndcg(Y[test], X[test, 1], qid=QID[test], k=5) for _, test in cv.split(X, target)]
    scorer = make_rank_scorer("ndcg@5")
    search = GridSearchCV(
        ByColumn(), {"column": [0, 1]}, scoring=scorer, cv=cv, error_score="raise"
    )
    off = clone(search).fit(X, target)
    with sklearn.config_context(enable_metadata_routing=True):
        on = clone(search).fit(X, Y, qid=QID, times=TIMES)
        named = TemporalSplit(3, times="day", qid="user")
        scores = cross_validate(
            ByColumn(1),
            X,
            Y,
            cv=named,
            scoring=make_rank_scorer("ndcg@5", qid="user"),
            params={"user": QID, "day": DAY + TIMES},
            error_score="raise",
        )["test_score"]
    close(scores, want)
    for fitted in (off, on):
        close([fitted.cv_results_[f"split{fold}_test_score"][1] for fold in range(3)], want)
        assert fitted.best_params_ == {"column": 1}
    assert "times='day'" in repr(named)
    # Whole queries are all that a scorer sees, so that a RankTarget has nothing to warn of.
    straddling = RankTarget(Y, qid=QID, times=np.minimum(49, TIMES + OWN_TIMES % 3))
    cross_validate(ByColumn(1), X, straddling, cv=cv, scoring=scorer, error_score="raise")
    assert split_report(cv, X, straddling).honest


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: TemporalSplit(0), ValueError, "'n_splits' parameter must be a positive integer"),
        (lambda: TemporalSplit(queries="all"), ValueError, "must be one of 'whole', 'any'"),
        (lambda: TemporalSplit(times=TIMES), TypeError, "name under which times are found"),
        (lambda: TemporalSplit(gap="7D"), TypeError, "'gap' parameter must be a number, as times"),
        (lambda: TemporalSplit(gap=-1), ValueError, "'gap' parameter must not be negative"),
        (lambda: TemporalSplit(cutoffs=[30, 20]), ValueError, "cutoffs must rise"),
        (lambda: TemporalSplit(cutoffs=["2024-01-01"]), ValueError, "cutoffs must be numbers or"),
        (
            lambda: TemporalSplit(cutoffs=[DAY]),
            ValueError,
            "cutoffs must be numbers, as times are",
        ),
        (lambda: TemporalSplit(cutoffs=[0]), ValueError, "finds no train rows at the cut-off 0"),
        (lambda: TemporalSplit(cutoffs=[99]), ValueError, "finds no test rows at the cut-off 99"),
        (lambda: TemporalSplit(60), ValueError, r"n_splits=60 cut-offs cannot be told apart"),
    ],
)
def test_what_cannot_be_split(make, error, message):
    """Refused when made, or when rows are seen."""
    with pytest.raises(error, match=message):
        list(make().split(X, RankTarget(Y, qid=QID, times=TIMES)))


def test_times_that_cannot_be_used():
    """Not found, missing, text, of another length; dates with lengths that are none."""
    y = RankTarget(Y, qid=QID)
    with pytest.raises(ValueError, match=r"found no times.*RankTarget\(y, qid=…, times=…\)"):
        next(TemporalSplit().split(X, y))
    with pytest.raises(ValueError, match="found no query ids"):
        next(TemporalSplit().split(X, Y, times=TIMES))
    next(TemporalSplit(queries="any").split(X, Y, times=TIMES))
    missing = (DAY + TIMES).astype("datetime64[s]")
    missing[7] = "NaT"
    for times, message in (
        (missing, "times must not be missing. Got none in row 7"),
        (np.where(TIMES == 3, np.nan, TIMES), "times must not be missing. Got NaN"),
        (TIMES.astype(str), "times must be numbers or dates.*pandas.to_datetime"),
        (TIMES[1:], "times must have one value per row. Got 239 values for 240 rows"),
        (X, "times must be flat"),
    ):
        with pytest.raises(ValueError, match=message):
            next(TemporalSplit().split(X, y, times=times))
    for gap, message in (
        (7, r"must be a length of time, such as numpy.timedelta64\(7, 'D'\)"),
        (np.timedelta64(1, "M"), "fixed length, which months and years have not"),
    ):
        with pytest.raises(TypeError, match=message):
            next(TemporalSplit(gap=gap).split(X, y, times=DAY + TIMES))
    within = np.argsort(np.argsort(QID, kind="stable"), kind="stable") % 6  # each query: 0 … 5
    with pytest.raises(ValueError, match=r"leaves no train rows.*queries='any' keeps rows"):
        next(TemporalSplit(1).split(X, y, times=within))
