"""The command ``score``: files in, numbers out; an error names file and line."""

import csv
import json
from importlib.metadata import entry_points

import numpy as np
import pytest
from conftest import DATA, needs

from sklearn_rankscore import evaluate, evaluate_per_query
from sklearn_rankscore.__main__ import main

LABELS = "2 qid:7 1:0.5\n0 qid:7 1:1 # a comment\n1 qid:7\n\n0 qid:x 3:1\n1 qid:x 1:2\n"
GRADES, IDS = [2, 0, 1, 0, 1], ["7", "7", "7", "x", "x"]
ONE, TWO = [0.1, 0.3, 0.2, 5, -1], [3, 2, 1, 0, 1]


@pytest.fixture
def files(tmp_path):
    """Labels, and the scores of two models."""
    (tmp_path / "labels.svm").write_text(LABELS)
    for name, scores in (("one.txt", ONE), ("two.txt", TWO)):
        (tmp_path / name).write_text("\n".join(map(str, scores)) + "\n")
    return tmp_path


def run(capsys, *arguments):
    """Exit status, output and errors."""
    try:
        status = main(["score", *map(str, arguments)])
    except SystemExit as stopped:
        status = stopped.code
    return status, *capsys.readouterr()


def test_one_model(files, capsys):
    """Text, JSON and Markdown hold the numbers of the metrics."""
    names = ["ndcg@2", "map", "rmse"]
    want = evaluate(GRADES, ONE, qid=IDS, metrics=names)
    rows = ["--labels", files / "labels.svm", "--scores", files / "one.txt"]
    asked = [part for name in names for part in ("-m", name)]
    status, out, err = run(capsys, *rows, *asked, "--format", "json")
    assert (status, err) == (0, "")
    assert json.loads(out) == pytest.approx(want, abs=1e-12)
    for form in ("text", "markdown"):
        _, out, _ = run(capsys, *rows, *asked, "--format", form)
        for name, value in want.items():
            assert f"{value:.4f}" in next(line for line in out.splitlines() if name in line)
    _, out, _ = run(capsys, *rows)
    assert [line.split()[0] for line in out.splitlines()] == ["metric", "ndcg@10", "map", "mrr"]


def test_several_models_are_compared(files, capsys):
    """As rank_report does; by their names or those of their files; each query written."""
    rows = ["--labels", files / "labels.svm", "--scores", files / "one.txt"]
    rows += ["--scores", f"new={files / 'two.txt'}", "-m", "map", "-m", "mrr"]
    out_file = files / "out.csv"
    status, out, _ = run(capsys, *rows, "--format", "json", "--per-query", out_file)
    assert status == 0
    report = json.loads(out)
    assert report["baseline"] == "one"
    assert [row["model"] for row in report["rows"]] == ["one", "new"] * 2
    for model, scores in (("one", ONE), ("new", TWO)):
        want = evaluate(GRADES, scores, qid=IDS, metrics=["map", "mrr"])
        for row in report["rows"]:
            if row["model"] == model:
                assert row["mean"] == pytest.approx(want[row["metric"]], abs=1e-12)
    with out_file.open() as file:
        lines = list(csv.DictReader(file))
    assert [line["qid"] for line in lines] == ["7", "x"]
    values = evaluate_per_query(GRADES, TWO, qid=IDS, metrics=["map"])["map"]
    np.testing.assert_allclose([float(line["new: map"]) for line in lines], values)
    _, text, _ = run(capsys, *rows)
    assert "differences from one" in text
    assert "Unsafe: 2 queries are few" in text
    _, text, _ = run(capsys, *rows, "--format", "markdown")
    assert text.startswith("| metric | model | mean |")


def test_tables(files, capsys):
    """CSV and Parquet are read by the names of their columns."""
    rows = list(zip(GRADES, IDS, ONE, TWO, strict=True))
    text = "grade,query,one,two\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    (files / "rows.csv").write_text(text)
    asked = ["--y-true", "grade", "--qid", "query", "--scores", "two", "-m", "map"]
    want = {"map": evaluate(GRADES, TWO, qid=IDS, metrics=["map"])["map"]}
    status, out, _ = run(capsys, "--table", files / "rows.csv", *asked, "--format", "json")
    assert status == 0
    assert json.loads(out) == pytest.approx(want)
    needs("pyarrow")
    frame = needs("pandas").read_csv(files / "rows.csv")
    frame.to_parquet(files / "rows.parquet")
    _, out, _ = run(capsys, "--table", files / "rows.parquet", *asked, "--format", "json")
    assert json.loads(out) == pytest.approx(want)


