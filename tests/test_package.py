"""The house: layers, public names and their docstrings, what an import brings in."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import needs

import sklearn_rankscore
from sklearn_rankscore import Metric, datasets, distributed, testing

HOUSE = Path(sklearn_rankscore.__file__).parent
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages([str(HOUSE)], "sklearn_rankscore.")
    if not module.name.endswith("__main__")
)

# Each room may import from those before it; a name stands for all that is below it.
LAYERS = ["metrics", "distributed", "model_selection", "inspection", "commands", "__main__"]
ALONE = {"datasets"}
METRIC_LAYERS = [
    {"_validation", "_canonical", "_weights"},
    {"_numbering", "_ids"},
    {
        "_seen",
        "_per_query",
        "_queries",
        "_gain",
        "_conventions",
        "_names",
        "_docs",
        "_highest",
        "_pairs",
        "_threads",
    },
    {"_ties", "_item_tables"},
    {"_items"},
    {"_rows", "_pairs_of_items"},
    {"_ranking", "_profiles"},
    {
        "_cumulated_gain",
        "_accuracy",
        "_beyond",
        "_preferences",
        "_user_models",
        "_correlation",
        "_curves",
        "_options",
        "_pointwise",
        "_serendipity",
    },
    {"_compute"},
    {"_metric"},
    {"__init__"},
    {"_evaluate", "_tally"},
    {"_batches"},
]


def imports(path, *, typing=True):
    """Absolute names that a file imports; without `typing`, only those that run."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if (
            not typing
            and isinstance(node, ast.If)
            and getattr(node.test, "id", "") == ("TYPE_CHECKING")
        ):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(name):
    """First part of a name below the package, or "" for the package itself."""
    parts = name.removeprefix("sklearn_rankscore").lstrip(".").split(".")
    return parts[0] if parts[0] in {*LAYERS, *ALONE, "testing"} else ""


def test_imports_run_one_way():
    """Metrics <- model_selection <- inspection <- __main__; datasets stands alone."""
    seen = 0
    for path in HOUSE.rglob("*.py"):
        here = path.relative_to(HOUSE).parts[0].removesuffix(".py")
        for name in imports(path):
            if not name.startswith("sklearn_rankscore") or here == "__init__":
                continue
            seen += 1
            there = room(name)
            if here in ALONE:
                pytest.fail(f"{here} imports {name}")
            if here == "testing":
                assert there == "metrics", f"{here} imports {name}"
            elif here != "__main__":
                assert there in LAYERS, f"{path.name} imports the package itself: {name}"
                assert LAYERS.index(there) <= LAYERS.index(here), f"{path.name} imports {name}"
    assert seen > 50


def test_metrics_have_layers_of_their_own():
    """Formulas stand on rankings, metrics on formulas; nothing looks up."""
    floors = {name: floor for floor, names in enumerate(METRIC_LAYERS) for name in names}
    files = {path.stem: path for path in (HOUSE / "metrics").glob("*.py")}
    assert set(files) == set(floors)
    for name, path in files.items():
        for imported in imports(path, typing=False):
            parts = imported.removeprefix("sklearn_rankscore.metrics.").split(".")
            if imported.startswith("sklearn_rankscore") and parts[0] in floors:
                assert floors[parts[0]] < floors[name], f"{path.name} imports {imported}"


def test_only_public_names_of_other_packages_are_imported():
    """No leading underscore anywhere in a path outside the package."""
    for path in HOUSE.rglob("*.py"):
        for name in imports(path):
            if not name.startswith(("sklearn_rankscore", "__future__")):
                assert not any(part.startswith("_") for part in name.split(".")), (path, name)


def test_the_import_brings_in_nothing_optional():
    """pandas, polars, matplotlib, dask, rich and the boosters stay out."""
    optional = {
        "pandas",
        "polars",
        "matplotlib",
        "dask",
        "distributed",
        "rich",
        "lightgbm",
        "xgboost",
    }
    code = (
        "import sys, sklearn.metrics, sklearn.model_selection; before = set(sys.modules);"
        "import sklearn_rankscore;"
        "new = {name.split('.')[0] for name in set(sys.modules) - before};"
        f"print(*sorted(new & {optional}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_the_oldest_versions_are_those_that_are_tested():
    """What a dependency must be at least is what the extra "oldest" installs."""
    project = Path(__file__).resolve().parents[1] / "pyproject.toml"
    settings = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    extras = settings["optional-dependencies"]
    required = settings["dependencies"] + extras["integration"] + extras["distributed"]
    floors = dict(re.sub(r"\[.*\]", "", line).split(" >=") for line in required)
    pins = dict(line.split(" ==") for line in extras["oldest"] if "==" in line)
    assert pins.keys() == {"dask", "numpy", "pandas", "scikit-learn", "scipy"}
    assert {name: f"{floors[name]}.*" for name in pins} == pins


# Every public callable: the package's, and those of its open modules.
PUBLIC = [
    *((name, getattr(sklearn_rankscore, name)) for name in sklearn_rankscore.__all__),
    *((name, getattr(distributed, name)) for name in distributed.__all__),
    ("load_letor", datasets.load_letor),
    ("make_interactions", datasets.make_interactions),
    ("make_ranking", datasets.make_ranking),
    ("assert_matches_sklearn", testing.assert_matches_sklearn),
]


def wanted_sections(value):
    """Sections of numpydoc that a public name must have."""
    if isinstance(value, Metric):
        return ["Parameters", "Returns", "Raises", "References", "Examples"]
    if inspect.isclass(value):
        if issubclass(value, Warning):
            return []
        made_by_factory = value.__name__.endswith(
            ("Scorer", "PerQuery", "Popularity", "Report", "Explanation")
        )
        return ["Attributes" if made_by_factory else "Parameters", "Examples"]
    sections = ["Returns", "Examples"]
    if inspect.signature(value).parameters:
        sections += ["Parameters", "Raises"]
    return sections


@pytest.mark.parametrize(("name", "value"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_public_names_are_documented(name, value):
    """Sections of numpydoc; for metrics range, when undefined, source; every parameter."""
    text = inspect.cleandoc(value.__doc__)
    assert text.splitlines()[0].endswith((".", "?")), name
    for section in wanted_sections(value):
        assert f"\n{section}\n{'-' * len(section)}\n" in text, f"{name} lacks {section}"
    if isinstance(value, Metric):
        assert "Range: " in text
        assert "Undefined for" in text or "Always defined" in text
    if "Parameters" in wanted_sections(value):
        for parameter in inspect.signature(value).parameters:
            assert parameter in text.split("\nParameters\n")[1], f"{name} lacks {parameter}"


def test_public_methods_are_documented():
    """Methods too say what they take and give."""
    for name, value in PUBLIC:
        for method in vars(value) if inspect.isclass(value) else ():
            if not method.startswith("_") and getattr(value, method) is not None:
                assert inspect.getdoc(getattr(value, method)), f"{name}.{method}"


def test_all_is_sorted():
    """One list, easy to find things in."""
    assert sklearn_rankscore.__all__ == sorted(sklearn_rankscore.__all__)


@pytest.mark.parametrize("module", MODULES)
def test_doctests(module):
    """Every example runs and prints what it says."""
    if module == "sklearn_rankscore.distributed._score":
        needs("distributed")
    result = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_doctests_are_found():
    """The examples of all formulas and factories are among those that ran."""
    finder = doctest.DocTestFinder()
    examples = sum(
        len(test.examples)
        for module in MODULES
        for test in finder.find(importlib.import_module(module))
    )
    assert examples > 40
