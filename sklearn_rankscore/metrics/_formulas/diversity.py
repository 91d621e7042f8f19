"""How little alike are the items of a list?"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._options import K, option
from sklearn_rankscore.metrics._ranking.ranking import Ranking
from sklearn_rankscore.metrics._ranking.ties import Chosen
from sklearn_rankscore.metrics._rows.item_tables import count_numbers_per_line, read_vectors
from sklearn_rankscore.metrics._rows.items import Found
from sklearn_rankscore.metrics._rows.validation import one_of_or_callable

_NUMBERS = 1 << 22  # of all vectors that are in memory at once

ITEM_FEATURES = option(
    read_vectors,
    "mapping, DataFrame, (ids, matrix), array or sparse matrix",
    """\
Vector of each item, by its id. A DataFrame has the ids as its index, and features in all columns.
Line i of an array or matrix is the vector of item i or, if there is no `item`, of row i.""",
)
ITEM_SIMILARITY = option(
    one_of_or_callable("cosine", other="a function of two arrays of vectors"),
    '"cosine" or callable',
    """\
How alike two items are, 1 for equal ones; a callable takes two arrays of vectors, shape
(n_pairs, n_features), sparse if the features are, and gives a finite number for each pair.""",
    "cosine",
)


def intra_list_diversity(
    r: Ranking,
    *,
    k: int | None = K,
    item_features: Found = ITEM_FEATURES,
    item_similarity: str | Callable[[Any, Any], Array] = ITEM_SIMILARITY,
) -> Array:
    """Intra-list diversity: how little alike the items of a list are.

    ILD = 1 - mean similarity over the unordered pairs of items in the first k rows. With ties
    averaged, each pair has as its weight the probability that both items are among the first k.
    The metric needs no grades: `y_true` may be None. Every item must have a vector; for the cosine
    a vector of zeros is an error.

    Range: 0 to 2 for the cosine; to 1 where no feature is negative. Undefined for a query with
    fewer than two items in its list.

    References
    ----------
    Ziegler, McNee, Konstan and Lausen (2005), Improving recommendation lists through topic
    diversification, WWW; RecTools, IntraListDiversity with a cosine distance.

    Examples
    --------
    >>> from sklearn_rankscore import intra_list_diversity
    >>> vectors = {"a": [1, 0], "b": [0, 1], "c": [2, 0]}
    >>> rows = {"y_score": [3, 2, 1], "qid": [7, 7, 7], "item": ["a", "b", "c"]}
    >>> round(intra_list_diversity(None, **rows, k=3, item_features=vectors), 4)
    0.6667
    """
    item_features.check_vectors(directed=item_similarity == "cosine")
    chosen = r.chosen(k)
    line = item_features.place[r.at_ranks(r.lay_out(item_features.items.codes))]
    alike = compute_mean_similarity(chosen, line, item_features, item_similarity)
    value: Array = np.maximum(1.0 - alike, 0.0) if item_similarity == "cosine" else 1.0 - alike
    value[chosen.length < 2] = np.nan
    return value


def find_needed_values(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Say which values the rows need: items, unless each row has a vector of its own."""
    return () if options["item_features"].by_line else ("item",)


def compute_mean_similarity(
    chosen: Chosen, line: Array, found: Found, similarity: str | Callable[[Any, Any], Array]
) -> Array:
    """Give the expected mean similarity over the unordered pairs of each list.

    `line` says which line of the table belongs to each rank. Of a tie of t rows, m of which are in
    the list, one row is in it with probability m / t, and two of them both with probability
    m (m - 1) / (t (t - 1)).
    """
    size = np.maximum(chosen.tied.sum(axis=1), 1)
    one = chosen.free / size
    two = one * (chosen.free - 1) / np.maximum(size - 1, 1)
    sums = _sum_cosines if isinstance(similarity, str) else _sum_similarities
    vectors = found.table.values
    step = max(_NUMBERS // count_numbers_per_line(vectors) // max(line.shape[1], 1), 1)
    total = np.empty(len(line))
    for begin in range(0, len(line), step):
        part = slice(begin, begin + step)
        both, mixed, neither = sums(
            chosen.certain[part], chosen.tied[part], line[part], found, similarity
        )
        total[part] = both + one[part] * mixed + two[part] * neither
    return np.asarray(total / np.maximum(chosen.length * (chosen.length - 1) / 2, 1))


def _sum_cosines(
    certain: Array, tied: Array, line: Array, found: Found, _: Any
) -> tuple[Array, Array, Array]:
    """Sum the cosines of pairs from sums of unit vectors: |Σu|² = items + 2 x sum over pairs."""
    sure = _sum_units(certain, line, found)
    if not tied.any():
        return _sum_pairs(sure, certain), np.zeros(len(line)), np.zeros(len(line))
    maybe = _sum_units(tied, line, found)
    return _sum_pairs(sure, certain), _multiply_lines(sure, maybe), _sum_pairs(maybe, tied)


def _sum_units(chosen: Array, line: Array, found: Found) -> Any:
    lines = line[chosen]
    ends = np.cumsum(chosen.sum(axis=1))
    weights = sparse.csr_matrix(
        (1.0 / found.table.norms[lines], lines, np.concatenate(([0], ends))),
        shape=(len(chosen), len(found.table.norms)),
    )
    return weights @ found.table.values


def _multiply_lines(one: Any, other: Any) -> Array:
    if sparse.issparse(one):
        return np.asarray(one.multiply(other).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", one, other))


def _sum_pairs(sums: Any, chosen: Array) -> Array:
    return np.asarray((_multiply_lines(sums, sums) - chosen.sum(axis=1)) / 2)


def _sum_similarities(
    certain: Array, tied: Array, line: Array, found: Found, similarity: Any
) -> tuple[Array, Array, Array]:
    """Sum any similarity over pairs, in one call for all pairs of ranks that are equally apart."""
    listed = certain | tied
    vectors = found.table.values
    sums = np.zeros((3, len(line)))
    for apart in range(1, line.shape[1]):
        query, rank = np.nonzero(listed[:, :-apart] & listed[:, apart:])
        if not len(query):
            continue
        one, other = line[query, rank], line[query, rank + apart]
        alike = np.asarray(similarity(vectors[one], vectors[other]), dtype=np.float64)
        if alike.shape != query.shape or not np.isfinite(alike).all():
            raise ValueError(
                "item_similarity must take two arrays of vectors, line i of each being a pair, "
                f"and give a finite number for each pair. Got an array of shape {alike.shape} for "
                f"{len(query)} pairs instead."
            )
        n_tied = tied[query, rank].astype(np.intp) + tied[query, rank + apart]
        for n in range(3):
            sums[n] += np.bincount(query, alike * (n_tied == n), minlength=len(line))
    return sums[0], sums[1], sums[2]
