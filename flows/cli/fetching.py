"""The command `fetch`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from situatedgen.fetching.fetch import Fetched
    from situatedgen.fetching.listening import Listener


def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="SOURCE…", help="arc, commonsenseqa, creak, openbookqa, strategyqa. Default: all five."),
    ] = None,
    into: Annotated[Path, typer.Option("--into", file_okay=False, help="The sources folder.")] = Path("sources"),
    mirror: Annotated[
        str | None, typer.Option("--mirror", metavar="URL", help="Take the files from below this address.")
    ] = None,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Download what is there too; a file that differs is kept as `.old`.")
    ] = False,
    accept_changed: Annotated[
        bool, typer.Option("--accept-changed", help="Take files that are not the pinned ones.")
    ] = False,
) -> None:
    """Download the built-in sources into a folder that `build --sources` reads; what is there stays.

    Every file is checked against its pinned sha256. Stopped or broken off, the same command goes on where it was.

    All five, then a build of them:

        situatedgen fetch && situatedgen build --sources sources

    Two of them, from a server of your own:

        situatedgen fetch creak arc --into data --mirror https://files.example.org/qa
    """
    from situatedgen.fetching.fetch import Options
    from situatedgen.fetching.fetch import fetch as fetched
    from situatedgen.fetching.homes import homes

    chosen = homes(names or (), mirror)
    with _drawing(Console(stderr=True)) as listener:
        found = fetched(chosen, into, Options(force=force, accept_changed=accept_changed), listener=listener)
    _print(found, into)
    _refuse(found)


def _print(found: "Sequence[Fetched]", into: Path) -> None:
    from rich.table import Table

    table = Table("file", "", "sha256", title=f"Sources in {into}", title_justify="left")
    for arrival in (arrival for each in found for arrival in each.arrivals):
        table.add_row(arrival.file, arrival.status if arrival.sha256 else "missing", arrival.sha256[:12])
    Console().print(table)


def _refuse(found: "Sequence[Fetched]") -> None:
    """Stop with everything that went wrong, a line each."""
    from situatedgen.errors import SourceError

    problems = dict.fromkeys(problem for each in found for problem in each.problems)
    if problems:
        raise SourceError("\n       ".join(problems))


@contextmanager
def _drawing(console: Console) -> "Iterator[Listener]":
    """A listener that draws a bar for each download in a terminal, and says elsewhere only what went wrong."""
    from rich import progress

    columns = (
        progress.TextColumn("{task.description:<36}"),
        progress.BarColumn(24),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console, disable=not console.is_terminal) as drawn:
        yield _Bars(drawn)


class _Bars:
    """A bar for each download."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._bars: dict[str, TaskID] = {}

    def started(self, name: str, done: int, total: int | None) -> None:
        """Draw the bar, or set it to where the download is taken up again."""
        if name not in self._bars:
            self._bars[name] = self._progress.add_task(name, completed=done, total=total)
        self._progress.update(self._bars[name], completed=done, total=total)

    def advanced(self, name: str, size: int) -> None:
        """Move the bar."""
        self._progress.advance(self._bars[name], size)

    def paused(self, name: str, reason: str, seconds: float) -> None:
        """Say what went wrong, above the bars."""
        line = f"{name}: {escape(reason)}; trying again in {seconds:g} s"
        self._progress.console.print(line, highlight=False, soft_wrap=True)

    def finished(self, name: str) -> None:
        """Fill the bar."""
        task = self._progress.tasks[self._bars[name]]
        self._progress.update(task.id, total=task.completed)
