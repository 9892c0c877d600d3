"""The options that say what of the sources a build uses: `--exclude-source` and `--licences`."""

import json
from collections.abc import Sequence
from typing import Annotated, get_args

import typer

from situatedgen.rules.licences import Group

ExcludeSource = Annotated[
    list[str] | None,
    typer.Option("--exclude-source", metavar="NAME", help="Leave a source out. May be given several times."),
]
LICENCES = (
    f"Use only what is under licences of a group, or of one that allows more: {', '.join(get_args(Group)[1:])}; or any."
)
Licences = Annotated[Group | None, typer.Option("--licences", metavar="GROUP", help=LICENCES)]


def choosing(excluded: Sequence[str] | None, licences: str | None) -> tuple[str, ...]:
    """The overrides that the options stand for."""
    sources = [f"exclude_sources={json.dumps(list(excluded))}"] if excluded else []
    groups = [f"licences={licences}"] if licences else []
    return (*sources, *groups)
