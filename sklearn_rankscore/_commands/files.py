"""Read files of labels and scores line by line; an error names the file and the line."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan, nan
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array


@dataclass
class Rows:
    """The grade, the query id and the scores of each row."""

    y_true: Array  # (n_rows,) nan where nobody has judged
    qid: Array  # (n_rows,)
    scores: dict[str, Array]  # by model, (n_rows,)


def read_svmlight(labels: str, scores: Mapping[str, str]) -> Rows:
    """Read grades and query ids of an SVMlight file, and one score per line of each other file."""
    grades, ids = [], []
    for number, line in _read_lines(labels):
        parts = line.split("#", 1)[0].split(None, 2)
        if not parts:  # a comment
            continue
        if len(parts) < 2 or not parts[1].startswith("qid:") or parts[1] == "qid:":
            _refuse(labels, number, "'grade qid:ID feature:value …'", line)
        grades.append(_parse_number(parts[0], labels, number, "a grade"))
        ids.append(parts[1][4:])
    rows = Rows(np.array(grades), np.array(ids), {})
    for model, path in scores.items():
        values = [
            _parse_number(line, path, number, "one score") for number, line in _read_lines(path)
        ]
        if len(values) != len(grades):
            raise ValueError(
                f"{path} must have one score for each of the {len(grades):,} rows of {labels}. "
                f"Got {len(values):,}."
            )
        rows.scores[model] = np.array(values)
    return rows


def read_table(path: str, grade: str, qid: str, scores: Sequence[str]) -> Rows:
    """Read the named columns of a CSV or Parquet file."""
    wanted = [grade, qid, *scores]
    is_parquet = Path(path).suffix.lower() in (".parquet", ".pq")
    columns = _read_parquet(path, wanted) if is_parquet else _read_csv(path, wanted)
    try:
        numbers = {name: np.asarray(columns[name], dtype=np.float64) for name in (grade, *scores)}
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}.") from error
    for name, values in numbers.items():
        if np.isnan(values).any():
            row = int(np.isnan(values).argmax()) + 1
            raise ValueError(f"{path}, row {row}: expected a number for {name}. Got none.")
    ids = np.asarray(columns[qid])
    return Rows(numbers[grade], ids, {name: numbers[name] for name in scores})


def _read_csv(path: str, wanted: Sequence[str]) -> dict[str, Any]:
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        names = next(reader, [])
        if not names:
            raise ValueError(f"{path} holds nothing.")
        places = [_find_column(name, names, path) for name in wanted]
        columns: list[list[Any]] = [[] for _ in wanted]
        for line in _skip_empty_lines(reader, path):
            if len(line) != len(names):
                expected = f"{len(names)} values, as the first line has"
                _refuse(path, reader.line_num, expected, ",".join(line))
            for at, (place, column) in enumerate(zip(places, columns, strict=True)):
                text = line[place]
                if not text:
                    _refuse(path, reader.line_num, f"a value for {wanted[at]}", text)
                what = f"a number for {wanted[at]}"
                column.append(
                    text if at == 1 else _parse_number(text, path, reader.line_num, what)
                )
    return dict(zip(wanted, columns, strict=True))


def _skip_empty_lines(reader: Any, path: str) -> Iterator[list[str]]:
    """Give the lines of a CSV file that hold something; an error names the line."""
    try:
        yield from (line for line in reader if line)
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}, line {reader.line_num + 1}: {error}.") from error


def _read_parquet(path: str, wanted: Sequence[str]) -> dict[str, Any]:
    try:
        from pyarrow import parquet  # noqa: PLC0415 - only for such files
    except ImportError as error:
        raise ValueError(f"{path}: to read Parquet, install pyarrow.") from error
    try:
        names = parquet.read_schema(path).names
        places = [_find_column(name, names, path) for name in wanted]
        read = parquet.read_table(path, columns=[names[place] for place in dict.fromkeys(places)])
    except OSError as error:
        raise ValueError(f"{path}: {error}") from error
    return {name: read[name].to_numpy() for name in wanted}


def _find_column(name: str, names: Sequence[str], path: str) -> int:
    if name not in names:
        raise ValueError(f"{path} has no column {name!r}. Its columns are {', '.join(names)}.")
    return names.index(name)


def read_trec(qrels: str, runs: Mapping[str, str], *, complete: bool) -> Rows:
    """Read judgements and runs in the format of TREC.

    The rows of a query are the documents that somebody has judged or that a run has found.
    Queries must be in the judgements and in a run; with `complete`, the judgements are enough.
    Documents come in descending order of their ids, as trec_eval orders tied ones.
    """
    judged: dict[str, dict[str, float]] = {}
    for number, line in _read_lines(qrels):
        parts = line.split()
        if len(parts) != 4:
            _refuse(qrels, number, "'query iteration document grade'", line)
        query, _, document, grade = parts
        of_query = judged.setdefault(query, {})
        if document in of_query:
            _refuse(qrels, number, f"each document once for query {query}", line)
        of_query[document] = _parse_number(grade, qrels, number, "a grade")
    found = {model: _read_run(path) for model, path in runs.items()}
    queries = [q for q in judged if complete or any(q in run for run in found.values())]
    if not queries:
        raise ValueError(f"{qrels} judges no query of {', '.join(runs.values())}.")
    grades, ids = [], []
    scores: dict[str, list[float]] = {model: [] for model in runs}
    for query in queries:
        lists = [run.get(query, {}) for run in found.values()]
        documents = sorted({*judged[query], *(d for run in lists for d in run)}, reverse=True)
        grades += [judged[query].get(document, np.nan) for document in documents]
        ids += [query] * len(documents)
        for column, run in zip(scores.values(), lists, strict=True):
            column += [run.get(document, -np.inf) for document in documents]
    columns = {model: np.array(column) for model, column in scores.items()}
    return Rows(np.array(grades), np.array(ids), columns)


def _read_run(path: str) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    ranks: dict[str, list[tuple[float, float, int]]] = {}
    for number, line in _read_lines(path):
        parts = line.split()
        if len(parts) not in (5, 6):
            _refuse(path, number, "'query Q0 document rank score tag'", line)
        query, _, document, rank, score = parts[:5]
        of_query = run.setdefault(query, {})
        if document in of_query:
            _refuse(path, number, f"each document once for query {query}", line)
        of_query[document] = _parse_number(score, path, number, "a score")
        place = _parse_number(rank, path, number, "a rank")
        ranks.setdefault(query, []).append((place, of_query[document], number))
    _check_ranks(path, ranks)
    return run


def _check_ranks(path: str, ranks: Mapping[str, list[tuple[float, float, int]]]) -> None:
    """Refuse scores that rise with the rank; `ranks` has rank, score and line of each document."""
    for lines in ranks.values():
        in_order = sorted(lines, key=lambda line: (line[0], -line[1]))
        for (before, above, _), (place, below, number) in pairwise(in_order):
            if below > above and place > before:
                expected = f"scores that fall with the rank, at most {above:g} at rank {place:g}"
                _refuse(path, number, expected, f"{below:g}")


def _read_lines(path: str) -> Iterator[tuple[int, str]]:
    """Give the lines that hold something, with their numbers."""
    number = 0
    empty = True
    with Path(path).open(encoding="utf-8-sig") as file:
        try:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    empty = False
                    yield number, line.strip()
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{path}, line {number + 1}: expected text in UTF-8; unpack a compressed file."
            ) from error
    if empty:
        raise ValueError(f"{path} holds nothing.")


def _parse_number(text: str, path: str, number: int, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    return _refuse(path, number, what, text) if isnan(value) else value


def _refuse(path: str, number: int, expected: str, text: str) -> NoReturn:
    raise ValueError(f"{path}, line {number}: expected {expected}. Got {describe(text)}.")
