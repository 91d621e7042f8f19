"""The command line: tune a model for a ranking metric, or score files."""

import argparse
import io
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GridSearchCV, ParameterGrid, cross_val_predict

from sklearn_rankscore import QueryKFold, RankTarget, get_metric, make_rank_scorer
from sklearn_rankscore._commands.score import EXAMPLES, add_arguments, score
from sklearn_rankscore._render import as_text
from sklearn_rankscore._typing import Array
from sklearn_rankscore.datasets import load_letor, make_ranking
from sklearn_rankscore.testing import assert_matches_sklearn

_PROGRAM = "python -m sklearn_rankscore"
_RMSE = "RMSE"
_OTHER_METRICS = ("ndcg@10", "map", "mrr")
_MOST_CELLS = 1 << 31  # of a table of features: 16 GiB
_GRID = {"learning_rate": [0.05, 0.1, 0.2], "max_leaf_nodes": [4, 8, 16]}


class _OneLineParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Print the error on one line, without the usage, and exit."""
        self.exit(2, f"{_PROGRAM}: error: {message}\n")


class _PrintingGridSearch(GridSearchCV):  # type: ignore[misc]
    """GridSearchCV that prints a line as soon as it has evaluated a candidate.

    scikit-learn documents `_run_search` as the method in which a search decides which candidates
    it evaluates when. Here it evaluates one candidate at a time.
    """

    def _run_search(self, evaluate_candidates: Any) -> None:
        candidates = list(ParameterGrid(self.param_grid))
        for number, parameters in enumerate(candidates, start=1):
            results = evaluate_candidates([parameters])
            score = results[f"mean_test_{self.refit}"][-1]
            place = f"{number:>{len(str(len(candidates)))}}/{len(candidates)}"
            chosen = f"{_format_parameters(parameters)}  {self.refit} {score:.4f}"
            print(f"  {place}  {chosen}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; return 0, 130 if interrupted, 141 if the reader stopped; wrong input exits with 2."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # an ASCII terminal prints ? for ±
        sys.stdout.reconfigure(errors="replace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _print_warning
            if given[:1] == ["score"]:
                _score_files(given[1:])
            else:
                _tune(given)
        if sys.stdout is None:  # closed
            print(f"{_PROGRAM}: error: cannot write: no standard output", file=sys.stderr)
            return 2
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"\n{_PROGRAM}: interrupted", file=sys.stderr)
        return 130
    except OSError as error:  # what is left in the buffer goes nowhere
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader has stopped reading, as in `… | head`
            return 141
        print(f"{_PROGRAM}: error: cannot write: {error}", file=sys.stderr)
        return 2
    return 0


def _print_warning(message: Any, *_: Any, **__: Any) -> None:
    """Print a warning on one line."""
    print(f"{_PROGRAM}: warning: {message}", file=sys.stderr)


def _score_files(arguments: Sequence[str]) -> None:
    """Run the command `score`."""
    parser = _OneLineParser(
        prog=f"{_PROGRAM} score",
        description="Compute ranking metrics of files of labels and scores, and compare models.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser)
    options = parser.parse_args(arguments)
    try:
        text = score(options)
    except (ImportError, OSError, TypeError, ValueError) as error:
        parser.error(" ".join(str(error).split()))
    print(text)


def _tune(arguments: Sequence[str]) -> None:
    """Run the command without a name: the grid search."""
    parser = _make_parser()
    options = parser.parse_args(arguments)
    try:
        X, y, source = _load_rows(options)
        _check_options(options, y)
    except (OSError, ValueError) as error:
        parser.error(" ".join(str(error).split()))
    _search_and_print(options, X, y, source)


def _make_parser() -> argparse.ArgumentParser:
    parser = _OneLineParser(
        prog=_PROGRAM,
        epilog="To score files of labels and scores: score --help",
        description="Tune a gradient boosting model for a ranking metric with GridSearchCV, over "
        "folds of whole queries, and compare with the model that RMSE would choose.",
    )
    add = parser.add_argument
    add("--data", metavar="FILE", help="SVMlight/LETOR file (default: generated queries)")
    add("--metric", default="ndcg@10", help="what chooses the model (default: %(default)s)")
    add("--cv", type=int, default=5, help="number of folds (default: %(default)s)")
    add("--jobs", type=int, default=-1, help="parallel jobs, -1: all cores (default: %(default)s)")
    add("--seed", type=int, default=0, help="random seed of data and model (default: %(default)s)")
    return parser


def _load_rows(options: argparse.Namespace) -> tuple[Array, RankTarget, str]:
    if not 0 <= options.seed < 2**32:
        raise ValueError(f"--seed must be from 0 to {2**32 - 1}. Got {options.seed} instead.")
    if options.jobs == 0:
        raise ValueError("--jobs must not be 0; -1 takes all cores.")
    if options.data is None:
        X, y, qid = make_ranking(random_state=options.seed)
        return X, RankTarget(y, qid=qid), f"generated, seed {options.seed}"
    X, y, qid = load_letor(options.data)
    if X.shape[0] * X.shape[1] > _MOST_CELLS:
        raise ValueError(
            f"{options.data} has {X.shape[0]:,} rows and feature numbers up to {X.shape[1]:,}: as "
            "a table they do not fit into memory. Number the features from 1."
        )
    return X.toarray(), RankTarget(y, qid=qid), options.data


def _check_options(options: argparse.Namespace, y: RankTarget) -> None:
    """Refuse options and grades with which the search would fail later."""
    metric = get_metric(options.metric)
    if metric.row_values:
        raise ValueError(
            f"--metric {options.metric} needs the {' and '.join(metric.row_values)} of each row, "
            "which is not read here."
        )
    if metric.name == "rmse":
        raise ValueError("--metric must be a ranking metric, to be compared with rmse.")
    if metric.name in {"ideal_dcg", "judged"}:
        raise ValueError(
            f"--metric {metric.name} is the same for all models: no reason to choose."
        )
    if y.min() < 0:
        raise ValueError(f"Grades must not be negative, as they are gains. Got {y.min():g}.")
    if y.max() <= 0:
        raise ValueError("No row has a grade above 0: there is nothing to rank.")
    metric(y, np.zeros(len(y)))  # refuses grades that it cannot take
    n_queries = len(set(np.asarray(y.qid).tolist()))
    if not 2 <= options.cv <= n_queries:
        raise ValueError(
            f"--cv must be from 2 to the number of queries, {n_queries}. Got {options.cv} instead."
        )


def _search_and_print(options: argparse.Namespace, X: Array, y: RankTarget, source: str) -> None:
    chosen_by = options.metric.strip()
    relevant = get_metric("ideal_dcg").per_query(y, np.zeros(len(y))).value > 0
    print(
        f"{X.shape[0]} rows in {len(relevant)} queries, {X.shape[1]} features, grades "
        f"{y.min():g} to {y.max():g} ({source})"
    )
    if not relevant.all():
        print(f"{np.sum(~relevant)} queries have no relevant row and score 0 in most metrics")
    search = _make_search(options, chosen_by)
    n_candidates = len(ParameterGrid(_GRID))
    print(
        f"GridSearchCV of HistGradientBoostingRegressor: {n_candidates} candidates x "
        f"{options.cv} folds of whole queries, chosen by {chosen_by}",
        flush=True,
    )
    search.fit(X, y)
    by_rmse = int(np.argmin(search.cv_results_[f"rank_test_{_RMSE}"]))
    table = _format_candidates(search.cv_results_, search.scoring, search.best_index_, by_rmse)
    print(f"\n{table}\n")
    print(_format_choice(search, chosen_by, by_rmse))
    print(_compare_with_sklearn(search, X, y))


def _make_search(options: argparse.Namespace, chosen_by: str) -> GridSearchCV:
    scoring: dict[str, Any] = {chosen_by: make_rank_scorer(chosen_by)}
    for name in _OTHER_METRICS:
        if str(get_metric(name)) != str(get_metric(chosen_by)):
            scoring[name] = make_rank_scorer(name)
    scoring[_RMSE] = "neg_root_mean_squared_error"
    return _PrintingGridSearch(
        HistGradientBoostingRegressor(early_stopping=False, random_state=options.seed),
        _GRID,
        scoring=scoring,
        refit=chosen_by,
        cv=QueryKFold(options.cv),
        n_jobs=options.jobs,
        error_score="raise",
    )


def _format_candidates(
    results: Mapping[str, Any], metrics: Sequence[str], best: int, by_rmse: int
) -> str:
    """Write the candidates, best first, with mean and standard deviation of each score."""
    lines = [["", *_GRID, *metrics]]
    for at in np.argsort(results[f"rank_test_{next(iter(metrics))}"], kind="stable"):
        mark = ("*" if at == best else "") + ("r" if at == by_rmse else "")
        scores = [
            f"{_read_mean_score(results, name, at):.4f} ± {results[f'std_test_{name}'][at]:.4f}"
            for name in metrics
        ]
        lines.append([mark, *map(str, results["params"][at].values()), *scores])
    return as_text(lines)


def _read_mean_score(results: Mapping[str, Any], name: str, at: int) -> float:
    """Give the mean score of a candidate; undo the sign that scikit-learn gives RMSE."""
    mean = float(results[f"mean_test_{name}"][at])
    return -mean if name == _RMSE else mean


def _format_choice(search: GridSearchCV, chosen_by: str, by_rmse: int) -> str:
    results = search.cv_results_
    mean = results[f"mean_test_{chosen_by}"]
    rows = {f"* chosen by {chosen_by}:": search.best_index_, f"r {_RMSE} would choose:": by_rmse}
    width = max(map(len, rows))
    lines = [
        f"{label:<{width}}  {_format_parameters(results['params'][at])}  "
        f"{chosen_by} {mean[at]:.4f}, {_RMSE} {_read_mean_score(results, _RMSE, at):.4f}"
        for label, at in rows.items()
    ]
    cost = mean[search.best_index_] - mean[by_rmse]
    same = ": both choose the same" if by_rmse == search.best_index_ else ""
    lines.append(f"Choosing by {_RMSE} costs {cost:.4f} {chosen_by}{same}.")
    return "\n".join(lines)


def _compare_with_sklearn(search: GridSearchCV, X: Array, y: RankTarget) -> str:
    """Compare nDCG with scikit-learn's own, on out-of-fold predictions."""
    best = clone(search.estimator).set_params(**search.best_params_)
    predicted = cross_val_predict(best, X, y, cv=search.cv, n_jobs=search.n_jobs)
    try:
        largest = assert_matches_sklearn(y, predicted, k=10)
    except ValueError as error:
        return f"Not compared with sklearn.metrics.ndcg_score: {error}"
    return (
        "Out-of-fold predictions, nDCG@10 of each query against sklearn.metrics.ndcg_score: "
        f"largest difference {largest:.2g}"
    )


def _format_parameters(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


if __name__ == "__main__":
    sys.exit(main())
