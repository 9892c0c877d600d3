"""Selects the Prefect task runner of a build: threads, processes or Dask."""

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
    """Return the task runner for a runtime.

    Raises:
        SettingsError: Dask is not installed, its scheduler does not respond, or it has no workers.
    """
    workers = runtime.workers or len(os.sched_getaffinity(0))
    match runtime.runner:
        case "dask":
            return _dask_runner(runtime.scheduler, workers)
        case "processes":
            return ProcessPoolTaskRunner(max_workers=workers)
        case _:
            return ThreadPoolTaskRunner()


def has_runner_for(runtime: Runtime) -> bool:
    """Whether the current flow run already uses the task runner for a runtime."""
    context = FlowRunContext.get()
    kinds = {"threads": "ThreadPoolTaskRunner", "processes": "ProcessPoolTaskRunner", "dask": "DaskTaskRunner"}
    return context is None or type(context.task_runner).__name__ == kinds[runtime.runner]


def run_again(flow: Any, runtime: Runtime) -> Any:  # Any: a flow, and its final state
    """Rerun the current flow as a subflow with the task runner for a runtime, and return its state."""
    return flow.with_options(task_runner=runner_for(runtime))(**flow_run.parameters, return_state=True)


def _dask_runner(scheduler: str, workers: int) -> AnyRunner:
    for module in ("prefect_dask", "distributed"):
        extras.require(module, extra="cluster", purpose="the Dask runner")
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
            f"no Dask scheduler responds at {scheduler}: {error}; start one with `dask scheduler`, see docs/cluster.md"
        ) from error
    return DaskTaskRunner(address=scheduler)


def reach_prefect() -> str:
    """Return "" if this process can reach the Prefect server, otherwise the problem."""
    with get_client(sync_client=True) as client:
        problem = client.api_healthcheck()
    return "" if problem is None else f"cannot reach the Prefect server ({problem})"


def _check_workers(found: dict[str, str | BaseException]) -> None:
    """Refuse workers that cannot run tasks, given by address the result of `reach_prefect` or its exception."""
    for worker, said in sorted(found.items()):
        if isinstance(said, ImportError):
            raise SettingsError(
                f"the Dask worker {worker} cannot import situatedgen: {said}; install it there from requirements.lock"
            )
        if said:
            raise SettingsError(
                f"the Dask worker {worker} {said}; set PREFECT_API_URL to a server that all workers can reach,"
                " or build with `--plain`"
            )
