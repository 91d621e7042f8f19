"""QueryRanker: wraps LGBMRanker, XGBRanker or CatBoostRanker for search and pipelines."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import RegressorTags, check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sklearn_rankscore._foreign import check_same_order, drop_column, list_columns
from sklearn_rankscore._typing import Array
from sklearn_rankscore.model_selection._ids import lookup
from sklearn_rankscore.model_selection._ids.target import warn_of_cut_queries
from sklearn_rankscore.model_selection._rankers import checks, dialect
from sklearn_rankscore.model_selection._rankers.sorted_rows import SortedRows
from sklearn_rankscore.model_selection._scorers.scorer import make_rank_scorer

_HOW_TO_SILENCE = "warnings.simplefilter('ignore', QuerySplitWarning)"


def _ranker_has(method: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(getattr(self, "ranker_", self.ranker), method)


class QueryRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A ranker that finds its query ids itself; it works in searches like any regressor.

    LightGBM wants group sizes, XGBoost sorted integer ids, CatBoost grouped ids, and a search
    passes none of them. QueryRanker finds the ids where the scorers find them, sorts the rows by
    query, and passes the queries to the ranker in the form that its ``fit`` wants. Predictions
    keep the order of the rows. A pointwise model is fitted without queries.

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
        The fitted ranker. QueryRanker has its fitted attributes too (``feature_importances_``,
        ``n_features_in_``, ``feature_names_in_``, ``best_iteration_``, ``classes_``, …).

    See Also
    --------
    make_rank_scorer : Score it by any ranking metric.

    Notes
    -----
    Rows are sorted by query id, stably. `fit` sorts every other argument that has one value per
    row in the same way, and passes it to the ranker under its own name. With metadata routing
    enabled, QueryRanker requests all of these but ``sample_weight``, which you request by
    ``set_fit_request``.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rankscore import QueryRanker, RankTarget
    >>> X, y = [[3], [1], [2], [1]], RankTarget([2, 0, 0, 1], qid=["a", "b", "a", "b"])
    >>> QueryRanker(Ridge()).fit(X, y).score(X, y)  # the two rows of "b" are tied
    0.9077324383928644
    """

    # scikit-learn's routing reads these: requested, but optional.
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
            Query ids, of any type; None: they are found on y or X. A pointwise model needs none.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights; for XGBoost, which has one weight per query, the same on all rows of a query.
        eval_set : tuple (X, y) or list of them, default=None
            Rows for early stopping, in any order.
        eval_qid : list of array-like, default=None
            Query ids of each evaluation set; None: they are found on its y or X.
        **fit_params
            Other arguments of the ranker's fit.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        ValueError
            If no query ids are found, lengths differ, or grades are fractional and the ranker
            (LightGBM, XGBoost) learns from whole ones.
        """
        lookup.check_name(self.qid)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        arguments = {"sample_weight": sample_weight, **fit_params}
        arguments = {name: value for name, value in arguments.items() if value is not None}
        check_same_order(X=X, y=y, qid=qid, sample_weight=sample_weight)
        ranker = clone(self.ranker)
        evaluation = dialect.list_evaluation_sets(eval_set, eval_qid)
        checks.check_reserved(ranker, arguments)
        if self.qid in list_columns(X)[:-1]:  # dropping the last column shifts no other
            checks.check_column_numbers(ranker, arguments, self.qid)
        checks.check_row_numbers(y, arguments)
        if dialect.find_dialect(ranker) is None:
            checks.check_pointwise(ranker)
            if evaluation:
                pairs = [(drop_column(X_, self.qid), y_) for X_, y_, _ in evaluation]
                arguments |= dialect.name_evaluation_sets(ranker, pairs)
            X = drop_column(X, self.qid)
        else:
            train = self._sort_rows(X, y, qid, type(self).__name__, "qid")
            warn_of_cut_queries(
                y, train.ids, "the ranker learns from parts of them", _HOW_TO_SILENCE
            )
            seeker = f"{type(self).__name__}, without eval_qid, for eval_set"
            eval_rows = [
                self._sort_rows(*rows, f"{seeker}[{at}]", f"eval_qid[{at}]")
                for at, rows in enumerate(evaluation)
            ]
            checks.check_whole_grades(ranker, train.y)
            arguments = dialect.translate(ranker, train, eval_rows, arguments)
            X, y = train.X, train.y
        self.ranker_ = dialect.fit_last_step(ranker, X, y, arguments)
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
        return self._call("predict", X)

    @available_if(_ranker_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Probability of each grade, where the ranker is a classifier; see `predict`."""
        return self._call("predict_proba", X)

    @available_if(_ranker_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """Decision for each row, where the ranker is a classifier; see `predict`."""
        return self._call("decision_function", X)

    def score(self, X: Any, y: Any, *, qid: Any = None, sample_weight: Any = None) -> float:
        """Compute the mean nDCG over queries, tied scores averaged.

        Parameters
        ----------
        X, y, qid
            As for `fit`.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row's query in the mean.

        Returns
        -------
        float
            From 0 to 1; a query without relevant rows scores 0.
        """
        scorer = make_rank_scorer("ndcg", qid=self.qid)
        return scorer(self, X, y, qid=qid, sample_weight=sample_weight)

    def _sort_rows(self, X: Any, y: Any, qid: Any, seeker: str, parameter: str) -> SortedRows:
        check_consistent_length(X, y)
        ids = lookup.find_query_ids(self.qid, X, y, qid, seeker, parameter)
        return SortedRows.sort(drop_column(X, self.qid), y, ids)

    def _call(self, method: str, X: Any) -> Array:
        check_is_fitted(self)
        predictions: Array = getattr(self.ranker_, method)(drop_column(X, self.qid))
        return predictions

    def __getattr__(self, name: str) -> Any:
        """Look up a fitted attribute on the fitted ranker."""
        if "ranker_" in vars(self) and name.endswith("_") and not name.startswith("_"):
            return getattr(self.ranker_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_tags__(self) -> Any:
        """Copy the ranker's tags; scikit-learn knows no rankers, so they count as regressors."""
        try:
            tags = deepcopy(get_tags(self.ranker))
        except AttributeError:  # not a scikit-learn estimator: it has no tags
            tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if tags.estimator_type is None or tags.regressor_tags is not None:
            tags.estimator_type = "regressor"
            tags.regressor_tags = RegressorTags(poor_score=True)  # nDCG, not R²
        if tags.classifier_tags is not None:
            tags.classifier_tags.poor_score = True
        return tags

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn what fit and score request: ids under their name, fit's arguments."""
        routing = super().get_metadata_routing()
        for request in (routing.fit, routing.score):
            lookup.request_by_name(request, qid=self.qid)
        for name in dialect.list_routed_arguments(self.ranker):
            if name not in routing.fit.requests:
                routing.fit.add_request(param=name, alias=True)
        return routing
