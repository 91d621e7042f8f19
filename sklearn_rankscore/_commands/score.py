"""The command ``score``: compute metrics of files of labels and scores."""

import argparse
import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_rankscore._commands import files
from sklearn_rankscore._foreign import take_rows
from sklearn_rankscore._render import as_markdown, as_text
from sklearn_rankscore._typing import Array
from sklearn_rankscore.inspection import MetricAtKDisplay, RankReport, rank_report
from sklearn_rankscore.inspection._displays.metric_at_k import CUTOFFS, compute_curves
from sklearn_rankscore.metrics import Metric, get_metric
from sklearn_rankscore.metrics._options import PROGRAMS, TIE_POLICIES
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
    add("--min-relevance", type=float, metavar="GRADE", help="lowest grade of a relevant row")
    add("--gain", choices=("linear", "exponential"), help="worth of a grade (default: linear)")
    add("--ties", choices=TIE_POLICIES, help="order of rows of equal score (default: average)")
    text = "what a query scores for which a metric is undefined; nan leaves it out (default: 0)"
    add("--replace-undefined-by", type=float, metavar="NUMBER", help=text)
    add("--complete", action="store_true", help="score queries of --qrels that no run has as 0")
    add("--per-query", metavar="FILE", help="write the value of each query as CSV")
    add("--plot", metavar="FILE", help="draw the first metric against k (.png, .svg, .pdf)")
    formats = ("text", "json", "markdown")
    add("--format", choices=formats, default="text", help="output format (default: %(default)s)")
    add("--seed", type=int, default=0, help="seed of intervals and tests (default: %(default)s)")


# Options of metrics, which the command line has under the same names.
_OPTIONS = ("convention", "min_relevance", "ties", "gain", "replace_undefined_by")


def score(options: argparse.Namespace) -> str:
    """Read the files, compute the metrics, write what is asked for; give the text to print."""
    names = options.metric or ["ndcg@10", "map", "mrr"]
    given = {
        name: getattr(options, name) for name in _OPTIONS if getattr(options, name) is not None
    }
    metrics = name_metrics(names, given)
    for name, metric in metrics.items():
        if metric.row_values:
            raise ValueError(f"{name} needs the item of each row, which these files do not hold.")
    if options.seed < 0:
        raise ValueError(f"--seed must not be negative. Got {options.seed} instead.")
    if options.complete and not options.qrels:
        raise ValueError("--complete is of --qrels: queries that were judged and no run has.")
    _check_outputs(options)
    models = _read(options)
    runs = len(models) > 1 and options.qrels  # which differ in their rows
    tables = _compute_tables(models, metrics) if options.per_query or runs else {}
    if len(models) > 1:
        text = _compare(models, metrics, options, tables if runs else {})
    else:
        text = _score_one(models, metrics, options)
    writers = {}
    if options.per_query:
        writers[options.per_query] = _write_per_query(tables)
    if options.plot:
        writers[options.plot] = _draw(options.plot, models, metrics, options.seed)
    files.write_files(writers)
    return text


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse outputs that would spoil an input, or each other."""
    inputs = [options.labels, options.table, options.qrels]
    for named in (options.scores, options.run):
        inputs += _name_files(named).values() if named and not options.table else []
    outputs = [path for path in (options.per_query, options.plot) if path]
    files.check_outputs(outputs, [path for path in inputs if path])


def _score_one(
    models: Mapping[str, files.Rows], metrics: Mapping[str, Metric], options: argparse.Namespace
) -> str:
    """Write the means of one model."""
    (rows,) = models.values()
    means: dict[str, float] = {}
    for group, y_true, y_score, qid in _group_by_rows(rows, metrics):
        means |= evaluate(y_true, y_score, qid=qid, metrics=group)
    return _format_means({name: means[name] for name in metrics}, options.format)


def _compare(
    models: Mapping[str, files.Rows],
    metrics: Mapping[str, Metric],
    options: argparse.Namespace,
    tables: Mapping[str, Any],
) -> str:
    """Write a report of several models: of their tables, if they differ in their rows."""
    report: RankReport
    if tables:
        report = rank_report(per_query=tables, metrics=metrics, random_state=options.seed)
    else:
        rows = next(iter(models.values()))
        scores = {model: its.y_score for model, its in models.items()}
        grades, seed = rows.y_true, options.seed
        report = rank_report(grades, scores, qid=rows.qid, metrics=metrics, random_state=seed)
    if options.format == "json":
        return _format_json({"baseline": report.baseline, "rows": report.rows})
    return report.to_markdown() if options.format == "markdown" else str(report)


def _read(options: argparse.Namespace) -> dict[str, files.Rows]:
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
    rows: files.Rows, metrics: Mapping[str, Metric]
) -> list[tuple[dict[str, Metric], Array, Array, Any]]:
    """Group the metrics by the rows that they take, with grades, scores and ids of these rows.

    Most metrics take a row that nobody has judged with grade 0; bpref leaves it out, and judged
    counts it.
    """
    unjudged = np.isnan(rows.y_true)
    known = np.where(unjudged, 0, rows.y_true)
    kept = np.flatnonzero(~unjudged)
    everyone = np.arange(len(known))
    looks_at = {"bpref": (known, kept), "judged": (rows.y_true, everyone), "": (known, everyone)}
    groups: dict[str, dict[str, Metric]] = {}
    for name, metric in metrics.items():
        groups.setdefault(metric.name if metric.name in looks_at else "", {})[name] = metric
    of_group = [(group, *looks_at[kind]) for kind, group in groups.items()]
    return [
        (group, y[kept], take_rows(rows.y_score, kept), take_rows(rows.qid, kept))
        for group, y, kept in of_group
    ]


def _compute_tables(
    models: Mapping[str, files.Rows], metrics: Mapping[str, Metric]
) -> dict[str, dict[str, Any]]:
    """Compute the values of each model's queries; nan where a model has no row that counts."""
    ids = (query for rows in models.values() for query in np.asarray(rows.qid).tolist())
    queries = list(dict.fromkeys(ids))
    tables: dict[str, dict[str, Any]] = {}
    for model, rows in models.items():
        values = _compute_per_query(rows, metrics)
        columns = {
            name: [values[name].get(query, np.nan) for query in queries] for name in metrics
        }
        tables[model] = {"qid": queries, **columns}
    return tables


