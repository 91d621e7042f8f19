"""Dask DataFrames: the numbers of the rows in memory, whichever way they are divided."""

import sys

import numpy as np
import pytest
from conftest import needs

from sklearn_rankscore import evaluate, evaluate_per_query, metric_names, rank_report
from sklearn_rankscore.distributed import means, per_query, score

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's own use of pandas
COLUMNS = {"y_true": "grade", "y_score": "score", "qid": "query"}
OPTIONS = {"max_grade": 4, "catalog": np.arange(90), "replace_undefined_by": np.nan}
PER_QUERY = ["ndcg@5", "map", "err@3"]
ALL = [*PER_QUERY, "catalog_coverage@3", "rmse"]


@pytest.fixture
def dd():
    return needs("dask.dataframe")


@pytest.fixture
def rows():
    """300 queries of 1 to 30 rows, in order of their ids, as a DataFrame of pandas."""
    pd, rng = needs("pandas"), np.random.default_rng(0)
    lengths = rng.integers(1, 30, 300)
    return pd.DataFrame(
        {
            "unused": 0.0,
            "grade": rng.integers(0, 5, lengths.sum()),
            "score": rng.integers(0, 9, lengths.sum()) / 4,
            "query": np.repeat(np.arange(300) * 7, lengths),
            "weight": np.repeat(rng.random(300) * (rng.random(300) < 0.9), lengths),
            "item": np.concatenate([rng.permutation(60)[:length] for length in lengths]),
        }
    )


def given(rows):
    """What evaluate takes."""
    names = {"y_true": "grade", "y_score": "score", "qid": "query", "sample_weight": "weight"}
    return {name: rows[column].to_numpy() for name, column in names.items()}


def check(ddf, rows):
    """Every number of the table is that of the rows in memory; returns the lazy table."""
    weighted = {**COLUMNS, "sample_weight": "weight"}
    want = evaluate(metrics=ALL, item=rows["item"].to_numpy(), **given(rows), **OPTIONS)
    got = score(ddf, metrics=ALL, item="item", **weighted, **OPTIONS)
    assert got == pytest.approx(want, abs=1e-12)
    own = {name: value for name, value in OPTIONS.items() if name != "catalog"}
    lazy = per_query(ddf, metrics=PER_QUERY, **weighted, **own)
    assert means(lazy) == pytest.approx({name: want[name] for name in PER_QUERY}, abs=1e-12)
    table = lazy.compute()
    assert (table.dtypes == lazy.dtypes).all()
    wanted = evaluate_per_query(metrics=PER_QUERY, **given(rows), **own)
    table = table.set_index("qid")
    assert table.index.is_unique
    for name in (*PER_QUERY, "sample_weight"):
        np.testing.assert_allclose(table.loc[wanted["qid"], name], wanted[name], atol=1e-12)
    return lazy


