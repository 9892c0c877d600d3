"""One named Prefect task per stage; Prefect caches nothing, the store and its content keys are the only cache."""

from typing import Any, cast

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.logging import get_run_logger
from prefect.runtime import task_run

from storage.builds import Outcome
from storage.requests import BuildContext
from storage.runner import run_stage
from storage.store import artifact_name
from tasks.artifacts import describe_outcome, state_of

StageTask = Task[..., Outcome]


def stage_task(name: str, **options: Any) -> StageTask:  # Any: whatever Prefect's `task` takes
    """Return the task that computes a stage's artifact; retries, tags, timeout and limits can be set per stage.

    Inputs are passed by name, as are an optional `source`, the model's `answers`, and `tiles`. Prefect sees them as
    one parameter, because its UI counts the parameters of a task and hides the arrows if there are many.
    """

    @task(name=name, task_run_name=run_name, tags=["stage"], cache_policy=NO_CACHE, persist_result=False, **options)
    def make(context: BuildContext, **given: Any) -> Outcome:
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


items = stage_task("items")
statements = stage_task("statements")
entities = stage_task("entities")
keywords = stage_task("keywords")
masks = stage_task("masks")
parses = stage_task("parses")
embeddings = stage_task("embeddings")
candidates = stage_task("candidates")
pairs = stage_task("pairs")
shortlist = stage_task("shortlist")
judged = stage_task("judged")
selected = stage_task("selected")
terms = stage_task("terms")
communities = stage_task("communities")
splits = stage_task("splits")
judgements = stage_task("judgements")
examples = stage_task("examples")
leakage = stage_task("leakage")

concepts = stage_task("concepts")
concept_counts = stage_task("concept_counts")
concept_sets = stage_task("concept_sets")
concept_splits = stage_task("concept_splits")
concept_examples = stage_task("concept_examples")