def test_trec_files_give_the_numbers_of_trec_eval(tmp_path, capsys):
    """Its expected file, each topic and the mean, for every metric that both have."""
    folder = DATA / "trec"
    lines = (folder / "expected_all_per_query.txt").read_text().splitlines()
    expected = {(m, topic): text for m, topic, text in (line.split() for line in lines)}
    names = {"map": "map", "recip_rank": "mrr", "ndcg": "ndcg", "Rprec": "rprec", "bpref": "bpref"}
    names |= {f"P_{k}": f"p@{k}" for k in (5, 10, 100, 1000)}
    names |= {
        f"{m}_{k}": f"{o}@{k}"
        for k in (5, 30, 200)
        for m, o in (("recall", "recall"), ("ndcg_cut", "ndcg"), ("map_cut", "map"))
    }
    names |= {f"success_{k}": f"success@{k}" for k in (1, 5, 10)} | {"rbp": "rbp"}
    out_file = tmp_path / "topics.csv"
    status, out, err = run(
        capsys,
        *("--qrels", folder / "qrels.test", "--run", folder / "results.test"),
        *(part for name in names.values() for part in ("-m", name)),
        *("--convention", "trec_eval", "--per-query", out_file, "--format", "json"),
    )
    assert (status, err) == (0, "")
    with out_file.open() as file:
        topics = {line["qid"]: line for line in csv.DictReader(file)}
    assert set(topics) == {"301", "302", "303"}
    for theirs, ours in names.items():
        assert f"{json.loads(out)[ours]:.4f}" == expected[theirs, "all"]
        for topic, line in topics.items():
            assert f"{float(line[ours]):.4f}" == expected[theirs, topic]


