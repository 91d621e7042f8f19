"""The house: layers, public names and their docstrings, what an import brings in."""

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
from sklearn_rankscore import Metric, datasets, distributed, metric_names, metrics, testing

HOUSE = Path(sklearn_rankscore.__file__).parent
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages([str(HOUSE)], "sklearn_rankscore.")
    if not module.name.endswith("__main__")
)

# Rooms from the ground up: each may import from those before it, and from itself. A name stands
# for all that is below it, but for what has a line of its own.
ROOMS = [
    "_foreign",
    "_messages",
    "_render",
    "_typing",
    "datasets",
    "metrics._rows",
    "metrics._options",
    "metrics._ranking",
    "metrics._formulas",
    "metrics._metric",
    "metrics",
    "metrics.profiles",
    "metrics.evaluate",
    "streaming",
    "distributed",
    "testing",
    "model_selection._ids",
    "model_selection._scorers",
    "model_selection._rankers",
    "model_selection._splits",
    "model_selection",
    "inspection._explain",
    "inspection._report",
    "inspection._displays",
    "inspection",
    "",
    "_commands",
    "__main__",
]


def imports(path):
    """Absolute names that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def name_of(path):
    """Name of a module below the package, from its path."""
    parts = path.relative_to(HOUSE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULE_NAMES = {name_of(path) for path in HOUSE.rglob("*.py")}


def imported_modules(path):
    """Modules of the package that a file imports, by their names below it."""
    for name in imports(path):
        if name.split(".")[0] == "sklearn_rankscore":
            below = name.removeprefix("sklearn_rankscore").lstrip(".")
            while below not in MODULE_NAMES:  # a class or a function of a module
                below = below.rpartition(".")[0]
            yield below


def room(module):
    """The narrowest room that a module is in."""
    while module not in ROOMS:
        module = module.rpartition(".")[0]
    return module


@pytest.mark.parametrize("path", sorted(HOUSE.rglob("*.py")), ids=name_of)
def test_imports_run_one_way(path):
    """A room stands on those below it; nothing looks up."""
    here = room(name_of(path))
    for module in imported_modules(path):
        there = room(module)
        assert ROOMS.index(there) <= ROOMS.index(here), f"{here} imports {module}"


def test_every_room_is_there():
    """No room of the list is empty."""
    assert {room(module) for module in MODULE_NAMES} == set(ROOMS)


def test_no_modules_import_each_other():
    """The modules have an order in which they could be read."""
    ahead = {
        name_of(path): set(imported_modules(path)) - {name_of(path)}
        for path in HOUSE.rglob("*.py")
    }
    assert sum(map(len, ahead.values())) > 100
    while ahead:
        read = {name for name, others in ahead.items() if not others & ahead.keys()}
        assert read, f"these import each other: {sorted(ahead)}"
        ahead = {name: others for name, others in ahead.items() if name not in read}


def test_only_public_names_of_other_packages_are_imported():
    """No leading underscore anywhere in a path outside the package."""
    for path in HOUSE.rglob("*.py"):
        for name in imports(path):
            if not name.startswith(("sklearn_rankscore", "__future__")):
                assert not any(part.startswith("_") for part in name.split(".")), (path, name)


def test_the_import_brings_in_nothing_optional():
    """pandas, polars, matplotlib, dask and the boosters stay out."""
    optional = {
        "pandas",
        "polars",
        "matplotlib",
        "dask",
        "distributed",
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


def test_every_metric_of_the_table_is_exported():
    """The package exports what the table's module lists, and that lists every metric."""
    functions = {"Metric", "PerQuery", "get_metric", "metric_names"}
    assert set(metrics.__all__) == functions | set(metric_names())
    assert set(metrics.__all__) < set(sklearn_rankscore.__all__)


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
