"""Metric names: "ndcg@10" <-> a metric and its cutoff."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn_rankscore._messages import suggest

_XGBOOST = (
    "Unknown metric {text!r}. XGBoost's '-' means that a query without relevant rows scores 0, "
    "not 1: write the name without it, and pass replace_undefined_by=0.0 beside "
    "convention='xgboost'."
)
# Spellings of other programs: ndcg_cut_10, P.10, precision_at_10, pre@5, PrecisionAt:top=10.
_OF_OTHERS = re.compile(
    r"(?P<name>[a-z]+?)(?:_cut[_.]|_at_|[_.@]|(?:at)?:top=)(?P<k>[0-9]+)(;.*)?"
)
_OURS = {
    "hit": "hit_rate",
    "hits": "hit_rate",
    "pre": "precision",
    "prec": "precision",
    "rec": "recall",
}
_NAME = re.compile(r"\s*(?P<name>[^@\s]+)\s*(?:@\s*(?P<k>\S+)\s*)?", re.ASCII)


def parse(text: str, known: Mapping[str, str]) -> tuple[str, int | None]:
    """Split "ndcg@10" into the metric's canonical name and k.

    `known` maps every spelling, aliases included, to the canonical name.
    """
    match = _NAME.fullmatch(text)
    name = match["name"].lower() if match else ""
    if match is None or name not in known:
        raise ValueError(_describe_unknown(text, name, known))
    k = match["k"]
    if k is None:
        return known[name], None
    if k.endswith("-"):
        raise ValueError(_XGBOOST.format(text=text))
    if not re.fullmatch("[0-9]{1,18}", k) or int(k) == 0:
        raise ValueError(
            f"The cutoff after '@' in a metric name must be a positive integer. Got {text!r} "
            f"instead; write for example '{name}@10'."
        )
    return known[name], int(k)


def spell(name: str, k: int | None) -> str:
    """Write a metric and its cutoff in the one canonical form."""
    return name if k is None else f"{name}@{k}"


def spell_options(bound: Mapping[str, Any]) -> str:
    """Write the options that are set, except the cutoff, which is in the metric's name."""
    return "".join(f", {name}={value!r}" for name, value in bound.items() if name != "k")


def _describe_unknown(text: str, name: str, known: Iterable[str]) -> str:
    if text.rstrip().endswith("-"):
        return _XGBOOST.format(text=text)
    other = _OF_OTHERS.fullmatch(text.strip().lower())
    hint = suggest(name.strip() or text, known)
    if other and (ours := _OURS.get(other["name"], other["name"])) in known:
        spelled = f"{ours}@{other['k']}"
        hint = f" Did you mean {spelled!r}?"
    return (
        f"Unknown metric {text!r}.{hint} "
        "sklearn_rankscore.metric_names() lists all; a cutoff follows as in 'ndcg@10'."
    )
