"""Times at the edges: far dates, long and short lengths, narrow numbers, what is missing."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from conftest import needs

from sklearn_rankscore import RankTarget, TemporalSplit, split_report

X = np.zeros((4, 1))


def folds(times, n_splits=1, **settings):
    """Folds of four rows, each a query of its own."""
    cv = TemporalSplit(n_splits, queries="any", **settings)
    return [(train.tolist(), test.tolist()) for train, test in cv.split(X, times=times)]


def far(unit):
    """Dates that do not fit into nanoseconds, beside one that does."""
    return np.array(["1500-01-01", "2024-01-01", "2024-02-01", "9999-12-31"], f"M8[{unit}]")


@pytest.mark.parametrize("unit", ["D", "h", "s", "ms", "us"])
def test_far_dates_do_not_wrap(unit):
    """A sentinel of the year 9999 is the future, in folds, cut-offs and reports."""
    times = far(unit)
    assert folds(times) == [([0, 1], [2, 3])]
    assert folds(times[::-1]) == [([2, 3], [0, 1])]
    assert folds(times, cutoffs=["2024-02-01", "9999-01-01"]) == [([0, 1], [2]), ([0, 1, 2], [3])]
    report = split_report([([0, 3], [1, 2])], X, [1, 1, 1, 1], qid=[1, 2, 3, 4], times=times)
    assert report.folds[0].future_rows == 1
    assert not report.honest


def python_dates():
    """Dates of four years, two of which do not fit into nanoseconds."""
    return [datetime(year, 1, 1) for year in (1500, 2023, 2024, 9999)]  # noqa: DTZ001


def zoned_dates(zone):
    """Four years of pandas, in a time zone."""
    pd = needs("pandas")
    dates = pd.to_datetime([f"{year}-01-01" for year in range(2020, 2024)])
    return pd.Series(dates).dt.tz_localize(zone)


OF_LIBRARIES = {
    "datetime": python_dates,
    "date": lambda: [moment.date() for moment in python_dates()],
    "datetime in UTC": lambda: [moment.replace(tzinfo=UTC) for moment in python_dates()],
    "polars datetime": lambda: needs("polars").Series(python_dates()),
    "polars date": lambda: needs("polars").Series([moment.date() for moment in python_dates()]),
    "pandas objects": lambda: needs("pandas").Series(python_dates(), dtype=object),
    "pandas with a zone": lambda: zoned_dates("America/New_York"),
    "on a RankTarget": lambda: RankTarget(
        np.ones(4), qid=range(4), times=zoned_dates("UTC")
    ).metadata["times"],
}


@pytest.mark.parametrize("kind", OF_LIBRARIES)
def test_far_dates_of_other_libraries(kind):
    """Python, pandas with and without a zone, polars."""
    times = OF_LIBRARIES[kind]()
    assert folds(times) == [([0, 1], [2, 3])]
    assert folds(times, gap=timedelta(days=1)) == [([0, 1], [2, 3])]
    assert folds(times, gap=timedelta(days=400)) == [([0], [2, 3])]


@pytest.mark.parametrize("dtype", [">M8[s]", "<M8[s]", ">i8", "<i8", ">f8"])
def test_either_order_of_bytes(dtype):
    """As files of other machines have them."""
    times = np.array([0, 1, 2, 3]).astype(dtype[:1] + "i8").astype(dtype)
    assert folds(times) == [([0, 1], [2, 3])]
    assert folds(times, cutoffs=times[2:3]) == [([0, 1], [2, 3])]


def near_dates():
    """Three years of pandas, in nanoseconds."""
    pd = needs("pandas")
    return [pd.Timestamp(f"{year}-01-01").as_unit("ns") for year in (2020, 2021, 2022)]


LATE = datetime(2300, 1, 1)  # noqa: DTZ001
OF_MIXED_UNITS = {
    "list": lambda: [*near_dates(), LATE],
    "Series": lambda: needs("pandas").Series([*near_dates(), LATE], dtype=object),
    "NumPy": lambda: [
        *(moment.to_datetime64() for moment in near_dates()),
        np.datetime64("9999-01-01", "D"),
    ],
    "year": lambda: [*near_dates(), np.datetime64("2024", "Y")],
}


@pytest.mark.parametrize("kind", OF_MIXED_UNITS)
def test_dates_of_mixed_units(kind):
    """Nanoseconds beside a date that does not fit into them."""
    times = OF_MIXED_UNITS[kind]()
    assert folds(times) == [([0, 1], [2, 3])]
    assert folds(times, gap=timedelta(days=400)) == [([0], [2, 3])]
    assert folds(times, cutoffs=[near_dates()[2]]) == [([0, 1], [2, 3])]


def test_dates_of_mixed_units_that_no_unit_holds():
    """A fraction of a microsecond beside the year 2300; a number beside dates."""
    fine = needs("pandas").Timestamp("2020-01-01").as_unit("ns") + np.timedelta64(1, "ns")
    with pytest.raises(ValueError, match="times must be a whole number of nanoseconds"):
        folds([fine, *near_dates()[1:], LATE])
    with pytest.raises(ValueError, match=r"times must be numbers or dates. Got 5 among dates"):
        folds([*near_dates(), 5])


@pytest.mark.parametrize("dtype", ["date32[pyarrow]", "date64[pyarrow]", "timestamp[us][pyarrow]"])
def test_dates_of_arrow(dtype):
    """As a Parquet file read by pandas has them."""
    pd = needs("pandas")
    needs("pyarrow")
    times = pd.Series(pd.date_range("2020-01-01", periods=4)).astype(dtype)
    assert folds(times) == [([0, 1], [2, 3])]
    target = RankTarget([1, 1, 1, 1], qid=times, times=times)
    assert next(TemporalSplit(1).split(X, target))[1].tolist() == [2, 3]


def test_whole_numbers_with_fractions_between():
    """Integers are compared exactly; a fraction lies between two of them."""
    start = 1_700_000_000_000_000_000
    times = [start + 1, start + 100, start + 255, start + 1000]
    assert folds(times, cutoffs=[start + 1000], gap=899) == [([0, 1], [3])]
    assert folds([0, 1, 2, 3], cutoffs=[2], gap=0.5) == [([0, 1], [2, 3])]
    assert folds([0, 1, 2, 3], cutoffs=[1.5]) == [([0, 1], [2, 3])]


@pytest.mark.parametrize(
    "length", [timedelta(days=365_000), np.timedelta64(213_504, "D")], ids=str
)
def test_lengths_of_a_thousand_years(length):
    """As spans they bound nothing; as a gap they leave nothing."""
    times = np.datetime64("2024-01-01", "D") + np.arange(4)
    assert folds(times, test_span=length, train_span=length) == [([0, 1], [2, 3])]
    with pytest.raises(ValueError, match="finds no train rows"):
        folds(times, gap=length)


@pytest.mark.parametrize("name", ["gap", "test_span", "train_span"])
@pytest.mark.parametrize("length", [timedelta.max, np.timedelta64(2**62, "s")], ids=str)
def test_lengths_that_overflow(name, length):
    """Refused, where they would wrap."""
    times = np.datetime64("2024-01-01", "D") + np.arange(4)
    with pytest.raises(ValueError, match=f"{name}.* whole number of microseconds.*64 bits"):
        folds(times, **{name: length})


FINE = np.datetime64("2024-01-01", "ns") + np.arange(4)  # not whole microseconds


@pytest.mark.parametrize(
    ("times", "settings", "message"),
    [
        (FINE, {"gap": timedelta(days=365_000)}, "'gap' parameter must be a whole number of nano"),
        (FINE, {"cutoffs": ["9999-01-01"]}, "cutoffs must be a whole number of nanoseconds"),
        (FINE, {"test_span": timedelta(days=250 * 365)}, "add up to a date beyond 64 bits"),
        (far("D"), {"gap": np.timedelta64(1, "ns")}, "whole number of microseconds"),
        (np.datetime64(2**50, "D") + np.arange(4), {}, "times must be a whole number of nano"),
    ],
    ids=["gap", "cut-off", "sum", "fraction", "times"],
)
def test_dates_that_do_not_fit_their_unit(times, settings, message):
    """Refused, where they would wrap or be rounded."""
    with pytest.raises(ValueError, match=message):
        folds(times, **settings)


def test_short_lengths():
    """A nanosecond is one; so is half a day where times are days."""
    pd = needs("pandas")
    times = np.datetime64("2024-01-01", "ns") + np.arange(4)
    for gap in (np.timedelta64(1, "ns"), pd.Timedelta(1, "ns")):
        assert folds(times, gap=gap) == [([0], [2, 3])]
    days = np.datetime64("2024-01-01", "D") + np.arange(4)
    assert folds(days, gap=np.timedelta64(12, "h")) == [([0, 1], [2, 3])]
    assert folds(days, gap=np.timedelta64(36, "h")) == [([0], [2, 3])]
    assert folds(days, test_span=np.timedelta64(12, "h")) == [([0, 1], [2])]
    assert folds(days, cutoffs=["2024-01-03T12"]) == [([0, 1, 2], [3])]


DAYS = np.datetime64("2024-01-01", "D") + np.arange(4)


@pytest.mark.parametrize("name", ["gap", "test_span", "train_span"])
@pytest.mark.parametrize(
    ("length", "error", "message"),
    [
        (np.timedelta64(1, "M"), TypeError, "must have a fixed length"),
        (np.timedelta64("NaT"), TypeError, "must have a fixed length"),
        (np.timedelta64(1), TypeError, "must have a fixed length"),
        (7, TypeError, "must be a length of time, such as '7D'"),
        (timedelta(days=-1), ValueError, "must not be negative"),
    ],
    ids=["month", "NaT", "no unit", "number", "negative"],
)
def test_lengths_that_are_none(name, length, error, message):
    """Refused, by name."""
    with pytest.raises(error, match=f"{name}.* {message}"):
        folds(DAYS, **{name: length})


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f8"])
def test_numbers_of_every_width(dtype):
    """Cut-offs and lengths beyond what the width can hold."""
    times = np.array([0, 50, 100, 120], dtype=dtype)
    assert folds(times, cutoffs=[100], test_span=50) == [([0, 1], [2, 3])]
    assert folds(times, cutoffs=[120], test_span=50) == [([0, 1, 2], [3])]
    assert folds(times, cutoffs=[100], train_span=10**30) == [([0, 1], [2, 3])]
    assert folds(times, cutoffs=[100], train_span=np.inf) == [([0, 1], [2, 3])]
    assert folds(times, cutoffs=[100], gap=60) == [([0], [2, 3])]
    with pytest.raises(ValueError, match="finds no train rows"):
        folds(times, cutoffs=[100], gap=10**30)


def test_numbers_beyond_int64():
    """Refused, where a cast would make them negative."""
    times = np.array([1, 2, 3, 2**63 + 5], dtype=np.uint64)
    with pytest.raises(ValueError, match="times must fit into 64-bit signed integers"):
        folds(times)


MASK = [False, False, False, True]


@pytest.mark.parametrize(
    "times",
    [
        np.ma.array([0, 1, 2, 99], mask=MASK),
        np.ma.array(far("s"), mask=MASK),
        [1.0, 2.0, np.nan, 4.0],
        [None, datetime(2024, 1, 1), datetime(2024, 1, 2), datetime(2024, 1, 3)],  # noqa: DTZ001
        np.array(["2024-01-01", "NaT", "2024-01-02", "2024-01-03"], "M8[D]"),
    ],
    ids=["masked", "masked dates", "NaN", "None", "NaT"],
)
def test_missing_times(times):
    """Whatever stands for it."""
    with pytest.raises(ValueError, match="times must not be missing"):
        folds(times)
    with pytest.raises(ValueError, match="must not be missing"):
        split_report([([0, 1], [2, 3])], X, [1] * 4, qid=range(4), times=times)


@pytest.mark.parametrize("kind", ["Series", "list", "objects"])
def test_missing_times_of_pandas(kind):
    """NaT among dates with a zone."""
    pd = needs("pandas")
    times = pd.Series(pd.to_datetime(["2024-01-01", None, "2024-01-02", "2024-01-03"], utc=True))
    given = {"Series": times, "list": times.tolist(), "objects": times.astype(object)}[kind]
    with pytest.raises(ValueError, match="times must not be missing"):
        folds(given)


TEXT = [str(day) for day in DAYS]
COLUMNS_OF_TEXT = {
    "list": lambda: TEXT,
    "NumPy": lambda: np.array(TEXT),
    "pandas": lambda: needs("pandas").Series(TEXT),
    "objects": lambda: needs("pandas").Series(TEXT, dtype=object),
}


@pytest.mark.parametrize("kind", COLUMNS_OF_TEXT)
def test_text_is_no_time(kind):
    """The error says how to convert a column of text to dates."""
    with pytest.raises(ValueError, match=r"times must be numbers or dates.*pandas.to_datetime"):
        folds(COLUMNS_OF_TEXT[kind]())


@pytest.mark.parametrize("kind", COLUMNS_OF_TEXT)
def test_text_is_a_cut_off(kind):
    """In ISO form."""
    assert folds(DAYS, cutoffs=COLUMNS_OF_TEXT[kind]()[2:3]) == [([0, 1], [2, 3])]


def test_dates_in_a_list():
    """NumPy's own, as times and on a target."""
    assert folds(DAYS, cutoffs=[date(2024, 1, 3)]) == [([0, 1], [2, 3])]
    assert folds(list(DAYS)) == [([0, 1], [2, 3])]
    target = RankTarget([1, 1, 1, 1], qid=range(4), times=list(DAYS))
    assert next(TemporalSplit(1).split(X, target))[1].tolist() == [2, 3]