@pytest.mark.parametrize(
    ("extra", "mrr"), [([], 0.5), (["--complete"], 0.25)], ids=["left out", "--complete"]
)
def test_queries_that_a_run_lacks(tmp_path, capsys, extra, mrr):
    """They are left out, or count with 0; documents that nobody judged have grade 0."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 c 1 9 x\n1 Q0 a 2 8 x\n3 Q0 a 1 1 x\n")
    rows = [
        "--qrels",
        tmp_path / "qrels",
        "--run",
        tmp_path / "run",
        "-m",
        "mrr",
        "-m",
        "judged@2",
    ]
    _, out, _ = run(capsys, *rows, *extra, "--format", "json")
    assert json.loads(out)["mrr"] == mrr
    _, out, _ = run(capsys, *rows, "--format", "json")
    assert json.loads(out)["judged@2"] == 0.5


def test_what_other_programs_write_is_read(tmp_path, capsys):
    """A mark of byte order, comments, blank lines, equal ranks."""
    (tmp_path / "l").write_text(
        "\ufeff# a comment\n1 qid:1 1:1\n\n0 qid:1 1:2\n", encoding="utf-8"
    )
    (tmp_path / "s").write_text("\ufeff2\n1\n", encoding="utf-8")
    _, out, _ = run(capsys, "--labels", tmp_path / "l", "--scores", tmp_path / "s", "-m", "mrr")
    assert "1.0000" in out
    (tmp_path / "t.csv").write_text("y_true,qid,s\n1,a,2\n\n0,a,1\n")
    _, out, _ = run(capsys, "--table", tmp_path / "t.csv", "--scores", "s", "-m", "mrr")
    assert "1.0000" in out
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 0 .9 x\n1 Q0 b 0 .5 x\n")
    _, out, _ = run(capsys, "--qrels", tmp_path / "q", "--run", tmp_path / "r", "-m", "mrr")
    assert "1.0000" in out


def test_a_plot_is_written(files, capsys):
    """The first metric that has a cutoff, against it."""
    needs("matplotlib").use("Agg")
    rows = ["--labels", files / "labels.svm", "--scores", files / "one.txt"]
    assert run(capsys, *rows, "--plot", files / "out.png")[0] == 0
    assert (files / "out.png").read_bytes().startswith(b"\x89PNG")
    status, _, err = run(capsys, *rows, "-m", "auc", "--plot", files / "out.png")
    assert status == 2
    assert "needs a metric that has a cutoff" in err


WRONG = {
    "no rows": ([], "Give rows in one of three ways"),
    "no scores": (["--labels", "labels.svm"], "With --labels give --scores, and no --run"),
    "too few": (
        ["--labels", "labels.svm", "--scores", "short"],
        "one score for each of the 5 rows of labels.svm. Got 1.",
    ),
    "no ids": (
        ["--labels", "plain", "--scores", "one.txt"],
        "plain, line 1: expected 'grade qid:",
    ),
    "a word": (["--labels", "labels.svm", "--scores", "word"], "word, line 2: expected one score"),
    "nan": (["--labels", "labels.svm", "--scores", "nan"], "nan, line 1: expected one score. Got"),
    "empty": (["--labels", "labels.svm", "--scores", "empty"], "empty holds nothing"),
    "no file": (["--labels", "labels.svm", "--scores", "absent"], "absent"),
    "same names": (
        ["--labels", "labels.svm", "--scores", "one.txt", "--scores", "one.txt"],
        "Two models are called 'one'; name them: NAME=FILE",
    ),
    "column": (
        ["--table", "t.csv", "--scores", "z"],
        "t.csv has no column 'z'. Its columns are 'y",
    ),
    "ragged": (["--table", "t.csv", "--scores", "s"], "t.csv, line 3: expected 3 values, as the"),
    "text": (["--table", "u.csv", "--scores", "s"], "u.csv, line 2: expected a number for s. Got"),
    "qrels": (
        ["--qrels", "short", "--run", "run"],
        "short, line 1: expected 'query iteration doc",
    ),
    "run": (["--qrels", "qrels", "--run", "short"], "short, line 1: expected 'query Q0 document"),
    "twice": (
        ["--qrels", "qrels", "--run", "twice"],
        "twice, line 2: expected each document once",
    ),
    "strangers": (["--qrels", "qrels", "--run", "other"], "qrels judges no query of other"),
    "judged twice": (
        ["--qrels", "again", "--run", "run"],
        "again, line 2: expected each document",
    ),
    "no grade": (
        ["--table", "v.csv", "--scores", "s"],
        "v.csv, line 2: expected a value for y_tr",
    ),
    "no id": (["--labels", "noid", "--scores", "one.txt"], "noid, line 1: expected 'grade qid:ID"),
    "bytes": (["--labels", "bytes", "--scores", "one.txt"], "bytes, line 1: expected text in UTF"),
    "nothing": (["--table", "w.csv", "--scores", "s"], "w.csv holds nothing"),
    "seed": (["--qrels", "qrels", "--run", "run", "--seed", "-1"], "--seed must not be negative"),
    "complete": (["--labels", "labels.svm", "--scores", "one.txt", "--complete"], "is of --qrels"),
    "metric": (["--qrels", "qrels", "--run", "run", "-m", "ndgc"], "Did you mean 'ndcg'"),
    "items": (["--qrels", "qrels", "--run", "run", "-m", "coverage@5"], "needs the item of each"),
    "convention": (["--qrels", "qrels", "--run", "run", "--convention", "x"], "must be one of"),
    "pooled": (
        ["--labels", "labels.svm", "--scores", "one.txt", "-m", "rmse", "--per-query", "o.csv"],
        "no value per query",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line(case, files, capsys, monkeypatch):
    """The error names file and line and what was expected; the exit status is 2."""
    monkeypatch.chdir(files)
    contents = {
        "short": "1 2 3\n" if case in ("qrels", "run") else "1\n",
        "plain": "1 1:0.5\n",
        "word": "1\nx\n2\n3\n4\n",
        "nan": "nan\n1\n2\n3\n4\n",
        "empty": "\n",
        "t.csv": "y_true,qid,s\n1,a,2\n1,a\n",
        "u.csv": "y_true,qid,s\n1,a,two\n",
        "qrels": "1 0 a 1\n",
        "run": "1 Q0 a 1 2.5 tag\n",
        "twice": "1 Q0 a 1 2 tag\n1 Q0 a 2 1 tag\n",
        "other": "9 Q0 a 1 2 tag\n",
        "again": "1 0 a 1\n1 0 a 0\n",
        "v.csv": "y_true,qid,s\n,a,2\n",
        "w.csv": "",
        "noid": "1 qid: 1:2\n",
    }
    for name, text in contents.items():
        (files / name).write_text(text)
    (files / "bytes").write_bytes(b"\x8b\xff\n")
    arguments, message = WRONG[case]
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_the_console_script():
    """`rankscore` beside `python -m sklearn_rankscore`."""
    (script,) = entry_points(group="console_scripts", name="rankscore")
    assert script.load() is main


@pytest.mark.parametrize("output", ["--per-query", "--plot"])
@pytest.mark.parametrize("target", ["labels.svm", "one.txt", "link"])
def test_outputs_never_replace_inputs(files, capsys, output, target):
    """Nor through a link."""
    (files / "link").symlink_to(files / "labels.svm")
    before = (files / target).read_text()
    rows = ["--labels", files / "labels.svm", "--scores", files / "one.txt"]
    status, _, err = run(capsys, *rows, output, files / target)
    assert status == 2
    assert "is an input, and would be overwritten" in err
    assert (files / target).read_text() == before


def test_two_outputs_are_two_files(files, capsys):
    """And a picture needs a file."""
    rows = ["--labels", files / "labels.svm", "--scores", files / "one.txt"]
    status, _, err = run(capsys, *rows, "--per-query", files / "x", "--plot", files / "x")
    assert (status, "cannot hold both outputs" in err) == (2, True)
    status, _, err = run(capsys, *rows, "--plot", files)
    assert (status, "must be a file" in err) == (2, True)


def test_a_run_that_fails_leaves_old_files(files, capsys):
    """What was there stays until all is computed."""
    (files / "keep.csv").write_text("old")
    rows = ["--labels", files / "labels.svm", "--scores", files / "one.txt", "-m", "kendall"]
    status, _, err = run(
        capsys, *rows, "--per-query", files / "keep.csv", "--plot", files / "x.png"
    )
    assert (status, "needs a metric that has a cutoff" in err) == (2, True)
    assert (files / "keep.csv").read_text() == "old"
    assert sorted(path.name for path in files.iterdir()) == [
        "keep.csv",
        "labels.svm",
        "one.txt",
        "two.txt",
    ]


def test_cells_are_no_formulas(files, capsys):
    """A spreadsheet would run ids that begin with =; numbers stay numbers."""
    (files / "t.csv").write_text("y_true,qid,m\n1,=1+1,0.1\n0,=1+1,0.2\n1,-5,1\n")
    run(
        capsys,
        "--table",
        files / "t.csv",
        "--scores",
        "m",
        "-m",
        "mrr",
        "--per-query",
        files / "o",
    )
    assert (files / "o").read_text().split() == ["qid,mrr", "'=1+1,0.5", "-5,1.0"]


QRELS = "q 0 a 1\nq 0 b 0\nq 0 c 0\nq 0 d 1\n"
RUN_A = "q Q0 b 1 3 t\nq Q0 a 2 2 t\n"
RUN_B = "".join(f"q Q0 x{at} {at + 1} {9 - at} t\n" for at in range(6))


@pytest.mark.parametrize("metric", ["fall_out@2", "auc", "pairwise_accuracy", "kendall", "map"])
def test_a_run_is_scored_as_if_alone(tmp_path, capsys, metric):
    """The documents of another run are none of its own."""
    for name, text in (("q", QRELS), ("A", RUN_A), ("B", RUN_B)):
        (tmp_path / name).write_text(text)
    rows = ["--qrels", tmp_path / "q", "--run", tmp_path / "A", "-m", metric, "--format", "json"]
    alone = json.loads(run(capsys, *rows)[1])
    beside = json.loads(run(capsys, *rows, "--run", tmp_path / "B")[1])
    assert [alone[metric]] == [row["mean"] for row in beside["rows"] if row["model"] == "A"]


def test_negative_grades_are_not_judged_to_bpref_of_trec_eval(tmp_path, capsys):
    """As in trec_eval, where -2 is spam."""
    (tmp_path / "q").write_text("q 0 a 1\nq 0 b -2\nq 0 c 0\nq 0 d 1\n")
    (tmp_path / "r").write_text("".join(f"q Q0 {d} {i} {9 - i} t\n" for i, d in enumerate("bacd")))
    rows = ["--qrels", tmp_path / "q", "--run", tmp_path / "r", "-m", "bpref"]
    _, out, _ = run(capsys, *rows, "--convention", "trec_eval")
    assert out.split()[-1] == "0.5000"  # a: none above; d: c above, of one
    assert run(capsys, *rows)[1].split()[-1] == "0.2500"  # a: b above, of two; d: b and c, of two


def test_ranks_that_contradict_scores_are_a_warning(tmp_path, capsys):
    """The score counts, in full."""
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text("q Q0 a 1 0.123456789012 t\nq Q0 b 2 0.5 t\n")
    status, out, err = run(capsys, "--qrels", tmp_path / "q", "--run", tmp_path / "r", "-m", "mrr")
    assert (status, out.split()[-1]) == (0, "0.5000")
    assert "the score 0.5 at rank 2 is above the 0.123456789012 of rank 1" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("text", ["1_0", "\uff11", "nan", "2026-01-01"])
def test_text_that_is_no_number(files, capsys, text):
    """Python reads more as numbers than files hold."""
    (files / "one.txt").write_text(f"{text}\n" * 5, encoding="utf-8")
    rows = ["--labels", files / "labels.svm", "--scores", files / "one.txt"]
    status, _, err = run(capsys, *rows)
    assert (status, "expected one score" in err) == (2, True)


def test_long_whole_numbers_keep_their_order(files, capsys):
    """Above 2**53 floats do not."""
    (files / "t.csv").write_text(f"y_true,qid,m\n0,1,{2**53}\n1,1,{2**53 + 1}\n")
    _, out, _ = run(capsys, "--table", files / "t.csv", "--scores", "m", "-m", "mrr")
    assert out.split()[-1] == "1.0000"


def test_columns_of_one_name_and_of_other_types(files, capsys):
    """The first of two is not taken in silence; dates are no scores; a field has a limit."""
    (files / "t.csv").write_text("y_true,qid,m,m\n1,1,0.1,9\n0,1,0.2,1\n")
    status, _, err = run(capsys, "--table", files / "t.csv", "--scores", "m")
    assert (status, "must have one column 'm'. Got 2" in err) == (2, True)
    (files / "h.csv").write_text("x" * 200_000 + ",y_true,qid,m\n1,2,1,0.1\n")
    assert run(capsys, "--table", files / "h.csv", "--scores", "m")[0] == 2
    pd = needs("pandas")
    needs("pyarrow")
    dates = pd.to_datetime(["2020-01-01", "2021-01-01"])
    table = pd.DataFrame({"y_true": [1, 0], "qid": [1, 1], "m": dates})
    table.to_parquet(files / "t.parquet")
    status, _, err = run(capsys, "--table", files / "t.parquet", "--scores", "m")
    assert (status, "must hold real numbers" in err) == (2, True)


def test_options_of_metrics_on_the_command_line(files, capsys):
    """The same as in a call."""
    rows = ["--labels", files / "labels.svm", "--scores", files / "one.txt", "--format", "json"]
    given = {"min_relevance": 2, "ties": "pessimistic", "replace_undefined_by": 1.0}
    want = evaluate(GRADES, ONE, qid=IDS, metrics=["map"], **given)
    asked = ["--min-relevance", "2", "--ties", "pessimistic", "--replace-undefined-by", "1"]
    assert json.loads(run(capsys, *rows, "-m", "map", *asked)[1]) == pytest.approx(want)


def test_a_run_that_lacks_a_query(tmp_path, capsys):
    """It is left out of this run's mean alone; with --complete it counts 0."""
    (tmp_path / "q").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "A").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    (tmp_path / "B").write_text("1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    rows = ["--qrels", tmp_path / "q", "--run", tmp_path / "A", "--run", tmp_path / "B"]
    rows += ["-m", "mrr", "--format", "json"]
    means = [row["mean"] for row in json.loads(run(capsys, *rows)[1])["rows"]]
    assert means == [0.5, 1]
    means = [row["mean"] for row in json.loads(run(capsys, *rows, "--complete")[1])["rows"]]
    assert means == [0.25, 1]
