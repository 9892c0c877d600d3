"""The command `fetch`, which downloads the sources."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from flows.cli.display import bars

if TYPE_CHECKING:
    from situatedgen.fetch.fetch import Fetched


def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="SOURCE…", help="arc, commonsenseqa, creak, openbookqa, strategyqa. Default: all five."),
    ] = None,
    into: Annotated[Path, typer.Option("--into", file_okay=False, help="The sources folder.")] = Path("sources"),
    mirror: Annotated[
        str | None, typer.Option("--mirror", metavar="URL", help="Base URL to download from instead.")
    ] = None,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Download existing files again; a file that differs is kept as `.old`.")
    ] = False,
    accept_changed: Annotated[
        bool, typer.Option("--accept-changed", help="Accept files that differ from the pinned ones.")
    ] = False,
) -> None:
    """Download the built-in sources into a folder that `build --sources` reads; existing files are kept.

    Every file is checked against its pinned SHA-256. After an interruption, the same command resumes.

    All five, then a build with them:

        situatedgen fetch && situatedgen build --sources sources

    Two of them, from your own server:

        situatedgen fetch creak arc --into data --mirror https://files.example.org/qa
    """
    from rich.progress import DownloadColumn, TimeRemainingColumn, TransferSpeedColumn

    from situatedgen.fetch.fetch import Options, homes
    from situatedgen.fetch.fetch import fetch as fetch_sources

    chosen = homes(names or (), mirror)
    columns = (DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with bars(Console(stderr=True), *columns) as progress:
        found = fetch_sources(chosen, into, Options(force=force, accept_changed=accept_changed), progress=progress)
    _print(found, into)
    _raise_problems(found)


def _print(found: "Sequence[Fetched]", into: Path) -> None:
    from rich.table import Table

    table = Table("file", "status", "sha256", title=f"Sources in {into}", title_justify="left")
    for arrival in (arrival for each in found for arrival in each.arrivals):
        table.add_row(arrival.file, arrival.status if arrival.sha256 else "missing", arrival.sha256[:12])
    Console().print(table)


def _raise_problems(found: "Sequence[Fetched]") -> None:
    """Raise an error with one line per problem, if there are any."""
    from situatedgen.errors import SourceError

    problems = dict.fromkeys(problem for each in found for problem in each.problems)
    if problems:
        raise SourceError("\n       ".join(problems))
