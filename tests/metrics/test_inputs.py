"""What metrics take: ids of any kind, arrays of any library; and what they refuse, in what words."""

import datetime as dt

import numpy as np
import pytest
from conftest import needs
from scipy import sparse

from sklearn_rankscore import RankTarget, average_precision, get_metric, ndcg, precision

Y, S = [0, 1, 1, 0, 2, 0], [3, 2, 1, 2, 1, 2]
CODES = [0, 0, 1, 1, 2, 2]
WANT = ndcg.per_query(Y, S, qid=np.array(CODES)).value


IDS = {
    "list of int": [7, 7, -5, -5, 0, 0],
    "neighbours beyond float64": np.repeat(np.array([2**53, 2**53 + 1, 2**53 + 2]), 2),
    "list beyond int64": [2**64, 2**64, 2**64 + 1, 2**64 + 1, 2**64 + 2, 2**64 + 2],
    "list of int and float": [2**53, 2**53, 2**53 + 1, 2**53 + 1, 0.5, 0.5],
    "unsigned": np.repeat(np.array([3, 1, 2], dtype="uint64"), 2),
    "float": np.repeat([0.1, -1e300, np.inf], 2),
    "bytes": np.repeat([b"a", b"b", b""], 2),
    "text": np.repeat(["q1", "Q1", ""], 2),
    "list of text": ["q1", "q1", "Q1", "Q1", "é", "é"],
    "number and its text": [1, 1, "1", "1", 2, 2],
    "mixed": [1, 1, "a", "a", 2.5, 2.5],
    "objects": np.array([1, 1, "1", "1", None.__class__, None.__class__], dtype=object),
    "tuples": [("u", 1), ("u", 1), ("u", 2), ("u", 2), ("v", 1), ("v", 1)],
    "tuples in tuples": [*[(1, (2, "a"))] * 2, *[(1, (2, "b"))] * 2, *[((), 1)] * 2],
    "dates": np.repeat(np.array(["2024-01-02", "2024-01-01", "2025-01-01"], "datetime64[D]"), 2),
    "date objects": [dt.date(2024, 1, 1 + code) for code in CODES],
    "range": [*map(int, CODES)],
}


@pytest.mark.parametrize("qid", IDS.values(), ids=IDS)
def test_ids_of_any_kind(qid):
    """Ids are compared as they are, never cast, and come back as they were."""
    per_query = ndcg.per_query(Y, S, qid=qid)
    np.testing.assert_array_equal(per_query.value, WANT)
    assert per_query.qid.tolist() == list(qid)[::2] or per_query.qid.tolist() == qid[::2].tolist()


@pytest.mark.parametrize("qid", IDS.values(), ids=IDS)
def test_interleaved_ids_of_any_kind(qid):
    """The rows of a query need not stand together."""
    order = [0, 2, 4, 5, 3, 1]
    shuffled = qid[order] if isinstance(qid, np.ndarray) else [qid[at] for at in order]
    per_query = ndcg.per_query(np.array(Y)[order], np.array(S)[order], qid=shuffled)
    np.testing.assert_array_equal(per_query.value, WANT)


@pytest.mark.parametrize("order", [[*range(6)], [0, 2, 4, 5, 3, 1]], ids=["sorted", "mixed"])
@pytest.mark.parametrize("qid", IDS.values(), ids=IDS)
def test_ids_that_are_objects_in_pandas(qid, order):
    """A Series of objects tells ids apart as a list does."""
    pd = needs("pandas")
    listed = qid.tolist() if isinstance(qid, np.ndarray) else qid
    objects = np.fromiter((listed[at] for at in order), dtype=object, count=6)
    ids = pd.Series(objects, dtype=object)
    per_query = ndcg.per_query(np.array(Y)[order], np.array(S)[order], qid=ids)
    np.testing.assert_array_equal(per_query.value, WANT)
    assert per_query.qid.tolist() == listed[::2]


