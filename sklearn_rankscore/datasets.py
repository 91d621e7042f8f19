"""Ranking data: two generators, and a reader of LETOR files."""

from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from sklearn_rankscore._typing import Array

_GRADES = 5


def make_ranking(
    n_queries: int = 300,
    rows_per_query: tuple[int, int] = (5, 25),
    *,
    n_informative: int = 6,
    n_query_features: int = 4,
    offset: float = 1.5,
    noise: float = 1.0,
    random_state: Any = None,
) -> tuple[Array, Array, Array]:
    """Generate queries with grades that a model can learn to rank, and an offset per query.

    A row's utility is a function of its informative features, plus noise. All rows of a query
    share an offset, so some queries have many relevant rows and others few. Query features
    identify training queries but do not predict the offset of a new query: a model that uses them
    loses in RMSE, not in ranking. So the model with the best RMSE is seldom the one with the best
    ranking.

    Parameters
    ----------
    n_queries : int, default=300
        Number of queries.
    rows_per_query : tuple of two int, default=(5, 25)
        Smallest and largest number of rows of a query, drawn uniformly.
    n_informative : int, default=6
        Number of features that determine the utility of a row.
    n_query_features : int, default=4
        Number of features that all rows of a query share.
    offset : float, default=1.5
        Standard deviation of the queries' offsets, in grades.
    noise : float, default=1.0
        Standard deviation of the noise in a row's utility, in grades.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_rows, n_informative + n_query_features)
        Features, the informative ones first.
    y : ndarray of shape (n_rows,), int
        Relevance grades, 0 to 4.
    qid : ndarray of shape (n_rows,), int
        Query ids 0, 1, 2, …; the rows of a query are adjacent.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> from sklearn_rankscore.datasets import make_ranking
    >>> X, y, qid = make_ranking(100, (10, 10), random_state=0)
    >>> X.shape, y.shape, int(qid.max())
    ((1000, 10), (1000,), 99)
    """
    low, high = rows_per_query
    if n_queries < 1 or not 1 <= low <= high or n_informative < 1 or n_query_features < 0:
        raise ValueError(
            "make_ranking needs at least a query, a row per query and an informative feature. "
            f"Got n_queries={n_queries!r}, rows_per_query={rows_per_query!r}, "
            f"n_informative={n_informative!r}, n_query_features={n_query_features!r} instead."
        )
    random = check_random_state(random_state)
    qid = np.repeat(np.arange(n_queries), random.randint(low, high + 1, size=n_queries))
    rows = random.standard_normal((len(qid), n_informative))
    queries = random.standard_normal((n_queries, n_query_features))
    weights = 1.0 / np.arange(1, n_informative + 1)
    transformed = np.where(np.arange(n_informative) % 2, np.abs(rows) - 0.8, rows)
    utility = transformed @ weights + noise * random.standard_normal(len(qid))
    level = 1.5 + utility + offset * random.standard_normal(n_queries)[qid]
    y = np.clip(np.floor(level), 0, _GRADES - 1).astype(np.int64)
    return np.hstack([rows, queries[qid]]), y, qid


