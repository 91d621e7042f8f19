"""Tables that are larger than memory: batches, and Dask on two workers of 2 GB each.

python benchmarks/bench_distributed.py [--size tiny] [--json FILE]

It makes Parquet files of 20 million rows in a folder for temporary files, and removes them. The
numbers must be those of the rows in memory, to 1e-12, else it fails. The last page is a plan: what
was measured here, of 10^9 rows on 32 cores.
"""

import multiprocessing
import resource
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from harness import Line, Page, run
from workloads import Rows, interleaved, searches

from sklearn_rankscore import evaluate, evaluate_batches, whole_queries
from sklearn_rankscore.distributed import means, per_query, score

METRICS = ("ndcg@10", "map", "mrr")
COLUMNS: dict[str, Any] = {"y_true": "grade", "y_score": "score", "qid": "query"}
N_WORKERS, LIMIT = 2, 2_000_000_000  # bytes, of a worker
N_FILES = 32
SCORED, WRITTEN = "read, brought together, scored", "the same, each query written"
LARGE = {"rows": 10**9, "files": 400, "cores": 32}


class Step(NamedTuple):
    """What a step took."""

    seconds: float
    of_driver: float  # seconds that client and scheduler computed, which more workers do not share


def pages(size: str) -> Iterator[Page]:
    """In batches; by Dask, of files in order of the queries and in none."""
    rows = searches(size, 5.34)  # 20 million
    start = time.perf_counter()
    want = evaluate(*rows[:2], qid=rows.qid, metrics=METRICS)
    in_memory = time.perf_counter() - start
    n_rows = rows.qid.size
    page = Page(f"{n_rows:,} rows, {', '.join(METRICS)}", "x in memory")
    page.lines = [Line("in memory, one core", in_memory, ratio=1.0)]
    page.lines += _rate(n_rows, in_memory)
    start = time.perf_counter()
    _check(evaluate_batches(whole_queries(_batches(rows)), metrics=METRICS), want)
    seconds = time.perf_counter() - start
    page.lines += [Line("in batches, cut anywhere", seconds, ratio=seconds / in_memory)]
    page.lines += _rate(n_rows, seconds)
    yield page
    if find_spec("distributed") is None or find_spec("pyarrow") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        ordered, mixed = Path(folder, "ordered"), Path(folder, "mixed")
        _write(rows, ordered)
        _write(interleaved(rows), mixed)
        del rows
        page = Page("batches read from Parquet, in a process of their own", "x in memory")
        seconds, peak = _alone(_in_batches, ordered, want)
        page.lines = [Line("in batches", seconds, ratio=seconds / in_memory)]
        page.lines += [*_rate(n_rows, seconds), Line("  peak memory", peak / 2**20, "MiB")]
        yield page
        plan = Page("10^9 rows in 400 files on 32 cores, on paper", "")
        for path, what in ((ordered, "in order"), (mixed, "shuffled")):
            page = Page(f"Dask, two workers of 2 GB, files {what}", "x in memory; of 2 GB")
            steps, peak = _by_dask(path, want)
            for name, step in steps.items():
                page.lines += [Line(name, step.seconds, ratio=step.seconds / in_memory)]
                page.lines += _rate(n_rows, step.seconds)
                plan.lines += [Line(f"files {what}: {name}", _planned(n_rows, step))]
            page.lines += [
                Line("peak memory of a worker", peak / 2**20, "MiB", peak / LIMIT, at_most=1.0)
            ]
            yield page
        yield plan


def _planned(n_rows: int, step: Step) -> float:
    """Seconds of what workers share, as many rows for each core; and of what they do not."""
    shared = step.seconds / n_rows * N_WORKERS * LARGE["rows"] / LARGE["cores"]
    return shared + step.of_driver / N_FILES * LARGE["files"]


def _rate(n_rows: int, seconds: float) -> list[Line]:
    return [Line("  rate", n_rows / seconds / 1e6, "million rows/s")]


def _check(values: dict[str, float], want: dict[str, float]) -> None:
    for name, value in want.items():
        if not abs(values[name] - value) <= 1e-12:
            message = f"{name} is {values[name]!r}, in memory {value!r}"
            raise AssertionError(message)