# Ids in pandas: made of pandas and the codes, where pandas is installed.
IN_PANDAS = {
    "int": lambda pd, codes: codes,
    "Int64": lambda pd, codes: codes.astype("Int64"),
    "unused category": lambda pd, codes: codes.astype("category").cat.add_categories([9]),
    "text": lambda pd, codes: codes.map({0: "a", 1: "b", 2: "c"}),
    "string": lambda pd, codes: codes.map({0: "a", 1: "b", 2: "c"}).astype("string"),
    "categories of text": lambda pd, codes: codes.map({0: "z", 1: "b", 2: "c"}).astype(
        pd.CategoricalDtype(list("abcz"))
    ),
    "times with a zone": lambda pd, codes: (
        pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(codes, "D")
    ),
    "Index": lambda pd, codes: pd.Index(CODES),
    "MultiIndex": lambda pd, codes: pd.MultiIndex.from_product([["u", "v", "w"], [1]]).repeat(2),
}
MISSING_IN_PANDAS = {
    "Int64": lambda pd, codes: codes.astype("Int64").where(codes != 1),
    "float": lambda pd, codes: codes.where(codes != 1),
    "text": lambda pd, codes: pd.Series(["a", "a", None, "b", "b", "b"]),
    "string": lambda pd, codes: pd.Series(["a", "a", pd.NA, "b", "b", "b"], dtype="string"),
    "times": lambda pd, codes: pd.to_datetime(
        pd.Series(["2024-01-01", "2024-01-01", None, None, None, None])
    ),
    "category": lambda pd, codes: pd.Series(["a", "a", None, "b", "b", "b"], dtype="category"),
    "part of a tuple": lambda pd, codes: pd.Series(
        [("a", 1), ("a", 1), ("a", np.nan), *[("b", 1)] * 3]
    ),
    "part of a MultiIndex": lambda pd, codes: pd.MultiIndex.from_tuples(
        [("a", 1), ("a", 1), ("a", None), *[("b", 1)] * 3]
    ),
}


@pytest.mark.parametrize("make", IN_PANDAS.values(), ids=IN_PANDAS)
def test_ids_from_pandas(make):
    """Every dtype and index gives the queries; unused categories do not count."""
    pd = needs("pandas")
    qid = make(pd, pd.Series(CODES))
    np.testing.assert_array_equal(ndcg.per_query(Y, S, qid=qid).value, WANT)


@pytest.mark.parametrize("make", MISSING_IN_PANDAS.values(), ids=MISSING_IN_PANDAS)
def test_ids_that_are_missing_in_pandas(make):
    """The error names the first row that lacks an id."""
    pd = needs("pandas")
    with pytest.raises(ValueError, match="row 2 has no query id"):
        ndcg(Y, S, qid=make(pd, pd.Series(CODES)))


def test_rows_of_pandas_are_matched_by_position():
    """Other labels do not matter, the same ones in another order are an error."""
    pd = needs("pandas")
    y = pd.Series(Y, index=[15, 14, 13, 12, 11, 10])
    assert ndcg(y, pd.Series(S), qid=pd.Series(CODES)) == WANT.mean()
    with pytest.raises(TypeError, match="qid must hold hashable ids"):
        ndcg(Y, S, qid=pd.Series([[1]] * 6))


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "UInt8", "int8", "float32"])
def test_numbers_of_pandas(dtype):
    """Nullable numbers are numbers."""
    pd = needs("pandas")
    y, s = pd.Series(Y, dtype=dtype), pd.Series(S, dtype=dtype)
    assert ndcg(y, s, qid=CODES) == WANT.mean()