def make_interactions(
    n_users: int = 200,
    n_items: int = 300,
    lists_per_user: tuple[int, int] = (2, 6),
    rows_per_list: int = 40,
    *,
    n_features: int = 6,
    skew: float = 1.0,
    taste: float = 0.7,
    noise: float = 0.6,
    random_state: Any = None,
) -> Bunch:
    """Generate the feedback of users on lists of items, as a recommender logs it.

    Each user sees lists of random items over a hundred days. The worth of a row to the user is
    the sum of the item's popularity, the match of its features with the user's taste, and chance.
    Popularity is skewed: few hits, a long tail. A model that ranks by popularity alone has a
    high recall, as users choose popular items often, but it shows everyone the same few items.

    Parameters
    ----------
    n_users, n_items : int
        Number of users, and of items.
    lists_per_user : tuple of two int, default=(2, 6)
        Smallest and largest number of lists of a user, drawn uniformly; each list is a query.
    rows_per_list : int, default=40
        Number of items in a list, all different.
    n_features : int, default=6
        Length of an item's vector, and of a user's taste.
    skew : float, default=1.0
        Weight of popularity, which is -log r, standardised, for the r-th most popular item.
    taste : float, default=0.7
        Weight of the match with the user's taste.
    noise : float, default=0.6
        Weight of chance.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        One entry per row: `X`, a noisy popularity of the item, and the products of the item's
        features with the user's taste; `y`, the feedback, 0 (ignored) to 4; `qid`, the list, in
        order of time; `user`; `item`; `times`, in hours. Besides, `item_features` of shape
        (n_items, n_features): row i belongs to item i.

    Raises
    ------
    ValueError
        If a number is out of range, or a list has more rows than there are items.

    Examples
    --------
    >>> from sklearn_rankscore.datasets import make_interactions
    >>> log = make_interactions(random_state=0)
    >>> log.X.shape[1], log.item_features.shape, int(log.y.max())
    (7, (300, 6), 4)
    """
    low, high = lists_per_user
    if n_users < 1 or not 1 <= low <= high or not 1 <= rows_per_list <= n_items or n_features < 1:
        raise ValueError(
            "make_interactions needs a user, a list per user, a feature, and as many items as a "
            f"list has rows. Got n_users={n_users!r}, n_items={n_items!r}, lists_per_user="
            f"{lists_per_user!r}, rows_per_list={rows_per_list!r}, n_features={n_features!r} "
            "instead."
        )
    random = check_random_state(random_state)
    popularity = -np.log(random.permutation(n_items) + 1.0)
    popularity = (popularity - popularity.mean()) / (popularity.std() or 1.0)
    item_features = random.standard_normal((n_items, n_features))
    tastes = random.standard_normal((n_users, n_features)) / np.sqrt(n_features)
    user_of_list = np.repeat(np.arange(n_users), random.randint(low, high + 1, size=n_users))
    random.shuffle(user_of_list)
    n_lists = len(user_of_list)
    shown = np.array([random.permutation(n_items)[:rows_per_list] for _ in range(n_lists)])
    qid = np.repeat(np.arange(n_lists), rows_per_list)
    user, item = user_of_list[qid], shown.ravel()
    match = item_features[item] * tastes[user]
    chance = random.standard_normal(len(qid))
    worth = skew * popularity[item] + taste * match.sum(axis=1) + noise * chance
    y = np.clip(np.ceil((worth - 1.5) / 0.6), 0, _GRADES - 1).astype(np.int64)
    noisy_popularity = popularity + 0.2 * random.standard_normal(n_items)
    times = np.sort(random.randint(0, 2400, size=n_lists))[qid]
    return Bunch(
        X=np.column_stack([noisy_popularity[item], match]),
        y=y,
        qid=qid,
        user=user,
        item=item,
        times=times,
        item_features=item_features,
    )


def load_letor(
    path: str | PathLike[str], n_features: int | None = None
) -> tuple[Any, Array, Array]:
    """Load a file in SVMlight format with query ids, such as LETOR and MSLR.

    Each line is ``grade qid:ID feature:value …``.

    Parameters
    ----------
    path : str or path-like
        Plain file, or one compressed as .gz or .bz2.
    n_features : int, default=None
        Number of features; None: the largest feature number in the file. For a test file, pass
        ``X.shape[1]`` of the training file.

    Returns
    -------
    X : sparse matrix of shape (n_rows, n_features), csr
        Features; use ``X.toarray()`` for models that take no sparse matrix.
    y : ndarray of shape (n_rows,)
        Relevance grades.
    qid : ndarray of shape (n_rows,), int
        Query ids.

    Raises
    ------
    ValueError
        If the file is empty or has another format, a row without id, or too many features.
    OSError
        If the file cannot be opened.

    References
    ----------
    `sklearn.datasets.load_svmlight_file`, which reads the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn_rankscore.datasets import load_letor
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "one_row.txt")
    ...     _ = path.write_text("2 qid:7 1:0.5 3:1")
    ...     X, y, qid = load_letor(path)
    >>> X.shape, y.tolist(), qid.tolist()
    ((1, 3), [2.0], [7])
    """
    from sklearn.datasets import load_svmlight_file  # noqa: PLC0415 - slow to import

    try:
        X, y, qid = load_svmlight_file(str(path), n_features=n_features, query_id=True)
    except (ValueError, OverflowError, EOFError) as error:
        raise ValueError(
            f"{path} must hold lines 'grade qid:ID feature:value …', feature numbers below 2**31. "
            f"scikit-learn could not read it: {error}."
        ) from error
    if not np.isfinite(X.data).all():
        row = int(np.searchsorted(X.indptr, np.flatnonzero(~np.isfinite(X.data))[0], "right"))
        raise ValueError(f"{path} must hold finite features. Got NaN or inf in row {row}.")
    if not len(y):
        raise ValueError(f"{path} holds no rows.")
    if len(qid) != len(y):
        raise ValueError(
            f"{path} has {len(qid)} query ids for {len(y)} rows; each line must read "
            "'grade qid:ID feature:value …'."
        )
    # 32-bit indices halve the memory, and CatBoost takes no others.
    if max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y, qid
