"""One clock for every benchmark: interleaved repeats, medians, ratios; a page and JSON.

A script gives ``pages(size)``, called with "full" or "tiny"; ``run(pages)`` makes it a program.
Machines are noisy: what is compared runs in turn, several times; a ratio is one of medians.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any


@dataclass
class Line:
    """One thing that was measured, and what it is held against."""

    what: str
    value: float
    unit: str = "s"
    ratio: float | None = None  # of its value and another's
    at_most: float | None = None  # bar that the ratio is held to
    at_least: float | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the bar is held; None without one."""
        if self.ratio is None or (self.at_most is None and self.at_least is None):
            return None
        low, high = self.at_least or 0.0, self.at_most or float("inf")
        return low <= self.ratio <= high


@dataclass
class Page:
    """What was measured in one run."""

    title: str
    against: str  # what the ratios are of
    lines: list[Line] = field(default_factory=list)
    script: str = ""  # name of the file that measured it; run.py fills it in

    def __str__(self) -> str:
        """Lines up what was measured, ratios and bars."""
        rows = [(self.title, "", self.against, "bar", "")]
        for line in self.lines:
            ratio = "" if line.ratio is None else f"{line.ratio:.3g} x"
            bar = "" if line.at_most is None else f"<= {line.at_most:g}"
            bar = bar if line.at_least is None else f">= {line.at_least:g}"
            verdict = {None: "", True: "holds", False: "MISSED"}[line.holds]
            rows.append((line.what, f"{line.value:.4g} {line.unit}", ratio, bar, verdict))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if at == 0 else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )


def clock(calls: Mapping[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Median seconds of each call; all of them in turn, `repeat` times, after one that is free."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    gc.collect()
    gc.disable()  # as timeit does
    try:
        for _ in range(repeat):
            for name, call in calls.items():
                start = time.perf_counter()
                call()
                times[name].append(time.perf_counter() - start)
    finally:
        gc.enable()
    return {name: median(values) for name, values in times.items()}


def compare(
    title: str,
    unit: str,
    calls: Mapping[str, Callable[[], object]],
    bars: Mapping[str, float],
    repeat: int,
) -> Page:
    """Time calls against one of them, `unit`; `bars` says how many times of it each may take."""
    seconds = clock(calls, repeat)
    lines = [
        Line(name, value, ratio=value / seconds[unit], at_most=bars.get(name))
        for name, value in seconds.items()
    ]
    return Page(title, f"x {unit}", lines)


def run(pages: Callable[[str], Iterable[Page]], doc: str | None) -> None:
    """Make a script a program: print its pages, and write them as JSON where that is asked for."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument(
        "--size", choices=("full", "tiny"), default="full", help="tiny: only to see that it runs"
    )
    parser.add_argument("--json", metavar="FILE", help="write what was measured as JSON as well")
    options = parser.parse_args()
    done: list[dict[str, Any]] = []
    for page in pages(options.size):
        if options.size == "tiny":  # where what is fixed is most, no bar means anything
            for line in page.lines:
                line.at_most = line.at_least = None
        print(f"{page}\n", flush=True)
        done.append(asdict(page))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:  # noqa: PTH123
            json.dump(done, file, indent=1)
