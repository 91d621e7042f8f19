"""The definitions beyond accuracy, once more: plain Python over lists of rows.

A row is (grade, item, similarity); a list is the retrieved rows of a query in ranked order.
"""

import itertools
import math


def orders(rows, score):
    """Every order of a query's retrieved rows that the scores allow."""
    ranked = sorted(
        ((s, row) for s, row in zip(score, rows, strict=True) if s > -math.inf),
        key=lambda pair: -pair[0],
    )
    ties = [
        [row for _, row in tie] for _, tie in itertools.groupby(ranked, key=lambda pair: pair[0])
    ]
    for chosen in itertools.product(*map(itertools.permutations, ties)):
        yield [row for tie in chosen for row in tie]


def catalog_coverage(lists, k, catalog):
    covered = {row[1] for ranked in lists for row in ranked[:k]}
    return len(covered & set(catalog)) / len(set(catalog))


def cosine(one, other):
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / math.sqrt(sum(a * a for a in one)) / math.sqrt(sum(b * b for b in other))


def intra_list_diversity(ranked, every, k, vectors, similarity=cosine):
    pairs = list(itertools.combinations([row[1] for row in ranked[:k]], 2))
    if not pairs:
        return None
    return sum(1 - similarity(vectors[a], vectors[b]) for a, b in pairs) / len(pairs)


def novelty(ranked, every, k, counts, unseen, n_items):
    total = sum(counts.values())
    bits = []
    for _, item, _ in ranked[:k]:
        count = counts.get(item, 0)
        if unseen == "laplace":
            bits.append(-math.log2((count + 1) / (total + n_items)))
        elif count or unseen == "once":
            bits.append(-math.log2(max(count, 1) / total))
    return sum(bits) / len(bits) if bits else None


def serendipity(ranked, every, k, counts, definition, share, most, n_items):
    if not ranked or not any(grade > 0 for grade, _, _ in every):
        return None
    return sum(
        _surprise(row, rank, counts, definition, share, most, n_items)
        for rank, row in enumerate(ranked[:k], start=1)
    ) / len(ranked[:k])


def _surprise(row, rank, counts, definition, share, most, n_items):
    grade, item, similarity = row
    if not grade > 0:
        return 0.0
    if definition == "rectools":
        by_count = sorted({count for count in counts.values() if count}, reverse=True)
        popular = 0.0
        if counts.get(item):
            popular = (n_items + 1 - (by_count.index(counts[item]) + 1)) / n_items
        return max((n_items + 1 - rank) / n_items - popular, 0.0)
    if definition == "unexpected":
        as_popular = sum(count >= counts.get(item, -1) for count in counts.values())
        if similarity > most or (item in counts and as_popular <= share * len(counts) + 1e-9):
            return 0.0
    return 1 - similarity