def _compute_per_query(
    rows: files.Rows, metrics: Mapping[str, Metric]
) -> dict[str, dict[Any, float]]:
    """Compute, by metric, the value of each query that has rows for it, by its id."""
    values: dict[str, dict[Any, float]] = {}
    for group, y_true, y_score, qid in _group_by_rows(rows, metrics):
        table = evaluate_per_query(y_true, y_score, qid=qid, metrics=group)
        ids = table.pop("qid").tolist()
        for name, column in table.items():
            values[name] = dict(zip(ids, column.tolist(), strict=True))
    return values


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


def _write_per_query(tables: Mapping[str, Mapping[str, Any]]) -> Callable[[Path], None]:
    """Give what writes the value of each query as CSV."""
    queries = next(iter(tables.values()))["qid"]
    columns = {
        f"{model}: {name}" if len(tables) > 1 else name: column
        for model, table in tables.items()
        for name, column in table.items()
        if name != "qid"
    }

    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["qid", *map(_write_cell, columns)])
            for query, *values in zip(queries, *columns.values(), strict=True):
                cells = ("" if np.isnan(value) else value for value in values)
                writer.writerow([_write_cell(query), *cells])

    return write


def _write_cell(value: Any) -> str:
    """Write a cell that no spreadsheet takes for a formula: with an apostrophe before it."""
    text = str(value)
    try:
        float(text)
    except ValueError:
        return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
    return text


def _draw(
    path: str, models: Mapping[str, files.Rows], metrics: Mapping[str, Metric], seed: int
) -> Callable[[Path], None]:
    """Compute the first metric that has a cutoff at each k; give what draws it."""
    cut = [metric for metric in metrics.values() if "k" in metric.options]
    if not cut:
        raise ValueError("--plot needs a metric that has a cutoff, such as ndcg@10.")
    if Path(path).is_dir() or path.endswith(("/", "\\")):
        raise ValueError(f"--plot {path} must be a file, such as curves.png. Got a folder.")
    options = {name: value for name, value in cut[0].bound.items() if name != "k"}
    metric = get_metric(cut[0].name, **options)
    curves: tuple[dict[str, Array], ...] = ({}, {}, {})
    rng = np.random.default_rng(seed)
    for model, rows in models.items():
        ((_, y_true, y_score, qid),) = _group_by_rows(rows, {"": metric})
        found = compute_curves(y_true, {model: y_score}, qid, metric, CUTOFFS, rng=rng)
        for curve, its in zip(curves, found, strict=True):
            curve.update(its)
    display = MetricAtKDisplay(metric.name, CUTOFFS, *curves)
    form = Path(path).suffix.lstrip(".") or "png"
    return lambda out: display.plot().figure_.savefig(out, format=form)
