"""What other programs mean by the same name, as options of ours.

`EVERY` holds what a program does in all its metrics; a metric's own entry comes on top. Options
that a metric does not have are left out, so that one preset serves every metric.

sklearn     sklearn.metrics: dcg_score, ndcg_score.
trec_eval   NIST trec_eval: ties by document id, descending. Give the rows in that order.
lightgbm    LightGBM's ndcg and map, on rows in input order; relevant means label > 0.5.
xgboost     XGBoost's ndcg@n, map@n and pre@n; without @n it cuts at 32, k=None does not.
catboost    CatBoost's NDCG, DCG, MAP, MRR, PrecisionAt, RecallAt, ERR, QueryAUC: ties are
            settled for the worst, but count half in QueryAUC. Its ERR takes the probability of
            being satisfied itself for a grade.

Weights are never part of a convention: LightGBM and XGBoost add an unweighted 1 for a query
without relevant rows and can so report an nDCG above 1; that is not imitated.
"""

from __future__ import annotations

from typing import Any

EVERY = "*"

CONVENTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "sklearn": {
        EVERY: {"gain": "linear", "ties": "average", "replace_undefined_by": 0.0},
    },
    "trec_eval": {
        EVERY: {"gain": "linear", "ties": "first", "replace_undefined_by": 0.0},
        "rank_biased_precision": {"persistence": 0.9},
    },
    "lightgbm": {
        EVERY: {"gain": "exponential", "ties": "first", "replace_undefined_by": 1.0},
        "average_precision": {"denominator": "attainable"},
    },
    "xgboost": {
        EVERY: {"gain": "exponential", "ties": "first", "replace_undefined_by": 1.0},
        "average_precision": {"denominator": "attainable"},
        "precision": {"denominator": "attainable", "replace_undefined_by": 0.0},
    },
    "catboost": {
        EVERY: {"gain": "linear", "ties": "pessimistic", "replace_undefined_by": 1.0},
        "average_precision": {"denominator": "attainable", "replace_undefined_by": 0.0},
        "precision": {"denominator": "attainable", "replace_undefined_by": 0.0},
        "reciprocal_rank": {"replace_undefined_by": 0.0},
        "expected_reciprocal_rank": {"replace_undefined_by": 0.0},
        "roc_auc": {"ties": "average", "replace_undefined_by": 0.0},
    },
}


def preset(convention: str, metric: str) -> dict[str, Any]:
    """Options of `metric` as the program `convention` has them."""
    entry = CONVENTIONS[convention]
    return {**entry[EVERY], **entry.get(metric, {})}