def test_grades_and_scores_from_pandas():
    """Columns and index levels give grades, scores and ids; a missing number is an error."""
    pd = needs("pandas")
    assert ndcg(pd.DataFrame({"y": Y}), pd.DataFrame({"s": S}), qid=CODES) == WANT.mean()
    assert ndcg(pd.Series(Y, index=pd.Index(CODES, name="qid")), S) == WANT.mean()
    index = pd.MultiIndex.from_arrays([CODES, range(6)], names=["qid", "row"])
    assert ndcg(pd.Series(Y, index=index), S) == WANT.mean()
    holes = pd.Series([0, 1, None, 0, 2, 0], dtype="Int64")
    with pytest.raises(ValueError, match="y_true must"):
        ndcg(holes, S, qid=CODES)
    with pytest.raises(ValueError, match="y_score must"):
        ndcg(Y, holes, qid=CODES)


TEXT_CODES = ["a", "a", "b", "b", "c", "c"]
IN_POLARS = {
    "numbers": lambda pl: pl.Series(CODES),
    "text": lambda pl: pl.Series(TEXT_CODES),
    "categories": lambda pl: pl.Series(TEXT_CODES, dtype=pl.Categorical),
}


@pytest.mark.parametrize("make", IN_POLARS.values(), ids=IN_POLARS)
def test_arrays_from_polars(make):
    """Series of polars are grades, scores and ids."""
    pl = needs("polars")
    got = ndcg.per_query(pl.Series(Y), pl.Series(S), qid=make(pl))
    np.testing.assert_array_equal(got.value, WANT)


def test_an_id_that_is_missing_in_polars():
    """The error names the row."""
    pl = needs("polars")
    with pytest.raises(ValueError, match="row 1 has no query id"):
        ndcg(Y, S, qid=pl.Series([1, None, 1, 1, 1, 1]))


def test_ids_travel_on_y():
    """A RankTarget needs no qid; an explicit qid wins."""
    target = RankTarget(Y, qid=CODES)
    assert ndcg(target, S) == WANT.mean()
    assert ndcg(target, S, qid=[1] * 6) == ndcg([Y], [S])


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integer_scores_beyond_float64_keep_their_order(dtype):
    """Neighbouring integers are not cast into ties."""
    scores = np.array([2**53 + 1, 2**53, 2**53 + 2], dtype=dtype)
    assert ndcg([[2, 0, 3]], scores[None]) == 1


def test_scores_beyond_float64_keep_their_order():
    """Neighbouring long doubles are not cast into ties, nor small integers into wrong signs."""
    fine = np.array([1, 0, 2], dtype=np.longdouble) * np.finfo(np.longdouble).eps + 1
    assert ndcg([[2, 0, 3]], fine[None]) == 1
    edge = np.array([fine[0], np.inf, -np.inf], dtype=np.longdouble)
    assert average_precision([[1, 0, 1]], edge[None]) == 0.25
    assert ndcg([[0, 3, 1]], np.array([[-128, 5, 1]], dtype=np.int8)) == 1


