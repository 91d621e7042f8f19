"""Coverage, diversity, novelty, serendipity: definitions, every order of ties, tables."""

import itertools
import pickle
from math import log2, sqrt

import numpy as np
import oracles_beyond as oracles
import pytest
from scipy import sparse
from sklearn.metrics import root_mean_squared_error

from sklearn_rankscore import (
    Popularity,
    RankTarget,
    catalog_coverage,
    evaluate,
    evaluate_per_query,
    get_metric,
    intra_list_diversity,
    item_popularity,
    ndcg,
    novelty,
    profile_similarity,
    rmse,
    serendipity,
)

EXACT = {"rel": 1e-12, "abs": 1e-12}
N_ITEMS = 9
COUNTS = {0: 9, 1: 4, 2: 4, 3: 2, 4: 1, 5: 1, 6: 1, 7: 5}  # 8 was never chosen
CUTOFFS = (None, 1, 2, 3, 100)
PER_QUERY = {
    intra_list_diversity: ("average", "first", "last"),
    novelty: ("average", "optimistic", "pessimistic", "first", "last"),
    serendipity: ("average", "optimistic", "pessimistic", "first", "last"),
}


def draw(rng, n_queries=60, longest=6, levels=3):
    """Ragged, interleaved queries with ties, rows not retrieved, and items once in a query."""
    lengths = rng.integers(1, longest + 1, n_queries)
    item = np.concatenate([rng.permutation(N_ITEMS)[:length] for length in lengths])
    order = rng.permutation(item.size)
    qid = np.repeat(np.arange(n_queries), lengths)[order]
    score = rng.integers(0, levels, qid.size).astype(float)
    score[rng.random(qid.size) < 0.15] = -np.inf
    grade = rng.integers(0, 3, qid.size)
    similarity = rng.choice([-0.5, 0.0, 0.25, 0.5, 0.75, 1.0], qid.size)
    return grade, score, qid, item[order], similarity


def choices(metric):
    """Options of a metric, and the arguments of its oracle."""
    vectors = np.random.default_rng(1).normal(size=(N_ITEMS, 3))
    if metric is intra_list_diversity:
        yield {"item_features": vectors}, {"vectors": vectors}
        yield {"item_features": sparse.csr_array(vectors)}, {"vectors": vectors}

        def closeness(one, other):
            return 1 / (1 + np.abs(one - other).sum(axis=-1))

        yield (
            {"item_features": vectors, "item_similarity": closeness},
            {"vectors": vectors, "similarity": closeness},
        )
    elif metric is novelty:
        for unseen in ("skip", "once", "laplace"):
            asked = {"popularity": COUNTS, "unseen": unseen, "catalog": 20}
            yield asked, {"counts": COUNTS, "unseen": unseen, "n_items": 20}
    else:
        for definition in ("unexpected", "recommenders", "rectools"):
            for share, most in itertools.product((0.2, 0.5, 0.0), (0.5, 0.0)):
                asked = {"popular_share": share, "max_similarity": most, "catalog": N_ITEMS}
                yield (
                    {"popularity": COUNTS, "definition": definition, **asked},
                    {
                        "counts": COUNTS,
                        "definition": definition,
                        "share": share,
                        "most": most,
                        "n_items": N_ITEMS,
                    },
                )


def expected(metric, rows, score, ties, k, arguments):
    """Value for one query by enumeration of all orders."""
    if ties in ("first", "last"):  # as if each row had a score of its own
        step = 1 if ties == "first" else -1
        ranked = sorted(range(len(rows)), key=lambda at: (-score[at], step * at))
        apart = np.empty(len(rows))
        apart[ranked] = -np.arange(len(rows), dtype=float)
        score = np.where(score > -np.inf, apart, -np.inf)
    oracle = getattr(oracles, metric.name)
    values = [oracle(ranked, rows, k, **arguments) for ranked in oracles.orders(rows, score)]
    values = [value for value in values if value is not None]
    if not values:
        return None
    if ties == "optimistic":
        return max(values)
    return min(values) if ties == "pessimistic" else sum(values) / len(values)


