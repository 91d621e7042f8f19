"""The same metrics for tables that are larger than memory, by Dask.

`per_query` gives a lazy table with a row for each query, `score` the means over all queries, and
`means` the means of such per-query tables. The extra "distributed" installs Dask.
"""

from sklearn_rankscore.distributed._means import means
from sklearn_rankscore.distributed._score import per_query, score

__all__ = ["means", "per_query", "score"]
