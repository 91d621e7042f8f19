"""A cluster of two processes, for all tests that want one."""

import warnings

import pytest
from conftest import needs


@pytest.fixture(scope="module")
def client():
    """Connect to two workers of one thread each."""
    distributed = needs("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        # A worker is told as the tests are: warnings that are Dask's own affair are none here.
        client.run(warnings.simplefilter, "ignore")
        yield client
