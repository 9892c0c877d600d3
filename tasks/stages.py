"""One named Prefect task per stage of the pipeline, made from its declaration.

Prefect caches nothing: the store and its content keys are the only cache.
"""

from typing import Any, cast

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.logging import get_run_logger
from prefect.runtime import task_run

from situatedgen.pipeline import ALL_STAGES
from storage.builds import Outcome
from storage.requests import BuildContext
from storage.runner import run_stage
from storage.store import artifact_name
from tasks.artifacts import describe_outcome, state_of

StageTask = Task[..., Outcome]


def stage_task(name: str) -> StageTask:
    """Return the task that computes a stage's artifact; `with_options` sets retries, tags or a timeout for one stage.

    Inputs are passed by name, as are an optional `source`, the model's `answers`, and `tiles`. Prefect sees them as
    one parameter, because its UI counts the parameters of a task and hides the arrows if there are many.
    """

    @task(name=name, task_run_name=run_name, cache_policy=NO_CACHE, persist_result=False)
    def make(context: BuildContext, **given: Any) -> Outcome:  # Any: outcomes, a name, answers and tiles
        source, tiles = given.pop("source", ""), given.pop("tiles", ())
        answers = given.pop("answers", ())
        outcome = run_stage(context, name, given, source=source, answers=list(answers), tiles=list(tiles))
        get_run_logger().info("%s: %s", outcome.ref.name, describe_outcome(outcome))
        # Return a state instead of a value; the result of the future is still the value.
        return cast("Outcome", state_of(outcome))

    return make


def run_name() -> str:
    """Name a task run after its artifact."""
    return artifact_name(task_run.task_name, task_run.parameters["given"].get("source", ""))


TASKS = {name: stage_task(name) for name in ALL_STAGES}


def __getattr__(name: str) -> StageTask:
    """Return the task of a stage as an attribute of this module, such as `stages.masks`."""
    if name not in TASKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; its tasks are {', '.join(TASKS)}")
    return TASKS[name]
