"""TemporalSplit: train before T, test from T on, against the definition row by row."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
import sklearn
from carriers import close
from conftest import needs
from estimators import ByColumn
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate

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


def days():
    """Times as dates of pandas."""
    pd = needs("pandas")
    return pd.to_datetime("2024-01-01") + pd.to_timedelta(TIMES, unit="D")


def python_days():
    """Times as datetimes of Python."""
    return [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=int(t)) for t in TIMES]


def frame(**columns):
    """X of pandas with more columns, the ids in its index."""
    pd = needs("pandas")
    plain = pd.DataFrame(X, columns=["a", "b"], index=pd.Index(QID, name="qid"))
    return plain.assign(**columns)


def both_levels():
    """Index of ids and times."""
    return needs("pandas").MultiIndex.from_arrays([QID, days()], names=["qid", "times"])


def series(index):
    """Grades of pandas."""
    return needs("pandas").Series(Y, index=index)


TARGET = RankTarget(Y, qid=QID)
# Where times can be: X, y, what is passed.
PLACES = {
    "RankTarget": lambda: (X, RankTarget(Y, qid=QID, times=TIMES), {}),
    "RankTarget of dates": lambda: (X, RankTarget(Y, qid=QID, times=days()), {}),
    "passed": lambda: (X, TARGET, {"times": TIMES}),
    "passed as list": lambda: (X, TARGET, {"times": TIMES.tolist()}),
    "passed as datetimes of UTC": lambda: (X, TARGET, {"times": python_days()}),
    "passed as Series": lambda: (
        X,
        Y,
        {"times": needs("pandas").Series(days()), "qid": QID},
    ),
    "level of y": lambda: (X, series(both_levels()), {}),
    "level of X": lambda: (frame().set_index(both_levels()), Y, {}),
    "column": lambda: (frame(times=np.asarray(days())), Y, {}),
    "column with a time zone": lambda: (frame(times=days().tz_localize("Asia/Tokyo")), Y, {}),
    "column of nullable integers": lambda: (
        frame(times=needs("pandas").array(TIMES, dtype="Int64")),
        Y,
        {},
    ),
    "polars": lambda: (
        needs("polars").DataFrame({"b": X[:, 1], "times": python_days(), "qid": QID}),
        Y,
        {},
    ),
    "polars with dates": lambda: (
        needs("polars").DataFrame({"times": [d.date() for d in python_days()], "qid": QID}),
        Y,
        {},
    ),
    "periods": lambda: (frame(times=days().to_period("D")), Y, {}),
    "DatetimeIndex of X": lambda: (frame().set_index(days()), TARGET, {}),
    "DatetimeIndex of y": lambda: (X, series(days()), {"qid": QID}),
    "DatetimeIndex with a zone": lambda: (
        frame().set_index(days().tz_localize("UTC")),
        Y,
        {"qid": QID},
    ),
    "PeriodIndex": lambda: (frame().set_index(days().to_period("D")), TARGET, {}),
}


def as_lists(folds):
    """Row numbers, to compare."""
    return [(train.tolist(), test.tolist()) for train, test in folds]


WANT = as_lists(TemporalSplit(3).split(X, RankTarget(Y, qid=QID, times=TIMES)))


@pytest.mark.parametrize("place", PLACES)
def test_times_are_found_wherever_metadata_is(place):
    """All of them make the same folds."""
    x, y, passed = PLACES[place]()
    assert as_lists(TemporalSplit(3).split(x, y, **passed)) == WANT


def test_times_are_found_by_other_names():
    """Of columns."""
    log = needs("pandas").DataFrame({"when": TIMES, "user": QID})
    assert as_lists(TemporalSplit(3, times="when", qid="user").split(log)) == WANT


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


CUTOFFS = {
    "text": lambda: "2024-01-21",
    "list of text": lambda: ["2024-01-21"],
    "date": lambda: [date(2024, 1, 21)],
    "datetime": lambda: [datetime(2024, 1, 21, tzinfo=UTC)],
    "Timestamp": lambda: [needs("pandas").Timestamp("2024-01-21")],
    "Timestamp in UTC": lambda: [needs("pandas").Timestamp("2024-01-21", tz="UTC")],
    "DatetimeIndex": lambda: needs("pandas").DatetimeIndex(["2024-01-21"]),
}


@pytest.mark.parametrize("kind", CUTOFFS)
def test_cut_offs_of_dates(kind):
    """As dates of NumPy, Python and pandas, or as text."""
    y = RankTarget(Y, qid=QID, times=DAY + TIMES)
    want = as_lists(TemporalSplit(cutoffs=[DAY + 20]).split(X, y))
    cv = TemporalSplit(cutoffs=CUTOFFS[kind]())
    assert as_lists(cv.split(X, y)) == want
    assert cv.get_n_splits() == 1


GAPS = {
    "NumPy": lambda: np.timedelta64(48, "h"),
    "Python": lambda: timedelta(days=2),
    "pandas": lambda: needs("pandas").Timedelta("2D"),
}


@pytest.mark.parametrize("kind", GAPS)
def test_gaps_of_dates(kind):
    """As lengths of time of any library."""
    y = RankTarget(Y, qid=QID, times=DAY + TIMES)
    want = as_lists(TemporalSplit(cutoffs=[20], gap=2).split(X, TARGET, times=TIMES))
    assert as_lists(TemporalSplit(cutoffs=[DAY + 20], gap=GAPS[kind]()).split(X, y)) == want


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
        (lambda: TemporalSplit(times=TIMES), TypeError, "must be a name, under which the values"),
        (lambda: TemporalSplit(gap="7D"), TypeError, "'gap' parameter must be a number, as times"),
        (lambda: TemporalSplit(gap=np.nan), ValueError, "'gap' parameter must not be negative"),
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
        (lambda: TemporalSplit(60), ValueError, "n_splits=60 needs as many different cut-offs"),
    ],
)
def test_what_cannot_be_split(make, error, message):
    """Refused when made, or when rows are seen."""
    with pytest.raises(error, match=message):
        list(make().split(X, RankTarget(Y, qid=QID, times=TIMES)))


MISSING = (DAY + TIMES).astype("datetime64[s]")
MISSING[7] = "NaT"


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (MISSING, "times must not be missing. Got none in row 7"),
        (np.where(TIMES == 3, np.nan, TIMES), "times must not be missing. Got NaN"),
        (TIMES.astype(str), "times must be numbers or dates.*pandas.to_datetime"),
        (TIMES[1:], "times must have one value per row. Got 239 values for 240 rows"),
        (X, "times must be flat"),
    ],
    ids=["NaT", "NaN", "text", "short", "table"],
)
def test_times_that_cannot_be_used(times, message):
    """Missing, text, of another length or shape."""
    with pytest.raises(ValueError, match=message):
        next(TemporalSplit().split(X, TARGET, times=times))


def test_times_or_ids_that_are_not_found():
    """Each is named; queries="any" needs no ids."""
    with pytest.raises(ValueError, match=r"found no times.*RankTarget\(y, qid=…, times=…\)"):
        next(TemporalSplit().split(X, TARGET))
    with pytest.raises(ValueError, match="found no query ids"):
        next(TemporalSplit().split(X, Y, times=TIMES))
    next(TemporalSplit(queries="any").split(X, Y, times=TIMES))


def test_queries_that_every_cut_off_cuts():
    """The error names the cure."""
    within = np.argsort(np.argsort(QID, kind="stable"), kind="stable") % 6  # each query: 0 … 5
    with pytest.raises(ValueError, match=r"leaves no train rows.*queries='any' keeps the rows"):
        next(TemporalSplit(1).split(X, TARGET, times=within))


def test_groups_of_test_may_stay_out_of_train():
    """New users in the future; without disjoint, groups are ignored with a warning."""
    user, times = np.array([0, 1, 2, 0, 1, 3]), np.arange(6)
    cv = TemporalSplit(cutoffs=[3], queries="any", disjoint=True)
    ((train, test),) = cv.split(np.zeros((6, 1)), times=times, groups=user)
    assert (train.tolist(), test.tolist()) == ([2], [3, 4, 5])
    with pytest.raises(ValueError, match="disjoint=True needs groups"):
        next(cv.split(np.zeros((6, 1)), times=times))
    with pytest.warns(UserWarning, match="TemporalSplit ignores groups"):
        next(TemporalSplit(1, queries="any").split(np.zeros((6, 1)), times=times, groups=user))


@pytest.mark.parametrize(("text", "span"), [("2D", 2), ("48h", 2), ("1 W", 7), ("0s", 0)])
def test_lengths_of_time_as_text(text, span):
    """As pandas and NumPy write them."""
    times = np.datetime64("2026-01-01") + np.arange(20)
    X_ = np.zeros((20, 1))
    cuts = {"cutoffs": ["2026-01-15"], "queries": "any"}
    want = list(TemporalSplit(gap=np.timedelta64(span, "D"), **cuts).split(X_, times=times))
    got = list(TemporalSplit(gap=text, **cuts).split(X_, times=times))
    np.testing.assert_array_equal(got[0][0], want[0][0])
    with pytest.raises(TypeError, match="such as '7D'"):
        next(TemporalSplit(gap="2 moons", **cuts).split(X_, times=times))


def test_cutoffs_that_are_no_dates():
    """The error names them."""
    times = np.datetime64("2026-01-01") + np.arange(4)
    cv = TemporalSplit(cutoffs=["01/03/2026"], queries="any")
    with pytest.raises(ValueError, match="cutoffs must be dates such as"):
        next(cv.split(np.zeros((4, 1)), times=times))


def test_parts_in_time_are_whole_queries():
    """A user's rows in the window are the query: no warning, in searches and processes too."""
    rng = np.random.default_rng(0)
    user, times = np.repeat(np.arange(20), 10), np.tile(np.arange(10), 20)
    X_ = rng.normal(size=(200, 2))
    y = RankTarget(rng.integers(0, 3, 200), qid=user, times=times)
    cv, scorer = TemporalSplit(2, queries="any"), make_rank_scorer("ndcg", on_split_query="raise")
    scores = cross_val_score(Ridge(), X_, y, cv=cv, scoring=scorer)
    for score, (train, test) in zip(scores, cv.split(X_, y), strict=True):
        predicted = Ridge().fit(X_[train], np.asarray(y)[train]).predict(X_[test])
        assert score == pytest.approx(ndcg(y[test], predicted), abs=1e-12)
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=cv, scoring=scorer, n_jobs=2)
    assert np.isfinite(search.fit(X_, y).cv_results_["mean_test_score"]).all()
    # Another cut of the same target is still an error.
    with pytest.raises(ValueError, match="cut through queries"):
        scorer(Ridge().fit(X_, y), X_[:95], y[:95])


