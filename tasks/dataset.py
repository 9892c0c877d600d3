"""Tasks that write a dataset folder; never cached, because the folder is outside the store."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from storage import publication
from storage.builds import Build
from storage.requests import BuildContext
from storage.runner import finish


@task(name="publish", task_run_name="dataset folder", cache_policy=NO_CACHE, persist_result=False)
def publish(
    context: BuildContext,
    outcomes: Sequence[Any],  # Any: the flow passes futures, which Prefect resolves to outcomes
    *,
    out: Path,
    min_validity: float = 0.0,
) -> tuple[Build, Path]:
    """Finish a build and publish its dataset folder; return both."""
    build = finish(context, outcomes)
    return build, publication.publish(build, store=context.store, out=out, min_validity=min_validity)


@task(name="publish", task_run_name="folder of concept sets", cache_policy=NO_CACHE, persist_result=False)
def publish_concepts(context: BuildContext, outcomes: Sequence[Any], *, out: Path) -> tuple[Build, Path]:
    """Finish a build and publish its concept-set folder; return both."""
    build = finish(context, outcomes)
    return build, publication.publish_concepts(build, store=context.store, out=out)
