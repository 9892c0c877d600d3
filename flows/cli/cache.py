"""The commands that maintain a store: `cache ls`, `cache verify` and `cache gc`."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from flows.cli.build import AsJson, StoreAddress

if TYPE_CHECKING:
    from storage.store import Store


cache = typer.Typer(help="Maintain the store: list its content, verify it, and delete what is no longer needed.")
Wait = Annotated[bool, typer.Option("--wait", help="Wait for running builds instead of failing.")]


@cache.command("ls")
def ls(store: StoreAddress = ".situatedgen", *, as_json: AsJson = False) -> None:
    """List what a store contains: artifacts, memos, records, and the builds that need them.

    For example: `situatedgen cache ls --store .situatedgen`
    """
    from flows.cli.tables import draw
    from storage.maintenance.inventory import inventory

    found = inventory(open_existing_store(store))
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False))
    else:
        draw(found, Console())


@cache.command("verify")
def verify(
    store: StoreAddress = ".situatedgen",
    *,
    repair: Annotated[bool, typer.Option("--repair", help="Delete damaged files; builds recreate them.")] = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Check every file of a store against its digest; exit code 1 if anything is missing, truncated or altered.

    For example: `situatedgen cache verify --repair && situatedgen build`
    """
    from flows.cli.tables import draw_problems, progress
    from storage.maintenance import verify

    kept, console = open_existing_store(store), Console(stderr=True, quiet=as_json)
    with progress(console) as watch:
        found = verify.repair(kept, wait=wait, watch=watch) if repair else verify.verify(kept, watch=watch)
    if as_json:
        typer.echo(json.dumps([asdict(problem) for problem in found], ensure_ascii=False))
    else:
        draw_problems(found, Console(), repaired=repair)
    if any(not (repair and problem.remove) for problem in found):
        raise typer.Exit(1)


@cache.command("gc")
def gc(
    store: StoreAddress = ".situatedgen",
    keep: Annotated[int, typer.Option("--keep", min=0, help="How many of the newest builds to keep.")] = 3,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Delete the files instead of only listing them.")] = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Delete what neither the newest builds nor a release needs; without `--yes` only show what would be deleted.

    In a bucket, everything written within the last day is kept.

    Keep only the last build and the releases:

        situatedgen cache gc --keep 1 --yes
    """
    from flows.cli.tables import draw_collection
    from storage.maintenance.gc import collect, plan_collection

    kept = open_existing_store(store)
    collection = collect(kept, keep=keep, wait=wait) if yes else plan_collection(kept, keep=keep)
    if as_json:
        typer.echo(json.dumps({**asdict(collection), "deleted": yes}, ensure_ascii=False))
    else:
        draw_collection(collection, Console(), deleted=yes)


def open_existing_store(address: str) -> "Store":
    """Return the existing store at an address; maintenance never creates one."""
    from situatedgen.errors import StoreError
    from storage.store import Store

    store = Store.at(address)
    if not store.root.is_dir():
        raise StoreError(f"no store at {address}; `situatedgen build --store {address}` creates one")
    return store
