"""The command line, as people run it."""

import os
import re
import subprocess
import sys

import pytest
from conftest import DATA
from sklearn.model_selection import GridSearchCV

from sklearn_rankscore import QueryKFold, RankTarget, make_rank_scorer
from sklearn_rankscore import __main__ as command
from sklearn_rankscore.datasets import make_ranking


def run(*arguments, **kwargs):
    """Run the command in a process of its own."""
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "sklearn_rankscore", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        check=False,
        **kwargs,
    )


def test_the_main_job():
    """Progress, table, choice and its cost, and the check against scikit-learn."""
    done = run()
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert re.match(r"4389 rows in 300 queries, 10 features, grades 0 to 4", lines[0])
    assert sum(bool(re.match(r"  \d/9  learning_rate=", line)) for line in lines) == 9
    header = next(line for line in lines if "ndcg@10" in line and "RMSE" in line and "map" in line)
    assert header.split() == ["learning_rate", "max_leaf_nodes", "ndcg@10", "map", "mrr", "RMSE"]
    table = lines[lines.index(header) + 1 : lines.index(header) + 10]
    means = {
        name: [float(row.split(" ± ")[at].split()[-1]) for row in table]
        for at, name in enumerate(("ndcg@10", "map", "mrr", "RMSE"))
    }
    assert means["ndcg@10"] == sorted(means["ndcg@10"], reverse=True)
    assert table[0].startswith("*")
    assert table[means["RMSE"].index(min(means["RMSE"]))].startswith("r")
    cost = float(re.search(r"Choosing by RMSE costs (\S+) ndcg@10", done.stdout)[1])
    by_rmse = means["ndcg@10"][means["RMSE"].index(min(means["RMSE"]))]
    assert cost == pytest.approx(means["ndcg@10"][0] - by_rmse, abs=1.5e-4)
    assert cost > 0
    assert float(re.search(r"largest difference (\S+)", done.stdout)[1]) <= 1e-12


def test_the_table_holds_the_scores_of_a_plain_grid_search(capsys):
    """The program prints what GridSearchCV gives by itself."""
    X, y, qid = make_ranking(random_state=3)
    assert command.main(["--seed", "3", "--cv", "3", "--metric", "map@5", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    search = GridSearchCV(
        command.HistGradientBoostingRegressor(early_stopping=False, random_state=3),
        {"learning_rate": [0.1], "max_leaf_nodes": [8]},
        scoring=make_rank_scorer("map@5"),
        cv=QueryKFold(3),
    ).fit(X, RankTarget(y, qid=qid))
    mean, std = search.cv_results_["mean_test_score"][0], search.cv_results_["std_test_score"][0]
    row = next(line for line in printed.splitlines() if re.match(r"\S*\s+0\.1\s+8\s", line))
    assert f"{mean:.4f} ± {std:.4f}" in row
    assert re.search(r"map@5\s+ndcg@10\s+map\s+mrr\s+RMSE", printed)


def test_real_data(capsys):
    """The program reads a LETOR file and searches on its rows."""
    path = DATA / "letor" / "first_30_queries.svm"
    assert command.main(["--data", str(path), "--cv", "2", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "410 rows in 30 queries, 300 features, grades 0 to 4" in printed
    assert float(re.search(r"largest difference (\S+)", printed)[1]) <= 1e-12


BAD_FILES = {
    "no ids": ("1 1:2\n0 1:3\n", "0 query ids for 2 rows"),
    "no rows": ("", "holds no rows"),
    "no numbers": ("grade,query\n", "could not convert"),
    "negative": (
        "-1 qid:1 1:2\n0 qid:2 1:3\n" * 9,
        "must not be negative, as they are gains",
    ),
    "all zero": ("0 qid:1 1:2\n0 qid:2 1:3\n", "nothing to rank"),
    "few queries": ("1 qid:1 1:2\n0 qid:2 1:3\n", "--cv must be from 2 to the number of queries"),
}


@pytest.mark.parametrize(("text", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files_get_one_line_and_status_2(tmp_path, capsys, text, message):
    """Each is an error of one line, without a traceback."""
    path = tmp_path / "rows.txt"
    path.write_text(text)
    check_refused(capsys, ["--data", str(path)], message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "absent.txt"], "No such file"),
        (["--data", "."], "directory"),
        (["--metric", "ndgc"], "Unknown metric 'ndgc'. Did you mean 'ndcg'"),
        (["--metric", "ndcg@0"], "must be a positive integer"),
        (["--cv", "1"], "--cv must be from 2"),
        (["--cv", "301"], "--cv must be from 2 to the number of queries, 300. Got 301"),
        (["--cv", "five"], "invalid int value: 'five'"),
        (["--jobs", "0"], "--jobs must not be 0"),
        (["--metric", "ideal_dcg@5"], "is the same for all models"),
        (["--metric", "coverage@5"], "coverage@5 needs the item of each row, which is not read"),
        (["--metric", "rmse"], "must be a ranking metric"),
        (["--metric", "serendipity"], "needs the item and similarity of each row"),
        (["--seed", "-1"], "--seed must be from 0"),
        (["--dat"], "expected one argument"),
        (["rows.txt"], "unrecognized arguments: rows.txt"),
    ],
)
def test_bad_arguments_get_one_line_and_status_2(capsys, arguments, message):
    """The line says what was wrong."""
    check_refused(capsys, arguments, message)


def check_refused(capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        command.main(arguments)
    out, err = capsys.readouterr()
    assert stop.value.code == 2
    assert out == ""
    assert err.startswith("python -m sklearn_rankscore: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_help_names_every_option():
    """The help ends with status 0."""
    done = run("--help")
    assert done.returncode == 0
    for option in ("--data", "--metric", "--cv", "--jobs", "--seed"):
        assert option in done.stdout


def test_a_terminal_without_the_signs_and_a_reader_that_leaves():
    """Neither an ASCII terminal nor `| head -1` ends in a traceback."""
    command_line = [sys.executable, "-m", "sklearn_rankscore", "--cv", "2", "--jobs", "1"]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command_line, capture_output=True, env=ascii_only, check=False)
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"0.0" in done.stdout
    with subprocess.Popen(command_line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 141


def test_an_interrupt_is_not_a_traceback(monkeypatch, capsys):
    """Ctrl-C ends the search with one line."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(command.GridSearchCV, "fit", interrupted)
    assert command.main([]) == 130
    assert capsys.readouterr().err.strip() == "python -m sklearn_rankscore: interrupted"


def test_negative_scores_are_shown_as_they_are():
    """A correlation may be below 0; only RMSE is turned round."""
    results = {
        "mean_test_spearman_rho": [-0.25],
        "std_test_spearman_rho": [0.1],
        "mean_test_RMSE": [-1.5],
    }
    shown = command._read_mean_score  # noqa: SLF001
    assert shown(results, "spearman_rho", 0) == -0.25
    assert shown(results, "RMSE", 0) == 1.5
