"""The peers, each with nDCG@10 of the same rows: what it builds first, and the call itself.

``PEERS`` names a function for each; it takes rows and gives (build, call): `build` makes what the
peer wants, `call` takes that and gives its mean nDCG@10. A peer that is not installed is left out.
"""

from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.metrics import ndcg_score
from workloads import Rows

Peer = tuple[Callable[[], Any], Callable[[Any], float]]


def starts_of(rows: Rows) -> Any:
    """First row of each query, and the end of the last."""
    return np.append(np.flatnonzero(np.diff(rows.qid, prepend=-1)), rows.qid.size)


def scikit_learn_per_query(rows: Rows) -> Peer:
    """ndcg_score, called for each query; of a single row, which it refuses, the value is known."""

    def call(starts: Any) -> float:
        values = [
            ndcg_score(rows.y_true[None, a:b], rows.y_score[None, a:b], k=10)
            if b - a > 1
            else float(rows.y_true[a] > 0)
            for a, b in pairwise(starts)
        ]
        return float(np.mean(values))

    return lambda: starts_of(rows), call


def scikit_learn_padded(rows: Rows) -> Peer:
    """ndcg_score on one rectangle; places without a row have grade 0 and the lowest score."""

    def build() -> Any:
        starts = starts_of(rows)
        lengths = np.diff(starts)
        place = np.arange(lengths.max()) < lengths[:, None]
        grade = np.zeros(place.shape)
        score = np.full(place.shape, rows.y_score.min() - 1.0)
        grade[place], score[place] = rows.y_true, rows.y_score
        return grade, score

    return build, lambda built: float(ndcg_score(*built, k=10))


def pytrec_eval(rows: Rows) -> Peer:
    """RelevanceEvaluator on dicts of dicts."""
    import pytrec_eval as peer  # noqa: PLC0415

    def call(built: Any) -> float:
        judged, run = built
        results = peer.RelevanceEvaluator(judged, {"ndcg_cut.10"}).evaluate(run)
        return float(np.mean([values["ndcg_cut_10"] for values in results.values()]))

    return lambda: _dicts(rows), call


def ir_measures(rows: Rows) -> Peer:
    """calc_aggregate on dicts of dicts."""
    import ir_measures as peer  # noqa: PLC0415

    measure = peer.nDCG @ 10
    return (
        lambda: _dicts(rows),
        lambda built: float(peer.calc_aggregate([measure], built[0], built[1])[measure]),
    )


def ranx(rows: Rows) -> Peer:
    """Evaluate on Qrels and Run."""
    import ranx as peer  # noqa: PLC0415

    def build() -> Any:
        judged, run = _dicts(rows)
        return peer.Qrels(judged), peer.Run(run)

    return build, lambda built: float(peer.evaluate(*built, "ndcg@10"))


def torchmetrics(rows: Rows) -> Peer:
    """RetrievalNormalizedDCG on flat tensors."""
    import torch  # noqa: PLC0415
    from torchmetrics.retrieval import RetrievalNormalizedDCG  # noqa: PLC0415

    torch.set_num_threads(1)

    def call(built: Any) -> float:
        score, grade, query = built
        return float(RetrievalNormalizedDCG(top_k=10)(score, grade, indexes=query))

    return lambda: tuple(map(torch.from_numpy, (rows.y_score, rows.y_true, rows.qid))), call


def numba_sequential(rows: Rows) -> Peer:
    """Loop over queries that sorts each, compiled beforehand."""
    return _numba(rows, parallel=False)


def numba_parallel(rows: Rows) -> Peer:
    """Run the same loop on all cores."""
    return _numba(rows, parallel=True)


def _numba(rows: Rows, *, parallel: bool) -> Peer:
    import numba  # noqa: PLC0415

    discount = 1.0 / np.log2(np.arange(10) + 2.0)

    def loop(grade: Any, score: Any, starts: Any, discount: Any) -> float:
        values = np.empty(len(starts) - 1)
        for query in numba.prange(len(starts) - 1):
            a, b = starts[query], starts[query + 1]
            order = np.argsort(-score[a:b])
            best = np.sort(grade[a:b])
            found, ideal = 0.0, 0.0
            for rank in range(min(10, b - a)):
                found += grade[a + order[rank]] * discount[rank]
                ideal += best[b - a - 1 - rank] * discount[rank]
            values[query] = found / ideal if ideal > 0 else 0.0
        return float(values.mean())

    mean = numba.njit(parallel=parallel)(loop)

    def build() -> Any:
        starts = starts_of(rows)
        mean(rows.y_true[: starts[2]], rows.y_score[: starts[2]], starts[:3], discount)  # compiles
        return starts

    return build, lambda starts: float(mean(rows.y_true, rows.y_score, starts, discount))


def _dicts(rows: Rows) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    judged: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    columns = (values.tolist() for values in (rows.qid, rows.y_true, rows.y_score))
    for row, (query, grade, score) in enumerate(zip(*columns, strict=True)):
        judged.setdefault(str(query), {})[str(row)] = grade
        run.setdefault(str(query), {})[str(row)] = score
    return judged, run


_NEEDS = {
    scikit_learn_per_query: "sklearn",
    scikit_learn_padded: "sklearn",
    numba_sequential: "numba",
    numba_parallel: "numba",
    pytrec_eval: "pytrec_eval",
    ir_measures: "ir_measures",
    ranx: "ranx",
    torchmetrics: "torchmetrics",
}
PEERS = {peer.__name__: peer for peer, package in _NEEDS.items() if find_spec(package)}