@pytest.mark.parametrize(
    ("metric", "ties"), [(metric, ties) for metric, known in PER_QUERY.items() for ties in known]
)
def test_each_query_agrees_with_enumeration_of_all_tie_orders(metric, ties):
    """Mean, best and worst over all orders, for all options crossed."""
    rng = np.random.default_rng(0)
    compared = 0
    for k, (options, arguments) in itertools.product(CUTOFFS, choices(metric)):
        if options.get("unseen") == "skip" and ties in ("optimistic", "pessimistic"):
            continue
        grade, score, qid, item, similarity = draw(rng)
        also = {"similarity": similarity} if "similarity" in metric.row_values else {}
        got = metric.per_query(
            grade,
            score,
            qid=qid,
            item=item,
            ties=ties,
            k=k,
            replace_undefined_by=np.nan,
            **options,
            **also,
        )
        for query, value in zip(*got, strict=True):
            at = np.flatnonzero(qid == query)
            rows = [(int(grade[i]), int(item[i]), float(similarity[i])) for i in at]
            want = expected(metric, rows, score[at], ties, k, arguments)
            if want is None:
                assert np.isnan(value), (options, query)
            else:
                assert value == pytest.approx(want, **EXACT), (options, query)
                compared += 1
    assert compared >= 500


@pytest.mark.parametrize("ties", ["average", "first", "last"])
def test_coverage_agrees_with_enumeration_of_all_tie_orders(ties):
    """Of all queries together: every order of one with every order of the others."""
    rng = np.random.default_rng(1)
    for seed, k in itertools.product(range(100), CUTOFFS):
        grade, score, qid, item, similarity = draw(rng, n_queries=3, longest=4, levels=2)
        if not (score > -np.inf).any():
            continue
        lists = []
        for query in range(3):
            at = np.flatnonzero(qid == query)
            rows = [(int(grade[i]), int(item[i]), float(similarity[i])) for i in at]
            step = {"first": 1, "last": -1}.get(ties)
            ranked = (
                sorted(range(len(at)), key=lambda i: (-score[at[i]], i * step)) if step else []
            )
            kept = [rows[i] for i in ranked if score[at[i]] > -np.inf]
            lists.append([kept] if step else list(oracles.orders(rows, score[at])))
        catalog = sorted({*item.tolist(), 50 + seed})
        values = [
            oracles.catalog_coverage(orders, k, catalog) for orders in itertools.product(*lists)
        ]
        got = catalog_coverage(None, score, qid=qid, item=item, k=k, ties=ties, catalog=catalog)
        assert got == pytest.approx(sum(values) / len(values), **EXACT)
        assert 0 <= got <= 1


WORKED = {
    "y_score": [4, 3, 2, 1, 2, 2, 1],
    "qid": ["u", "u", "u", "u", "v", "v", "v"],
    "item": ["hit", "near", "odd", "tail", "hit", "odd", "tail"],
}
VECTORS = {"hit": [1, 0], "near": [1, 0], "odd": [0, 1], "tail": [1, 1]}
PLAYS = {"hit": 8, "near": 4, "odd": 2, "tail": 2}


def test_worked_example():
    """Two lists of two, by hand: u is shown hit and near, v hit and odd, which are tied."""
    rows = WORKED
    # hit, near and odd of four items
    assert catalog_coverage(None, **rows, k=2) == 0.75
    assert catalog_coverage(None, **rows, k=2, catalog=10) == 0.3
    # At k = 1 v is shown hit or odd, each in half of the orders: 1 + 1/2 of four.
    assert catalog_coverage(None, **rows, k=1) == 0.375
    # hit and near are alike, hit and odd are not.
    alike = intra_list_diversity.per_query(None, **rows, k=2, item_features=VECTORS).value
    assert alike.tolist() == pytest.approx([0, 1])
    # hit, near, odd: cosines 1, 0, 0; hit, odd, tail: 0, 1/sqrt 2, 1/sqrt 2.
    alike = intra_list_diversity.per_query(None, **rows, k=3, item_features=VECTORS).value
    assert alike.tolist() == pytest.approx([2 / 3, 1 - sqrt(2) / 3])
    # Of 16 plays: 1 bit, 2 bits, 3 bits, 3 bits.
    bits = novelty.per_query(None, **rows, k=2, popularity=PLAYS).value
    assert bits.tolist() == [1.5, 2.0]
    # odd and tail are relevant; hit is popular, as the first quarter of the items.
    surprise = serendipity.per_query(
        [1, 0, 1, 1, 1, 1, 0],
        **rows,
        similarity=[0.0, 0.9, 0.1, 0.6, 0.0, 0.4, 0.2],
        k=2,
        popularity=PLAYS,
        popular_share=0.25,
    )
    assert surprise.value.tolist() == pytest.approx([0, 0.6 / 2])