def parts(dd, rows, cuts):
    """Divide rows at these places, into partitions of unknown divisions."""
    import dask

    pieces = [rows.iloc[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    return dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=rows.iloc[:0])


@pytest.fixture
def no_shuffle(dd, monkeypatch):
    """Make a shuffle an error."""

    def refuse(*args, **kwargs):
        pytest.fail("rows were shuffled")

    monkeypatch.setattr(dd.DataFrame, "shuffle", refuse)


@pytest.mark.usefixtures("no_shuffle")
@pytest.mark.parametrize("step", [10_000, 1000, 100, 7])
def test_sorted_rows_are_not_shuffled(dd, rows, step):
    """Wherever they are cut: one partition, many, a query that goes across several of them."""
    check(parts(dd, rows, range(step, len(rows), step)), rows)


@pytest.mark.usefixtures("no_shuffle")
def test_partitions_may_be_in_any_order(dd, rows):
    """Last first, empty ones between; rows of one partition in random order."""
    cuts = range(50, len(rows), 50)
    pieces = [rows.iloc[at : at + 50].sample(frac=1, random_state=at) for at in (0, *cuts)]
    backwards = dd.concat([dd.from_pandas(p, npartitions=1, sort=False) for p in pieces[::-1]])
    check(backwards, rows)
    check(parts(dd, rows, [0, 0, 60, 60, 61, len(rows)]), rows)


@pytest.mark.parametrize("n_partitions", [1, 5, 40])
def test_rows_in_no_order_are_brought_together(dd, rows, n_partitions):
    """By a shuffle, or because there is one partition."""
    mixed = rows.sample(frac=1, random_state=0)
    check(dd.from_pandas(mixed, npartitions=n_partitions, sort=False), rows)


def test_ranges_that_overlap_are_in_no_order(dd, rows):
    """Lowest and highest ids rise from one partition to the next, and yet queries are divided."""
    even = np.arange(len(rows)) % 2 == 0
    first, second = rows[even].iloc[:-40], rows[~even]
    both = needs("pandas").concat([first, second, rows[even].iloc[-40:]])
    check(parts(dd, both, [len(first), len(first) + len(second)]), rows)


@pytest.mark.parametrize("kind", ["text", "category", "Int64", "float", "date", "index", "uint64"])
@pytest.mark.parametrize("mixed", [False, True])
def test_ids_of_every_kind(dd, rows, kind, mixed):
    """Their type is that of the table that comes out."""
    pd, ids = needs("pandas"), rows["query"]
    ids = {
        "text": lambda: "q" + ids.astype(str),
        "category": lambda: ("q" + ids.astype(str)).astype("category"),
        "float": lambda: ids / 2,
        "date": lambda: pd.Timestamp("2026-01-01") + pd.to_timedelta(ids, unit="h"),
        "uint64": lambda: ids.astype("uint64") + np.uint64(2**63),
    }.get(kind, lambda: ids.astype(kind) if kind == "Int64" else ids)()
    changed = rows.assign(query=ids)
    order = changed.sample(frac=1, random_state=0) if mixed else changed.sort_values("query")
    if kind == "index":
        order = order.set_index("query")
    lazy = check(dd.from_pandas(order, npartitions=6, sort=False), changed)
    if kind in ("Int64", "uint64"):
        assert lazy.dtypes["qid"] == changed["query"].dtype


@pytest.mark.parametrize("mixed", [False, True])
def test_parquet_in_and_out(dd, rows, mixed, tmp_path):
    """Wide files that cut through queries; divisions from statistics, which do not tell so."""
    needs("pyarrow")
    wide = rows.assign(**{f"x{number}": 0.0 for number in range(30)})
    order = wide.sample(frac=1, random_state=0) if mixed else wide
    for number, begin in enumerate(range(0, len(order), 111)):
        piece = order.iloc[begin : begin + 111]
        piece.to_parquet(tmp_path / f"{number:03}.parquet", row_group_size=40)
    lazy = check(dd.read_parquet(tmp_path), rows)
    check(dd.read_parquet(tmp_path, split_row_groups=True), rows)
    if not mixed:
        check(dd.read_parquet(tmp_path, index="query", calculate_divisions=True), rows)
    lazy.to_parquet(tmp_path / "out", write_index=False)
    back = dd.read_parquet(tmp_path / "out")
    assert means(back) == pytest.approx(means(lazy), abs=1e-12)
    report = rank_report(per_query={"model": back}, random_state=0)
    assert {row["metric"]: row["mean"] for row in report.rows} == pytest.approx(means(lazy))
    assert all(row["low"] < row["mean"] < row["high"] for row in report.rows)


def test_per_query_tables_merge(dd, rows):
    """Halves that were scored apart are the whole."""
    first, second = rows[rows["query"] < 700], rows[rows["query"] >= 700]
    halves = [
        per_query(dd.from_pandas(half, npartitions=3), metrics=PER_QUERY, max_grade=4, **COLUMNS)
        for half in (first, second)
    ]
    asked = {name: values for name, values in given(rows).items() if name != "sample_weight"}
    want = evaluate(metrics=PER_QUERY, max_grade=4, **asked)
    assert means(dd.concat(halves)) == pytest.approx(want, abs=1e-12)
    joined = needs("pandas").concat([half.compute() for half in halves])
    assert means(joined) == pytest.approx(want, abs=1e-12)
    assert means(joined.to_dict("list")) == pytest.approx(want, abs=1e-12)


def test_coverage_needs_no_grades(dd, rows):
    """y_true may be None; the items of all partitions count together."""
    ddf = dd.from_pandas(rows, npartitions=9, sort=False)
    columns = {**COLUMNS, "y_true": None}
    got = score(ddf, metrics=["coverage@2"], item="item", **columns)
    asked = given(rows)
    want = evaluate(
        None, asked["y_score"], qid=asked["qid"], item=rows["item"], metrics=["coverage@2"]
    )
    assert got == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("undefined", [0.5, np.nan])
def test_every_metric_is_that_of_all_rows(dd, rows, mixed, undefined):
    """Those of items of all queries together, of tables of items, of similarities; in one call."""
    items = np.arange(60)
    options = {
        "max_grade": 4,
        "catalog": np.arange(90),
        "item_features": {item: [item % 3, item % 5, 1] for item in items},
        "popularity": {item: item + 1 for item in items},
        "replace_undefined_by": undefined,
    }
    rows["similarity"] = np.random.default_rng(1).random(len(rows))
    columns = {"item": "item", "similarity": "similarity"}
    values = {name: rows[name].to_numpy() for name in columns}
    want = evaluate(metrics=metric_names(), **given(rows), **values, **options)
    order = rows.sample(frac=1, random_state=0) if mixed else rows
    ddf = dd.from_pandas(order, npartitions=7, sort=False)
    asked = {**COLUMNS, **columns, "sample_weight": "weight", **options}
    got = score(ddf, metrics=metric_names(), **asked)
    assert got == pytest.approx(want, abs=1e-12, nan_ok=True)
    assert len(got) == len(metric_names())


@pytest.mark.parametrize("unit", [1e308, 5e-324 * 2**40])
@pytest.mark.parametrize("mixed", [False, True])
def test_weights_near_the_ends_of_the_floats(dd, rows, unit, mixed):
    """Sums of them are infinite, or lose their digits; means do not."""
    share = np.random.default_rng(2).integers(1, 2**40, 300) / 2**40
    weight = np.repeat(share, rows.groupby("query").size().to_numpy())
    want = evaluate(metrics=ALL[:3], **{**given(rows), "sample_weight": weight}, max_grade=4)
    far = rows.assign(weight=weight * unit)
    order = far.sample(frac=1, random_state=0) if mixed else far
    ddf = dd.from_pandas(order, npartitions=7, sort=False)
    asked = {**COLUMNS, "sample_weight": "weight", "metrics": ALL[:3], "max_grade": 4}
    assert score(ddf, **asked) == pytest.approx(want, abs=1e-12)
    lazy = per_query(ddf, **asked)
    assert means(lazy) == pytest.approx(want, abs=1e-12)
    assert means(lazy.compute()) == pytest.approx(want, abs=1e-12)


def test_means_of_weights_that_leave_nothing(dd, rows):
    """Are none, as in score; zeros in one partition are not all."""
    none = rows.assign(weight=0.0)
    asked = {**COLUMNS, "sample_weight": "weight", "metrics": ["mrr"]}
    for table in (none, none.iloc[:0]):
        with pytest.raises(ValueError, match="at least one"):
            score(dd.from_pandas(table, npartitions=2), **asked)
        with pytest.raises(ValueError, match="at least one"):
            means(per_query(dd.from_pandas(table, npartitions=2), **asked))
    some = none.assign(weight=(none["query"] == 0) * 3.0)
    first = some[some["query"] == 0]
    want = evaluate(first["grade"], first["score"], qid=first["query"], metrics=["mrr"])
    lazy = per_query(dd.from_pandas(some, npartitions=5), **asked)
    assert means(lazy) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"qid": "qery"}, ValueError, "qid='qery' is no column .* Did you mean 'query'"),
        ({"y_true": [1, 2]}, TypeError, "y_true must be the name of a column"),
        ({"y_score": None}, TypeError, "y_score must be the name of a column"),
        ({"metrics": ["rmse"]}, TypeError, "one value for all queries"),
        ({"metrics": ["mrr"], "item": "item"}, TypeError, "takes item"),
        ({"metrics": ["no_such"]}, ValueError, "no_such"),
        ({"metrics": "mrr"}, TypeError, "list of names"),
        ({"metrics": {"qid": "mrr"}}, ValueError, "named 'qid'"),
        ({"gian": "linear"}, TypeError, "gian"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused_at_once(dd, rows, change, error, message):
    """Before anything is computed."""
    ddf = dd.from_pandas(rows, npartitions=2)
    with pytest.raises(error, match=message):
        per_query(ddf, **{**COLUMNS, "metrics": ["mrr"], **change})


def test_a_name_of_two_columns_is_refused(dd, rows):
    """Which of them is meant?"""
    pd = needs("pandas")
    twice = pd.concat([rows, rows[["score"]]], axis=1)
    with pytest.raises(ValueError, match="y_score='score' must be one column"):
        score(dd.from_pandas(twice, npartitions=2), metrics=["mrr"], **COLUMNS)


def test_rows_that_cannot_be_used_are_refused_in_words(dd, rows):
    """By the worker, in the words of evaluate."""
    with pytest.raises(TypeError, match=r"must be a Dask DataFrame\. Got DataFrame"):
        score(rows, metrics=["mrr"], **COLUMNS)
    missing = rows.assign(query=rows["query"].astype("Int64").where(rows["query"] != 70))
    with pytest.raises(ValueError, match="has no query id"):
        score(dd.from_pandas(missing, npartitions=2), metrics=["mrr"], **COLUMNS)
    named = rows.assign(query="q" + rows["query"].astype(str), weight=np.arange(len(rows)))
    with pytest.raises(ValueError, match="different weights in query 'q"):
        score(
            dd.from_pandas(named, npartitions=2),
            metrics=["mrr"],
            sample_weight="weight",
            **COLUMNS,
        )
    nan = rows.assign(score=rows["score"].where(rows["query"] != 70))
    lazy = per_query(dd.from_pandas(nan, npartitions=2), metrics=["mrr"], **COLUMNS)
    with pytest.raises(ValueError, match="y_score must not be missing"):
        lazy.compute()
    with pytest.raises(ValueError, match="at least one row"):
        score(dd.from_pandas(rows[:0], npartitions=1), metrics=["mrr"], **COLUMNS)
    assert len(per_query(dd.from_pandas(rows[:0]), metrics=["mrr"], **COLUMNS).compute()) == 0


def test_without_dask_the_extra_is_named(monkeypatch):
    """In one line that can be copied."""
    for name in [name for name in sys.modules if name.split(".")[0] == "dask"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dask", None)
    for call in (score, per_query):
        with pytest.raises(ImportError, match=r'pip install "sklearn_rankscore\[distributed\]"'):
            call(None, metrics=["mrr"], **COLUMNS)
    assert means({"qid": [1, 2], "mrr": [1.0, 0.5]}) == {"mrr": 0.75}
