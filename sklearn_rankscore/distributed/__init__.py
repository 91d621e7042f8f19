"""The same metrics of tables that are larger than memory, by Dask.

`per_query` gives a lazy table of one row per query, `score` the means over all queries, `means`
those of per-query tables that are there already. The extra "distributed" installs Dask.
"""

from sklearn_rankscore.distributed._means import means
from sklearn_rankscore.distributed._score import per_query, score

__all__ = ["means", "per_query", "score"]