def test_rmse_is_that_of_scikit_learn():
    """Of all rows together, weights and all; a scorer negates it."""
    rng = np.random.default_rng(2)
    for dtype in (np.float64, np.float32):
        grade, score = rng.integers(0, 5, 300), rng.normal(size=300).astype(dtype)
        qid = rng.integers(0, 40, 300)
        weight = rng.random(40)[qid]
        assert rmse(grade, score, qid=qid) == pytest.approx(
            root_mean_squared_error(grade, score.astype(float)), **EXACT
        )
        assert rmse(grade, score, qid=qid, sample_weight=weight) == pytest.approx(
            root_mean_squared_error(grade, score.astype(float), sample_weight=weight), **EXACT
        )
        assert rmse(RankTarget(grade, qid=qid), score, sample_weight=weight) == pytest.approx(
            root_mean_squared_error(grade, score.astype(float), sample_weight=weight), **EXACT
        )
    assert not rmse.greater_is_better
    for wrong in (-np.inf, np.inf, 1e200):
        with pytest.raises(ValueError, match="y_score must be finite for rmse"):
            rmse([1, 0], [1, wrong], qid=[1, 1])
    # Scores too fine for a float64 are ranked by numbers of their own, and measured as they are.
    for dtype in (np.int64, np.longdouble):
        fine = np.array([2**60 + 1, 1], dtype=dtype)
        assert rmse([5, 1], fine, qid=[0, 0]) == pytest.approx(2**60 / sqrt(2))


@pytest.mark.parametrize("metric", [*PER_QUERY, catalog_coverage], ids=str)
def test_neither_row_order_nor_names_matter(metric):
    """Rows in any order, queries and items by any name, only the order of scores counts."""
    rng = np.random.default_rng(3)
    grade, score, qid, item, similarity = draw(rng)
    vectors = rng.normal(size=(N_ITEMS, 4))
    tables = {
        "popularity": np.array([9, 4, 4, 2, 1, 1, 1, 5, 3]),
        "item_features": vectors,
    }
    tables = {name: table for name, table in tables.items() if name in metric.options}
    rows = {"item": item} | ({"similarity": similarity} if metric is serendipity else {})
    value = metric(grade, score, qid=qid, k=2, **rows, **tables)
    rising = np.where(score > -np.inf, np.exp(score), score)
    assert metric(grade, rising, qid=qid, k=2, **rows, **tables) == value
    order = rng.permutation(qid.size)
    shuffled = {name: values[order] for name, values in rows.items()}
    again = metric(grade[order], score[order], qid=qid[order], k=2, **shuffled, **tables)
    assert again == pytest.approx(value, **EXACT)
    names = np.array([f"item {at}" for at in rng.permutation(N_ITEMS)])
    for ids in (names, names.astype(object), np.arange(N_ITEMS) + 0.5, np.arange(N_ITEMS) * 10**9):
        renamed = {
            name: dict(zip(ids.tolist(), table, strict=True)) for name, table in tables.items()
        }
        again = metric(grade, score, qid=qid, k=2, **{**rows, "item": ids[item]}, **renamed)
        assert again == pytest.approx(value, **EXACT)


def test_vectors_may_have_one_line_per_row():
    """Without items, line i of an array is row i's; popularity is always by item."""
    rng = np.random.default_rng(4)
    _, score, qid, item, _ = draw(rng)
    vectors = rng.normal(size=(N_ITEMS, 3))
    rows = {"y_score": score, "qid": qid, "k": 3}
    value = intra_list_diversity(None, **rows, item=item, item_features=vectors)
    by_row = intra_list_diversity(None, **rows, item_features=vectors[item])
    assert by_row == pytest.approx(value, **EXACT)
    with pytest.raises(ValueError, match="pass item=… as well"):
        intra_list_diversity(None, **rows, item_features=vectors)
    with pytest.raises(TypeError, match="novelty needs item=…"):
        novelty(None, **rows, popularity=rng.random(qid.size))


def test_flat_and_rectangle_agree():
    """A line per query, items too."""
    rng = np.random.default_rng(5)
    score = rng.integers(0, 3, (20, 5)).astype(float)
    item = np.array([rng.permutation(N_ITEMS)[:5] for _ in range(20)])
    flat = {"qid": np.repeat(np.arange(20), 5), "item": item.ravel()}
    for metric, tables in (
        (catalog_coverage, {}),
        (novelty, {"popularity": {**COUNTS, 8: 1}}),
        (intra_list_diversity, {"item_features": rng.normal(size=(N_ITEMS, 3))}),
    ):
        assert metric(None, score, item=item, k=2, **tables) == pytest.approx(
            metric(None, score.ravel(), **flat, k=2, **tables), **EXACT
        )


