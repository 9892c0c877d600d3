"""Which of Prefect's task runners carries the work of a build."""

import os
from typing import Any

from prefect import get_client
from prefect.context import FlowRunContext
from prefect.runtime import flow_run
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner, ThreadPoolTaskRunner

from situatedgen import extras
from situatedgen.errors import SettingsError
from situatedgen.runtime import Runtime

CONNECT_SECONDS = 60
HOST = "127.0.0.1"
AnyRunner = TaskRunner[Any]  # Any: futures of several kinds


def runner_for(runtime: Runtime) -> AnyRunner:
    """The task runner that a runtime asks for.

    Raises:
        SettingsError: Dask is not installed, its scheduler does not answer, or it has no workers.
    """
    workers = runtime.workers or len(os.sched_getaffinity(0))
    match runtime.runner:
        case "dask":
            return _dask_runner(runtime.scheduler, workers)
        case "processes":
            return ProcessPoolTaskRunner(max_workers=workers)
        case _:
            return ThreadPoolTaskRunner()


def is_carried_by(runtime: Runtime) -> bool:
    """Whether the flow run that this is called in has the task runner that a runtime asks for."""
    context = FlowRunContext.get()
    kinds = {"threads": "ThreadPoolTaskRunner", "processes": "ProcessPoolTaskRunner", "dask": "DaskTaskRunner"}
    return context is None or type(context.task_runner).__name__ == kinds[runtime.runner]


def run_again(flow: Any, runtime: Runtime) -> Any:  # Any: a flow, and the state that it ends in
    """The state of this flow run's flow, run below it with the task runner that a runtime asks for."""
    return flow.with_options(task_runner=runner_for(runtime))(**flow_run.parameters, return_state=True)


def _dask_runner(scheduler: str, workers: int) -> AnyRunner:
    for module in ("prefect_dask", "distributed"):
        extras.require(module, extra="cluster", purpose="the runner dask")
    from distributed import Client  # noqa: PLC0415 (an extra)
    from prefect_dask.task_runners import DaskTaskRunner  # noqa: PLC0415

    if not scheduler:
        kwargs = {"n_workers": workers, "threads_per_worker": 1, "host": HOST, "dashboard_address": f"{HOST}:0"}
        return DaskTaskRunner(cluster_kwargs={**kwargs, "memory_limit": 0, "silence_logs": "ERROR"})
    try:
        with Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
            _check_workers(client.run(reach_prefect, on_error="return"))
    except TimeoutError as error:
        raise SettingsError(
            f"the Dask scheduler at {scheduler} has no workers; start some with `dask worker {scheduler}`"
        ) from error
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"no Dask scheduler answers at {scheduler}: {error}; start one with `dask scheduler`, see docs/cluster.md"
        ) from error
    return DaskTaskRunner(address=scheduler)


def reach_prefect() -> str:
    """Nothing where the Prefect server answers this process; else what is wrong."""
    with get_client(sync_client=True) as client:
        problem = client.api_healthcheck()
    return "" if problem is None else f"does not reach the Prefect server ({problem})"


def _check_workers(found: dict[str, str | BaseException]) -> None:
    """Refuse workers that cannot run tasks: by address, what `reach_prefect` said, or why it could not be asked."""
    for worker, said in sorted(found.items()):
        if isinstance(said, ImportError):
            raise SettingsError(f"the Dask worker {worker} lacks situatedgen: {said}; install it there from the lock")
        if said:
            raise SettingsError(
                f"the Dask worker {worker} {said}; set PREFECT_API_URL to a server that all workers reach,"
                " or build with `--plain`"
            )
