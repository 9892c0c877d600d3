"""The commands that look after a store: `cache ls`, `cache verify`, `cache gc`, and `release`."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from flows.cli.building import StoreAddress

if TYPE_CHECKING:
    from storage.store import Store

cache = typer.Typer(help="Look after the store: what is in it, whether it is whole, what nobody needs.")
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait for builds that are running instead of refusing.")]


@cache.command("ls")
def ls(store: StoreAddress = ".situatedgen", *, as_json: AsJson = False) -> None:
    """List what a store holds: artifacts, memos, records, and the builds that need them.

    For example: `situatedgen cache ls --store .situatedgen`
    """
    from flows.cli.shelves import draw
    from storage.care.inventory import inventory

    found = inventory(_opened(store))
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False))
    else:
        draw(found, Console())


@cache.command("verify")
def verify(
    store: StoreAddress = ".situatedgen",
    *,
    repair: Annotated[bool, typer.Option("--repair", help="Remove what is wrong, so that it is made again.")] = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Check every file of a store by its digest; exit code 1 when anything is missing, truncated or altered.

    For example: `situatedgen cache verify --repair && situatedgen build`
    """
    from flows.cli.shelves import draw_problems, progress
    from storage.care import verifying

    kept, console = _opened(store), Console(stderr=True, quiet=as_json)
    with progress(console) as watch:
        found = verifying.repair(kept, wait=wait, watch=watch) if repair else verifying.verify(kept, watch=watch)
    if as_json:
        typer.echo(json.dumps([asdict(problem) for problem in found], ensure_ascii=False))
    else:
        draw_problems(found, Console(), repaired=repair)
    if any(not (repair and problem.remove) for problem in found):
        raise typer.Exit(1)


@cache.command("gc")
def gc(
    store: StoreAddress = ".situatedgen",
    keep: Annotated[int, typer.Option("--keep", min=0, help="So many of the newest builds stay.")] = 3,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Delete; without it nothing is deleted.")] = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Delete what neither the newest builds nor a release needs; without `--yes` only say what would go.

    Keep the last build alone, and what is released:

        situatedgen cache gc --keep 1 --yes
    """
    from flows.cli.shelves import draw_collection
    from storage.care.collecting import collect, planned

    kept = _opened(store)
    collection = collect(kept, keep=keep, wait=wait) if yes else planned(kept, keep=keep)
    if as_json:
        typer.echo(json.dumps({**asdict(collection), "deleted": yes}, ensure_ascii=False))
    else:
        draw_collection(collection, Console(), deleted=yes)


def release(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Letters, digits, dots, dashes, underscores.")] = "",
    store: StoreAddress = ".situatedgen",
    build: Annotated[
        str, typer.Option("--build", help="`latest`, `previous`, a release, or when it was created.")
    ] = "latest",
    note: Annotated[str, typer.Option("--note", help="What the release is, in your words.")] = "",
    *,
    delete: Annotated[bool, typer.Option("--delete", help="Forget the release NAME.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the releases.")] = False,
    as_json: AsJson = False,
) -> None:
    """Pin a build under a name, so that nothing it needs is ever collected.

    For example: `situatedgen release v1.0 --note "as published"`
    """
    from storage import releases
    from storage.build_names import find_build

    kept = _opened(store)
    if listing or not name:
        _list_releases(kept, as_json=as_json)
    elif delete:
        releases.unpin(kept, name)
        typer.echo(f"release {name} is forgotten; what it pinned stays until `situatedgen cache gc`")
    else:
        pinned = releases.pin(kept, name, find_build(kept, build), note=note)
        typer.echo(f"release {name} pins build {pinned.build.created}: {len(pinned.build.outcomes)} artifacts")


def _list_releases(store: "Store", *, as_json: bool) -> None:
    from flows.cli.shelves import draw_releases
    from storage.releases import readable

    found = readable(store)
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in found], ensure_ascii=False))
    else:
        draw_releases(found, Console())


def _opened(address: str) -> "Store":
    """The store at an address; looking after a store never makes one."""
    from situatedgen.errors import StoreError
    from storage.store import Store

    store = Store.at(address)
    if not store.root.is_dir():
        raise StoreError(f"there is no store at {address}; `situatedgen build --store {address}` makes one")
    return store
