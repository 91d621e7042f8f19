"""Write the working of a value: lay out the quantities that a formula noted."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from sklearn_rankscore._typing import Array
from sklearn_rankscore.inspection._explain.explained_ranking import ExplainedRanking
from sklearn_rankscore.inspection._explain.explanation import Table, format_number
from sklearn_rankscore.inspection._explain.layouts import Columns, Layout
from sklearn_rankscore.metrics._formulas.cumulated_gain import LARGEST_PLAIN_EXPONENT

_TIED = "= tied with another row: each has what is expected over all orders of the tie."
_EXPECTED = ", expected over the orders of ties"
_SCALED = "Gains are divided by a power of two, which leaves their ratio as it is."


class Result(NamedTuple):
    """The value of a metric for one query, with the name and the options of the metric."""

    name: str
    value: float
    options: Mapping[str, Any]
    has_scores: bool = True  # False: the rows rank in the order given


class _Number(float):
    """A number of a sentence: with four decimals, unless the sentence asks for a format."""

    def __format__(self, form: str) -> str:
        return super().__format__(form) if form else format_number(self)


def write_working(
    layout: Layout, r: ExplainedRanking, result: Result, names: Sequence[Any], label: str
) -> tuple[list[Table], list[str]]:
    """Write tables and steps; column `label` shows `names`, the rows' names in input order."""
    options, noted = result.options, r.noted
    quantities = SimpleNamespace(**noted)
    k = int(noted.get("depth", 0)) or options.get("k")
    listed = int(r.n_listed(k)[0])
    tied = (r.tie_spans()[1][0] > 1)[:listed]
    tables = []
    if layout.columns is not None:
        ranks = [f"{at}{'=' * shared}" for at, shared in enumerate(tied.tolist(), start=1)]
        rows = r.find_ranked_rows()[:listed]
        shown = {"rank": ranks, label: [names[row] for row in rows]}
        shown |= {"score": r.score[0][rows]} if result.has_scores else {}
        shown |= {"grade": r.grade[0][rows]} | _read_columns(layout.columns, quantities, options)
        title = "Ranked by score" if result.has_scores else "In the order given"
        tables.append(Table.from_columns(title, shown, _TIED if tied.any() else ""))
    if layout.ideal is not None:
        rows = r.find_ideal_rows()[: noted["ideal_gain"].size]
        shown = {"rank": list(range(1, len(rows) + 1)), label: [names[row] for row in rows]}
        shown |= {"grade": r.grade[0][rows]} | _read_columns(layout.ideal, quantities, options)
        tables.append(Table.from_columns("In the best order", shown))
    words = _find_words(noted, result, k)
    words |= {"expected": _EXPECTED if tied.any() else ""}
    divided = options.get("gain") == "exponential" and r.grade.max() > LARGEST_PLAIN_EXPONENT
    words |= {"scaled": _SCALED if divided else ""}
    words |= _describe_hits(r, noted, result, k) if "hits" in noted else {}
    templates = [layout.undefined] if np.isnan(result.value) else layout.steps
    steps = [template.format(**words) for template in templates]
    return tables, [step for step in steps if step]


def _read_columns(
    columns: Columns, quantities: SimpleNamespace, options: Mapping[str, Any]
) -> dict[str, Array]:
    """Read each column off the quantities; a name may hold an option."""
    return {
        name.format(**options): np.ravel(column(quantities)) for name, column in columns.items()
    }


def _find_words(noted: Mapping[str, Any], result: Result, k: int | None) -> dict[str, Any]:
    """Find the words of the steps: options, noted numbers of the query, what was asked."""
    words: dict[str, Any] = dict(result.options) | {
        name: _Number(quantity) for name, quantity in noted.items() if isinstance(quantity, float)
    }
    words |= {"name": result.name, "value": result.value, "at": "" if k is None else f"@{k}"}
    if "listed" in noted:
        words["listed_rows"] = _count(noted["listed"], "row")
    return words


def _describe_hits(
    r: ExplainedRanking, noted: Mapping[str, Any], result: Result, k: int | None
) -> dict[str, str]:
    """Say how many relevant rows there are, were found and were missed."""
    hits, listed = noted["hits"], int(r.n_listed(k)[0])
    n_ranked, n_rows = int(r.n_ranked[0]), int(r.n_rows[0])
    relevant, found = float(hits.n_relevant[0]), float(hits.hit[0, :listed].sum())
    phrases = {
        "relevant": _count(relevant, "relevant row"),
        "found_rows": _count(found, "relevant row"),
        "capped": "",
        "missed": "",
        "none_found": "",
    }
    if noted.get("divisor", relevant) < relevant:
        phrases["capped"] = f", of which {k} can be among the first {k}"
    if relevant - found > 1e-9:
        places = [f"below rank {k}"] * (listed < n_ranked)
        places += ["not retrieved"] * (n_ranked < n_rows)
        verbs = ("is", "counts") if relevant - found == 1 else ("are", "count")
        rows = _count(relevant - found, "relevant row")
        phrases["missed"] = f"{rows} {verbs[0]} {' or '.join(places)}, and {verbs[1]} 0"
    if not result.value:
        phrases["none_found"] = (
            f"No relevant row is among the {'rows' if k is None else f'first {k}'}."
        )
    return phrases


def _count(number: float, noun: str) -> str:
    return f"{format_number(number)} {noun}{'s' * (number != 1)}"