def test_errors_name_moments_as_people_do():
    """No nanoseconds where there are days; the names that are there."""
    days = np.datetime64("2024-01-01", "ns") + np.arange(4) * np.timedelta64(1, "D")
    with pytest.raises(ValueError, match=r"at the cut-off 2025-01-01\. "):
        folds(days, cutoffs=["2025-01-01"])
    with pytest.raises(ValueError, match=r"at the cut-off 2025-01-01T12:00\. "):
        folds(days, cutoffs=["2025-01-01T12:00"])
    frame = needs("pandas").DataFrame({"time": days, "qid": range(4)})
    with pytest.raises(
        ValueError, match=r"the names \['time', 'qid'\]\. Did you mean times='time'"
    ):
        next(TemporalSplit(1).split(frame))
    target = RankTarget([1, 1, 1, 1], qid=range(4), day=days)
    with pytest.raises(ValueError, match=r"found no times\. There are only the names \['day'\]"):
        next(TemporalSplit(1).split(X, target))


def test_a_period_index_is_one_of_dates():
    """Found without a name, as a DatetimeIndex is."""
    pd = needs("pandas")
    frame = pd.DataFrame(X, index=pd.period_range("2024-01", periods=4, freq="M"))
    cv = TemporalSplit(1, queries="any")
    assert next(cv.split(frame))[1].tolist() == [2, 3]


def test_no_rows_of_dates():
    """An empty column of dates has too few times, as an empty column of numbers has."""
    with pytest.raises(ValueError, match="n_splits=1 needs as many different cut-offs"):
        next(TemporalSplit(1, queries="any").split(X[:0], times=np.array([], "M8[D]")))