def test_weights_and_undefined_queries():
    """A weight of 0 leaves a query out; a list of one item has no diversity."""
    rows = WORKED
    weight = [0, 0, 0, 0, 1, 1, 1]
    assert catalog_coverage(None, **rows, k=2, catalog=4, sample_weight=weight) == 0.5
    assert novelty(None, **rows, k=2, popularity=PLAYS, sample_weight=weight) == 2.0
    single = {"y_score": [1, 1, 2], "qid": [1, 2, 2], "item": ["hit", "odd", "tail"]}
    alike = intra_list_diversity.bind(item_features=VECTORS, k=2)
    value = 1 - 1 / sqrt(2)
    assert alike(None, **single) == pytest.approx(value / 2)
    assert alike(None, **single, replace_undefined_by=np.nan) == pytest.approx(value)


def test_several_from_one_pass_and_their_options():
    """Accuracy and what is beyond it side by side; each takes the options and rows it has."""
    grade = [1, 0, 1, 1, 1, 1, 0]
    values = evaluate(
        grade,
        WORKED["y_score"],
        qid=WORKED["qid"],
        item=WORKED["item"],
        metrics=["ndcg@2", "coverage@2", "novelty@2", "ild@2", "rmse"],
        popularity=PLAYS,
        catalog=8,
        item_features=VECTORS,
        convention="catboost",
    )
    assert values["coverage@2"] == 0.375
    assert values["novelty@2"] == 1.75
    assert values["ild@2"] == pytest.approx(0.5)
    assert values["ndcg@2"] == ndcg(
        grade, WORKED["y_score"], qid=WORKED["qid"], k=2, convention="catboost"
    )
    per_query = evaluate_per_query(None, **WORKED, metrics=["novelty@2"], popularity=PLAYS)
    assert per_query["novelty@2"].tolist() == [1.5, 2.0]
    for wrong in ("coverage@2", "rmse"):
        with pytest.raises(TypeError, match="no value per query"):
            evaluate_per_query(grade, **WORKED, metrics=["novelty", wrong], popularity=PLAYS)
        with pytest.raises(TypeError, match="no value per query"):
            get_metric(wrong).per_query(grade, WORKED["y_score"], qid=WORKED["qid"])
    with pytest.raises(TypeError, match="None of the metrics ndcg takes item"):
        evaluate(grade, WORKED["y_score"], qid=WORKED["qid"], metrics=["ndcg"], item=[1] * 7)


def test_metrics_that_hold_tables_copy_compare_and_print():
    """A table is read once, and is the same after a round trip."""
    for metric in (
        novelty.bind(popularity=PLAYS, k=10),
        intra_list_diversity.bind(item_features=VECTORS),
        intra_list_diversity.bind(item_features=sparse.csr_array(np.eye(4))),
        catalog_coverage.bind(catalog=["a", "b", "a"], unknown="ignore"),
    ):
        again = pickle.loads(pickle.dumps(metric))
        assert again == metric
        assert hash(again) == hash(metric)
        assert len(repr(metric)) < 90
    assert novelty.bind(popularity=PLAYS) != novelty.bind(popularity={**PLAYS, "odd": 3})
    assert novelty.bind(popularity=PLAYS) != novelty.bind(popularity={"hit": 1})


def test_popularity_in_all_its_forms():
    """Counts, shares, a Series, a pair, an array by item: one number."""
    pandas = pytest.importorskip("pandas", reason="needs the package pandas")
    rows = {"y_score": [3, 2, 1], "qid": [0, 0, 0], "item": [0, 1, 2]}
    want = (1 + 2) / 2
    for popularity in (
        {0: 4, 1: 2, 2: 2},
        {0: 0.5, 1: 0.25, 2: 0.25},
        {0: 4.0, 1: 2.0, 2: 2.0},
        pandas.Series([2, 4, 2], index=[1, 0, 2]),
        pandas.Series([0, 0, 0, 0, 1, 2, 1, 2]).value_counts(),
        pandas.Series([0, 0, 0, 0, 1, 2, 1, 2]).value_counts(normalize=True),
        ([2, 1, 0], [2, 2, 4]),
        np.array([4, 2, 2]),
        np.array([0.5, 0.25, 0.25]),
        item_popularity([0, 1, 0, 2, 0, 1, 0, 2]),
        Popularity(np.array([0, 1, 2]), np.array([4, 2, 2]), 8),
        pandas.Series([4, 2, 2], dtype=object),
    ):
        assert novelty(None, **rows, k=2, popularity=popularity) == want
    ones = pandas.Series([1, 1, 1, 1], dtype=object)
    assert novelty(None, **rows, popularity=ones) == 2.0
    assert catalog_coverage(None, **rows, k=1, catalog=item_popularity([0, 1, 2, 3])) == 0.25
    # Shares of users: item 0 of both, item 1 of one.
    of_users = item_popularity([0, 0, 1, 0], qid=["a", "a", "a", "b"])
    assert of_users.counts.tolist() == [2, 1]
    assert of_users.total == 2
    two = {name: values[:2] for name, values in rows.items()}
    assert novelty(None, **two, popularity=of_users) == 0.5


