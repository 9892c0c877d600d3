"""The commands that freeze, verify and rebuild a dataset: `release`, `verify` and `reproduce`."""

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows.cli.build import AsJson, Sources, StoreAddress
from flows.cli.cache import open_existing_store
from situatedgen.formatting import format_count

if TYPE_CHECKING:
    from situatedgen.dataset.release.verify import Verified
    from storage.releases import Reproduction
    from storage.store import Store

SHOWN = 12
Dataset = Annotated[Path, typer.Argument(metavar="OUT|ARCHIVE", help="Folder of a release or dataset, or a .tar.gz.")]


def release(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, dots, dashes, underscores.")] = "",
    store: StoreAddress = ".situatedgen",
    build: Annotated[
        str, typer.Option("--build", help="`latest`, `previous`, a release, or a prefix of its creation time.")
    ] = "latest",
    out: Annotated[Path, typer.Option("--out", help="Folder for NAME/, NAME.tar.gz and its checksum.")] = Path(
        "releases"
    ),
    note: Annotated[str, typer.Option("--note", help="A description of the release.")] = "",
    *,
    delete: Annotated[bool, typer.Option("--delete", help="Unpin the release NAME; its files are kept.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the releases with their digests.")] = False,
    as_json: AsJson = False,
) -> None:
    """Freeze a build under a name: a folder and an archive with checksums; nothing it needs is ever garbage-collected.

    The newest build, written to `releases/v1.0/` and `releases/v1.0.tar.gz`:

        situatedgen release v1.0 --note "as published"

    `release.json` in the folder contains settings, digests, and the versions of code, models and packages;
    `SHA256SUMS` the checksum of every file. Releasing the same build again gives the same bytes.
    """
    from storage import releases

    kept = open_existing_store(store)
    if listing or not name:
        _list(kept, as_json=as_json)
    elif delete:
        releases.unpin(kept, name)
        typer.echo(f"release {name} is unpinned; its artifacts are kept until the next `situatedgen cache gc`")
    else:
        _release(kept, name, build, out, note, as_json=as_json)


def verify(
    dataset: Dataset,
    expected: Annotated[
        str, typer.Option("--sha256", metavar="DIGEST", help="The published digest of the archive or of SHA256SUMS.")
    ] = "",
    *,
    as_json: AsJson = False,
) -> None:
    """Check a release byte by byte; exit code 1 if a file is missing, extra, altered, truncated or renamed.

    A download, against its published digest:

        situatedgen verify v1.0.tar.gz --sha256 3b1f…

    If every byte is right, the data is checked, too: counts as in the manifest, the same rows in Parquet and JSON
    lines, no statement in two splits. An archive with links, paths outside the folder or far too many bytes is
    refused before any of it is used.
    """
    from situatedgen.dataset.release.verify import verify

    found = verify(dataset, expected)
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False))
    else:
        _draw_verified(found, Console())
    if found.faults:
        raise typer.Exit(1)