def test_infinite_scores():
    """+inf ranks first and ties with its like; -inf is not ranked, but counts."""
    assert average_precision([[1, 0, 0]], [[-np.inf, 0.2, 0.1]]) == 0
    assert precision([[1, 1, 1]], [[3, -np.inf, 2]]) == 1
    assert average_precision([[0, 1, 1]], [[np.inf, np.inf, 0]]) == pytest.approx(
        ((1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2) / 2
    )
    assert ndcg([[1, 2]], [[-np.inf, -np.inf]]) == 0


BAD = {
    "flat without ids": (
        (Y, S),
        {},
        ValueError,
        r"y_true is flat, shape \(6,\).* Pass qid=…, one id per row; or .*RankTarget\(y, qid=…\).*index level named 'qid'.*\[\[…\]\]",
    ),
    "scores too short": (
        (Y, S[:5]),
        {"qid": CODES},
        ValueError,
        "y_score must have one value per row. Got 5 values for 6 rows",
    ),
    "ids too short": (
        (Y, S),
        {"qid": CODES[:5]},
        ValueError,
        "qid must have one value per row. Got 5 values for 6 rows",
    ),
    "group sizes": ((Y, S), {"qid": [2, 2, 2]}, ValueError, "one per row, not group sizes"),
    "rectangles differ": (
        ([Y], [S[:5]]),
        {},
        ValueError,
        r"y_score must have the shape of y_true, \(1, 6\). Got \(1, 5\)",
    ),
    "a column without ids": (
        (np.reshape(Y, (6, 1)), np.reshape(S, (6, 1))),
        {},
        ValueError,
        "one column.*Pass it flat, with qid=…",
    ),
    "ragged rectangle": (
        ([[1, 0], [1]], [[1, 0], [1]]),
        {},
        ValueError,
        "rows of one length.*pass flat arrays and qid=…",
    ),
    "NaN score": (
        (Y, [1, 2, np.nan, 3, 4, 5]),
        {"qid": CODES},
        ValueError,
        "y_score must not be missing. Got NaN in 1 of 6 values.*has no ranking.*-inf",
    ),
    "NaN grade": (
        ([0, 1, np.nan, 0, np.nan, 0], S),
        {"qid": CODES},
        ValueError,
        "y_true must not be missing. Got NaN in 2 of 6 values.*grade them 0",
    ),
    "masked grade": (
        (np.ma.array(Y, mask=[0, 0, 1, 0, 0, 0]), S),
        {"qid": CODES},
        ValueError,
        "y_true must not be missing. Got NaN in 1",
    ),
    "NaN beside a mask": (
        (Y, np.ma.array([1, np.nan, 3, 4, 5, 6], mask=[1, 0, 0, 0, 0, 0])),
        {"qid": CODES},
        ValueError,
        "y_score must not be missing. Got NaN in 2 of 6 values",
    ),
    "infinite grade": (
        ([0, 1, np.inf, 0, 0, 0], S),
        {"qid": CODES},
        ValueError,
        "y_true must be finite.*Got inf",
    ),
    "text grade": (
        (["yes", "no"] * 3, S),
        {"qid": CODES},
        ValueError,
        "y_true must hold real numbers. Got dtype <U3.*encode them as grades",
    ),
    "numbers as text": (
        (np.array(list("012012"), dtype=object), S),
        {"qid": CODES},
        ValueError,
        "y_true must hold real numbers. Got dtype",
    ),
    "nothing as grade": (
        ([None, 1, 0, 0, 0, 0], S),
        {"qid": CODES},
        ValueError,
        "y_true must not be missing. Got NaN in 1 of 6 values",
    ),
    "text score": (
        (Y, list("abcdef")),
        {"qid": CODES},
        ValueError,
        "y_score must hold real numbers",
    ),
    "dates as scores": (
        (Y, np.array(S, "datetime64[D]")),
        {"qid": CODES},
        ValueError,
        "y_score must hold real numbers. Got dtype datetime64",
    ),
    "complex score": (
        (Y, np.array(S) * 1j),
        {"qid": CODES},
        ValueError,
        "y_score must hold real numbers. Got dtype complex",
    ),
    "two columns": (
        (np.ones((6, 2)), S),
        {"qid": CODES},
        ValueError,
        r"y_true must be flat, shape \(n_rows,\).* Got shape \(6, 2\)",
    ),
    "two columns of scores": (
        (Y, np.ones((6, 2))),
        {"qid": CODES},
        ValueError,
        r"y_score must be flat.* Got shape \(6, 2\)",
    ),
    "sparse": (
        (sparse.csr_array(np.array([Y])), [S]),
        {},
        TypeError,
        r"y_true must be a dense array. Got a sparse csr_array.*toarray\(\)",
    ),
    "negative grade": (
        ([0, 1, -1, 0, 0, 0], S),
        {"qid": CODES},
        ValueError,
        "y_true of ndcg must not be negative, as it is a gain. Got -1.*map grades with gain=…",
    ),
    "missing id": (
        (Y, S),
        {"qid": [1.0, 1, np.nan, 2, 2, 2]},
        ValueError,
        "qid must not be missing: row 2 has no query id",
    ),
    "missing id in an array": (
        (Y, S),
        {"qid": np.array([1, 1, 1, np.nan, 2, 2])},
        ValueError,
        "row 3 has no query id",
    ),
    "no date": (
        (Y, S),
        {"qid": np.array(["2024-01-01", "NaT"] * 3, "datetime64[D]")},
        ValueError,
        "row 1 has no query id",
    ),
    "None as id": (
        (Y, S),
        {"qid": ["a", "a", "a", "a", "b", None]},
        ValueError,
        "row 5 has no query id",
    ),
    "ids as table": (
        (Y, S),
        {"qid": np.ones((6, 2))},
        ValueError,
        r"one id per row, shape \(n_rows,\). Got shape \(6, 2\)",
    ),
    "lists as ids": (
        (Y, S),
        {"qid": [[1], [1], [1], [1], [2], [2]]},
        TypeError,
        "qid must hold hashable ids",
    ),
    "a number as ids": (
        (Y, S),
        {"qid": 3},
        TypeError,
        "qid must be an array or a list, one value per row. Got 3",
    ),
    "a set as ids": (
        (Y, S),
        {"qid": {1, 2, 3, 4, 5, 6}},
        TypeError,
        "qid must be an array or a list, one value per row. Got {1, 2",
    ),
    "masked id": (
        (Y, S),
        {"qid": np.ma.array(CODES, mask=[0, 0, 1, 0, 0, 0])},
        ValueError,
        "row 2 has no query id",
    ),
    "missing part of an id": (
        (Y, S),
        {"qid": [("u", 1), ("u", 1), ("u", np.nan), ("v", 1), ("v", 1), ("v", 1)]},
        ValueError,
        "row 2 has no query id",
    ),
    "three dimensions": (
        (np.ones((1, 2, 3)), np.ones((1, 2, 3))),
        {},
        ValueError,
        "y_true must be flat, or",
    ),
    "a gain beyond sums": (
        (Y, S),
        {"qid": CODES, "gain": [0, 1, 1.7e308]},
        ValueError,
        "not above 1e.150",
    ),
    "a gain of text": (
        (Y, S),
        {"qid": CODES, "gain": {"a": 1}},
        ValueError,
        "must map numbers to numbers",
    ),
    "a grade too large": (
        ([0, 1, 10**400, 0, 0, 0], S),
        {"qid": CODES},
        ValueError,
        "y_true must",
    ),
    "replaced by too much": (
        (Y, S),
        {"qid": CODES, "replace_undefined_by": 10**400},
        ValueError,
        "finite number",
    ),
    "unknown word for ids": (
        (Y, S),
        {"query_id": CODES},
        TypeError,
        "ndcg has no option 'query_id'",
    ),
    "a name as ids": (
        (Y, S),
        {"qid": "number"},
        TypeError,
        "qid must be the ids themselves, one per row. Got the text 'number'",
    ),
    "k of 0": (
        (Y, S),
        {"qid": CODES, "k": 0},
        ValueError,
        "The 'k' parameter of ndcg must be a positive integer, or None for the whole list. Got 0 instead",
    ),
    "k of -1": ((Y, S), {"qid": CODES, "k": -1}, ValueError, "Got -1 instead"),
    "k of 2.0": ((Y, S), {"qid": CODES, "k": 2.0}, ValueError, "Got 2.0 instead"),
    "k of True": ((Y, S), {"qid": CODES, "k": True}, ValueError, "Got True instead"),
    "k of text": ((Y, S), {"qid": CODES, "k": "10"}, ValueError, "Got '10' instead"),
    "unknown option": (
        (Y, S),
        {"qid": CODES, "cutoff": 3},
        TypeError,
        "ndcg has no option 'cutoff'. Its options are k, gain, discount, ties",
    ),
    "another's option": (
        (Y, S),
        {"qid": CODES, "denominator": "k"},
        TypeError,
        "ndcg has no option 'denominator'",
    ),
    "unknown convention": (
        (Y, S),
        {"qid": CODES, "convention": "sk"},
        ValueError,
        "The 'convention' parameter of ndcg must be one of 'sklearn', 'trec_eval', 'lightgbm', 'xgboost', 'catboost'. Got 'sk'",
    ),
    "unknown ties": (
        (Y, S),
        {"qid": CODES, "ties": "mean"},
        ValueError,
        "The 'ties' parameter of ndcg must be one of 'average', 'optimistic', 'pessimistic', 'first', 'last'. Got 'mean'",
    ),
    "unknown gain": (
        (Y, S),
        {"qid": CODES, "gain": "exp"},
        ValueError,
        "The 'gain' parameter of ndcg must be one of 'linear', 'exponential', a table of gains or a function of the grade. Got 'exp'",
    ),
    "gain of a number": (
        (Y, S),
        {"qid": CODES, "gain": 2},
        ValueError,
        "The 'gain' parameter.* Got 2 instead",
    ),
    "unknown discount": (
        (Y, S),
        {"qid": CODES, "discount": "log"},
        ValueError,
        "The 'discount' parameter of ndcg must be one of 'log2', 'jarvelin', 'reciprocal', a function of the rank. Got 'log'",
    ),
    "discount that rises": (
        (Y, S),
        {"qid": CODES, "discount": lambda rank: rank},
        ValueError,
        "nowhere rising",
    ),
    "gain below 0": (
        (Y, S),
        {"qid": CODES, "gain": [0, -1, 2]},
        ValueError,
        "not negative and not above 1e.150. Got -1",
    ),
    "grade without gain": (
        (Y, S),
        {"qid": CODES, "gain": [0, 1]},
        ValueError,
        "has no gain for grade 2. It knows the grades 0, 1",
    ),
    "gain of another shape": (
        (Y, S),
        {"qid": CODES, "gain": lambda grade: 1},
        ValueError,
        "one number for each grade",
    ),
    "replaced by text": (
        (Y, S),
        {"qid": CODES, "replace_undefined_by": "skip"},
        ValueError,
        "The 'replace_undefined_by' parameter of ndcg must be a finite number or nan. Got 'skip'",
    ),
    "replaced by None": (
        (Y, S),
        {"qid": CODES, "replace_undefined_by": None},
        ValueError,
        "must be a finite number or nan. Got None",
    ),
    "zero rows": (
        ([], []),
        {"qid": []},
        ValueError,
        "y_true must hold at least one row. Got zero rows",
    ),
    "zero queries": ((np.ones((0, 3)), np.ones((0, 3))), {}, ValueError, "at least one row"),
    "queries of zero rows": (([[]], [[]]), {}, ValueError, "at least one row"),
    "weights within a query": (
        (Y, S),
        {"qid": CODES, "sample_weight": [1, 1, 1, 1, 2, 1]},
        ValueError,
        "the same on all rows of a query. Got different weights in query 2",
    ),
    "weights too few": (
        (Y, S),
        {"qid": CODES, "sample_weight": [1, 1, 1]},
        ValueError,
        "sample_weight must have one value per row. Got 3 values for 6 rows",
    ),
    "weights below 0": (
        (Y, S),
        {"qid": CODES, "sample_weight": [-1] * 6},
        ValueError,
        "sample_weight must be finite and not negative",
    ),
    "weights of 0": (
        (Y, S),
        {"qid": CODES, "sample_weight": [0] * 6},
        ValueError,
        "at least one query. Got only zeros",
    ),
    "weights of NaN": (
        (Y, S),
        {"qid": CODES, "sample_weight": [np.nan] * 6},
        ValueError,
        "sample_weight must not be missing",
    ),
}


@pytest.mark.parametrize(("rows", "options", "error", "message"), BAD.values(), ids=BAD)
def test_bad_input_says_what_was_wanted_and_got(rows, options, error, message):
    """Each mistake has a message that names the cure."""
    with pytest.raises(error, match=message):
        ndcg(*rows, **options)


@pytest.mark.parametrize(
    ("metric", "option", "message"),
    [
        ("precision", {"denominator": "relevant"}, "one of 'k', 'attainable'. Got 'relevant'"),
        ("recall", {"denominator": "k"}, "one of 'relevant', 'attainable'. Got 'k'"),
        ("map", {"denominator": "hits"}, "one of 'relevant', 'attainable'. Got 'hits'"),
        ("mrr", {"min_relevance": np.nan}, "must be a finite number or None. Got nan"),
        ("mrr", {"min_relevance": True}, "must be a finite number or None. Got True"),
    ],
)
def test_bad_options_of_hit_metrics(metric, option, message):
    """Denominators are each metric's own."""
    with pytest.raises(ValueError, match=message):
        get_metric(metric, **option)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "ndgc@10",
            r"Unknown metric 'ndgc@10'. Did you mean 'ndcg'\? .*metric_names\(\).*'ndcg@10'",
        ),
        ("", r"Unknown metric ''\. sklearn_rankscore\.metric_names\(\) lists all"),
        ("@10", "Unknown metric '@10'"),
        ("ndcg@", "Unknown metric 'ndcg@'"),
        (
            "ndcg@0",
            "must be a positive integer. Got 'ndcg@0' instead; write for example 'ndcg@10'",
        ),
        ("ndcg@-1", "Got 'ndcg@-1'"),
        ("ndcg@2.0", "Got 'ndcg@2.0'"),
        ("ndcg@ten", "Got 'ndcg@ten'"),
    ],
)
def test_bad_names_of_metrics(name, message):
    """The error says where the names are listed, or how to write a cutoff."""
    with pytest.raises(ValueError, match=message):
        get_metric(name)


