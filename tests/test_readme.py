"""The README: its examples run, its table is that of the metrics."""

import doctest
import re
from pathlib import Path

import pytest
from cells import cells
from conftest import needs

from sklearn_rankscore import RankTarget, get_metric, metric_names

README = Path(__file__).resolve().parents[1] / "README.md"


def metrics_table():
    """One line per metric, from the table in the package and the docstrings there."""
    lines = [
        "| metric | in names | options | range | undefined |",
        "|---|---|---|---|---|",
    ]
    for name in metric_names():
        metric = get_metric(name)
        cutoff = "@10" if "k" in metric.options else ""
        spellings = ", ".join(f"`{spelling}{cutoff}`" for spelling in (name, *metric.aliases))
        own = [
            o
            for o in metric.options
            if o not in ("k", "ties", "replace_undefined_by", "convention")
        ]
        span, undefined = re.search(
            r"Range: (.*?)\. (?:Undefined for (.*?)|Always defined.*?)\.",
            " ".join(metric.__doc__.split()),
        ).groups()
        options = ", ".join(f"`{option}`" for option in own)
        lines.append(
            f"| {metric.__doc__.split(':')[0]} | {spellings} | {options} | {span} | "
            f"{undefined or 'never'} |"
        )
    return "\n".join(lines)


def check_table(name, table):
    """Where this fails, the lines it shows belong between the two comments."""
    text = README.read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name}: .*? -->\n\n(.*?)\n\n<!-- end of {name} -->", text, re.DOTALL)
    assert found, table
    assert found[1] == table, table


def test_the_table_of_metrics_is_that_of_the_package():
    """Names, options, ranges."""
    check_table("metrics", metrics_table())


MARKS = {"works": "yes", "raises": "error", "cannot": "no"}


def carriers_table():
    """The table of the tests, consumers of equal outcome in one line."""
    lines = {}
    for consumer, carrier, outcome in cells():
        lines.setdefault(consumer, {})[carrier] = MARKS[outcome]
    groups = {}
    for consumer, outcomes in lines.items():
        groups.setdefault(tuple(outcomes.values()), []).append(consumer)
    carriers = next(iter(lines.values()))
    table = [["used in", *carriers], ["---"] * (len(carriers) + 1)]
    table += [[", ".join(consumers), *outcomes] for outcomes, consumers in groups.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in table)


def test_the_table_of_carriers_is_that_of_the_tests():
    """What works is what was tested."""
    check_table("carriers", carriers_table())


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's own use of pandas
@pytest.mark.filterwarnings("ignore:Port 8787 is already in use")  # of another cluster
@pytest.mark.filterwarnings("ignore:Creating scratch directories")  # on a slow disk
def test_the_examples_with_other_libraries_run(tmp_path, monkeypatch):
    """Those that are no doctests, where what they import is there."""
    monkeypatch.chdir(tmp_path)  # where pictures are saved
    text = README.read_text(encoding="utf-8")
    examples = [
        code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if code[0] != ">"
    ]
    assert len(examples) >= 3
    for code in examples:
        for package in re.findall(
            r"^(?:from|import) (lightgbm|dask|pyarrow|pandas)", code, re.MULTILINE
        ):
            needs(package)
        if "Display" in code:
            needs("matplotlib").use("Agg")
        names = {"__name__": "__main__"}
        exec(code, names)  # noqa: S102
        model = names.get("search", names.get("ranker"))
        if model is not None:
            assert model.score(names["X"], RankTarget(names["y"], qid=names["qid"])) > 0.8


def test_the_pictures_are_those_of_the_example(tmp_path, monkeypatch, capsys):
    """Each that is shown is saved by the code above it; the report printed there has its means."""
    needs("matplotlib").use("Agg")
    text = README.read_text(encoding="utf-8")
    code, printed = re.search(
        r"```python\n([^`]*rank_report\([^`]*)```\n\n```text\n(.*?)```", text, re.DOTALL
    ).groups()
    monkeypatch.chdir(tmp_path)
    exec(code, {})  # noqa: S102
    shown = re.findall(r"\]\(\.pictures/(\w+\.png)\)", text)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(shown)
    for name in shown:
        assert (README.parent / ".pictures" / name).read_bytes().startswith(b"\x89PNG")
    lines = zip(printed.splitlines()[1:5], capsys.readouterr().out.splitlines()[1:5], strict=True)
    for shown_there, now in lines:
        *there, mean_there = shown_there.split()[:3]
        *here, mean = now.split()[:3]
        assert there == here
        # Versions of scikit-learn cut other folds.
        assert float(mean_there) == pytest.approx(float(mean), abs=0.01)


def test_the_examples_run():
    """As they stand, and printing what they say."""
    result = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert result.attempted > 10
    assert result.failed == 0


def test_the_first_example_is_short():
    """A first screen is read."""
    first = re.search(r"```python\n(.*?)\n\n```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(first[1].splitlines()) <= 12


@pytest.mark.parametrize(
    "command",
    ["pip install . && python -m sklearn_rankscore", 'pip install ".[test]" && pytest'],
)
def test_the_two_commands_stand_alone(command):
    """Each on a line of its own, to be copied."""
    assert README.read_text(encoding="utf-8").splitlines().count(command) == 1
