"""RecTools and recommenders, run on the same lists: coverage, diversity, novelty, serendipity.

What is called there, and here:

CatalogCoverage(k, normalize=True)   catalog_coverage(k=k, catalog=ids)
IntraListDiversity(k, cosine)        intra_list_diversity(k=k); 0, not undefined, for one item
MeanInvUserFreq(k)                   novelty(k=k, popularity=item_popularity(items, users),
                                     unseen="once")
Serendipity(k)                       serendipity(k=k, definition="rectools", catalog=ids)
recommenders novelty                 novelty(popularity=item_popularity(items), …) over all rows
recommenders serendipity             serendipity(definition="recommenders") of profile_similarity

They need older packages than ours, so that they are tested in an environment of their own.
"""

from importlib.util import find_spec

import numpy as np
import pytest

from sklearn_rankscore import (
    catalog_coverage,
    intra_list_diversity,
    item_popularity,
    novelty,
    profile_similarity,
    serendipity,
)

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
N_USERS, N_ITEMS = 40, 60


def need(package):
    if find_spec(package) is None:
        pytest.skip(f"{package} is tested in an environment of its own")


def make_lists(seed=0):
    """Make ten ranked rows for each user, past and later choices, and a vector for each item."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(N_USERS), 10)
    item = np.concatenate([rng.permutation(N_ITEMS)[:10] for _ in range(N_USERS)])
    score = rng.permutation(user.size).astype(float)
    past = np.unique(rng.integers(0, [N_USERS, N_ITEMS - 10], (300, 2)), axis=0)
    past = past[np.lexsort((past[:, 1], past[:, 0]))]
    grade = rng.integers(0, 2, user.size)
    grade[::10] = 1
    return user, item, score, grade, past, rng.normal(size=(N_ITEMS, 5))


def recommended(user, item, score):
    """Give the rows as RecTools takes them, with the rank within each user."""
    import pandas as pd

    frame = pd.DataFrame({"user_id": user, "item_id": item, "score": score})
    frame["rank"] = frame.groupby("user_id")["score"].rank(ascending=False).astype(int)
    return frame.sort_values(["user_id", "rank"]).drop(columns="score")


@pytest.mark.parametrize("k", [1, 3, 10])
def test_rectools(k):
    """The value of each user agrees, and the coverage of all users' lists."""
    need("rectools")
    import pandas as pd
    from rectools import metrics
    from rectools.metrics.distances import PairwiseDistanceCalculator

    user, item, score, grade, past, vectors = make_lists()
    reco = recommended(user, item, score)
    before = pd.DataFrame(past, columns=["user_id", "item_id"])
    after = pd.DataFrame({"user_id": user, "item_id": item})[grade > 0]
    rows = {"y_score": score, "qid": user, "item": item, "k": k}

    theirs = metrics.CatalogCoverage(k=k, normalize=True).calc(reco, np.arange(N_ITEMS))
    assert abs(catalog_coverage(None, **rows, catalog=np.arange(N_ITEMS)) - theirs) < 1e-9

    theirs = metrics.MeanInvUserFreq(k=k).calc_per_user(reco, before)
    popularity = item_popularity(past[:, 1], qid=past[:, 0])
    ours = novelty.per_query(None, **rows, popularity=popularity, unseen="once").value
    np.testing.assert_allclose(ours, theirs.loc[np.arange(N_USERS)], **CLOSE)

    theirs = metrics.Serendipity(k=k).calc_per_user(reco, after, before, np.arange(N_ITEMS))
    ours = serendipity.per_query(
        grade,
        **rows,
        popularity=item_popularity(past[:, 1]),
        definition="rectools",
        catalog=N_ITEMS,
    ).value
    assert ours.any()
    np.testing.assert_allclose(ours, theirs.loc[np.arange(N_USERS)], **CLOSE)

    class Cosine(PairwiseDistanceCalculator):
        """1 minus the cosine of two items' vectors."""

        def _get_distances_for_item_pairs(self, one, other):
            left, right = vectors[one], vectors[other]
            norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
            return 1 - (left * right).sum(axis=1) / norms

    theirs = metrics.IntraListDiversity(k=k, distance_calculator=Cosine()).calc_per_user(reco)
    ours = intra_list_diversity.per_query(None, **rows, item_features=vectors).value
    np.testing.assert_allclose(ours, theirs.loc[np.arange(N_USERS)], **CLOSE)


@pytest.mark.filterwarnings("ignore")  # of the pandas that it was written for
def test_recommenders():
    """Novelty agrees over all rows, serendipity and diversity for each user."""
    need("recommenders")
    import pandas as pd
    from recommenders.evaluation import python_evaluation as peer

    user, item, score, grade, past, vectors = make_lists(1)
    seen = {tuple(pair) for pair in past.tolist()}
    # It takes only items that someone has chosen, and not this user.
    new = [
        (u, i) not in seen and i in past[:, 1] and u in past[:, 0]
        for u, i in zip(user.tolist(), item.tolist(), strict=True)
    ]
    user, item, score, grade = (values[new] for values in (user, item, score, grade))
    before = pd.DataFrame(past, columns=["UserId", "ItemId"])
    reco = pd.DataFrame({"UserId": user, "ItemId": item, "Relevance": grade.astype(float)})
    features = pd.DataFrame({"ItemId": np.arange(N_ITEMS), "features": list(vectors)})
    names = {"col_user": "UserId", "col_item": "ItemId"}
    alike = {
        **names,
        "item_feature_df": features,
        "item_sim_measure": "item_feature_vector",
        "col_item_features": "features",
    }

    popularity = item_popularity(past[:, 1])
    rows = {"y_score": score, "qid": user, "item": item}
    ours = novelty.per_query(None, **rows, popularity=popularity)
    lengths = np.bincount(user)[ours.qid]
    theirs = peer.novelty(before, reco, **names)
    assert abs(np.average(ours.value, weights=lengths) - theirs) < 1e-9

    near = profile_similarity(
        item, user, history_item=past[:, 1], history_qid=past[:, 0], item_features=vectors
    )
    ours = serendipity.per_query(grade, **rows, similarity=near, definition="recommenders")
    theirs = peer.user_serendipity(before, reco, **alike, col_relevance="Relevance")
    theirs = theirs.set_index("UserId")["user_serendipity"]
    np.testing.assert_allclose(ours.value, theirs.loc[ours.qid], **CLOSE)

    ours = intra_list_diversity.per_query(
        None, **rows, item_features=vectors, replace_undefined_by=np.nan
    )
    theirs = peer.user_diversity(before, reco, **alike).set_index("UserId")["user_diversity"]
    two = np.isin(ours.qid, theirs.index)
    np.testing.assert_allclose(ours.value[two], theirs.loc[ours.qid[two]], **CLOSE)
    assert np.isnan(ours.value[~two]).all()
