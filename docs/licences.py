"""Writes docs/licences.md: the licence of every package of the core install, as pip-licenses finds it."""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "licences.md"
START, END = "<!-- licences -->", "<!-- /licences -->"
LONGEST = 200
"""Of a licence that a package gives as its whole text, so many characters of its first line are shown."""


def core_packages() -> set[str]:
    """The names of all that an installation without extras brings, on this machine; not situatedgen itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [Requirement(each) for each in project["dependencies"]]
    seen: set[tuple[str, frozenset[str]]] = set()
    while wanted:
        requirement = wanted.pop()
        key = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if key not in seen:
            seen.add(key)
            wanted += _requirements(requirement)
    return {name for name, _ in seen}


def _requirements(wanted: Requirement) -> list[Requirement]:
    """What a package needs itself, with the extras that are wanted of it."""
    try:
        given = distribution(wanted.name).requires or []
    except PackageNotFoundError:
        raise SystemExit(f"{wanted.name} is not installed; run `make install` first") from None
    found = map(Requirement, given)
    extras = ["", *wanted.extras]
    return [each for each in found if each.marker is None or any(each.marker.evaluate({"extra": x}) for x in extras)]


def licence_table() -> str:
    """The packages with their licences as a Markdown table, by name."""
    command = [
        sys.executable,
        "-m",
        "piplicenses",
        "--format=json",
        "--with-urls",
        "--with-system",
        "--packages",
        *core_packages(),
    ]
    rows = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    found = sorted((canonicalize_name(row["Name"]), row["License"], row["URL"]) for row in rows)
    return "\n".join(["| package | licence |", "|---|---|", *(_row(*row) for row in found)])


def _row(name: str, licence: str, url: str) -> str:
    shown = licence.strip().splitlines()[0][:LONGEST].replace("|", r"\|")
    return f"| [{name}]({url}) | {shown} |" if url.startswith("http") else f"| {name} | {shown} |"


def main() -> None:
    """Write the table anew into the page."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    PAGE.write_text(f"{head}{START}\n{licence_table()}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