def test_groups_of_rows_that_test_does_not_keep_stay_in_train():
    """User 2's later rows are of a query that is cut, so that test does not hold user 2."""
    times = np.arange(12)
    user = np.array([0, 0, 1, 1, 2, 2, 3, 3, 2, 4, 5, 5])
    session = np.array([0, 0, 1, 1, 7, 8, 3, 3, 8, 4, 5, 5])
    y = RankTarget(np.ones(12), qid=session, times=times)
    split = TemporalSplit(cutoffs=[6], disjoint=True)
    train, test = next(split.split(np.zeros((12, 1)), y, groups=user))
    assert train.tolist() == [0, 1, 2, 3, 4]
    assert test.tolist() == [6, 7, 9, 10, 11]


def test_groups_that_leave_nothing_to_train_on():
    """The error names the cause; a wrong number of groups is one too."""
    y = RankTarget([1, 0, 1, 0], qid=[1, 1, 2, 2], times=range(4))
    split = TemporalSplit(cutoffs=[2], queries="any", disjoint=True)
    with pytest.raises(ValueError, match="disjoint=True leaves no row before 2 in train"):
        next(split.split(np.zeros((4, 1)), y, groups=[7] * 4))
    with pytest.raises(
        ValueError, match=r"groups must have one value per row\. Got 3 values for 4"
    ):
        next(split.split(np.zeros((4, 1)), y, groups=[7] * 3))