def test_vectors_in_all_their_forms():
    """By id, as a frame, a pair, an array or a sparse matrix by item: one number."""
    pandas = pytest.importorskip("pandas", reason="needs the package pandas")
    matrix = np.array([[1, 0], [1, 1], [0, 2]])
    rows = {"y_score": [3, 2, 1], "qid": [0, 0, 0], "item": [0, 1, 2]}
    for vectors in (
        dict(enumerate(matrix)),
        pandas.DataFrame(matrix[[2, 0, 1]], index=[2, 0, 1]),
        ([1, 2, 0], matrix[[1, 2, 0]]),
        matrix,
        matrix.astype(np.float32),
        sparse.csr_matrix(matrix),
        sparse.coo_array(matrix),
        ([1, 2, 0], sparse.csc_array(matrix[[1, 2, 0]])),
        sparse.dok_array(matrix),
    ):
        got = intra_list_diversity(None, **rows, k=2, item_features=vectors)
        assert got == pytest.approx(1 - 1 / sqrt(2), **EXACT)


def test_profile_similarity_is_the_mean_cosine_to_the_history():
    """Against a loop over each row's history; dense and sparse."""
    rng = np.random.default_rng(6)
    vectors = rng.normal(size=(N_ITEMS, 4))
    item, qid = rng.integers(0, N_ITEMS, 50), rng.integers(0, 5, 50)
    history, whose = rng.integers(0, N_ITEMS, 30), np.arange(30) % 5
    want = [
        np.mean([oracles.cosine(vectors[i], vectors[h]) for h in history[whose == q]])
        for i, q in zip(item, qid, strict=True)
    ]
    for table in (vectors, sparse.csr_matrix(vectors), dict(enumerate(vectors))):
        past = {"history_item": history, "history_qid": whose, "item_features": table}
        np.testing.assert_allclose(profile_similarity(item, qid, **past), want, atol=1e-12)
        with pytest.raises(ValueError, match=r"1 of 6 people have no history, the first is 99"):
            profile_similarity([*item, 0], [*qid, 99], **past)
        cold = profile_similarity([*item, 0], [*qid, 99], **past, without_history=0.0)
        assert cold[-1] == 0
    with pytest.raises(ValueError, match="item 9 is not in item_features"):
        profile_similarity([9], [0], **past)
    with pytest.raises(ValueError, match="history_qid must have one value per row"):
        profile_similarity(item, qid, **{**past, "history_qid": [1, 2]})