def test_a_cutoff_given_twice():
    """A cutoff in the name and another as option are an error."""
    with pytest.raises(ValueError, match=r"'ndcg@10' has a cutoff already. Got k=5"):
        get_metric("ndcg@10", k=5)
    with pytest.raises(TypeError, match="A metric must be a name such as 'ndcg@10', or a Metric"):
        get_metric(10)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_thresholds_are_compared_in_the_precision_of_the_grades(dtype):
    """0.7 in float32 is at least 0.7."""
    grades = np.array([[0.7, 0.1]], dtype=dtype)
    assert get_metric("recall")(grades, [[2, 1]], min_relevance=0.7, k=1) == 1
    assert ndcg(grades, [[2, 1]], gain={0.1: 0, 0.7: 5}) == 1
    assert get_metric("dcg")(grades, [[2, 1]], k=1) == pytest.approx(float(grades[0, 0]))


@pytest.mark.parametrize("high", [2, 2**15 - 1, 2**15, 2**31, 2**62])
def test_integer_grades_of_any_width_are_themselves(high):
    """Grades are stored in few bytes where they fit, and never cut."""
    rows = np.array([[0, high, high - 1]]), [[3, 2, 1]]
    want = (high / np.log2(3) + (high - 1) / 2) / (high + (high - 1) / np.log2(3))
    assert ndcg(*rows) == pytest.approx(want, rel=1e-15)
    assert ndcg(*rows, gain={0: 0, high: high, high - 1: high - 1}) == pytest.approx(want)
    assert get_metric("dcg")([[high] * 3], [[1] * 3], k=1) == high


