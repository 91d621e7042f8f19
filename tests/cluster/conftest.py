"""A cluster of two processes, for all tests that want one."""

import warnings

import pytest
from conftest import needs


@pytest.fixture(scope="module")
def client():
    """Connect to two workers of one thread each."""
    distributed = needs("distributed")
    with warnings.catch_warnings():  # of a slow disk, which says nothing of the package
        warnings.filterwarnings("ignore", "Creating scratch directories")
        started = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        )
    with started as cluster, distributed.Client(cluster) as client:
        # A worker is told as the tests are: warnings that are Dask's own affair are none here.
        client.run(warnings.simplefilter, "ignore")
        yield client