BAD = {"y_score": [2, 1], "qid": [0, 0], "item": ["a", "b"]}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: catalog_coverage(None, [2, 1], qid=[0, 0]), TypeError, "needs item=…, one value"),
        (lambda: novelty(None, [2, 1], qid=[0, 0], popularity=PLAYS), TypeError, "needs item=…"),
        (lambda: novelty(None, **BAD), TypeError, "novelty needs popularity=…"),
        (lambda: novelty(None, **BAD, popularity={"a": 1}), ValueError, "unseen='skip', 'once'"),
        (lambda: novelty(None, **BAD, popularity={"a": 1, "b": 0}), ValueError, "item 'b' is not"),
        (
            lambda: novelty(None, **BAD, popularity={1: 1, 2: 1}),
            ValueError,
            "Got item such as 'a', popularity such as 1",
        ),
        (
            lambda: novelty(None, **BAD, popularity={"a": 1.5, "b": 0.5}),
            ValueError,
            "must hold counts",
        ),
        (
            lambda: novelty(None, **BAD, popularity={"a": -1, "b": 2}),
            ValueError,
            "must hold counts",
        ),
        (
            lambda: novelty(None, **BAD, popularity={"a": np.nan}),
            ValueError,
            "must not be missing",
        ),
        (lambda: novelty(None, **BAD, popularity="a"), TypeError, "must be a dict by item id"),
        (
            lambda: novelty(None, **BAD, popularity=(["a", "a"], [1, 2])),
            ValueError,
            "item 'a' twice",
        ),
        (
            lambda: novelty(None, **BAD, popularity=(["a"], [1, 2])),
            ValueError,
            "2 lines for 1 items",
        ),
        (
            lambda: novelty(None, **BAD, popularity={"a": 0.5}, unseen="once"),
            ValueError,
            "needs counts. Got probabilities",
        ),
        (
            lambda: novelty(None, **BAD, popularity={"a": 5}, unseen="laplace"),
            ValueError,
            "needs catalog=…",
        ),
        (
            lambda: novelty(None, **BAD, popularity=PLAYS, unseen="skip", ties="optimistic"),
            ValueError,
            "no value for ties='optimistic'",
        ),
        (
            lambda: catalog_coverage(None, **BAD, ties="pessimistic"),
            ValueError,
            "one of 'average', 'first', 'last'",
        ),
        (
            lambda: catalog_coverage(None, **BAD, catalog=["a"]),
            ValueError,
            "item 'b' is not in cat",
        ),
        (lambda: catalog_coverage(None, **BAD, catalog=1), ValueError, "catalog=1 and 2 items"),
        (lambda: catalog_coverage(None, **BAD, catalog=0), ValueError, "at least one item"),
        (lambda: catalog_coverage(None, **BAD, catalog=[]), ValueError, "at least one item"),
        (lambda: catalog_coverage(None, **BAD, catalog="ab"), TypeError, "or their ids"),
        (
            lambda: catalog_coverage(None, [2, 1], qid=[0, 0], item=["a", "a"]),
            ValueError,
            "item 'a' more than once in query 0",
        ),
        (
            lambda: catalog_coverage(None, [2, 1], qid=[0, 0], item=["a"]),
            ValueError,
            "item must have one value per row",
        ),
        (
            lambda: catalog_coverage(None, [2, 1], qid=[0, 0], item=["a", None]),
            ValueError,
            "item must not be missing: row 1",
        ),
        (
            lambda: intra_list_diversity(None, **BAD, item_features={"a": [1, 0]}),
            ValueError,
            "Each item needs a vector, but item 'b' is not in item_features",
        ),
        (
            lambda: intra_list_diversity(None, **BAD, item_features={"a": [1, 0], "b": [0, 0]}),
            ValueError,
            "no direction",
        ),
        (
            lambda: intra_list_diversity(None, **BAD, item_features={"a": [1, 0], "b": [0]}),
            ValueError,
            "rows of one length",
        ),
        (
            lambda: intra_list_diversity(
                None, **BAD, item_features={"a": [1], "b": [2]}, item_similarity=lambda a, b: 1
            ),
            ValueError,
            "a finite number for each pair",
        ),
        (
            lambda: serendipity([1, 0], **BAD, popularity=PLAYS),
            TypeError,
            "serendipity needs similarity=…",
        ),
        (
            lambda: serendipity([1, 0], **BAD, similarity=[0, 0]),
            TypeError,
            "needs popularity=…, unless definition='recommenders'",
        ),
        (
            lambda: serendipity(None, **BAD, popularity=PLAYS),
            ValueError,
            "which serendipity needs",
        ),
        (lambda: novelty.bind(item=["a"]), TypeError, "A scorer finds it by its name"),
        (
            lambda: novelty(None, **BAD, popularity={"a": 1.0, "b": 1.0}),
            ValueError,
            "all 0 or 1, which may be either",
        ),
        (
            lambda: novelty(None, **BAD, popularity=PLAYS, unseen="laplace", catalog=3),
            ValueError,
            "must hold every item of popularity. Got 3 items and 4",
        ),
        (
            lambda: serendipity([1, 0], **BAD, similarity=[0, 5], popularity=PLAYS),
            ValueError,
            "similarity must be from -1 to 1. Got 5",
        ),
        (
            lambda: serendipity.bind(max_similarity=np.nan),
            ValueError,
            "max_similarity' parameter of serendipity must be from -1 to 1",
        ),
        (
            lambda: novelty(None, **BAD, popularity={"a": 0, "b": 0}, unseen="once"),
            ValueError,
            "at least one interaction",
        ),
        (
            lambda: novelty(
                None, **BAD, popularity={"a": 1, "b": 1}, unseen="laplace", catalog=["a", "z"]
            ),
            ValueError,
            "item 'b' is not in catalog",
        ),
        (
            lambda: catalog_coverage(None, **BAD, catalog=np.zeros((2, 2))),
            ValueError,
            "one id per item",
        ),
        (lambda: get_metric("rmse@10"), TypeError, "has no option 'k'. It has none."),
        (lambda: item_popularity([]), ValueError, "item must hold at least one row"),
        (lambda: ndcg(None, [1, 2], qid=[0, 0]), ValueError, "which ndcg needs. Got None"),
    ],
)
def test_wrong_arguments_are_refused_in_words(call, error, message):
    """Each says what is wrong and what to do."""
    with pytest.raises(error, match=message):
        call()