@pytest.mark.parametrize(
    ("threshold", "hits"), [(1, 2), (1.0000000001, 1), (1.5, 1), (2, 1), (2.5, 0)]
)
def test_thresholds_between_integer_grades(threshold, hits):
    """A threshold is not rounded to a grade."""
    rows = [[0, 1, 2]], [[1, 2, 3]]
    found = get_metric("hit_rate").per_query(
        *rows, min_relevance=threshold, replace_undefined_by=-1
    )
    assert precision(*rows, min_relevance=threshold) == pytest.approx(hits / 3)
    assert found.value[0] == (1 if hits else -1)


@pytest.mark.parametrize("scale", [1e-320, 1.0, 1.7e308])
def test_weights_of_any_size(scale):
    """No sum of weights overflows, and no weight is lost."""
    rows = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
    assert precision(*rows, k=1, sample_weight=[scale, scale]) == 0.5


def test_weights_of_each_row_of_a_rectangle():
    """A rectangle takes a weight for each row as well as one for each query."""
    assert ndcg([Y], [S], sample_weight=[[3] * 6]) == ndcg([Y], [S])


def test_metrics_cannot_be_changed_from_outside():
    """All code of a process shares the metrics."""
    with pytest.raises(TypeError, match="does not support item assignment"):
        ndcg.options["k"] = 1
    with pytest.raises(TypeError, match="does not support item assignment"):
        ndcg.bound["k"] = 1
    one, other = (get_metric("ndcg", replace_undefined_by=float("nan")) for _ in range(2))
    assert one == other


