"""QueryRanker: rankers that need their queries told, made estimators like any other."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import RegressorTags, check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sklearn_rankscore._foreign import column_names, drop_column
from sklearn_rankscore.model_selection._ids.lookup import (
    check_name,
    find_query_ids,
    request_by_name,
)
from sklearn_rankscore.model_selection._ids.target import warn_of_cut_queries
from sklearn_rankscore.model_selection._rankers.checks import (
    check_parameters,
    check_pointwise,
    check_row_numbers,
    check_whole_grades,
)
from sklearn_rankscore.model_selection._rankers.dialect import (
    dialect_of,
    evaluation_sets,
    fit_last_step,
    other_parameters,
    say_evaluation,
    translate,
)
from sklearn_rankscore.model_selection._rankers.sorted_rows import SortedRows
from sklearn_rankscore.model_selection._scorers.scorer import make_rank_scorer

if TYPE_CHECKING:
    from collections.abc import Callable

    from sklearn_rankscore.metrics._rows.validation import Array

_IF_MEANT = "warnings.simplefilter('ignore', QuerySplitWarning)"


def _ranker_has(method: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(getattr(self, "ranker_", self.ranker), method)


class QueryRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A ranker that finds its query ids itself, to be searched and pipelined like a regressor.

    LightGBM wants group sizes, XGBoost sorted integer ids, CatBoost grouped ids, and none of them
    gets them from a search. QueryRanker finds the ids where the scorers find them, brings the rows
    of each query together, tells the ranker in its own words, and leaves the order of predictions
    alone. A pointwise model it fits as it is.

    Parameters
    ----------
    ranker : estimator
        Ranker whose ``fit`` takes ``group`` (sizes, as `lightgbm.LGBMRanker`), ``qid`` (sorted
        integers, as `xgboost.XGBRanker`) or ``group_id`` (as `catboost.CatBoostRanker`); a
        pipeline that ends in one; or any regressor or classifier, fitted row by row.
    qid : str, default="qid"
        Name under which query ids are found; see `make_rank_scorer`. A column of X of this name
        is never a feature: it is dropped in fit and predict.

    Attributes
    ----------
    ranker_ : estimator
        The fitted ranker. What it learned (``feature_importances_``, ``n_features_in_``,
        ``feature_names_in_``, ``best_iteration_``, ``classes_``, …) is asked of the QueryRanker
        as well.

    See Also
    --------
    make_rank_scorer : Score it by any ranking metric.

    Notes
    -----
    Rows are sorted by query id, stably. Whatever else is passed to `fit` with one value per row
    is sorted along, and reaches the ranker under its own name. With metadata routing enabled all
    of it is requested but ``sample_weight``, which is left to ``set_fit_request``.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rankscore import QueryRanker, RankTarget
    >>> X, y = [[3], [1], [2], [1]], RankTarget([2, 0, 0, 1], qid=["a", "b", "a", "b"])
    >>> QueryRanker(Ridge()).fit(X, y).score(X, y)  # the two rows of "b" are tied
    0.9077324383928644
    """

    # Read by scikit-learn's routing: asked for, but need not be given.
    __metadata_request__fit = {"qid": True, "eval_set": True, "eval_qid": True}  # noqa: RUF012
    __metadata_request__score = {"qid": True}  # noqa: RUF012

    def __init__(self, ranker: Any, *, qid: str = "qid") -> None:
        self.ranker = ranker
        self.qid = qid

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        qid: Any = None,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the ranker to whole queries.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_rows, n_features)
            Rows to rank, in any order.
        y : array-like of shape (n_rows,)
            Relevance grades.
        qid : array-like of shape (n_rows,), default=None
            Query ids, of any type; None: found on y or X. A pointwise model needs none.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights; for XGBoost, which has one weight per query, the same on all rows of a query.
        eval_set : tuple (X, y) or list of them, default=None
            Rows for early stopping, in any order.
        eval_qid : list of array-like, default=None
            Query ids of each evaluation set; None: found there as for X and y.
        **fit_params
            Anything else that the ranker's fit takes.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        ValueError
            If no query ids are found, lengths do not agree, or LightGBM is to learn from grades
            that are not whole.
        """
        check_name(self.qid)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        given = {"sample_weight": sample_weight, **fit_params}
        given = {name: value for name, value in given.items() if value is not None}
        ranker = clone(self.ranker)
        evaluation = evaluation_sets(eval_set, eval_qid)
        # The numbers of the other columns stay where the ids come last.
        shifts = self.qid in column_names(X)[:-1]
        check_parameters(ranker, given, self.qid if shifts else None)
        check_row_numbers(y, given)
        if dialect_of(ranker) is None:
            check_pointwise(ranker)
            if evaluation:
                pairs = [(drop_column(part, self.qid), grades) for part, grades, _ in evaluation]
                given |= say_evaluation(ranker, pairs)
            X = drop_column(X, self.qid)
        else:
            train = self._table(X, y, qid, "")
            warn_of_cut_queries(y, train.ids, "the ranker learns from parts of them", _IF_MEANT)
            tables = [self._table(*part, f"[{at}]") for at, part in enumerate(evaluation)]
            check_whole_grades(ranker, train.y)
            given = translate(ranker, train, tables, given)
            X, y = train.X, train.y
        self.ranker_ = fit_last_step(ranker, X, y, given)
        return self

    def predict(self, X: Any) -> Array:
        """Score rows; higher ranks first.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_rows, n_features)
            Rows, in any order, with or without the column of ids.

        Returns
        -------
        ndarray of shape (n_rows,)
            Score of each row, in the order of the rows.
        """
        return self._ask("predict", X)

    @available_if(_ranker_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Probability of each grade, where the ranker is a classifier; see `predict`."""
        return self._ask("predict_proba", X)

    @available_if(_ranker_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """Decision for each row, where the ranker is a classifier; see `predict`."""
        return self._ask("decision_function", X)

    def score(self, X: Any, y: Any, *, qid: Any = None, sample_weight: Any = None) -> float:
        """Mean nDCG over queries, tied scores averaged.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_rows, n_features)
            Rows to rank.
        y : array-like of shape (n_rows,)
            Relevance grades.
        qid : array-like of shape (n_rows,), default=None
            Query ids; None: found on y or X.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row's query in the mean.

        Returns
        -------
        float
            From 0 to 1; nan if no query has a relevant row.
        """
        scorer = make_rank_scorer("ndcg", qid=self.qid)
        return scorer(self, X, y, qid=qid, sample_weight=sample_weight)

    def _table(self, X: Any, y: Any, qid: Any, at: str) -> SortedRows:
        check_consistent_length(X, y)
        seeker, parameter = type(self).__name__, "qid"
        if at:
            seeker, parameter = f"{seeker}, without eval_qid, for eval_set{at}", f"eval_qid{at}"
        ids = find_query_ids(self.qid, X, y, qid, seeker, parameter)
        return SortedRows.sort(drop_column(X, self.qid), y, ids)

    def _ask(self, method: str, X: Any) -> Array:
        check_is_fitted(self)
        answer: Array = getattr(self.ranker_, method)(drop_column(X, self.qid))
        return answer

    def __getattr__(self, name: str) -> Any:
        """Ask the fitted ranker for what it learned."""
        if "ranker_" in vars(self) and name.endswith("_") and not name.startswith("_"):
            return getattr(self.ranker_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_tags__(self) -> Any:
        """Be what the ranker is; a ranker, which scikit-learn has no word for, is a regressor."""
        try:
            tags = deepcopy(get_tags(self.ranker))
        except AttributeError:  # no estimator of scikit-learn's kind
            tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if tags.estimator_type is None or tags.regressor_tags is not None:
            tags.estimator_type = "regressor"
            tags.regressor_tags = RegressorTags(poor_score=True)  # the score is no R²
        if tags.classifier_tags is not None:
            tags.classifier_tags.poor_score = True
        return tags

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn which metadata fit and score want.

        Returns
        -------
        MetadataRequest
            Query ids under their name, and all that the ranker's fit takes.
        """
        routing = super().get_metadata_routing()
        for request in (routing.fit, routing.score):
            request_by_name(request, qid=self.qid)
        for name in other_parameters(self.ranker):
            if name not in routing.fit.requests:
                routing.fit.add_request(param=name, alias=True)
        return routing
