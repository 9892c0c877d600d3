"""Terminal tables about a store: its content, builds, faults, releases, and garbage collection."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from rich.console import Console, JustifyMethod
from rich.filesize import decimal
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
from rich.table import Table

from situatedgen.formatting import format_count
from storage.maintenance.files import Kind
from storage.maintenance.gc import Collection
from storage.maintenance.inventory import Inventory, InventoryBuild, InventoryGroup
from storage.maintenance.verify import Problem
from storage.releases import Release

AGES = ((86400, "d"), (3600, "h"), (60, "min"))
WORDS = {
    Kind.BUILDS: "build records",
    Kind.RELEASES: "releases",
    Kind.KEYS: "key records",
    Kind.RESULTS: "Prefect results",
    Kind.CODE: "code records",
    Kind.ARTIFACTS: "artifacts",
    Kind.MEMO: "memo",
    Kind.LEFTOVERS: "temporary files",
    Kind.LOCKS: "locks",
    Kind.SEEN: "source snapshots",
    Kind.UNKNOWN: "unknown",
}


def draw(inventory: Inventory, console: Console) -> None:
    """Print what a store contains, and its builds."""
    table = _table("content", "files", "rows", "size", "age", "builds", "latest", "unused", "releases")
    table.title = f"{inventory.root}: {inventory.files:,} files, {decimal(inventory.size)}"
    for _, groups in groupby(inventory.shelves, key=lambda group: (bool(group.name), group.kind * bool(group.name))):
        for group in groups:
            table.add_row(*_group_cells(group))
        table.add_section()
    console.print(table)
    if inventory.builds:
        console.print(_build_table(inventory.builds))
    _print_unknown(inventory.unknown, console)


def draw_problems(problems: Sequence[Problem], console: Console, *, repaired: bool) -> None:
    """Print the faults of a store and their repair, or that every file is intact."""
    if not problems:
        console.print("all files are intact")
        return
    table = _table("fault", "file", "details", *(["repair"] if repaired else []))
    for problem in problems:
        done = (
            [f"{format_count(len(problem.remove), 'file')} deleted" if problem.remove else "left unchanged"]
            if repaired
            else []
        )
        table.add_row(problem.fault.value, problem.place, escape(problem.detail), *done)
    console.print(table)
    to_remove = not repaired and any(problem.remove for problem in problems)
    advice = "`--repair` deletes damaged files" if to_remove else "`situatedgen build` recreates what it needs"
    console.print(f"{format_count(len(problems), 'fault')}; {advice}", highlight=False)


def draw_collection(collection: Collection, console: Console, *, deleted: bool) -> None:
    """Print what is deleted, by kind, and how many builds are kept."""
    table = _table("deleted" if deleted else "to delete", "files", "size")
    for kind in Kind:
        sizes = [kept.size for kept in collection.files if kept.kind is kind]
        if sizes:
            table.add_row(WORDS[kind], f"{len(sizes):,}", decimal(sum(sizes)))
    if collection.files:
        console.print(table)
    if not collection.certain:
        console.print(
            "a key record of a kept build is missing, so all code records and memos are kept", highlight=False
        )
    kept, dropped = len(collection.kept), len(collection.dropped)
    verbs = "freed" if deleted else "would be freed with `--yes`"
    console.print(f"builds kept: {kept}, dropped: {dropped}; {decimal(collection.size)} {verbs}", highlight=False)
    _print_unknown([kept.place for kept in collection.unknown], console)


def draw_releases(releases: Sequence[Release], console: Console) -> None:
    """Print the releases of a store."""
    if not releases:
        console.print("no releases yet; `situatedgen release NAME` pins the newest build")
        return
    table = _table("release", "pinned", "build", "SHA256SUMS", "archive", "note")
    for release in releases:
        digests = release.sums[:16], release.archive[:16]
        table.add_row(release.name, release.created, release.build.created, *digests, escape(release.note))
    console.print(table)


@contextmanager
def progress(console: Console) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar of bytes in a terminal; yield the function to call with the bytes done and in total."""
    columns = (TextColumn("verifying"), BarColumn(40), DownloadColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        line = bar.add_task("")
        yield lambda done, total: bar.update(line, completed=done, total=total)


def _table(*columns: str) -> Table:
    table = Table(title_justify="left")
    for column in columns:
        side: JustifyMethod = "right" if column in {"files", "rows", "size", "exclusive"} else "left"
        table.add_column(column, justify=side, overflow="fold")
    return table


def _group_cells(group: InventoryGroup) -> Iterator[str]:
    yield escape(_group_label(group))
    yield f"{group.files:,}"
    yield "" if group.rows is None else f"{group.rows:,}"
    yield decimal(group.size)
    yield _ages(group.newest, group.oldest)
    yield str(group.builds or "")
    yield "yes" if group.latest else ""
    yield f"{group.unused:,}" if group.unused else ""
    yield ", ".join(group.releases)


def _group_label(group: InventoryGroup) -> str:
    if group.kind == Kind.MEMO:
        role, _, digest = group.name.partition("/")
        return f"memo {role} {digest[:8]} {group.model}"
    return group.name or WORDS[Kind(group.kind)]


def _build_table(builds: Sequence[InventoryBuild]) -> Table:
    table = _table("build", "settings", "digest", "sources", "size", "exclusive", "releases", "missing")
    for line in builds:
        sizes = decimal(line.size), decimal(line.own_size)
        names = ", ".join(line.releases), ", ".join(line.lost)
        table.add_row(line.created, escape(line.settings), line.digest[:8], escape(line.sources), *sizes, *names)
    return table


def _ages(newest: float, oldest: float) -> str:
    young, old = _age(newest), _age(oldest)
    return young if young == old else f"{young} … {old}"


def _age(modified: float) -> str:
    seconds = max(time.time() - modified, 0)
    return next((f"{seconds // unit:.0f} {name}" for unit, name in AGES if seconds >= unit), "now")


def _print_unknown(places: Sequence[str], console: Console) -> None:
    if places:
        shown = ", ".join(places[:5]) + (" …" if len(places) > 5 else "")
        console.print(f"unknown files, left unchanged: {shown}", highlight=False, markup=False)
