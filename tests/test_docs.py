"""Documentation that cannot go stale."""

import re
from pathlib import Path

import pytest
import typer

from flows.cli.app import app
from situatedgen.report.docs import PAGES, renewed

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("page", PAGES)
def test_generated_parts_are_fresh(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renewed(text) == text, "run `make docs`"


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert [name for name in commands if f"situatedgen {name}" not in readme] == []


def test_every_make_target_is_known() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    pages = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))
    assert set(re.findall(r"`make ([a-z]+)`", pages)) <= targets


def test_every_link_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
        if not link.startswith("http")
    ]
    assert [link for page, link in links if not (page.parent / link).exists()] == []
