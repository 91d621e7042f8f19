"""The definitions, once more: one plain-Python loop per metric, and every order of tied rows.

An oracle takes the grades of one query's retrieved rows in ranked order, and the grades of all
its rows; it returns a number, or None where the metric is undefined.
"""

import itertools
import math

GAINS = {
    "linear": lambda grade: grade,
    "exponential": lambda grade: 2.0**grade - 1.0,
}
DISCOUNTS = {
    "log2": lambda rank: 1.0 / math.log2(rank + 1),
    "jarvelin": lambda rank: 1.0 if rank <= 2 else 1.0 / math.log2(rank),
    "reciprocal": lambda rank: 1.0 / rank,
}


def _gain(grade, gain):
    if isinstance(gain, str):
        return GAINS[gain](grade)
    return gain(grade) if callable(gain) else gain[int(grade)]


def _discounted(grades, k, gain, discount):
    discount = discount if callable(discount) else DISCOUNTS[discount]
    total = 0.0
    for rank, grade in enumerate(grades, start=1):
        if k is None or rank <= k:
            total += _gain(grade, gain) * float(discount(rank))
    return total


def cumulative_gain(ranked, every, k=None, gain="linear"):
    return sum(_gain(grade, gain) for grade in ranked[:k])


def dcg(ranked, every, k=None, gain="linear", discount="log2"):
    return _discounted(ranked, k, gain, discount)


def ideal_dcg(ranked, every, k=None, gain="linear", discount="log2"):
    best = sorted(every, key=lambda grade: _gain(grade, gain), reverse=True)
    return _discounted(best, k, gain, discount)


def ndcg(ranked, every, k=None, gain="linear", discount="log2"):
    ideal = ideal_dcg(ranked, every, k, gain, discount)
    return dcg(ranked, every, k, gain, discount) / ideal if ideal else None


def _relevant(grade, min_relevance):
    return grade > 0 if min_relevance is None else grade >= min_relevance


def _counts(ranked, every, k, min_relevance):
    hits = sum(_relevant(grade, min_relevance) for grade in ranked[:k])
    return hits, sum(_relevant(grade, min_relevance) for grade in every)


def precision(ranked, every, k=None, min_relevance=None, denominator="k"):
    hits, relevant = _counts(ranked, every, k, min_relevance)
    if not relevant:
        return None
    if k is None or (denominator == "attainable" and len(ranked) < k):
        k = len(ranked)
    return hits / k if k else 0.0


def recall(ranked, every, k=None, min_relevance=None, denominator="relevant"):
    hits, relevant = _counts(ranked, every, k, min_relevance)
    if not relevant:
        return None
    return hits / (min(relevant, k) if k and denominator == "attainable" else relevant)


def f1(ranked, every, k=None, min_relevance=None):
    p = precision(ranked, every, k, min_relevance)
    r = recall(ranked, every, k, min_relevance)
    if p is None:
        return None
    return 2 * p * r / (p + r) if p + r else 0.0


def average_precision(ranked, every, k=None, min_relevance=None, denominator="relevant"):
    _, relevant = _counts(ranked, every, k, min_relevance)
    if not relevant:
        return None
    hits, total = 0, 0.0
    for rank, grade in enumerate(ranked[:k], start=1):
        if _relevant(grade, min_relevance):
            hits += 1
            total += hits / rank
    return total / (min(relevant, k) if k and denominator == "attainable" else relevant)


def reciprocal_rank(ranked, every, k=None, min_relevance=None):
    if not any(_relevant(grade, min_relevance) for grade in every):
        return None
    for rank, grade in enumerate(ranked[:k], start=1):
        if _relevant(grade, min_relevance):
            return 1.0 / rank
    return 0.0


def hit_rate(ranked, every, k=None, min_relevance=None):
    hits, relevant = _counts(ranked, every, k, min_relevance)
    return float(hits > 0) if relevant else None


def r_precision(ranked, every, min_relevance=None):
    _, relevant = _counts(ranked, every, None, min_relevance)
    return _counts(ranked, every, relevant, min_relevance)[0] / relevant if relevant else None


def fall_out(ranked, every, k=None, min_relevance=None):
    others = [grade for grade in every if not _relevant(grade, min_relevance)]
    found = [grade for grade in ranked[:k] if not _relevant(grade, min_relevance)]
    return len(found) / len(others) if others else None


def rank_biased_precision(ranked, every, k=None, min_relevance=None, persistence=0.8):
    if not any(_relevant(grade, min_relevance) for grade in every):
        return None
    total, reading = 0.0, 1.0
    for grade in ranked[:k]:
        total += reading * (1 - persistence) * _relevant(grade, min_relevance)
        reading *= persistence
    return total


def expected_reciprocal_rank(ranked, every, k=None, max_grade=4.0):
    if not any(grade > 0 for grade in every):
        return None
    total, reading = 0.0, 1.0
    for rank, grade in enumerate(ranked[:k], start=1):
        satisfied = (2.0**grade - 1) / 2.0**max_grade
        total += reading * satisfied / rank
        reading *= 1 - satisfied
    return total


