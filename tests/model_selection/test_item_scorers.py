"""Scorers that need items find them wherever ids travel, and hold the tables of items."""

import pickle
from math import log2

import numpy as np
import pytest
from carriers import Carried, by_hand, close, folds
from conftest import needs
from estimators import ByColumn
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_rankscore import (
    QueryKFold,
    QueryRanker,
    RankTarget,
    TemporalSplit,
    evaluate,
    item_popularity,
    make_multi_rank_scorer,
    make_rank_scorer,
    profile_similarity,
)
from sklearn_rankscore.datasets import make_interactions

N_ITEMS = 40
COUNTS = np.random.default_rng(1).integers(1, 50, N_ITEMS)
CATALOG = [f"item {at}" for at in range(N_ITEMS + 10)]
POPULARITY = dict(zip(CATALOG, COUNTS.tolist(), strict=False))
SCORES = ["ndcg@5", "coverage@5", "novelty@5", "serendipity@5"]


def make_rows():
    """Make queries of ten different items each, with the rows of all queries mixed."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(30), 10)
    item = np.concatenate([rng.permutation(N_ITEMS)[:10] for _ in range(30)])
    order = rng.permutation(qid.size)
    qid, item = qid[order], np.array(CATALOG)[item[order]]
    X = rng.normal(size=(qid.size, 3))
    return X, rng.integers(0, 3, qid.size), qid, item, rng.random(qid.size)


X, Y, QID, ITEM, NEAR = make_rows()


def frame(**columns):
    """Give X as a frame, with these columns more."""
    return needs("pandas").DataFrame(X, columns=list("abc")).assign(**columns)


def index():
    """Give ids, items and similarities as levels of one index."""
    return needs("pandas").MultiIndex.from_arrays(
        [QID, ITEM, NEAR], names=["qid", "item_id", "near"]
    )


def polars():
    """Give ids, items and similarities as columns of a frame of polars."""
    pl = needs("polars")
    columns = {name: X[:, at] for at, name in enumerate("abc")}
    return pl.DataFrame({**columns, "qid": QID, "item_id": ITEM, "near": NEAR})


CARRIERS = {
    "routed": lambda: Carried(X, Y, {"qid": QID, "item_id": ITEM, "near": NEAR}, routing=True),
    "RankTarget": lambda: Carried(X, RankTarget(Y, qid=QID, item_id=ITEM, near=NEAR)),
    "y index": lambda: Carried(X, needs("pandas").Series(Y, index=index())),
    "X column": lambda: Carried(frame(qid=QID, item_id=ITEM, near=NEAR), Y),
    "X column, polars": lambda: Carried(polars(), Y),
    "X index": lambda: Carried(frame().set_index(index()), Y),
    "ids on y, items on X": lambda: Carried(
        frame(item_id=ITEM, near=NEAR), RankTarget(Y, qid=QID)
    ),
}


def fold_by_hand(test, score):
    """Compute each score of a fold in plain Python."""
    shown, bits, surprise = set(), [], []
    for query in np.unique(QID[test]):
        rows = test[QID[test] == query]
        top = rows[np.argsort(-score[rows])[:5]]
        shown |= set(ITEM[top])
        total = sum(POPULARITY.values())
        bits.append(sum(-log2(POPULARITY[item] / total) for item in ITEM[top]) / 5)
        as_popular = [sum(POPULARITY[item] <= n for n in COUNTS) for item in ITEM[top]]
        unexpected = (np.array(as_popular) > 0.2 * N_ITEMS) & (NEAR[top] <= 0.5)
        any_relevant = (Y[rows] > 0).any()
        surprise.append(((Y[top] > 0) * unexpected * (1 - NEAR[top])).sum() / 5 * any_relevant)
    return (
        by_hand(Y[test], score[test], QID[test], 5),
        len(shown) / 50,
        np.mean(bits),
        np.mean(surprise),
    )


def scorer(**names):
    """Make the scorer of all four metrics."""
    return make_multi_rank_scorer(SCORES, popularity=POPULARITY, catalog=CATALOG, **names)


@pytest.mark.parametrize("carrier", CARRIERS)
def test_items_are_found_where_ids_are(carrier):
    """Whatever carries them, each fold has the value of a loop by hand."""
    carried = CARRIERS[carrier]()
    got = carried.validate(
        cross_validate,
        ByColumn(column=1),
        scoring=scorer(item="item_id", similarity="near"),
        cv=folds(QID),
        error_score="raise",
    )
    want = [fold_by_hand(test, X[:, 1]) for _, test in folds(QID)]
    for at, name in enumerate(SCORES):
        close(got[f"test_{name}"], [fold[at] for fold in want])


def test_a_search_refuses_a_model_that_covers_too_little():
    """A callable refit= takes the best nDCG among the candidates with enough coverage."""
    y = RankTarget(Y, qid=QID, item=ITEM)

    def best_of_those_that_cover(results):
        enough = results["mean_test_coverage@5"] >= 0.75
        return int(np.argmax(np.where(enough, results["mean_test_ndcg@5"], -np.inf)))

    search = GridSearchCV(
        ByColumn(),
        {"column": [0, 1, 2]},
        scoring=make_multi_rank_scorer(["ndcg@5", "coverage@5"], catalog=N_ITEMS),
        cv=QueryKFold(3),
        refit=best_of_those_that_cover,
        error_score="raise",
    ).fit(X, y)
    results = search.cv_results_
    assert search.best_index_ == best_of_those_that_cover(results)
    enough = results["mean_test_coverage@5"] >= 0.75
    assert 0 < enough.sum() < 3, results["mean_test_coverage@5"]


def test_what_is_missing_is_said_before_and_after_fitting():
    """A missing table is an error when the scorer is made, missing items when it scores."""
    with pytest.raises(TypeError, match="novelty needs popularity=…"):
        make_rank_scorer("novelty@10")
    with pytest.raises(TypeError, match="serendipity needs popularity=…"):
        make_rank_scorer("serendipity@10")
    with pytest.raises(ValueError, match="needs catalog=…"):
        make_rank_scorer("novelty@10", popularity=POPULARITY, unseen="laplace")
    with pytest.raises(TypeError, match="ndcg@10 takes no item"):
        make_rank_scorer("ndcg@10", item="item_id")
    with pytest.raises(TypeError, match="must be a name, under which the values"):
        make_rank_scorer("coverage", item=ITEM)
    coverage = make_rank_scorer("coverage@5", catalog=CATALOG, item="article")
    model = Ridge().fit(X, Y)
    with pytest.raises(ValueError, match=r"found no item of the rows.*RankTarget\(y, qid=…, art"):
        coverage(model, X, RankTarget(Y, qid=QID))
    with pytest.raises(ValueError, match="Did you mean item='articles'"):
        coverage(model, X, RankTarget(Y, qid=QID, articles=ITEM))
    with pytest.raises(ValueError, match="item must have one value per row"):
        coverage(model, X, RankTarget(Y, qid=QID), item=ITEM[:5])
    with pytest.raises(ValueError, match="found no similarity of the rows"):
        make_rank_scorer("serendipity@5", popularity=POPULARITY)(
            model, X, RankTarget(Y, qid=QID, item=ITEM)
        )
    # Tables are by item: a fold has as many rows as there are items by chance only.
    with pytest.raises(ValueError, match="found no item of the rows"):
        make_rank_scorer("ild@5", item_features=X)(model, X, RankTarget(Y, qid=QID))
    # What a definition does not use is not asked for.
    only_items = make_rank_scorer("serendipity@5", popularity=POPULARITY, definition="rectools")
    assert only_items(model, X, RankTarget(Y, qid=QID, item=ITEM)) > 0
    with pytest.raises(TypeError, match="takes no item"):
        make_rank_scorer("ndcg").set_score_request(item=True)


def test_scorers_with_tables_print_pickle_and_negate():
    """The repr is short, a pickle is whole, and an error has scikit-learn's sign."""
    coverage = make_rank_scorer("coverage@5", catalog=CATALOG, item="item_id")
    assert repr(coverage) == (
        "make_rank_scorer('catalog_coverage@5', catalog=<50 items>, item='item_id')"
    )
    y = RankTarget(Y, qid=QID, item_id=ITEM)
    model = Ridge().fit(X, Y)
    assert pickle.loads(pickle.dumps(coverage))(model, X, y) == coverage(model, X, y)
    error = make_rank_scorer("rmse")(model, X, y)
    assert error == pytest.approx(-np.sqrt(np.mean((Y - model.predict(X)) ** 2)), abs=1e-12)


