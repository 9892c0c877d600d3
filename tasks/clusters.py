"""Where the stages of a build run: in the flow's own process, or on the workers of a Dask cluster."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from prefect.client.orchestration import SyncPrefectClient
from prefect.futures import PrefectFuture
from prefect.runtime import flow_run
from prefect.settings import PREFECT_API_URL
from prefect.task_runners import TaskRunner

from situatedgen.errors import SettingsError, SituatedGenError
from situatedgen.runtime import Runtime
from storage import observers
from storage.clusters import require_dask
from storage.observers import Observer
from storage.outcomes import Outcome


@dataclass(frozen=True)
class Away:
    """Where stages run that do not run here: their task runner, and the observer that is told of them."""

    runner: TaskRunner[Any]  # Any: futures of several kinds
    observer: Observer
    lost: tuple[type[BaseException], ...]

    def outcome(self, name: str, future: PrefectFuture[Outcome]) -> Outcome:
        """The outcome of a job that was sent off, once it is there.

        Raises:
            SituatedGenError: the job failed, or those who made it were killed again and again.
        """
        try:
            outcome = future.result()
        except self.lost as error:
            raise SituatedGenError(
                f"{name} was lost by the Dask cluster ({error}); see the logs of its workers, and whether they have"
                " enough memory. What was done is kept: build again, or with `--runner processes` on this machine"
            ) from error
        self.observer.finished(outcome)
        return outcome


@contextmanager
def elsewhere(runtime: Runtime) -> Iterator[Away | None]:
    """The place where the runtime wants stages to run, ready for them; nothing where that is here.

    Raises:
        SettingsError: Dask is not installed, its scheduler does not answer, it has no workers, or one of them
            lacks situatedgen or does not reach the Prefect server.
    """
    if runtime.runner != "dask":
        yield None
        return
    require_dask()
    from prefect_dask.task_runners import DaskTaskRunner  # noqa: PLC0415 (an extra)

    from storage.dask_cluster import LOST, address_of, cluster  # noqa: PLC0415
    from storage.dask_worker import hearing  # noqa: PLC0415

    with ExitStack() as stack:
        client = stack.enter_context(cluster(runtime))
        require_prefect(client.run(reached, PREFECT_API_URL.value(), on_error="return"))
        observer = stack.enter_context(hearing(client, topic(), observers.current()))
        runner = stack.enter_context(DaskTaskRunner(address=address_of(client)))
        yield Away(runner, observer, LOST)


def topic() -> str:
    """What the workers of this flow run tell is told to this topic."""
    return f"situatedgen-{flow_run.id}"


def reached(address: str) -> str:
    """Nothing where the Prefect server at an address answers this process; else what is wrong.

    The client asks a busy server again.
    """
    with SyncPrefectClient(address) as client:
        error = client.api_healthcheck()
    return f"does not reach the Prefect server at {address} ({error})" if error else ""


def require_prefect(found: Mapping[str, str | BaseException]) -> None:
    """Refuse workers that cannot run tasks: by address, what `reached` said, or why it could not be asked.

    Raises:
        SettingsError: there is one.
    """
    for worker, said in sorted(found.items()):
        if isinstance(said, ImportError):
            raise SettingsError(f"the Dask worker {worker} lacks situatedgen: {said}; install it there from the lock")
        if said:
            raise SettingsError(
                f"the Dask worker {worker} {said}; set PREFECT_API_URL to a server that all workers reach,"
                " or build with `--plain`"
            )
