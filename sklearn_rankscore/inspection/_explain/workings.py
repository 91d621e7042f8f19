"""The working of each metric that can be explained: columns, and what is done with them.

Each takes a Working, the ranked rows of one query, and the metric's options, and gives tables,
steps and the value. It adds up by itself what it shows: that this is the metric's value is tested.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rankscore.inspection._explain.explanation import Table, format_number
from sklearn_rankscore.metrics._formulas.cumulated_gain import discounts, gains

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sklearn_rankscore.metrics._ranking.ranking import Ranking
    from sklearn_rankscore.metrics._rows.validation import Array

    Answer = tuple[list[Table], list[str], float]

_TIED = "= tied with another row: each has what is expected over all orders of the tie."


@dataclass(frozen=True)
class Working:
    """The rows of one query, ranked, and their Ranking."""

    r: Ranking
    order: Array  # rows by rank, then those that were not retrieved
    labels: list[Any]  # of the rows, as they came
    score: Array  # by rank
    grades: Array  # of the rows, as they came
    tied: Array  # by rank, whether the row shares its place with others
    label: str  # what rows are called

    @property
    def n_ranked(self) -> int:
        return len(self.score)

    def n_listed(self, k: int | None) -> int:
        """How many rows there are among the first k."""
        return self.n_ranked if k is None else min(k, self.n_ranked)

    def table(
        self, caption: str, k: int | None, columns: dict[str, Sequence[Any] | Array]
    ) -> Table:
        """Rank, row, score and grade of the first k rows, and further columns."""
        shown = self.n_listed(k)
        ranks = [f"{at + 1}{'=' if self.tied[at] else ''}" for at in range(shown)]
        labels = [self.labels[row] for row in self.order]
        rows = [ranks, labels, self.score, self.grades[self.order], *columns.values()]
        lines = [[_plain(column[at]) for column in rows] for at in range(shown)]
        note = _TIED if self.tied[:shown].any() else ""
        return Table(caption, ["rank", self.label, "score", "grade", *columns], lines, note)


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    whole = isinstance(value, float) and abs(value) < 1e15 and value.is_integer()
    return int(value) if whole else value


def cumulated_gain(w: Working, name: str, k: int | None, options: dict[str, Any]) -> Answer:
    """CG, DCG, ideal DCG and nDCG: gains, discounted, added up, and those of the best order."""
    relative = name == "ndcg" and float(w.grades.max()) > 1000  # finite, as the metric is
    gain = gains(w.r, options["gain"], relative=relative)
    n = w.n_listed(k)
    best = w.r.ideal(gain)[0][:k]
    ideal_order = np.argsort(-gain[0].astype(float), kind="stable")[: len(best)]
    plain = name == "cumulative_gain"
    discount = np.ones(len(best)) if plain else discounts(w.r, options["discount"])[: len(best)]
    found = w.r.expected(gain)[0][:n]
    tables, steps = [], []
    if relative:
        steps.append("Gains are divided by a power of two, which leaves their ratio as it is.")
    running = np.cumsum(found * discount[:n])
    total, ideal = running[-1] if n else 0.0, float((best * discount).sum())
    at = "" if k is None else f"@{k}"
    if name != "ideal_dcg":
        short, what = ("CG", "gains") if plain else ("DCG", "discounted gains")
        columns = {"gain": found}
        if not plain:
            columns |= {"discount": discount, "discounted gain": found * discount[:n]}
        tables.append(w.table("Ranked by score", k, {**columns, f"running {short}": running}))
        steps.append(f"{short}{at} = sum of the {what} = {total:.6g}")
    if name in ("ideal_dcg", "ndcg"):
        lines = [
            [
                i + 1,
                w.labels[row],
                _plain(w.grades[row]),
                float(g),
                float(d),
                float(g * d),
                float(s),
            ]
            for i, (row, g, d, s) in enumerate(
                zip(ideal_order, best, discount, np.cumsum(best * discount), strict=True)
            )
        ]
        names = ["rank", w.label, "grade", "gain", "discount", "discounted gain", "running DCG"]
        tables.append(Table("In the best order", names, lines))
        steps.append(
            f"ideal DCG{at} = sum of the discounted gains in the best order = {ideal:.6g}"
        )
    if name != "ndcg":
        return tables, steps, ideal if name == "ideal_dcg" else float(total)
    if not ideal > 0:
        return tables, [*steps, "No row has any gain: nDCG is undefined."], nan
    value = min(float(total) / ideal, 1.0)
    steps.append(f"nDCG{at} = {format_number(total)} / {format_number(ideal)} = {value:.6g}")
    return tables, steps, value


def average_precision(w: Working, _: str, k: int | None, options: dict[str, Any]) -> Answer:
    """Precision at each relevant rank, over the relevant rows."""
    hits = w.r.hits(options["min_relevance"])
    n = w.n_listed(k)
    hit, found = hits.hit[0][:n], hits.hits_if_hit[0][:n]
    precision = np.where(hit > 0, found / np.arange(1, n + 1), nan)
    counted = np.where(hit > 0, hit * precision, nan)
    table = w.table(
        "Ranked by score",
        k,
        {
            "relevant": hit,
            "found so far": np.where(hit > 0, found, nan),
            "precision": precision,
            "counts": counted,
        },
    )
    relevant = int(hits.n_relevant[0])
    if not relevant:
        return [table], ["No row is relevant: average precision is undefined."], nan
    total = float(np.nansum(counted))
    divisor = relevant
    if options["denominator"] == "attainable" and k is not None:
        divisor = min(relevant, k)
    steps = [f"sum of the precisions at relevant rows = {format_number(total)}"]
    steps += _not_found(w, relevant, float(hit.sum()), k)
    steps.append(f"divisor = {_relevant(relevant)}{_capped(divisor, relevant, k)}")
    value = min(total / divisor, 1.0)
    return [table], [*steps, f"AP = {format_number(total)} / {divisor} = {value:.6g}"], value


def counted(w: Working, name: str, k: int | None, options: dict[str, Any]) -> Answer:
    """Precision, recall, F1 and R-precision: relevant rows in the first k, divided."""
    hits = w.r.hits(options["min_relevance"])
    relevant = int(hits.n_relevant[0])
    if name == "r_precision":
        k = max(relevant, 1)
    n = w.n_listed(k)
    found = np.cumsum(hits.hit[0][:n])
    table = w.table("Ranked by score", k, {"relevant": hits.hit[0], "found so far": found})
    if not relevant:
        return [table], [f"No row is relevant: {name} is undefined."], nan
    total = float(found[-1]) if n else 0.0
    depth = n if k is None else k
    if name == "precision" and options["denominator"] == "attainable":
        depth = n
    steps = [f"found = {_relevant(total)}"]
    if name == "f1":
        value = 2 * total / (depth + relevant)
        how = f"2 x {format_number(total)} / ({depth} rows + {_relevant(relevant)})"
        return [table], [*steps, f"F1 = 2PR / (P + R) = {how} = {value:.6g}"], value
    divisor = depth
    what = f"{depth} row{'s' * (depth != 1)}"
    if name in ("recall", "r_precision"):
        divisor, what = relevant, _relevant(relevant)
        if name == "recall" and options["denominator"] == "attainable" and k is not None:
            divisor = min(relevant, k)
            what += _capped(divisor, relevant, k)
        steps += _not_found(w, relevant, total, k)
    value = min(total / divisor, 1.0) if divisor else 0.0
    return [table], [*steps, f"{name} = {format_number(total)} / {what} = {value:.6g}"], value


def first_relevant(w: Working, name: str, k: int | None, options: dict[str, Any]) -> Answer:
    """Reciprocal rank and hit rate: where the first relevant row is."""
    hits = w.r.hits(options["min_relevance"])
    n = w.n_listed(k)
    first = -np.diff(hits.none_through[0][:n], prepend=1.0)
    columns: dict[str, Any] = {"relevant": hits.hit[0], "first relevant": first}
    worth = 1.0 / np.arange(1, n + 1) if name == "reciprocal_rank" else np.ones(n)
    if name == "reciprocal_rank":
        columns |= {"1 / rank": worth, "counts": first * worth}
    table = w.table("Ranked by score", k, columns)
    if not hits.n_relevant[0]:
        return [table], [f"No row is relevant: {name} is undefined."], nan
    value = float((first * worth).sum())
    how = (
        "1 / rank of the first relevant row"
        if name == "reciprocal_rank"
        else "whether there is a relevant row"
    )
    if w.tied[:n].any():
        how += ", expected over the orders of ties"
    steps = (
        [] if value else [f"No relevant row is among the {'rows' if k is None else f'first {k}'}."]
    )
    return [table], [*steps, f"{name} = {how} = {value:.6g}"], value


def reader(w: Working, name: str, k: int | None, options: dict[str, Any]) -> Answer:
    """RBP and ERR: what a person who reads down the list gets."""
    n = w.n_listed(k)
    rank = np.arange(1, n + 1)
    if name == "rank_biased_precision":
        hits = w.r.hits(options["min_relevance"])
        p = options["persistence"]
        reads = (1.0 - p) * p ** (rank - 1.0)
        columns = {"relevant": hits.hit[0], f"(1 - {p:g}) {p:g}^(rank - 1)": reads}
        counts, defined = hits.hit[0][:n] * reads, bool(hits.n_relevant[0])
    else:
        grade, most = w.r.grade.astype(float), options["max_grade"]
        stop = (np.exp2(grade) - 1.0) / np.exp2(most)
        stop = np.where(grade > 0, stop, 0.0)
        go_on = w.r.continue_through(stop)[0][:n]
        stops_here = -np.diff(go_on, prepend=1.0)
        columns = {"stops here": stops_here, "1 / rank": 1.0 / rank}
        counts, defined = stops_here / rank, bool((grade > 0).any())
    table = w.table("Ranked by score", k, {**columns, "counts": counts})
    if not defined:
        return [table], [f"No row is relevant: {name} is undefined."], nan
    value = float(counts.sum())
    return [table], [f"{name} = sum of what counts = {value:.6g}"], value


def _relevant(n: float) -> str:
    return f"{format_number(n)} relevant row{'s' * (n != 1)}"


def _capped(divisor: int, relevant: int, k: int | None) -> str:
    return "" if divisor == relevant else f", of which {k} can be among the first {k}"


def _not_found(w: Working, relevant: int, found: float, k: int | None) -> list[str]:
    missed = relevant - found
    if missed < 1e-9:
        return []
    unretrieved = len(w.labels) - w.n_ranked
    where = [f"below rank {k}"] * (k is not None and k < w.n_ranked)
    where += ["not retrieved"] * bool(unretrieved)
    rows = "row is" if missed == 1 else "rows are"
    return [
        (
            f"{format_number(missed)} relevant {rows} {' or '.join(where)}, and "
            f"count{'s' * (missed == 1)} 0"
        )
    ]


WORKINGS: dict[str, Callable[[Working, str, int | None, dict[str, Any]], Answer]] = {
    "cumulative_gain": cumulated_gain,
    "dcg": cumulated_gain,
    "ideal_dcg": cumulated_gain,
    "ndcg": cumulated_gain,
    "average_precision": average_precision,
    "precision": counted,
    "recall": counted,
    "f1": counted,
    "r_precision": counted,
    "reciprocal_rank": first_relevant,
    "hit_rate": first_relevant,
    "rank_biased_precision": reader,
    "expected_reciprocal_rank": reader,
}
