"""The flow that checks the sources for changes and emits an event when their content has changed."""

from pathlib import Path

from prefect import flow

from flows.errors import user_errors
from flows.form import UNFILLED, Folder, Preset, StoreAddress
from situatedgen.errors import SourceError
from situatedgen.preset_files import DEFAULT
from situatedgen.presets import load
from storage.locks import lock
from storage.store import Store
from storage.watch import (
    SourceCheck,
    Upstream,
    failures,
    fetchable_sources,
    missing_folder,
    pending_reviews,
    watched_sources,
)
from tasks import watch


@flow(name="watch-sources", flow_run_name="check {sources}", persist_result=False)
@user_errors
def watch_sources(
    sources: Path = Path("sources"),
    upstream: Upstream = "ignore",
    mirror: str = "",
    preset: Preset = DEFAULT,
    store: StoreAddress = ".situatedgen",
    decisions: Folder = UNFILLED,
) -> list[SourceCheck]:
    """Check every source by content, and emit `situatedgen.source.updated` for each that has changed.

    Changed decisions emit `situatedgen.decisions.updated`. Each event names both folders, so that the build it starts
    uses both.

    Args:
        sources: The folder of the source collections, as a build reads it.
        upstream: How to treat upstream changes of the built-in sources: ignore them (ignore), keep changed files aside
            and report them (report), or copy them into the folder (accept).
        mirror: An address to download the files from instead of their original addresses; empty for the originals.
        preset: The preset whose sources are checked; it may describe custom sources.
        store: The folder that stores the snapshots, or s3://bucket/prefix, gs:// or az://.
        decisions: The folder of the annotators' decisions; it need not exist yet.
    """
    kept, named = Store.at(store), load(preset, ()).sources
    with lock(kept.root, "watch"):
        names = fetchable_sources(named, sources)
        fetched = watch.refresh(names, sources, store=kept, upstream=upstream, mirror=mirror)
        log = decisions if decisions and decisions.is_dir() else None
        submitted = [
            watch.check_source.submit(source, sources, store=kept, decisions=log)
            for source in watched_sources(named, sources)
        ]
        others = [watch.check_decisions.submit(log, store=kept, sources=sources)] if log else []
        checks, errors = watch.collect_checks([*submitted, *others])
        problems = [*errors, *failures(fetched)]
        watch.report(checks, [*problems, *pending_reviews(fetched, sources), *missing_folder(submitted, sources)])
    if problems:
        raise SourceError("\n".join(problems))
    return checks