def test_ids_of_another_kind_are_never_taken_for_unseen_items():
    """Numbers in the rows and text in the table, or the other way round: an error at once."""
    rows = {"y_score": [2, 1], "qid": [0, 0], "item": [1, 2]}
    for call in (
        lambda: novelty(None, **rows, popularity={"1": 3, "2": 1}, unseen="once"),
        lambda: novelty(None, **rows, popularity=item_popularity(["1", "2"]), unseen="skip"),
        lambda: catalog_coverage(None, **rows, catalog=["1", "2", "3"], unknown="ignore"),
        lambda: serendipity([1, 0], **rows, similarity=[0, 0], popularity={"1": 3, "2": 1}),
        lambda: intra_list_diversity(None, **rows, item_features={"1": [1], "2": [2]}),
    ):
        with pytest.raises(ValueError, match="must name the same things"):
            call()
    with pytest.raises(ValueError, match="history_qid such as '7'"):
        profile_similarity(
            [0],
            [7],
            history_item=[0],
            history_qid=["7"],
            item_features=np.eye(2),
            without_history=0.0,
        )
    # Some that are not there are items that nobody chose.
    assert novelty(None, **rows, popularity={1: 1, "2": 1}, unseen="once") == 1.0


def test_scores_that_need_no_queries_need_no_ids():
    """RMSE is of rows; flat rows without ids are enough."""
    assert rmse([3, 1], [1, 3]) == 2.0
    with pytest.raises(ValueError, match="y_true is flat"):
        evaluate([3, 1], [1, 3], metrics=["rmse", "ndcg"])


