"""Dask DataFrames: ids of one kind, equal to Python, are one query; rows keep their order."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from conftest import needs

from sklearn_rankscore import evaluate, evaluate_per_query
from sklearn_rankscore.distributed import per_query, score

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's own use of pandas
COLUMNS = {"y_true": "grade", "y_score": "score", "qid": "query"}
METRICS = ["ndcg@3", "map"]
N_QUERIES = 40


# Two ways to write the id of a query, of one type.
WAYS = {
    "int": (int, int),
    "float": (float, lambda number: float(number) or -0.0),
    "complex": (lambda number: complex(number or -0.0, 1), lambda number: complex(number, 1)),
    "text": ("q{}".format,) * 2,
    "decimal": (Decimal, lambda number: Decimal(f"{number}.00")),
    "fraction": (Fraction,) * 2,
    "tuple": (lambda number: (number, "a"), lambda number: (float(number), np.str_("a"))),
    "set": (
        lambda number: frozenset({number, "x", "y"}),
        lambda number: frozenset({"y", "x", number}),
    ),
    "date": (lambda number: date(2026, 1, 1) + timedelta(number),) * 2,
    "bytes": (lambda number: str(number).encode(),) * 2,
    "uuid": (lambda number: UUID(int=number),) * 2,
    "large numbers": (lambda number: 10**30 + number,) * 2,
    "time zones": (
        lambda number: datetime(2026, 1, 1, number % 24, number, tzinfo=UTC),
        lambda number: datetime(2026, 1, 1, number % 24, number, tzinfo=UTC).astimezone(BERLIN),
    ),
    "type that nobody knows": (IPv4Address, IPv4Address),
}
BERLIN = ZoneInfo("Europe/Berlin")
ARRANGED = ["sorted", "backwards", "mixed"]


@pytest.fixture
def dd():
    """Dask as it is where objects stay what they are."""
    dask, frames = needs("dask"), needs("dask.dataframe")
    with dask.config.set({"dataframe.convert-string": False}):
        yield frames


@pytest.fixture
def rows():
    """Queries of 1 to 11 rows, many of one score; "number" says which query a row is of."""
    pd, rng = needs("pandas"), np.random.default_rng(0)
    lengths = rng.integers(1, 12, N_QUERIES)
    return pd.DataFrame(
        {
            "number": np.repeat(np.arange(N_QUERIES), lengths),
            "grade": rng.integers(0, 3, lengths.sum()),
            "score": rng.integers(0, 2, lengths.sum()) / 2,
        }
    )


def pieces(rows, arranged):
    """Partitions of rows, which cut through queries."""
    if arranged == "mixed":
        rows = rows.sample(frac=1, random_state=1)
    cut = [rows.iloc[begin : begin + 17] for begin in range(0, len(rows), 17)]
    return cut[::-1] if arranged == "backwards" else cut


def table(dd, parts):
    """Take partitions as they are, whatever their types."""
    dask = needs("dask")
    delayed = [dask.delayed(part) for part in parts]
    return dd.from_delayed(delayed, meta=parts[0].iloc[:0], verify_meta=False)


def check(dd, parts, key, ties="first"):
    """Values of each query, found by its number, are those of the rows in the parts' order."""
    whole = needs("pandas").concat(parts)
    grade, points, number = (whole[name].to_numpy() for name in ("grade", "score", "number"))
    options = {"metrics": METRICS, "ties": ties, "replace_undefined_by": -1.0}
    want = evaluate_per_query(grade, points, qid=number, **options)
    got = per_query(table(dd, parts), **COLUMNS, **options).compute()
    assert len(got) == len(want["qid"])
    place = {key(number): at for at, number in enumerate(want["qid"].tolist())}
    found = [place[one] for one in got["qid"]]
    for name in METRICS:
        np.testing.assert_allclose(got[name], want[name][found], rtol=0, atol=1e-12)


def objects(values):
    values = list(values)
    return np.fromiter(values, dtype=object, count=len(values))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("arranged", ARRANGED)
def test_equal_objects_are_one_query(dd, rows, way, arranged):
    """Every second row has its id written in the other way."""
    ids = objects(WAYS[way][at % 2](one) for at, one in enumerate(rows["number"].tolist()))
    check(dd, pieces(rows.assign(query=ids), arranged), WAYS[way][0])


