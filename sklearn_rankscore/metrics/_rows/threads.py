"""Threads, for callers who ask for them: NumPy releases the GIL while it sorts and adds."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from numbers import Integral
from typing import Any

import joblib

from sklearn_rankscore._messages import describe

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@contextmanager
def open_mapper(n_jobs: Any) -> Iterator[Mapper]:
    """Give `map`, or a mapper that works in this many threads; results come in order."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs must be a number of threads, or -1 for all cores. Got {describe(n_jobs)} "
            "instead."
        )
    threads = joblib.effective_n_jobs(int(n_jobs))
    if threads == 1:
        yield map
        return
    with ThreadPoolExecutor(threads) as pool:
        yield pool.map