@pytest.mark.parametrize(
    "carried",
    [
        Carried(X, RankTarget(Y, qid=QID, article=ITEM)),
        Carried(X, Y, {"qid": QID, "article": ITEM}, routing=True),
    ],
    ids=["routing off", "routing on"],
)
def test_a_requested_name_counts_with_routing_off_and_on(carried):
    """set_score_request says under which name the items are."""
    coverage = make_rank_scorer("coverage@5", catalog=CATALOG).set_score_request(item="article")
    got = carried.validate(
        cross_validate,
        ByColumn(column=1),
        scoring=coverage,
        cv=folds(QID),
        error_score="raise",
    )
    close(got["test_score"], [fold_by_hand(test, X[:, 1])[1] for _, test in folds(QID)])


def test_around_a_ranker():
    """QueryRanker passes the grades on and leaves the items to the scorer."""
    y = RankTarget(Y, qid=QID, item_id=ITEM, near=NEAR)
    model = QueryRanker(ByColumn(column=2)).fit(X, y)
    got = scorer(item="item_id", similarity="near")(model, X, y)
    close(list(got.values()), fold_by_hand(np.arange(len(Y)), X[:, 2]))


def test_the_trap_of_popularity():
    """A model by popularity wins recall and loses coverage, novelty and serendipity's surprise."""
    log = make_interactions(random_state=0)
    y = RankTarget(log.y, qid=log.qid, item=log.item, times=log.times)
    train, test = next(TemporalSplit(2).split(log.X, y))
    assert log.times[train].max() < log.times[test].min()
    chosen = train[log.y[train] > 0]
    popularity = item_popularity(log.item[chosen])
    near = profile_similarity(
        log.item[test],
        log.user[test],
        history_item=log.item[chosen],
        history_qid=log.user[chosen],
        item_features=log.item_features,
        without_history=0.0,
    )
    counts = np.zeros(300)
    counts[popularity.item] = popularity.counts
    learned = HistGradientBoostingRegressor(random_state=0).fit(log.X[train], log.y[train])
    models = {
        "popular": counts[log.item[test]],
        "taste": log.X[test, 1:].sum(axis=1),
        "learned": learned.predict(log.X[test]),
    }
    values = {
        name: evaluate(
            log.y[test],
            score,
            qid=log.qid[test],
            item=log.item[test],
            similarity=near,
            metrics=["recall@5", "coverage@5", "novelty@5", "serendipity@5", "ild@5"],
            catalog=300,
            popularity=popularity,
            unseen="once",
            item_features=log.item_features,
        )
        for name, score in models.items()
    }
    popular, taste, learned = (values[name] for name in models)
    assert popular["recall@5"] > 1.5 * taste["recall@5"]
    assert popular["coverage@5"] < 0.5 * taste["coverage@5"]
    assert popular["novelty@5"] < taste["novelty@5"]
    assert popular["serendipity@5"] < learned["serendipity@5"]
    assert popular["coverage@5"] < learned["coverage@5"]
