"""The command ``score``: compute metrics of files of labels and scores."""

import argparse
import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_rankscore._commands import files
from sklearn_rankscore._render import as_markdown, as_text
from sklearn_rankscore._typing import Array
from sklearn_rankscore.inspection import MetricAtKDisplay, rank_report
from sklearn_rankscore.metrics import Metric, get_metric
from sklearn_rankscore.metrics._options import PROGRAMS
from sklearn_rankscore.metrics.evaluate import evaluate, evaluate_per_query, name_metrics

EXAMPLES = """\
examples:
  rankscore score --labels test.svm --scores model.txt -m ndcg@10 -m map
  rankscore score --labels test.svm --scores old=a.txt --scores new=b.txt --plot curves.png
  rankscore score --table rows.parquet --y-true grade --qid query --scores model_a --scores model_b
  rankscore score --qrels judged.txt --run system.txt -m map -m p@10 --convention trec_eval
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add = parser.add_argument
    add("--labels", metavar="FILE", help="SVMlight file, 'grade qid:ID feature:value …'")
    add("--table", metavar="FILE", help="CSV or Parquet file, one row per document")
    add("--qrels", metavar="FILE", help="TREC judgements, 'query iteration document grade'")
    add(
        "--scores",
        metavar="[NAME=]FILE",
        action="append",
        help="file with one score per line, as LightGBM and XGBoost write it; with --table, the "
        "name of a column. Give it several times to compare models",
    )
    add(
        "--run",
        metavar="[NAME=]FILE",
        action="append",
        help="TREC run, 'query Q0 document rank score tag'. Give it several times to compare runs",
    )
    for name, what in (("y_true", "grades"), ("qid", "query ids")):
        option = f"--{name.replace('_', '-')}"
        text = f"column of --table that holds the {what} (default: %(default)s)"
        add(option, metavar="COLUMN", default=name, help=text)
    text = "metric such as ndcg@10 or p@5; can be repeated (default: ndcg@10, map, mrr)"
    add("-m", "--metric", action="append", metavar="NAME", help=text)
    add("--convention", help=f"compute the metrics as another program: {', '.join(PROGRAMS)}")
    add("--complete", action="store_true", help="score queries of --qrels that no run has as 0")
    add("--per-query", metavar="FILE", help="write the value of each query as CSV")
    add("--plot", metavar="FILE", help="draw the first metric against k (.png, .svg, .pdf)")
    formats = ("text", "json", "markdown")
    add("--format", choices=formats, default="text", help="output format (default: %(default)s)")
    add("--seed", type=int, default=0, help="seed of intervals and tests (default: %(default)s)")


def score(options: argparse.Namespace) -> str:
    """Read the files, compute the metrics, write what is asked for; give the text to print."""
    names = options.metric or ["ndcg@10", "map", "mrr"]
    given = {} if options.convention is None else {"convention": options.convention}
    metrics = name_metrics(names, given)
    for name, metric in metrics.items():
        if metric.row_values:
            raise ValueError(f"{name} needs the item of each row, which these files do not hold.")
    if options.seed < 0:
        raise ValueError(f"--seed must not be negative. Got {options.seed} instead.")
    if options.complete and not options.qrels:
        raise ValueError("--complete is of --qrels: queries that were judged and no run has.")
    rows = _read(options)
    unjudged = [name for name, metric in metrics.items() if metric.name in ("bpref", "judged")]
    if unjudged and len(rows.scores) > 1:
        raise ValueError(f"{', '.join(unjudged)} cannot compare runs: score one run at a time.")
    if options.per_query:
        _write_per_query(options.per_query, rows, metrics)
    if options.plot:
        _draw(options.plot, rows, metrics, options.seed)
    if len(rows.scores) == 1:
        (scores,) = rows.scores.values()
        return _format_means(_compute_means(rows, scores, metrics), options.format)
    grades, seed = np.nan_to_num(rows.y_true), options.seed
    report = rank_report(grades, rows.scores, qid=rows.qid, metrics=metrics, random_state=seed)
    if options.format == "json":
        return _format_json({"baseline": report.baseline, "rows": report.rows})
    return report.to_markdown() if options.format == "markdown" else str(report)


def _read(options: argparse.Namespace) -> files.Rows:
    ways = {"--labels": options.labels, "--table": options.table, "--qrels": options.qrels}
    chosen = [way for way, path in ways.items() if path]
    if len(chosen) != 1:
        raise ValueError(
            "Give rows in one of three ways: --labels FILE --scores FILE; --table FILE --scores "
            "COLUMN; --qrels FILE --run FILE."
        )
    wanted, other = ("run", "scores") if options.qrels else ("scores", "run")
    if not getattr(options, wanted) or getattr(options, other):
        raise ValueError(f"With {chosen[0]} give --{wanted}, and no --{other}.")
    if options.table:
        if len(set(options.scores)) < len(options.scores):
            raise ValueError("Each column of --scores must be given once.")
        return files.read_table(options.table, options.y_true, options.qid, options.scores)
    paths = _name_files(getattr(options, wanted))
    if options.labels:
        return files.read_svmlight(options.labels, paths)
    return files.read_trec(options.qrels, paths, complete=options.complete)


def _name_files(arguments: Sequence[str]) -> dict[str, str]:
    """Give each file by its name: NAME of NAME=FILE, or else the stem of the file's name."""
    paths: dict[str, str] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals or Path(argument).exists():
            name, path = Path(argument).stem, argument
        if name in paths:
            raise ValueError(f"Two models are called {name!r}; name them: NAME=FILE.")
        paths[name] = path
    return paths