def test_no_value_leaves_the_range_by_rounding():
    """A perfect ranking scores exactly 1."""
    assert ndcg([[0.1] * 3], [[1] * 3]) == 1
    assert get_metric("recall")([[1] * 7 + [0] * 4], [[1.0] * 11]) == 1
    grades = np.random.default_rng(0).integers(0, 5, (1, 100)).astype(float)
    assert ndcg(grades, grades) == 1


def test_negative_grades_are_not_relevant_for_hit_metrics():
    """Only a gain cannot be negative; a table of gains may say what a negative grade is worth."""
    assert precision([[-1, 2]], [[2, 1]]) == 0.5
    assert ndcg([[-1, 2]], [[2, 1]], gain={-1: 0, 2: 2}) == pytest.approx(1 / np.log2(3))


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint8])
def test_numpy_integers_are_cutoffs(kind):
    """A cutoff may have any integer type."""
    assert ndcg(Y, S, qid=CODES, k=kind(2)) == ndcg(Y, S, qid=CODES, k=2)


@pytest.mark.parametrize("high", [64, 1100, 10**6])
def test_ndcg_of_exponential_gains_of_large_grades(high):
    """NDCG is finite and right however large the grade."""
    want = (0.5 + 1 / np.log2(3)) / (1 + 0.5 / np.log2(3))
    assert ndcg([[high, high - 1]], [[1, 2]], gain="exponential") == pytest.approx(want)