def test_a_similarity_of_any_kind_takes_little_memory():
    """Pairs are compared a few at a time."""
    import tracemalloc

    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(4000, 16))
    rows = {"y_score": rng.normal(size=4000), "qid": np.repeat(np.arange(4), 1000)}
    tracemalloc.start()
    got = intra_list_diversity(
        None,
        **rows,
        item_features=vectors,
        item_similarity=lambda one, other: -((one - other) ** 2).sum(axis=1),
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    lists = vectors.reshape(4, 1000, 16)
    # The mean squared distance of pairs is twice the sum of the (unbiased) variances.
    want = 1 + 2 * lists.var(axis=1, ddof=1).sum(axis=1).mean()
    assert got == pytest.approx(want, rel=1e-12)
    assert peak < 2**26


def test_ids_are_compared_exactly():
    """Large ones of both signs, dates of any unit, tuples; never a float, never a number."""
    large = np.arange(2**60, 2**60 + 5)
    dates = np.arange(5).astype("datetime64[D]")
    for ids, others in (
        (large, large.astype(np.uint64)),
        (large.astype(np.uint64), large),
        (dates, dates.astype("datetime64[ns]")),
        (dates.astype("datetime64[ns]"), dates),
        ([("a", 1), ("b", 2), ("c", 1), ("a", 2), 7], [("a", 1), ("b", 2), ("c", 1), ("a", 2), 7]),
    ):
        table = (others, [4, 2, 1, 1, 8])
        rows = {"y_score": [5, 4, 3, 2, 1], "qid": [0] * 5, "item": ids}
        assert novelty(None, **rows, k=2, popularity=table) == 2.5
        assert catalog_coverage(None, **rows, k=2, catalog=others) == 0.4
    rows = {"y_score": [2, 1], "qid": [0, 0], "item": np.array([1, 2], "datetime64[ns]")}
    for others in ([1, 2], [b"1", b"2"], ["1", "2"]):
        with pytest.raises(ValueError, match="must name the same things"):
            novelty(None, **rows, popularity=(others, [1, 1]), unseen="once")


def test_a_table_is_its_own():
    """What happens to the caller's arrays later does not reach a metric."""
    ids, vectors = np.arange(4), np.eye(4) + 0.1
    rows = {"y_score": [4, 3, 2, 1], "qid": [0] * 4, "item": [0, 1, 2, 3]}
    for given in ((ids, vectors), (ids, sparse.csr_matrix(vectors)), sparse.csr_array(vectors)):
        metric = intra_list_diversity.bind(item_features=given, k=3)
        value = metric(None, **rows)
        if isinstance(given, tuple):
            ids[:] = ids[::-1].copy()
        matrix = given[1] if isinstance(given, tuple) else given
        if sparse.issparse(matrix):
            matrix.data[:3] = 7.0
        else:
            matrix[0] = 7.0
        assert metric(None, **rows) == value
        ids[:], vectors = np.arange(4), np.eye(4) + 0.1


def test_thresholds_hold_but_for_rounding():
    """One half of flags, and 0.3 in 32 bits; tiny and huge vectors have a direction."""
    flags = np.array([[1] * 6 + [0] * 3, [0] * 3 + [1] * 6])
    half = profile_similarity([0], [0], history_item=[1], history_qid=[0], item_features=flags)
    rows = {"y_true": [1], "y_score": [1], "qid": [0], "item": ["b"]}
    table = {"popularity": {"a": 9, "b": 1, "c": 2, "d": 1, "e": 1}}
    assert serendipity(**rows, **table, similarity=half) == pytest.approx(0.5)
    near = np.array([0.3], dtype=np.float32)
    assert serendipity(**rows, **table, similarity=near, max_similarity=0.3) == pytest.approx(0.7)
    two = {"y_score": [2, 1], "qid": [0, 0]}
    for size in (1e-200, 1e200):
        for form in (np.array, sparse.csr_matrix):
            vectors = form([[size, 0], [size, size]])
            got = intra_list_diversity(None, **two, item_features=vectors)
            assert got == pytest.approx(1 - 1 / sqrt(2), **EXACT)


def test_an_unlikely_order_of_ties_does_not_undefine_a_query():
    """Of the orders, those count in which the list holds a seen item."""
    n = 2000
    rows = {"y_score": np.zeros(n), "qid": np.zeros(n, int), "item": np.arange(n), "k": 300}
    counts = (np.arange(n) % 2) * 3
    got = novelty(None, **rows, popularity=counts, unseen="skip")
    assert got == pytest.approx(log2(n // 2), **EXACT)


def test_public_cases():
    """Coverage above 1, pairs counted twice, items never seen in training."""
    lists = {"y_score": [3, 2, 1] * 2, "qid": [0] * 3 + [1] * 3, "item": list("pqzrst")}
    catalog = ["p", "q", "r", "s", "s"]
    assert catalog_coverage(None, **lists, catalog=catalog, unknown="ignore") == 1.0
    assert catalog_coverage(None, **lists, catalog=catalog, unknown="ignore", k=1) == 0.5
    with pytest.raises(ValueError, match="unknown='ignore'"):
        catalog_coverage(None, **lists, catalog=catalog)
    one = {"y_score": [3, 2, 1], "qid": [0, 0, 0]}
    vectors = np.array([[1, 0], [0, 1], [1, 1]])
    assert intra_list_diversity(None, **one, item_features=vectors) == pytest.approx(
        0.5285954792089683, **EXACT
    )
    two = {"y_score": [3, 2], "qid": [0, 0]}
    assert intra_list_diversity(None, **two, item_features=np.array([[1, 0], [-1, 0]])) == 2.0
    assert intra_list_diversity(None, **two, item_features=np.array([[1, 0], [2, 0]])) == 0.0
    alone = {"y_score": [3], "qid": [0], "item_features": np.array([[1, 0]])}
    assert np.isnan(intra_list_diversity.per_query(None, **alone, replace_undefined_by=np.nan)[1])
    counts = Popularity(np.array(["a", "b"]), np.array([4, 1]), 8)
    seen = {**one, "item": ["a", "b", "c"], "popularity": counts}
    with pytest.raises(ValueError, match="is infinite"):
        novelty(None, **seen)
    assert novelty(None, **seen, unseen="skip") == 2.0
    assert novelty(None, **seen, unseen="once") == pytest.approx(2.3333333333333335, **EXACT)
    laplace = novelty(None, **seen, unseen="laplace", catalog=4)
    assert laplace == pytest.approx(2.4776531357587017, **EXACT)
    assert laplace == pytest.approx(-(log2(5 / 12) + log2(2 / 12) + log2(1 / 12)) / 3, **EXACT)


def test_a_rank_target_brings_its_query_ids():
    """Grades are not used, yet what carries them carries the ids."""
    target = RankTarget([1, 0, 0], qid=["u", "u", "v"])
    assert catalog_coverage(target, [2, 1, 3], item=[1, 2, 1], k=1, catalog=4) == 0.25
    target = RankTarget([1, 0, 0], qid=["u", "u", "v"], item=[1, 2, 1])
    assert catalog_coverage(target, [2, 1, 3], k=1, catalog=4) == 0.25
    assert evaluate(target, [2, 1, 3], metrics=["coverage@1"], catalog=4) == {"coverage@1": 0.25}