def _group_by_rows(
    rows: files.Rows, scores: Array, metrics: Mapping[str, Metric]
) -> list[tuple[dict[str, Metric], Array, Array, Array]]:
    """Group the metrics by the rows that they take, with grades, scores and ids of these rows.

    Most metrics give grade 0 to a row that nobody has judged; `bpref` leaves such rows out, and
    `judged` takes them without a grade.
    """
    judged, known = ~np.isnan(rows.y_true), np.nan_to_num(rows.y_true)
    everyone = np.ones_like(judged)
    looks_at = {"bpref": (known, judged), "judged": (rows.y_true, everyone), "": (known, everyone)}
    groups: dict[str, dict[str, Metric]] = {}
    for name, metric in metrics.items():
        groups.setdefault(metric.name if metric.name in looks_at else "", {})[name] = metric
    of_group = [(group, *looks_at[kind]) for kind, group in groups.items()]
    return [(group, y[kept], scores[kept], rows.qid[kept]) for group, y, kept in of_group]


def _compute_means(
    rows: files.Rows, scores: Array, metrics: Mapping[str, Metric]
) -> dict[str, float]:
    means: dict[str, float] = {}
    for group, y_true, y_score, qid in _group_by_rows(rows, scores, metrics):
        means |= evaluate(y_true, y_score, qid=qid, metrics=group)
    return {name: means[name] for name in metrics}


def _format_json(value: Any) -> str:
    """Write as JSON; NaN, which JSON lacks, becomes null."""

    def replace_nan(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: replace_nan(one) for name, one in value.items()}
        if isinstance(value, list):
            return [replace_nan(one) for one in value]
        return None if isinstance(value, float) and np.isnan(value) else value

    return json.dumps(replace_nan(value), indent=1)


def _format_means(means: Mapping[str, float], form: str) -> str:
    if form == "json":
        return _format_json(dict(means))
    lines = [["metric", "mean"], *([name, f"{value:.4f}"] for name, value in means.items())]
    return as_text(lines) if form == "text" else as_markdown(lines, n_left=1)


def _write_per_query(path: str, rows: files.Rows, metrics: Mapping[str, Metric]) -> None:
    columns: dict[str, Mapping[Any, float]] = {}
    for model, scores in rows.scores.items():
        found: dict[str, Mapping[Any, float]] = {}
        for group, y_true, y_score, qid in _group_by_rows(rows, scores, metrics):
            values = evaluate_per_query(y_true, y_score, qid=qid, metrics=group)
            ids = values.pop("qid").tolist()
            found |= {m: dict(zip(ids, v.tolist(), strict=True)) for m, v in values.items()}
        mark = f"{model}: " if len(rows.scores) > 1 else ""
        columns |= {f"{mark}{name}": found[name] for name in metrics}
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["qid", *columns])
        for query in dict.fromkeys(rows.qid.tolist()):
            writer.writerow([query, *(column.get(query, "") for column in columns.values())])


def _draw(path: str, rows: files.Rows, metrics: Mapping[str, Metric], seed: int) -> None:
    cut = [metric for metric in metrics.values() if "k" in metric.options]
    if not cut:
        raise ValueError("--plot needs a metric that has a cutoff, such as ndcg@10.")
    options = {name: value for name, value in cut[0].bound.items() if name != "k"}
    MetricAtKDisplay.from_predictions(
        rows.y_true if cut[0].name == "judged" else np.nan_to_num(rows.y_true),
        rows.scores,
        qid=rows.qid,
        metric=get_metric(cut[0].name, **options),
        random_state=seed,
    ).figure_.savefig(path)