def roc_auc(ranked, every, min_relevance=None):
    missed = list(every)
    for grade in ranked:
        missed.remove(grade)
    levels = [[grade] for grade in ranked] + [missed]  # those not retrieved are tied, below all
    won, pairs = 0.0, 0
    for at, level in enumerate(levels):
        for grade in level:
            if not _relevant(grade, min_relevance):
                continue
            for other_at, other_level in enumerate(levels):
                for other in other_level:
                    if not _relevant(other, min_relevance):
                        pairs += 1
                        won += 1.0 if at < other_at else 0.5 if at == other_at else 0.0
    return won / pairs if pairs else None


def bpref(ranked, every, min_relevance=None):
    _, relevant = _counts(ranked, every, None, min_relevance)
    if not relevant:
        return None
    others, above, total = len(every) - relevant, 0, 0.0
    for grade in ranked:
        if not _relevant(grade, min_relevance):
            above += 1
        elif above:
            total += 1 - min(above, relevant) / min(others, relevant)
        else:
            total += 1
    return total / relevant


def _levels(ranked, every):
    """Each row as (level, grade), level 0 the highest; those not retrieved share the lowest."""
    missed = list(every)
    for grade in ranked:
        missed.remove(grade)
    return list(enumerate(ranked)) + [(len(ranked), grade) for grade in missed]


def pairwise_accuracy(ranked, every):
    won, pairs = 0.0, 0
    for (one, high), (other, low) in itertools.permutations(_levels(ranked, every), 2):
        if high > low:
            pairs += 1
            won += 1.0 if one < other else 0.5 if one == other else 0.0
    return won / pairs if pairs else None


def kendall_tau_b(ranked, every):
    agreement = scores = grades = 0
    for (one, high), (other, low) in itertools.combinations(_levels(ranked, every), 2):
        score, grade = (one < other) - (one > other), (high > low) - (high < low)
        agreement += score * grade
        scores += score != 0
        grades += grade != 0
    return agreement / math.sqrt(scores * grades) if scores and grades else None


def _mean_ranks(values):
    return [
        sum(other < value for other in values) + sum(other == value for other in values) / 2
        for value in values
    ]


def spearman_rho(ranked, every):
    rows = _levels(ranked, every)
    return _correlation([-level for level, _ in rows], [grade for _, grade in rows])


def _correlation(scores, grades):
    one, other = _mean_ranks(scores), _mean_ranks(grades)
    one = [rank - sum(one) / len(one) for rank in one]
    other = [rank - sum(other) / len(other) for rank in other]
    spread = math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))
    return sum(a * b for a, b in zip(one, other, strict=True)) / spread if spread else None


def interpolated_precision(ranked, every, min_relevance=None, recall_level=0.5):
    _, relevant = _counts(ranked, every, None, min_relevance)
    if not relevant:
        return None
    best = hits = 0
    for rank, grade in enumerate(ranked, start=1):
        hits += _relevant(grade, min_relevance)
        if hits >= recall_level * relevant - 1e-9:
            best = max(best, hits / rank)
    return best


def eleven_point_precision(ranked, every, min_relevance=None):
    values = [interpolated_precision(ranked, every, min_relevance, at / 10) for at in range(11)]
    return None if None in values else sum(values) / 11


# Metrics that have a definition of their own for equal scores, which is no expectation.
COEFFICIENTS = {"kendall_tau_b", "spearman_rho"}


def judged(ranked, every, k=None):
    top = ranked[:k]
    return sum(grade == grade for grade in top) / len(top) if top else None  # noqa: PLR0124 - NaN


LESS_IS_BETTER = {"fall_out"}


def counts_recall_right(relevant):
    """Whether (int)(level * R + 0.9), in floating point as trec_eval has it, is what it means."""
    return all(int(at / 10 * relevant + 0.9) == -(-at * relevant // 10) for at in range(11))


def by_score(grade, score):
    """Retrieved rows as (score, grade), by falling score, in input order inside ties."""
    rows = [(s, float(g)) for g, s in zip(grade, score, strict=True) if s > -math.inf]
    return sorted(rows, key=lambda row: row[0], reverse=True)


def orders(grade, score):
    """Grades of the retrieved rows in every order that the scores allow."""
    ties = itertools.groupby(by_score(grade, score), key=lambda row: row[0])
    blocks = [[grade for _, grade in block] for _, block in ties]
    for chosen in itertools.product(*map(itertools.permutations, blocks)):
        yield [grade for block in chosen for grade in block]


def expected(name, grade, score, ties="average", **options):
    """Value of a metric for one query under a tie policy, by enumeration of all orders."""
    oracle = globals()[name]
    every = [float(g) for g in grade]
    if ties in ("first", "last"):
        step = 1 if ties == "first" else -1
        ranked = [g for _, g in by_score(grade[::step], score[::step])]
        return oracle(ranked, every, **options)
    values = [oracle(ranked, every, **options) for ranked in orders(grade, score)]
    if None in values:
        return None
    if ties == "average":
        return math.fsum(values) / len(values)
    best_is_most = (ties == "optimistic") is (name not in LESS_IS_BETTER)
    return max(values) if best_is_most else min(values)
