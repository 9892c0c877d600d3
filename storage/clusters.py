"""Whether work is spread over a Dask cluster; what knows Dask is imported only then."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from situatedgen.errors import SettingsError
from situatedgen.runtime import Runtime
from situatedgen.spreading import spreading

EXTRA = ("distributed", "prefect_dask")


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
    missing = [name for name in EXTRA if find_spec(name) is None]
    if missing:
        raise SettingsError(
            f"the runner dask needs the extra `cluster` ({', '.join(missing)} is missing);"
            " install it with `pip install 'situatedgen[cluster]'`"
        )