def hour(number):
    return needs("pandas").Timestamp("2026-01-01") + timedelta(hours=number)


TYPES = [
    (int, "int32", "int64"),
    (lambda number: number - 20, "int16", "int64", "object"),
    (lambda number: number - 0.5, "float64", "float32", "object"),
    (int, "uint8", "Int64"),
    (int, "uint64"),
    (hour, "datetime64[us]"),
    (hour, "category"),
    (lambda number: hour(number).tz_localize("UTC"), "datetime64[ns, UTC]"),
    (timedelta, "timedelta64[ns]"),
    ("q{}".format, "str", "object", "category"),
    ("q{}".format, "category"),
    (int, "category", "int64"),
    ("q{}".format, "string[python]", "string[pyarrow]"),
]


@pytest.mark.parametrize("types", TYPES, ids=lambda types: "-".join(types[1:]))
@pytest.mark.parametrize("arranged", ARRANGED)
def test_partitions_may_have_types_of_their_own(dd, rows, types, arranged):
    """If their ids are of one kind, as in files that several programs wrote."""
    key, *types = types
    if "string[pyarrow]" in types:
        needs("pyarrow")
    rows["query"] = [key(number) for number in rows["number"].tolist()]
    parts = [
        part.assign(query=part["query"].astype(types[at % len(types)]))
        for at, part in enumerate(pieces(rows, arranged))
    ]
    check(dd, parts, key)


@pytest.mark.parametrize("arranged", ARRANGED)
@pytest.mark.parametrize("ties", ["first", "last"])
@pytest.mark.parametrize("way", ["int", "tuple", "date"])
def test_rows_of_equal_score_keep_their_order(dd, rows, arranged, ties, way):
    """That of the partitions, not of the ids; within a partition, that of its rows."""
    rows["query"] = objects(map(WAYS[way][0], rows["number"].tolist()))
    if way == "int":
        rows["query"] = rows["number"]
    check(dd, pieces(rows, arranged), WAYS[way][0], ties)


@pytest.mark.parametrize("arranged", ARRANGED)
def test_columns_may_have_numbers_for_names(dd, rows, arranged):
    """As those of an array have."""
    rows["query"] = objects(map(WAYS["tuple"][0], rows["number"].tolist()))
    parts = pieces(rows, arranged)
    whole = needs("pandas").concat(parts)
    given = [whole[name].to_numpy() for name in ("grade", "score")]
    want = evaluate(*given, qid=whole["number"].to_numpy(), metrics=METRICS, ties="first")
    numbered = [part.rename(columns={"query": 0, "grade": 1, "score": 2}) for part in parts]
    columns = {"qid": 0, "y_true": 1, "y_score": 2}
    got = score(table(dd, numbered), metrics=METRICS, ties="first", **columns)
    assert got == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("arranged", ARRANGED)
@pytest.mark.parametrize("convention", ["lightgbm", "xgboost", "trec_eval"])
def test_conventions_keep_the_order_that_they_want(dd, rows, arranged, convention):
    """Without a word of ties in the call."""
    parts = pieces(rows.rename(columns={"number": "query"}), arranged)
    whole = needs("pandas").concat(parts)
    given = [whole[name].to_numpy() for name in ("grade", "score")]
    options = {"metrics": ["ndcg@3"], "convention": convention}
    want = evaluate(*given, qid=whole["query"].to_numpy(), **options)
    assert score(table(dd, parts), **COLUMNS, **options) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("way", ["float", "decimal", "tuple", "set", "type that nobody knows"])
def test_a_cluster_does_not_rewrite_ids(client, dd, rows, way):
    """What goes from worker to worker arrives as it was, in its order."""
    ids = objects(WAYS[way][at % 2](one) for at, one in enumerate(rows["number"].tolist()))
    check(dd, pieces(rows.assign(query=ids), "mixed"), WAYS[way][0])


@pytest.mark.parametrize("key", [int, hour])
def test_a_cluster_keeps_the_order_of_rows(client, dd, rows, key):
    """Of ids that are plain numbers, and of dates."""
    rows["query"] = [key(number) for number in rows["number"].tolist()]
    check(dd, pieces(rows, "mixed"), key, "last")


