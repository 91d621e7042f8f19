"""Read files of labels and scores line by line; an error names the file and the line."""

import csv
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import isnan, nan
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from sklearn_rankscore._messages import describe
from sklearn_rankscore._typing import Array
from sklearn_rankscore.metrics._rows.ids import as_objects, narrow_dtype
from sklearn_rankscore.metrics._rows.validation import as_numbers

_EXACT = 2**53  # up to here a float holds every whole number


class Rows(NamedTuple):
    """The grade, the query id and the score of each row of a model."""

    y_true: Array  # (n_rows,) nan where nobody has judged
    qid: Array  # (n_rows,)
    y_score: Array  # (n_rows,)


def read_svmlight(labels: str, scores: Mapping[str, str]) -> dict[str, Rows]:
    """Read grades and query ids of an SVMlight file, and one score per line of each other file.

    All models share grades and ids.
    """
    grades, ids = [], []
    for number, line in _read_lines(labels):
        parts = line.split("#", 1)[0].split(None, 2)
        if not parts:  # a comment
            continue
        if len(parts) < 2 or not parts[1].startswith("qid:") or parts[1] == "qid:":
            _refuse(labels, number, "'grade qid:ID feature:value …'", line)
        grades.append(_parse_number(parts[0], labels, number, "a grade"))
        ids.append(parts[1][4:])
    y_true, qid = _make_column(grades), narrow_dtype(as_objects(ids, "qid"))
    rows = {}
    for model, path in scores.items():
        values = [
            _parse_number(line, path, number, "one score") for number, line in _read_lines(path)
        ]
        if len(values) != len(grades):
            raise ValueError(
                f"{path} must have one score for each of the {len(grades):,} rows of {labels}. "
                f"Got {len(values):,}."
            )
        rows[model] = Rows(y_true, qid, _make_column(values))
    return rows


def _make_column(values: list[float]) -> Array:
    """Make an array; of objects if there are whole numbers that a float does not hold."""
    long = any(type(value) is int for value in values)
    return np.array(values, dtype=object if long else np.float64)


def read_table(path: str, grade: str, qid: str, scores: Sequence[str]) -> dict[str, Rows]:
    """Read the named columns of a CSV or Parquet file; all models share grades and ids."""
    wanted = [grade, qid, *scores]
    is_parquet = Path(path).suffix.lower() in (".parquet", ".pq")
    columns = _read_parquet(path, wanted) if is_parquet else _read_csv(path, wanted)
    try:
        numbers = {name: as_numbers(columns[name], name) for name in (grade, *scores)}
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    ids = columns[qid]
    ids = narrow_dtype(as_objects(ids, "qid")) if isinstance(ids, list) else ids
    return {name: Rows(numbers[grade], ids, columns[name]) for name in scores}


def _read_csv(path: str, wanted: Sequence[str]) -> dict[str, Any]:
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        lines = _skip_empty_lines(reader, path)
        names = next(lines, [])
        if not names:
            raise ValueError(f"{path} holds nothing.")
        places = [_find_column(name, names, path) for name in wanted]
        columns: list[list[Any]] = [[] for _ in wanted]
        for line in lines:
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
    arrays = [column if at == 1 else _make_column(column) for at, column in enumerate(columns)]
    return dict(zip(wanted, arrays, strict=True))


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
    if names.count(name) > 1:
        raise ValueError(f"{path} must have one column {name!r}. Got {names.count(name)} of them.")
    if name not in names:
        listed = ", ".join(map(repr, names))
        raise ValueError(f"{path} has no column {name!r}. Its columns are {listed}.")
    return names.index(name)


def read_trec(qrels: str, runs: Mapping[str, str], *, complete: bool) -> dict[str, Rows]:
    """Read judgements and runs in the format of TREC.

    A row of a run is a document that somebody has judged or that this run has found, of a query
    that is in the judgements and in this run; with `complete`, of every query in the judgements.
    Documents come in descending order, as trec_eval orders tied ones.
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
    for model, run in found.items():
        if not judged.keys() & run.keys():
            raise ValueError(f"{qrels} judges no query of {runs[model]}.")
    return {
        model: _join_run(judged, run, [query for query in judged if complete or query in run])
        for model, run in found.items()
    }


def _join_run(judged: Mapping[str, Any], run: Mapping[str, Any], queries: Sequence[str]) -> Rows:
    """Join judgements and a run: nan for a document not judged, -inf for one not found."""
    grades: list[float] = []
    ids: list[str] = []
    scores: list[float] = []
    for query in queries:
        found = run.get(query, {})
        documents = sorted({*judged[query], *found}, reverse=True)
        grades += [judged[query].get(document, np.nan) for document in documents]
        ids += [query] * len(documents)
        scores += [found.get(document, -np.inf) for document in documents]
    return Rows(_make_column(grades), narrow_dtype(as_objects(ids, "qid")), _make_column(scores))


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
    """Warn of scores that rise with the rank; `ranks` has rank, score, line of each document."""
    for lines in ranks.values():
        in_order = sorted(lines, key=lambda line: (line[0], -line[1]))
        for (before, above, _), (place, below, number) in pairwise(in_order):
            if below > above and place > before:
                warnings.warn(
                    f"{path}, line {number}: the score {below!r} at rank {place:g} is above the "
                    f"{above!r} of rank {before:g}. The scores count, as in trec_eval.",
                    stacklevel=2,
                )
                return


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
    """Read a number; a whole one that a float does not hold stays an int."""
    try:
        value = float(text) if text.isascii() and "_" not in text else nan
    except ValueError:
        value = nan
    if isnan(value):
        _refuse(path, number, what, text)
    return int(text) if abs(value) >= _EXACT and text.lstrip("+-").isdigit() else value


def check_outputs(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """Refuse to write one file twice, or over a file that is read."""
    places = [Path(path).resolve() for path in outputs]
    if len(set(places)) < len(places):
        raise ValueError(f"{outputs[0]} cannot hold both outputs. Name two files.")
    for path, place in zip(outputs, places, strict=True):
        for other in inputs:
            if place.exists() and Path(other).exists() and place.samefile(other):
                raise ValueError(
                    f"{path} is an input, and would be overwritten. Name another file."
                )


def write_files(writers: Mapping[str, Callable[[Path], None]]) -> None:
    """Write each file beside its place first, so that a failure leaves what was there."""
    made: list[tuple[Path, Path]] = []
    try:
        for path, write in writers.items():
            place = Path(path).resolve()
            if place.exists() and not place.is_file():  # such as /dev/stdout
                write(place)
                continue
            new = place.with_name(f".{place.name}.new")
            made.append((new, place))
            write(new)
        for new, place in made:
            new.replace(place)
    finally:
        for new, _ in made:
            new.unlink(missing_ok=True)


def _refuse(path: str, number: int, expected: str, text: str) -> NoReturn:
    raise ValueError(f"{path}, line {number}: expected {expected}. Got {describe(text)}.")
