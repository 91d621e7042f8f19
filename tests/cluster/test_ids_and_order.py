"""Dask DataFrames: equal ids are one query however they are written, and rows keep their order."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
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


Shop = StrEnum("Shop", {f"s{number}": f"shop {number}" for number in range(N_QUERIES)})

# Two ways to write the id of a query.
WAYS = {
    "int": (int, int),
    "float": (float, lambda number: number or -0.0),
    "int and float": (int, float),
    "decimal": (Decimal, lambda number: Decimal(f"{number}.00")),
    "fraction": (Fraction, np.float32),
    "tuple": (lambda number: (number, "a"), lambda number: (float(number), np.str_("a"))),
    "set": (lambda number: frozenset({number, "x", "y"}),) * 2,
    "date": (lambda number: date(2026, 1, 1) + timedelta(number),) * 2,
    "text and numbers": (lambda number: str(number) if number % 2 else number,) * 2,
    "enum": (lambda number: f"shop {number}", lambda number: Shop[f"s{number}"]),
    "bytes": (lambda number: str(number).encode(),) * 2,
    "uuid": (lambda number: UUID(int=number),) * 2,
    "type that nobody knows": (IPv4Address, IPv4Address),
}
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
    """Give dates as ids, of two units."""
    pd = needs("pandas")
    if pd.__version__.startswith(("2.0.", "2.1.")):
        pytest.skip("pandas before 2.2 joins no frames with dates of two units")
    return pd.Timestamp("2026-01-01") + timedelta(hours=number)


TYPES = [
    (int, "int32", "int64"),
    (int, "int64", "float64", "object"),
    (int, "float32", "int16"),
    (int, "uint8", "Int64"),
    (hour, "datetime64[us]", "datetime64[ns]"),
    (hour, "datetime64[us]", "object", "datetime64[ns]"),
    ("q{}".format, "str", "object", "category"),
    ("q{}".format, "category"),
    ("q{}".format, "string[python]", "string[pyarrow]"),
]


@pytest.mark.parametrize("types", TYPES, ids=lambda types: "-".join(types[1:]))
@pytest.mark.parametrize("arranged", ARRANGED)
def test_partitions_may_have_types_of_their_own(dd, rows, types, arranged):
    """As files that were written by several programs."""
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
@pytest.mark.parametrize("way", ["int", "text and numbers"])
def test_rows_of_equal_score_keep_their_order(dd, rows, arranged, ties, way):
    """That of the partitions, not of the ids; within a partition, that of its rows."""
    rows["query"] = objects(map(WAYS[way][0], rows["number"].tolist()))
    if way == "int":
        rows["query"] = rows["number"]
    check(dd, pieces(rows, arranged), WAYS[way][0], ties)


@pytest.mark.parametrize("arranged", ARRANGED)
def test_columns_may_have_numbers_for_names(dd, rows, arranged):
    """As those of an array have."""
    rows["query"] = objects(map(WAYS["text and numbers"][0], rows["number"].tolist()))
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


@pytest.mark.parametrize(
    "way", ["int and float", "decimal", "tuple", "text and numbers", "type that nobody knows"]
)
def test_a_cluster_does_not_rewrite_ids(client, dd, rows, way):
    """What goes from worker to worker arrives as it was, in its order."""
    ids = objects(WAYS[way][at % 2](one) for at, one in enumerate(rows["number"].tolist()))
    check(dd, pieces(rows.assign(query=ids), "mixed"), WAYS[way][0])


def test_a_cluster_keeps_the_order_of_rows(client, dd, rows):
    """Of ids that are plain numbers, and of dates of two units."""
    rows["query"] = rows["number"]
    check(dd, pieces(rows, "mixed"), int, "last")
    rows["query"] = [hour(number) for number in rows["number"].tolist()]
    units = ["datetime64[us]", "datetime64[ns]"]
    parts = pieces(rows, "mixed")
    cast = [
        part.assign(query=part["query"].astype(units[at % 2])) for at, part in enumerate(parts)
    ]
    check(dd, cast, hour)


def test_numbers_that_would_lose_digits_are_refused(dd, rows):
    """Where int64 and uint64 come together they become floats; small ones do not mind."""
    parts = pieces(rows.assign(query=rows["number"] + 2**60), "mixed")
    parts[1] = parts[1].assign(query=parts[1]["query"].astype("uint64"))
    with pytest.raises(ValueError, match="Column 'query' must have one type in all partitions"):
        score(table(dd, parts), metrics=["mrr"], **COLUMNS)
    small = [part.assign(query=part["number"]) for part in parts]
    small[1] = small[1].assign(query=small[1]["query"].astype("uint64"))
    check(dd, small, int)


@pytest.mark.parametrize(
    "missing",
    [None, np.nan, (1, np.nan), (1, None)],
    ids=["None", "NaN", "tuple", "tuple of None"],
)
@pytest.mark.parametrize("arranged", ARRANGED)
def test_rows_without_an_id_are_refused(dd, rows, missing, arranged):
    """At a seam as well; the error says which row of which partition."""
    parts = pieces(rows.assign(query=objects(rows["number"])), arranged)
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


def _dates(unit, *texts):
    return needs("pandas").Series(np.array(texts, f"M8[{unit}]"))


BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
FOLD = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
LAST = datetime.max.replace(tzinfo=NEW_YORK)
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
    "floats of two sizes": lambda: [np.array([1, 2], "f4"), np.array([2**25, 2**25 + 1])],
    "floats of two digits": lambda: [np.array([1, 2], "f4"), np.array([2.1, 2.1 + 1e-9])],
    "large and small": lambda: [np.array([1, 2], "int8"), np.array([300, 2])],
    "whole and half": lambda: [np.array([1, 2]), np.array([2.5, 2])],
    "dates of two units": lambda: [
        _dates("s", "2020-01-01", "2020-01-02"),
        _dates("ms", "2020-01-03T00:00:00.100", "2020-01-03T00:00:00.200"),
    ],
    "text and objects": lambda: [
        needs("pandas").Series(["a", "b"], dtype="str"),
        objects([1, "1", "a"]),
    ],
    "categories of text and objects": lambda: [
        needs("pandas").Series(["a", "b"]).astype("category"),
        needs("pandas").Series(objects([1, "1"])).astype("category"),
    ],
    "lone surrogates": lambda: [
        objects(["\ud800", "'\\ud800'"]),
        objects(["'\\ud800'", "\ud800"]),
    ],
    "the hour that comes twice": lambda: [
        objects([FOLD.replace(year=2027), FOLD, FOLD.replace(year=2025)]),
        *[objects([FOLD.replace(fold=1), FOLD.replace(year=2025), FOLD.replace(year=2027)])] * 3,
    ],
    "the last hour of all": lambda: [objects([LAST, FOLD]), objects([FOLD, LAST])],
    "numbers of thousands of digits": lambda: [
        objects([Decimal("1e5000"), 2, 10**1500]),
        objects([10**5000, 1, Decimal("1e1500"), 2]),
    ],
    "numbers without end": lambda: [
        objects([Decimal("1e100000000"), Decimal("1e-100000000"), 0]),
        objects([Decimal("0e-100000000"), 1, Decimal("1e100000000")]),
    ],
    "categories of numbers": lambda: [
        _category([BIG + 5, BIG + 1], "int64"),
        _category([BIG + 1, BIG + 3, BIG + 5], "int64"),
    ],
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.filterwarnings("ignore:The behavior of array concatenation")
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


@pytest.mark.parametrize("column", ["query", "item"])
@pytest.mark.parametrize("kind", ["plain", "category", "complex"])
def test_whole_numbers_that_become_floats_are_refused(dd, column, kind):
    """Ids and items; of categories as well."""
    pd = needs("pandas")
    first = pd.Series([BIG + 5, BIG + 1])
    second = pd.Series(np.array([BIG + 2, BIG + 5], "c16" if kind == "complex" else "uint64"))
    parts = []
    for values in (first, second):
        part = pd.DataFrame({"query": [1, 2], "grade": 1, "score": [1, 2], "item": [1, 2]})
        part[column] = values.astype("category") if kind == "category" else values
        parts.append(part)
    with pytest.raises(ValueError, match=f"Column '{column}' must have one type"):
        score(table(dd, parts), metrics=["coverage@1"], item="item", **COLUMNS)


def test_not_a_number_of_arrow_is_no_id(dd):
    """Which is neither missing nor a number."""
    ids = needs("pandas").Series(_arrow([1.0, float("nan"), 2.0], "float64"))
    part = needs("pandas").DataFrame({"query": ids, "grade": 1, "score": [1, 2, 3]})
    with pytest.raises(ValueError, match="row 1 has no query id"):
        score(table(dd, [part]), metrics=["mrr"], **COLUMNS)


@pytest.mark.parametrize("arranged", ARRANGED)
def test_objects_of_a_table_stay_what_they_are(dd, rows, arranged):
    """Where Dask turns those of other tables into text: 1 beside "1", items that are numbers."""
    ids = objects(map(WAYS["text and numbers"][0], rows["number"].tolist()))
    items = objects(rows.groupby("number").cumcount().tolist())
    parts = pieces(rows.assign(query=ids, item=items), arranged)
    made, whole = table(dd, parts), needs("pandas").concat(parts)
    given = [whole[name].to_numpy() for name in ("grade", "score")]
    options = {"metrics": ["map", "coverage@1"], "catalog": list(range(12))}
    want = evaluate(*given, qid=whole["number"].to_numpy(), item=whole["item"].tolist(), **options)
    with needs("dask").config.set({"dataframe.convert-string": True}):
        got = score(made, item="item", **COLUMNS, **options)
    assert got == pytest.approx(want, abs=1e-12)
