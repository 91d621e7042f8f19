"""What tests share: public data beside the project, where it is there."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def shared():
    """Give a folder of public data by name; skip, with the reason, where it is absent."""

    def folder(name):
        path = Path(__file__).resolve().parents[2] / "shared" / name
        if not path.is_dir():
            pytest.skip(f"the public data of {name} is not beside the project")
        return path

    return folder


def needs(package):
    """Import an optional package, or skip by its name."""
    return pytest.importorskip(package, reason=f"needs the package {package}")
