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
from storage.watch import Look, Upstream, absence, failures, find_watched, news, with_homes
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
) -> list[Look]:
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
        came = watch.refresh(with_homes(named, sources), sources, store=kept, upstream=upstream, mirror=mirror)
        judged = decisions if decisions and decisions.is_dir() else None
        seen = [
            watch.look.submit(source, sources, store=kept, decisions=judged) for source in find_watched(named, sources)
        ]
        said = [watch.look_at_decisions.submit(judged, store=kept, sources=sources)] if judged else []
        looks, unseen = watch.collect_looks([*seen, *said])
        problems = [*unseen, *failures(came)]
        watch.report(looks, [*problems, *news(came, sources), *absence(seen, sources)])
    if problems:
        raise SourceError("\n".join(problems))
    return looks
