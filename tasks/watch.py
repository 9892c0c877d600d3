"""Tasks that check sources for changes; never cached, because sources are outside the store."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.events import emit_event
from prefect.events.worker import EventsWorker
from prefect.futures import PrefectFuture
from prefect.logging import get_run_logger
from prefect.states import Completed

from situatedgen.errors import SituatedGenError
from situatedgen.fetch.fetch import Fetched
from situatedgen.sources.params import SourceParams
from storage import watch
from storage.store import Store
from storage.watch import SourceCheck, Upstream

SOURCE_UPDATED = "situatedgen.source.updated"
DECISIONS_UPDATED = "situatedgen.decisions.updated"


@task(name="upstream", task_run_name="check upstream", cache_policy=NO_CACHE, persist_result=False)
def refresh(names: list[str], folder: Path, *, store: Store, upstream: Upstream, mirror: str) -> list[Fetched]:
    """Fetch the sources from upstream and return the result for each."""
    return watch.refresh(names, folder, store, upstream=upstream, mirror=mirror)


@task(name="source", task_run_name="{source.name}", cache_policy=NO_CACHE, persist_result=False)
def check_source(
    source: SourceParams, folder: Path, *, store: Store, decisions: Path | None = None
) -> State[SourceCheck]:
    """Compare a source with its last snapshot; emit an event if its content changed."""
    found = watch.check_source(source, folder, store)
    folders = {"decisions": str(decisions.resolve()) if decisions else ""}
    return _record_check(
        found, store, event=SOURCE_UPDATED, resource=f"situatedgen.source.{found.now.source}", folders=folders
    )


@task(name="decisions", task_run_name="decisions", cache_policy=NO_CACHE, persist_result=False)
def check_decisions(folder: Path, *, store: Store, sources: Path) -> State[SourceCheck]:
    """Compare the annotation decisions with their last snapshot; emit an event if those that a build uses changed."""
    found = watch.check_decisions(folder, store)
    folders = {"sources": str(sources.resolve())}
    return _record_check(found, store, event=DECISIONS_UPDATED, resource="situatedgen.decisions", folders=folders)


def _record_check(
    found: SourceCheck, store: Store, *, event: str, resource: str, folders: dict[str, str]
) -> State[SourceCheck]:
    """Emit an event for a change, then record the snapshot."""
    if found.changed:
        _announce(found, event, resource, folders)
    watch.record(store, found.now)
    return Completed(name="Updated" if found.changed else "Completed", message=found.words, data=found)


@task(name="report", task_run_name="report", cache_policy=NO_CACHE, persist_result=False)
def report(checks: Sequence[SourceCheck], remarks: Sequence[str]) -> None:
    """Show the checks as a table artifact, and log the remarks as warnings."""
    rows = [
        {"source": each.now.source, "result": each.words, "rows": each.now.rows, "digest": each.now.digest[:12]}
        for each in checks
    ]
    create_table_artifact(key="sources", table=rows, description="\n\n".join(remarks) or "No problems.")
    for remark in remarks:
        get_run_logger().warning(remark)


def collect_checks(submitted: Sequence[PrefectFuture[Any]]) -> tuple[list[SourceCheck], list[str]]:
    """Return the successful checks and the errors of the others."""
    results = [future.result(raise_on_failure=False) for future in submitted]
    checks = [result for result in results if isinstance(result, SourceCheck)]
    return checks, [str(result) for result in results if not isinstance(result, SourceCheck)]


def _announce(found: SourceCheck, event: str, resource_id: str, folders: dict[str, str]) -> None:
    """Emit a change event and wait until it is sent, because the snapshot must only be recorded afterwards.

    Raises:
        SituatedGenError: no Prefect server accepts events.
    """
    resource = {
        "prefect.resource.id": resource_id,
        "prefect.resource.name": found.now.source,
    }
    if emit_event(event=event, resource=resource, payload=found.payload() | folders) is None:
        raise SituatedGenError(f"{found.now.source!r} has changed, but no Prefect server accepts the event")
    EventsWorker.instance().wait_until_empty()