def test_dcg_of_exponential_gains_of_large_grades():
    """DCG is right while it is finite, and an error where it is not."""
    assert get_metric("dcg")([[64, 63]], [[2, 1]], gain="exponential") == pytest.approx(
        2**64 - 1 + (2**63 - 1) / np.log2(3)
    )
    with pytest.raises(ValueError, match=r"grade 1100 is too large.*Use ndcg"):
        get_metric("dcg")([[1100, 1]], [[2, 1]], gain="exponential")
    fractions = [[0.5, 2.25, 1.75, 0]], [[4, 3, 2, 1]]
    dcg, ideal = get_metric("dcg"), get_metric("ideal_dcg")
    ratio = dcg(*fractions, gain="exponential") / ideal(*fractions, gain="exponential")
    assert ndcg(*fractions, gain="exponential") == pytest.approx(ratio, rel=1e-14)


def test_what_is_passed_by_position_is_named():
    """The error names the argument, or the scorer that a search wants."""
    with pytest.raises(TypeError, match=r"ndcg takes y_true and y_score, all else by name: qid=…"):
        ndcg([1, 0], [2, 1], [0, 0])
    scorer_wanted = r"scorer that a search wants is make_rank_scorer\('ndcg@10'\)"
    with pytest.raises(TypeError, match=scorer_wanted):
        get_metric("ndcg@10")(object(), [[1], [0]], [1, 0])
