"""Whose licence the rows of a folder carry."""

import shutil
from pathlib import Path

import pytest

from situatedgen.errors import SourceError
from situatedgen.sources import sample_folder
from situatedgen.sources.params import ItemParams, SourceParams
from situatedgen.sources.registry import choose
from situatedgen.stages.items import items


def licences(root: Path) -> set[tuple[str, str]]:
    rows = [items(root, params=ItemParams(source=source)) for source in choose((), root)]
    return {pair for table in rows for pair in table.select("licence", "citation").unique().iter_rows()}


def test_the_sample_carries_its_own_licence() -> None:
    assert licences(sample_folder()) == {("CC0-1.0", "situatedgen (2026): sample sources, written for the package")}


def test_without_the_file_a_source_carries_the_licence_of_its_collection(tmp_path: Path) -> None:
    shutil.copytree(sample_folder(), tmp_path / "sources")
    (tmp_path / "sources" / "licence.toml").unlink()
    assert {licence for licence, _ in licences(tmp_path / "sources")} == {"MIT", "CC BY-SA 4.0", "not stated"}


def test_a_licence_in_the_preset_stands_before_that_of_the_folder() -> None:
    named = SourceParams(name="creak", licence="mine", citation="me")
    assert choose((named,), sample_folder()) == (named,)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    shutil.copytree(sample_folder(), tmp_path / "sources")
    (tmp_path / "sources" / "licence.toml").write_text("licence = 3")
    with pytest.raises(SourceError, match=r"licence\.toml: expected"):
        choose((), tmp_path / "sources")
