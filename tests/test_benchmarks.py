"""The benchmarks: each runs, on a tiny size; what it measures there says nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
SCRIPTS = [*sorted(path.name for path in FOLDER.glob("bench_*.py")), "run.py"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_runs(script, tmp_path):
    """Without a word on the error stream; numbers of things that took time."""
    out = tmp_path / "pages.json"
    run = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            str(FOLDER / script),
            "--size",
            "tiny",
            "--json",
            str(out),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    pages = json.loads(out.read_text(encoding="utf-8"))
    assert len(pages) >= (len(SCRIPTS) if script == "run.py" else 1)
    for page in pages:
        assert page["title"] in run.stdout
        assert page["lines"]
        for line in page["lines"]:
            assert line["value"] > 0, line
            assert line["what"] in run.stdout
