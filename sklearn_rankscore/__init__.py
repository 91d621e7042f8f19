"""Ranking metrics as scikit-learn scorers that know about queries.

A **Metric** turns ranked queries into numbers. A **Ranking** is a block of ranked queries, which
formulas read. A **scorer** finds the query ids and calls the metric.

=================== ==============================================================================
metrics             from (y_true, y_score, qid) to numbers: `ndcg`, `average_precision`, …;
                    `get_metric("ndcg@10")`, `metric_names()`; several at once: `evaluate`,
                    `evaluate_per_query`; beyond accuracy: `catalog_coverage`, `novelty`, …, with
                    `item_popularity` and `profile_similarity`
model_selection     from a fitted estimator to a score: `make_rank_scorer`,
                    `make_multi_rank_scorer`, `RankTarget`; `QueryRanker`; splits that are honest:
                    `QueryKFold`, `TemporalSplit`, `split_report`
streaming           rows that come in batches: `evaluate_batches`, `whole_queries`
distributed         tables that are larger than memory, by Dask: `per_query`, `score`, `means`
inspection          results to read: `explain` shows how a query's value comes about;
                    `rank_report` compares models, with intervals and tests; displays, such as
                    `MetricAtKDisplay`
datasets            `make_ranking`, `make_interactions`, `load_letor`
testing             `assert_matches_sklearn`
python -m …         the command line: tune a model for a ranking metric, or score files
=================== ==============================================================================
"""

from sklearn_rankscore import (
    distributed,  # noqa: F401 - so that it need not be imported apart
    inspection,
    metrics,
    model_selection,
    streaming,
)
from sklearn_rankscore.inspection import *  # noqa: F403 - each room says what is public
from sklearn_rankscore.metrics import *  # noqa: F403
from sklearn_rankscore.metrics._metric.means import UninformativeRankingWarning
from sklearn_rankscore.metrics._rows.item_tables import Popularity
from sklearn_rankscore.metrics.evaluate import evaluate, evaluate_per_query
from sklearn_rankscore.metrics.profiles import item_popularity, profile_similarity
from sklearn_rankscore.model_selection import *  # noqa: F403
from sklearn_rankscore.streaming import *  # noqa: F403

__version__ = "0.1.0"

__all__ = ["Popularity", "UninformativeRankingWarning", "evaluate", "evaluate_per_query"]
__all__ += ["item_popularity", "profile_similarity"]
__all__ += inspection.__all__
__all__ += metrics.__all__
__all__ += model_selection.__all__
__all__ += streaming.__all__
__all__.sort()
