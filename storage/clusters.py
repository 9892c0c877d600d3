"""Whether work is spread over a Dask cluster; what knows Dask is imported only then."""

from collections.abc import Iterator
from contextlib import contextmanager

from situatedgen import extras
from situatedgen.runtime import Runtime
from situatedgen.spreading import spreading


@contextmanager
def spread_by(runtime: Runtime) -> Iterator[None]:
    """Spread the work within this block over a Dask cluster, where the runtime says so.

    Raises:
        SettingsError: Dask is not installed, its scheduler does not answer, or it has no workers.
    """
    if runtime.runner != "dask":
        yield
        return
    require_dask()
    from storage.dask_cluster import Dask, cluster  # noqa: PLC0415 (an extra)

    with cluster(runtime) as client, spreading(Dask(client)):
        yield


def require_dask() -> None:
    """Refuse to go on where Dask is not installed.

    Raises:
        SettingsError: it is not.
    """
    for package in ("distributed", "prefect_dask"):
        extras.require(package, extra="cluster", purpose="the runner dask")
