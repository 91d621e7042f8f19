"""What scorers share: finding ids and items, asking the estimator, and scikit-learn's routing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest

from sklearn_rankscore.metrics._metric.engine import evaluate
from sklearn_rankscore.metrics._metric.options import ROW_VALUES, check_choice
from sklearn_rankscore.metrics._rows.item_tables import ItemTable
from sklearn_rankscore.metrics._rows.rows import MissingRowsError
from sklearn_rankscore.model_selection._ids.cut_queries import warn_of_cut_queries
from sklearn_rankscore.model_selection._ids.lookup import (
    check_name,
    find,
    find_query_ids,
    find_row_values,
    row_values_not_found,
)
from sklearn_rankscore.model_selection._scorers.response import RESPONSE_METHODS, response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn_rankscore.metrics import Metric

_ON_SPLIT_QUERY = ("warn", "raise", "ignore")
_ON_CUT = "on_split_query='ignore'"


class Scorer:
    """A scorer of some metrics; its children say what a call gives."""

    def __init__(
        self,
        metrics: tuple[Metric, ...],
        names: Mapping[str, str],
        response_method: str,
        on_split_query: str,
    ) -> None:
        check_choice(response_method, "The 'response_method' parameter", RESPONSE_METHODS)
        check_choice(on_split_query, "The 'on_split_query' parameter", _ON_SPLIT_QUERY)
        wanted = {name for metric in metrics for name in metric.row_values}
        for parameter, name in names.items():
            of = "query ids" if parameter == "qid" else f"values of {parameter}"
            check_name(name, parameter, of)
            if parameter != name and parameter in ROW_VALUES and parameter not in wanted:
                listed = ", ".join(map(str, metrics))
                raise TypeError(f"{listed} takes no {parameter}. Got {parameter}={name!r}.")
        self._metrics = metrics
        # Under which name what a metric needs of each row is found.
        self._names = {p: name for p, name in names.items() if p == "qid" or p in wanted}
        self._response_method = response_method
        self._on_split_query = on_split_query
        self._requests: dict[str, bool | str | None] = {**self._names, "sample_weight": None}

    def _values(
        self, estimator: Any, X: Any, y: Any, qid: Any, sample_weight: Any, **passed: Any
    ) -> list[float]:
        seeker = type(self).__name__
        names = {parameter: self._named(parameter) for parameter in self._names}
        ids = find_query_ids(names.pop("qid"), X, y, qid, seeker)
        row_values = {
            parameter: find_row_values(name, X, y, passed.get(parameter), parameter)
            for parameter, name in names.items()
        }
        if self._on_split_query != "ignore":
            warn_of_cut_queries(
                y,
                ids,
                "they are not scored whole",
                _ON_CUT,
                raises=self._on_split_query == "raise",
            )
        by_item = any(isinstance(o, ItemTable) for m in self._metrics for o in m.bound.values())
        if by_item and row_values.get("item") is None:  # folds have no lines of a table
            raise ValueError(row_values_not_found(names["item"], "item", X, y, seeker))
        if self._accept_sample_weight():
            sample_weight = find(self._named("sample_weight"), X, y, sample_weight)
        scores = response(estimator, X, self._response_method)
        try:
            values = evaluate(
                self._metrics, y, scores, ids, sample_weight=sample_weight, **row_values
            )
        except MissingRowsError as missing:
            text = row_values_not_found(names[missing.name], missing.name, X, y, seeker)
            raise ValueError(text) from None
        signed = zip(self._metrics, values, strict=True)
        return [value if metric.greater_is_better else 0.0 - value for metric, value in signed]

    def _named(self, parameter: str) -> str:
        """Under which name a parameter is looked for: as it was requested, else as it was made."""
        request = self._requests[parameter]
        return request if isinstance(request, str) else self._names.get(parameter, parameter)

    def get_metadata_routing(self) -> MetadataRequest:
        """Tell scikit-learn which metadata the scorer wants.

        Returns
        -------
        MetadataRequest
            Query ids under their name, items and what else the metric needs of each row under
            theirs, and sample weights where they were requested.
        """
        # The owner is a text: an object would be copied with all its data on every look.
        routing = MetadataRequest(owner=type(self).__name__)
        for parameter, alias in self._requests.items():
            routing.score.add_request(param=parameter, alias=alias)
        return routing

    def set_score_request(
        self,
        *,
        qid: bool | str | None = UNCHANGED,
        sample_weight: bool | str | None = UNCHANGED,
        item: bool | str | None = UNCHANGED,
        similarity: bool | str | None = UNCHANGED,
    ) -> Self:
        """Say which metadata the scorer requests; usable whether routing is enabled or not.

        Parameters
        ----------
        qid, sample_weight, item, similarity : bool, str or None
            True: requested; a name: requested under that name; False: not requested; None: an
            error if it is passed all the same. Query ids are requested from the start, and so is
            what the metric needs of each row.

        Raises
        ------
        TypeError
            If the metric takes no such values.

        Returns
        -------
        self
            The scorer.
        """
        given = {
            "qid": qid,
            "sample_weight": sample_weight,
            "item": item,
            "similarity": similarity,
        }
        for parameter, request in given.items():
            if request == UNCHANGED:
                continue
            if parameter not in self._requests:
                raise TypeError(f"{self!r} takes no {parameter}.")
            self._requests[parameter] = request
        return self

    @property
    def _score_func(self) -> Any:
        # What TunedThresholdClassifierCV asks of scikit-learn's own scorers, and of them only.
        raise AttributeError(
            "A threshold is tuned for predicted classes, which a RankScorer does not rank by. "
            "Pass scoring=sklearn.metrics.make_scorer(ndcg, k=10), with y=RankTarget(y, qid=…)."
        )

    def _accept_sample_weight(self) -> bool:
        # Asked by scikit-learn where routing is off: may fit(sample_weight=…) reach the scorer?
        # Only on request: weights of rows in training are seldom weights of queries in the mean.
        return self._requests["sample_weight"] not in (None, False)

    def _shown(self) -> str:
        parts = [f"{p}={name!r}" for p, name in self._names.items() if p != name]
        if self._response_method != "auto":
            parts.append(f"response_method={self._response_method!r}")
        if self._on_split_query != "warn":
            parts.append(f"on_split_query={self._on_split_query!r}")
        return "".join(f", {part}" for part in parts)
