"""The task that writes the dataset folder; never cached, for the folder is not in the store."""

from pathlib import Path

from prefect import task
from prefect.cache_policies import NO_CACHE

from storage import publication
from storage.outcomes import Build
from storage.store import Store


@task(name="publish", task_run_name="dataset folder", cache_policy=NO_CACHE, persist_result=False)
def publish(build: Build, *, store: Store, out: Path) -> Path:
    """The dataset folder of a build."""
    return publication.publish(build, store=store, out=out)


@task(name="publish", task_run_name="folder of concept sets", cache_policy=NO_CACHE, persist_result=False)
def publish_concepts(build: Build, *, store: Store, out: Path) -> Path:
    """The folder of concept sets of a build."""
    return publication.publish_concepts(build, store=store, out=out)
