"""Every benchmark, on one page.

    python benchmarks/run.py [--size tiny] [--json FILE]

Peers that are not installed are left out; the extra "bench" installs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bench_ids
import bench_memory
import bench_metrics
import bench_overhead
import bench_search
import bench_shapes
from harness import Page, run

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPTS = (
    bench_metrics,
    bench_ids,
    bench_shapes,
    bench_memory,
    bench_overhead,
    bench_search,
)


def pages(size: str) -> Iterator[Page]:
    """Pages of all scripts."""
    for script in SCRIPTS:
        yield from script.pages(size)


if __name__ == "__main__":
    run(pages, __doc__)