@pytest.mark.parametrize(
    "missing",
    [None, np.nan, (1, np.nan), (1, None)],
    ids=["None", "NaN", "tuple", "tuple of None"],
)
@pytest.mark.parametrize("arranged", ARRANGED)
def test_rows_without_an_id_are_refused(dd, rows, missing, arranged):
    """At a seam as well; the error says which row of which partition."""
    key = WAYS["tuple" if isinstance(missing, tuple) else "int"][0]
    parts = pieces(rows.assign(query=objects(map(key, rows["number"]))), arranged)
    ids = objects(parts[3]["query"])
    ids[5] = missing
    parts[3] = parts[3].assign(query=ids)
    with pytest.raises(ValueError, match="row 5 has no query id") as caught:
        per_query(table(dd, parts), metrics=["mrr"], **COLUMNS)
    assert caught.value.__notes__ == ["In partition 3 (the first is 0)."]


def test_an_error_of_a_row_says_which_rows_are_meant(dd, rows):
    """Row numbers are those of a partition."""
    parts = pieces(rows.assign(query=rows["number"]), "sorted")
    parts[2] = parts[2].assign(score=np.nan)
    with pytest.raises(ValueError, match="y_score must not be missing") as caught:
        score(table(dd, parts), metrics=["mrr"], **COLUMNS)
    assert "Rows are numbered within a partition" in caught.value.__notes__[0]
    assert "first is of query" in caught.value.__notes__[0]


def _arrow(values, kind):
    pd, pa = needs("pandas"), needs("pyarrow")
    return pd.array(pa.array(values, getattr(pa, kind)()), pd.ArrowDtype(getattr(pa, kind)()))


def _category(values, kind):
    return needs("pandas").Series(np.array(values, kind)).astype("category")


