"""The columns and steps that explain each metric, made from the quantities it notes."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from sklearn_rankscore._typing import Array

# Reads one number for each rank off the noted quantities.
Columns = dict[str, Callable[[SimpleNamespace], Array]]


@dataclass(frozen=True)
class Layout:
    """How the working of a metric is written down."""

    columns: Columns | None  # of the ranked rows, by name; None: the metric ranks none
    steps: tuple[str, ...]  # sentences that `workings` fills in; it drops the empty ones
    ideal: Columns | None = None  # of the rows in the best order
    undefined: str = "No row is relevant: {name} is undefined."  # the one step without a value


def _count_found(q: Any) -> Array:
    """Count the relevant rows down to each rank that holds one; NaN at the other ranks."""
    return np.where(q.hits.hit > 0, q.hits.hits_if_hit, np.nan)


_DISCOUNTED: Columns = {
    "gain": lambda q: q.gain,
    "discount": lambda q: q.discount,
    "discounted gain": lambda q: q.gain * q.discount,
    "running DCG": lambda q: np.cumsum(q.gain * q.discount),
}
_IDEAL: Columns = {
    "gain": lambda q: q.ideal_gain,
    "discount": lambda q: q.discount,
    "discounted gain": lambda q: q.ideal_gain * q.discount,
    "running DCG": lambda q: np.cumsum(q.ideal_gain * q.discount),
}
_RELEVANT: Columns = {"relevant": lambda q: q.hits.hit}
_COUNTED = _RELEVANT | {
    "found so far": lambda q: np.cumsum(q.hits.hit),
    "precision": lambda q: np.cumsum(q.hits.hit) / q.rank,
    "recall": lambda q: np.cumsum(q.hits.hit) / np.maximum(q.hits.n_relevant, 1),
}
_SUM_OF_GAINS = "sum of the discounted gains"

LAYOUTS = {
    "cumulative_gain": Layout(
        {"gain": lambda q: q.gain, "running CG": lambda q: np.cumsum(q.gain)},
        ("CG{at} = sum of the gains = {value:.6g}",),
    ),
    "dcg": Layout(_DISCOUNTED, (f"DCG{{at}} = {_SUM_OF_GAINS} = {{value:.6g}}",)),
    "ideal_dcg": Layout(
        None, (f"ideal DCG{{at}} = {_SUM_OF_GAINS} in the best order = {{value:.6g}}",), _IDEAL
    ),
    "ndcg": Layout(
        _DISCOUNTED,
        (
            "{scaled}",
            f"DCG{{at}} = {_SUM_OF_GAINS} = {{dcg:.6g}}",
            f"ideal DCG{{at}} = {_SUM_OF_GAINS} in the best order = {{ideal_dcg:.6g}}",
            "nDCG{at} = {dcg} / {ideal_dcg} = {value:.6g}",
        ),
        _IDEAL,
        undefined="No row has any gain: nDCG is undefined.",
    ),
    "average_precision": Layout(
        _RELEVANT | {"found so far": _count_found, "precision at relevant": lambda q: q.counted},
        (
            "sum of the precisions at relevant rows = {total}",
            "{missed}",
            "divisor = {relevant}{capped}",
            "AP = {total} / {divisor} = {value:.6g}",
        ),
    ),
    "precision": Layout(
        _COUNTED, ("found = {found_rows}", "precision = {found} / {listed_rows} = {value:.6g}")
    ),
    "recall": Layout(
        _COUNTED,
        (
            "found = {found_rows}",
            "{missed}",
            "recall = {found} / {relevant}{capped} = {value:.6g}",
        ),
    ),
    "f1": Layout(
        _COUNTED,
        (
            "found = {found_rows}",
            "F1 = 2PR / (P + R) = 2 x {found} / ({listed_rows} + {relevant}) = {value:.6g}",
        ),
    ),
    "r_precision": Layout(
        _COUNTED,
        ("found = {found_rows}", "{missed}", "r_precision = {found} / {relevant} = {value:.6g}"),
    ),
    "reciprocal_rank": Layout(
        _RELEVANT | {"first relevant": lambda q: q.first_here, "counts": lambda q: q.counted},
        (
            "{none_found}",
            "reciprocal_rank = 1 / rank of the first relevant row{expected} = {value:.6g}",
        ),
    ),
    "hit_rate": Layout(
        _RELEVANT | {"none so far": lambda q: q.none_so_far},
        ("{none_found}", "hit_rate = whether there is a relevant row{expected} = {value:.6g}"),
    ),
    "rank_biased_precision": Layout(
        _RELEVANT
        | {
            "{persistence:g}^(rank - 1)": lambda q: q.reads,
            "counts": lambda q: q.hit * q.reads,
        },
        ("rank_biased_precision = (1 - {persistence:g}) x sum of what counts = {value:.6g}",),
    ),
    "expected_reciprocal_rank": Layout(
        {
            "stops here": lambda q: q.stops_here,
            "1 / rank": lambda q: q.worth,
            "counts": lambda q: q.stops_here * q.worth,
        },
        ("expected_reciprocal_rank = sum of what counts = {value:.6g}",),
        undefined="No row can satisfy: {name} is undefined.",
    ),
}