def reproduce(
    dataset: Dataset,
    sources: Sources = None,
    store: Annotated[
        str,
        typer.Option(
            "--store", help="Store to build in, a folder or a bucket. Default: an empty one, so that nothing is reused."
        ),
    ] = "",
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", metavar="DIR", help="Folder of the decisions that the release was built with."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Keep the rebuilt dataset in this folder.")] = None,
    *,
    trust: Annotated[
        bool, typer.Option("--trust", help="Use readers, models and weights that situatedgen does not ship.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Rebuild a release from the sources, with its own settings, and report whether it is identical.

    Exit code 0: every file is identical. Exit code 1: files differ; the report names the first artifact that differs
    and why: a changed source file, package, model or code.

        situatedgen reproduce releases/v1.0 --sources data

    With `--store`, everything that this store already contains is reused, down to single model answers.

    A release names its readers, models and weights. Those that situatedgen does not ship are listed, and used only
    with `--trust`, because they may run any code on this machine.
    """
    from flows.cli.display import show_build
    from situatedgen.dataset.release import record
    from situatedgen.dataset.release.record import foreign_parts
    from situatedgen.dataset.release.verify import open_release
    from situatedgen.runtime import Runtime
    from situatedgen.settings import validate
    from situatedgen.sources import sample_folder
    from storage.releases import reproduce
    from storage.store import Store

    with TemporaryDirectory(prefix="situatedgen-") as place, open_release(dataset) as folder:
        kept = Store.at(store or Path(place) / "store")
        if trust:
            for part in foreign_parts(validate(record.read_record(folder).settings)):
                typer.echo(f"trusted, not built in: {part}", err=True)
        with show_build(Console(stderr=True, quiet=as_json)) as observer:
            found = reproduce(
                folder,
                sources=sources or sample_folder(),
                store=kept,
                out=out or Path(place) / "dataset",
                runtime=Runtime(),
                decisions=decisions,
                observer=observer,
                trust=trust,
            )
    if as_json:
        typer.echo(json.dumps({**asdict(found), "same": found.is_same}, ensure_ascii=False))
    else:
        _draw_reproduction(found, Console())
    if not found.is_same:
        raise typer.Exit(1)


def _release(store: "Store", name: str, build: str, out: Path, note: str, *, as_json: bool) -> None:
    from storage.datasets import find_build
    from storage.releases import write_release

    written = write_release(store, name, find_build(store, build), out=out, note=note)
    found = written.release
    if as_json:
        summary = {"name": name, "build": found.build.created, "sums": found.sums, "archive": found.archive}
        typer.echo(json.dumps({**summary, "folder": str(written.folder), "file": str(written.archive)}))
        return
    console = Console()
    console.print(
        f"release {name} pins build {found.build.created}: {len(found.build.outcomes)} artifacts", highlight=False
    )
    console.print(
        f"folder:  {escape(str(written.folder))}, {written.files} files, SHA256SUMS {found.sums}",
        soft_wrap=True,
        highlight=False,
    )
    console.print(f"archive: {escape(str(written.archive))}, sha256 {found.archive}", soft_wrap=True, highlight=False)


def _list(store: "Store", *, as_json: bool) -> None:
    from flows.cli.tables import draw_releases
    from storage.releases import readable_releases

    found = readable_releases(store)
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in found], ensure_ascii=False))
    else:
        draw_releases(found, Console())


def _draw_verified(found: "Verified", console: Console) -> None:
    for part in found.foreign:
        console.print(
            f"not built in, used only with `reproduce --trust`: {part}", highlight=False, markup=False, soft_wrap=True
        )
    if not found.faults:
        what = "SHA256SUMS or archive" if found.is_release else "content"
        console.print(
            f"{found.name}: {found.files} files, all checksums match, and the data is consistent",
            highlight=False,
            markup=False,
        )
        console.print(f"{what}: {found.digest}", highlight=False, soft_wrap=True)
        return
    table = Table(title=f"{escape(found.name)}: {format_count(len(found.faults), 'fault')}", title_justify="left")
    for column in ("fault", "file", "details"):
        table.add_column(column, overflow="fold")
    for fault in found.faults:
        table.add_row(fault.kind.value, escape(fault.file), escape(fault.detail))
    console.print(table)


def _draw_reproduction(found: "Reproduction", console: Console) -> None:
    if found.is_same:
        console.print(f"identical: {found.files} files, byte for byte", highlight=False)
    else:
        _print(console, "files that differ", found.differing)
        _print(console, "files missing from the rebuild", found.missing)
        _print(console, "files not in the release", found.added)
    if found.first:
        console.print(f"first artifact with different rows: {found.first.artifact}", highlight=False)
    for step in found.steps[:SHOWN] if not found.is_same else ():
        if step.reasons:
            console.print(f"  {step.artifact}: {'; '.join(step.reasons)}", highlight=False, markup=False)
    _print(console, "versions", found.versions)
    _print(console, "inputs", found.given)


def _print(console: Console, what: str, names: tuple[str, ...]) -> None:
    if names:
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        console.print(f"{what}: {', '.join(names[:SHOWN])}{more}", highlight=False, markup=False)