FOLD = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
BIG = 2**60
# Ids of each partition.
HARD = {
    "sets have no order": lambda: [
        objects([frozenset({1}), frozenset({2})]),
        objects([frozenset({1}), frozenset({2, 3})]),
    ],
    "sets in tuples": lambda: [
        objects([(frozenset({1}), 1), (frozenset({2}), 1)]),
        objects([(frozenset({1}), 1), (frozenset({2, 3}), 1)]),
    ],
    "two zeros of Arrow": lambda: [
        _arrow([0.0, -0.0, 0.0, 3.0, 1.0], "float64"),
        _arrow([-0.0, 2.0, 5.0], "float64"),
    ],
    "the end of uint64 of Arrow": lambda: [
        _arrow([2**64 - 4, 2**64 - 4, 2**64 - 3], "uint64"),
        _arrow([2**64 - 3, 2**64 - 3, 2**64 - 2], "uint64"),
    ],
    "True and 1": lambda: [np.array([True, False]), np.array([1, 2, 3, 0])],
    "floats of two sizes": lambda: [
        np.array([1, 2], "f4"),
        np.array([2**25, 2**25 + 1, 2], "f8"),
        np.array([2.1, 2.1 + 1e-9]),
    ],
    "True and 1 as objects": lambda: [objects([True, False]), objects([1, 2, 0]), objects([2, 1])],
    "large and small": lambda: [np.array([1, 2], "int8"), np.array([300, 2])],
    "the hour that comes twice": lambda: [
        objects([FOLD.replace(year=2027), FOLD, FOLD.replace(year=2025)]),
        *[objects([FOLD.replace(fold=1), FOLD.replace(year=2025), FOLD.replace(year=2027)])] * 3,
    ],
    "numbers of thousands of digits": lambda: [
        objects([10**3000, 10**1500]),
        objects([10**3000, 10**3000 + 1, 10**1500]),
    ],
    "categories of numbers": lambda: [
        _category([BIG + 5, BIG + 1], "int64"),
        _category([BIG + 1, BIG + 3, BIG + 5], "int64"),
    ],
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("turned", [False, True])
def test_ids_are_equal_as_they_are_to_python(dd, name, turned):
    """Compared one by one; they come back with their own values."""
    pd, rng = needs("pandas"), np.random.default_rng(0)
    known, parts = [], []
    for ids in HARD[name]():
        column = pd.Series(ids, dtype=ids.dtype)
        numbers = []
        for one in column:
            if one not in known:
                known.append(one)
            numbers.append(known.index(one))
        made = {"grade": rng.integers(0, 3, len(numbers)), "score": rng.random(len(numbers))}
        parts.append(pd.DataFrame({**made, "query": column, "number": numbers}))
    parts = parts[::-1] if turned else parts
    grade, points, number = (
        np.concatenate([part[column] for part in parts]) for column in ("grade", "score", "number")
    )
    want = evaluate_per_query(grade, points, qid=number, metrics=METRICS)
    got = per_query(table(dd, parts), metrics=METRICS, **COLUMNS).compute()
    found = [known.index(one) for one in got["qid"]]
    assert sorted(found) == [*range(len(known))]
    order = np.argsort(want["qid"])
    for metric in METRICS:
        np.testing.assert_allclose(got[metric], want[metric][order][found], rtol=0, atol=1e-12)


# Ids of two partitions, and what the error calls them.
MIXED = {
    "numbers and floats": ([1, 2], [2.0, 3.0], "floats beside whole numbers"),
    "numbers and text": ([1, 2], ["1", "2"], "text beside whole numbers"),
    "int64 and uint64": ([1], np.array([BIG], "uint64"), "uint64 beside whole numbers"),
    "two units": (
        np.array(["2026-01-01"], "M8[s]"),
        np.array(["2026-01-01"], "M8[ns]"),
        r"datetime64\[ns\] beside datetime64\[s\]",
    ),
    "dates of Python and NumPy": (
        objects([date(2026, 1, 1)]),
        np.array(["2026-01-01"], "M8[ns]"),
        r"datetime64\[ns\] beside date",
    ),
    "two types": ([(1, 2)], [frozenset({1, 2})], "frozenset beside tuple"),
    "in one partition": ([5], objects([1, "1"]), "one type. Got int and str"),
}


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("category", [False, True], ids=["plain", "category"])
def test_ids_of_several_kinds_are_refused(dd, name, category):
    """The error says which partition differs, and to cast; so do categories."""
    pd = needs("pandas")
    *columns, message = MIXED[name]
    parts = []
    for ids in columns:
        part = pd.DataFrame({"grade": 1, "score": range(len(ids))})
        part["query"] = pd.Series(objects(ids) if isinstance(ids, list) else ids)
        parts.append(part.astype({"query": "category"}) if category else part)
    with pytest.raises(ValueError, match=message) as caught:
        score(table(dd, parts), metrics=["mrr"], **COLUMNS)
    assert "cast" in str(caught.value)
    assert caught.value.__notes__ == ["In partition 1 (the first is 0)."]


def test_not_a_number_of_arrow_is_no_id(dd):
    """Which is neither missing nor a number."""
    ids = needs("pandas").Series(_arrow([1.0, float("nan"), 2.0], "float64"))
    part = needs("pandas").DataFrame({"query": ids, "grade": 1, "score": [1, 2, 3]})
    with pytest.raises(ValueError, match="row 1 has no query id"):
        score(table(dd, [part]), metrics=["mrr"], **COLUMNS)


@pytest.mark.parametrize("arranged", ARRANGED)
def test_objects_of_a_table_stay_what_they_are(dd, rows, arranged):
    """Where Dask turns those of other tables into text: tuples, items that are numbers."""
    ids = objects(map(WAYS["tuple"][0], rows["number"].tolist()))
    items = objects(rows.groupby("number").cumcount().tolist())
    parts = pieces(rows.assign(query=ids, item=items), arranged)
    made, whole = table(dd, parts), needs("pandas").concat(parts)
    given = [whole[name].to_numpy() for name in ("grade", "score")]
    options = {"metrics": ["map", "coverage@1"], "catalog": list(range(12))}
    want = evaluate(*given, qid=whole["number"].to_numpy(), item=whole["item"].tolist(), **options)
    with needs("dask").config.set({"dataframe.convert-string": True}):
        got = score(made, item="item", **COLUMNS, **options)
    assert got == pytest.approx(want, abs=1e-12)
