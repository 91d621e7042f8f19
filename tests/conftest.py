"""What the tests share: one thread for OpenMP, public data, optional packages."""

import os
from pathlib import Path

import pytest

# pytest reads this file before any test imports NumPy or a booster, and these read the variable
# once, when they are imported; the programs that the tests start inherit it. With a thread for
# each core, the threads of a booster wait for each other wherever other work keeps the cores busy:
# the same tests of boosters took 0.6 s or 57 s, by the load of the machine.
os.environ["OMP_NUM_THREADS"] = "1"

# Small public data; data/README.md says where each file is from.
DATA = Path(__file__).parent / "data"


def needs(package):
    """Import an optional package, or skip the test and name the package."""
    return pytest.importorskip(package, reason=f"needs the package {package}")
