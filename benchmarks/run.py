"""Every benchmark, on one page, each in a process of its own.

    python benchmarks/run.py [--size tiny] [--json FILE]

Peers that are not installed are left out; the extra "bench" installs them.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import Line, Page, run

HERE = Path(__file__).resolve().parent


def pages(size: str) -> Iterator[Page]:
    """Pages of all scripts, in the order of their names."""
    for script in sorted(HERE.glob("bench_*.py")):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "pages.json")
            command = [sys.executable, str(script), "--size", size, "--json", str(out)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            for page in json.loads(out.read_text(encoding="utf-8")):
                page["lines"] = [Line(**line) for line in page["lines"]]
                page["script"] = script.name
                yield Page(**page)


if __name__ == "__main__":
    run(pages, __doc__)
