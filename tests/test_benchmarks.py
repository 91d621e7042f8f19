"""The benchmarks: one run of all of them, on tiny inputs, of which the times mean nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


def test_each_script_runs(tmp_path):
    """Each gives pages without a warning; each line on them took time, and is printed."""
    out = tmp_path / "pages.json"
    run = subprocess.run(
        [sys.executable, str(FOLDER / "run.py"), "--size", "tiny", "--json", str(out)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},  # each script runs in a process of its own
        check=False,
    )
    assert run.returncode == 0, run.stderr
    pages = json.loads(out.read_text(encoding="utf-8"))
    assert {page["script"] for page in pages} == {path.name for path in FOLDER.glob("bench_*.py")}
    for page in pages:
        assert page["title"] in run.stdout
        assert page["lines"], page
        for line in page["lines"]:
            assert line["value"] > 0, line
            assert line["what"] in run.stdout