def _batches(rows: Rows) -> Iterator[tuple[Any, ...]]:
    for begin in range(0, rows.qid.size, 1 << 20):
        yield tuple(values[begin : begin + (1 << 20)] for values in rows)


def _write(rows: Rows, folder: Path) -> None:
    """Write files of rows, which cut through queries."""
    import pyarrow as pa  # noqa: PLC0415 - only where it is installed
    from pyarrow import parquet  # noqa: PLC0415

    folder.mkdir()
    table = pa.table(dict(zip(COLUMNS.values(), rows, strict=True)))
    n_rows = -(-table.num_rows // N_FILES)
    for number in range(N_FILES):
        part = table.slice(number * n_rows, n_rows)
        parquet.write_table(part, folder / f"{number:03}.parquet")


def _in_batches(folder: Path) -> dict[str, float]:
    from pyarrow import dataset  # noqa: PLC0415

    reading = {"batch_readahead": 1, "fragment_readahead": 1}  # or it reads a dozen files ahead
    batches = dataset.dataset(folder).to_batches(columns=list(COLUMNS.values()), **reading)
    rows = (tuple(batch.column(name) for name in COLUMNS.values()) for batch in batches)
    return evaluate_batches(whole_queries(rows), metrics=METRICS)


def _by_dask(folder: Path, want: dict[str, float]) -> tuple[dict[str, Step], float]:
    """What each step took by itself, and the most memory that a worker had."""
    import dask.dataframe as dd  # noqa: PLC0415
    from distributed import Client, LocalCluster  # noqa: PLC0415

    workers = {"n_workers": N_WORKERS, "threads_per_worker": 1, "memory_limit": LIMIT}
    with (
        LocalCluster(**workers, dashboard_address=":0", silence_logs=40) as cluster,
        Client(cluster) as client,
    ):
        # Every worker is there; what Dask uses and pandas will do away with is not for us to say.
        client.run(warnings.simplefilter, "ignore")
        table = dd.read_parquet(folder, columns=list(COLUMNS.values()))
        ordered, each = folder.with_name("sorted"), folder.with_name(f"{folder.name}_queries")
        todo: dict[str, Callable[[], Any]] = {
            "read": lambda: table.map_partitions(len).compute(),
            "read, shuffled": lambda: table.shuffle(on="query").map_partitions(len).compute(),
            "read, sorted, written": lambda: table.sort_values("query").to_parquet(
                ordered, write_index=False
            ),
            SCORED: lambda: _check(score(table, **COLUMNS, metrics=METRICS), want),
            WRITTEN: lambda: per_query(table, **COLUMNS, metrics=METRICS).to_parquet(
                each, write_index=False
            ),
        }
        if folder.name == "ordered":
            del todo["read, shuffled"], todo["read, sorted, written"]
        score(table.partitions[:2], **COLUMNS, metrics=METRICS)  # what is imported is imported
        steps = {}
        for name, step in todo.items():
            start = time.perf_counter(), time.process_time()
            step()
            steps[name] = Step(time.perf_counter() - start[0], time.process_time() - start[1])
        peak = max(client.run(_peak).values())
        _check(means(dd.read_parquet(each)), want)
        if ordered.exists():
            _check(score(dd.read_parquet(ordered), **COLUMNS, metrics=METRICS), want)
        return steps, peak


def _alone(
    call: Callable[[Path], dict[str, float]], folder: Path, want: dict[str, float]
) -> tuple[float, float]:
    """Seconds and peak memory of a call in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        values, seconds, peak = pool.apply(_timed, (call, folder))
    _check(values, want)
    return seconds, peak


def _timed(
    call: Callable[[Path], dict[str, float]], folder: Path
) -> tuple[dict[str, float], float, float]:
    start = time.perf_counter()
    values = call(folder)
    return values, time.perf_counter() - start, _peak()


def _peak() -> float:
    """Bytes that this process had in memory at most, libraries and all."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage says begins with what the parent had
        line = next(row for row in status.read_text("utf-8").splitlines() if "VmHWM" in row)
        return int(line.split()[1]) * 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


if __name__ == "__main__":
    run(pages, __doc__)
