"""Documentation that cannot go stale."""

import re
from pathlib import Path

import pytest
import typer

from flows.cli.app import app
from situatedgen.docs import PAGES, renew

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", PAGES)
def test_generated_parts_are_fresh(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renew(text) == text, "run `make docs`"


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert [name for name in commands if f"situatedgen {name}" not in readme] == []


def test_every_make_target_is_known_and_told_of() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    pages = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md")]
    told = [set(re.findall(r"`make ([a-z]+)`", page)) for page in pages]
    assert told[0] <= targets
    assert told[1] == targets - {"help"}


def readme_tree() -> set[str]:
    """The folders that the tree in the README names."""
    tree = (ROOT / "README.md").read_text(encoding="utf-8").partition("## The tree")[2].partition("## Cite")[0]
    return {name.rstrip("/").rpartition("/")[2] for name in re.findall(r"`([\w/]+/)`", tree)}


def test_the_tree_in_the_readme_names_every_folder_and_no_other() -> None:
    parts = [path for part in ("situatedgen", "storage", "flows") for path in (ROOT / part).iterdir()]
    inner = {path.name for path in parts if path.is_dir() and path.name != "__pycache__"}
    outer = {"situatedgen", "storage", "tasks", "flows", "tests", "benchmarks", "docs"}
    assert readme_tree() == inner | outer


def test_contributing_shows_the_packages_of_the_readme() -> None:
    house = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## The house")[2]
    packages = dict(re.findall(r"^(\w+)/ +(.+)$", house, re.MULTILINE))
    assert set(packages) == readme_tree() & {"flows", "situatedgen", "storage", "tasks"}
    domain = re.sub(r" \(.*?\)| and more", "", packages["situatedgen"].partition(": ")[2].partition(".")[0])
    assert set(domain.split(", ")) <= readme_tree()


def test_every_link_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
        if not link.startswith("http")
    ]
    assert [link for page, link in links if not (page.parent / link).exists()] == []
