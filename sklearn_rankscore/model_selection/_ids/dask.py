"""What Dask is told of a RankTarget: that it is more than the array that it looks like.

Dask sends and hashes the numbers of any array, without what a subclass adds to them: a worker
would get grades that have lost their ids. How it treats a class can be said only once it is
imported, so that it is said each time a target is made or asked for what belongs to its rows;
joblib asks for its bytes before it sends it.
"""

from __future__ import annotations

import sys
from typing import Any


def tell_dask(target: type) -> None:
    """Have it pickled, and hashed with all that belongs to it, if Dask is there to be told."""
    for module, name, way in _WAYS:
        # Another thread may be importing it: what is not there yet is told the next time.
        dispatch = getattr(sys.modules.get(module), name, None)
        if dispatch is not None:
            dispatch.register(target, way)


def _pickled(_: Any) -> Any:
    """Leave it to the next way of sending, which is to pickle."""
    raise NotImplementedError


def _token(value: Any) -> Any:
    from dask.tokenize import normalize_token  # noqa: PLC0415 - it is Dask that calls

    return normalize_token(value.__dask_tokenize__())


_WAYS = (
    ("distributed.protocol", "dask_serialize", _pickled),
    ("dask.tokenize", "normalize_token", _token),
)
