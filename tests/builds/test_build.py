"""Whole builds of the shipped sample with weightless models."""

import os
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from process_support import COMMAND_LINE, run_python
from situatedgen.errors import SettingsError
from situatedgen.pipeline import PIPELINE
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage import builds
from storage.builds import Build
from storage.store import Store
from store_support import built, made

FILES = ("train.jsonl", "dev.jsonl", "test.jsonl")


def build(folder: Path, *overrides: str, sources: Path | None = None, **more: Any) -> Build:
    return built(Store(folder / "store"), sources or sample_folder(), *overrides, out=folder / "dataset", **more)


def rows_of(out: Path) -> list[bytes]:
    return [(out / "data" / name).read_bytes() for name in FILES]


@pytest.fixture
def copied(tiny: Any, tmp_path: Path) -> Path:
    """A folder of one's own with the tiny build in it."""
    shutil.copytree(tiny.store.root, tmp_path / "store")
    shutil.copytree(tiny.out, tmp_path / "dataset")
    return tmp_path


def test_every_stage_has_its_table(tiny: Any) -> None:
    assert list(builds.Tables(tiny.store, tiny.build)) == [stage.name for stage in PIPELINE]


def test_a_build_with_nothing_changed_makes_nothing(copied: Path, tiny: Any) -> None:
    assert made(build(copied)) == []
    assert rows_of(copied / "dataset") == rows_of(tiny.out)


def test_a_threshold_makes_only_what_depends_on_it(copied: Path) -> None:
    names = made(build(copied, "pairs.min_similarity=0.95"))
    assert names[0] == "pairs"
    assert not {"candidates", "embeddings", "masks"} & set(names)


def test_another_source_leaves_the_statements_of_the_others(copied: Path) -> None:
    sources = copied / "sources"
    shutil.copytree(sample_folder(), sources)
    with (sources / "openbookqa" / "Main" / "openbook.txt").open("a", encoding="utf-8") as stream:
        stream.write('"Penguins live in Antarctica"\n')
    names = made(build(copied, sources=sources))
    assert [name for name in names if "/" in name] == ["items/openbookqa", "statements/openbookqa"]


def test_a_lost_artifact_is_made_again_and_nothing_else(copied: Path) -> None:
    store = Store(copied / "store")
    store.path(builds.latest(store).refs("masks")[0]).unlink()
    assert made(build(copied)) == ["masks"]


def test_an_altered_artifact_is_made_again_and_nothing_else(copied: Path, tiny: Any) -> None:
    store = Store(copied / "store")
    path = store.path(builds.latest(store).refs("entities")[0])
    content = path.read_bytes()
    path.write_bytes(content[:-50] + b"x" + content[-49:])
    assert made(build(copied)) == ["entities"]
    assert rows_of(copied / "dataset") == rows_of(tiny.out)


def test_runtime_changes_no_row_and_no_key(copied: Path) -> None:
    assert made(build(copied, runtime=Runtime(batch_size=3, threads=1))) == []


def test_moved_sources_are_the_same_sources(copied: Path) -> None:
    shutil.copytree(sample_folder(), copied / "elsewhere")
    assert made(build(copied, sources=copied / "elsewhere")) == []


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_dataset_does_not_depend_on_the_hash_seed(tiny: Any, tmp_path: Path, seed: str) -> None:
    options = ("--plain", "--json", "--preset", "tiny", "--batch-size", "7")
    run_python("-c", COMMAND_LINE, "build", *options, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": seed})
    assert rows_of(tmp_path / "dataset") == rows_of(tiny.out)


def test_a_foreign_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "thesis.txt").write_text("mine")
    with pytest.raises(SettingsError, match="dataset"):
        build(tmp_path)
    assert (tmp_path / "dataset" / "thesis.txt").read_text() == "mine"


def test_no_statement_is_in_two_splits(tiny: Any) -> None:
    examples = builds.read_build_table(tiny.store, tiny.build, "examples")
    homes = examples.explode("ids").group_by("ids").agg(pl.col("split").n_unique())
    assert homes["split"].max() == 1


def test_a_warm_build_loads_no_model_library(copied: Path) -> None:
    script = (
        "import sys; from flows.cli.app import app\n"
        f"app(['build', '--plain', '--json', '--preset', 'tiny', '--store', {str(copied / 'store')!r},"
        f" '--out', {str(copied / 'dataset')!r}], standalone_mode=False)\n"
        "heavy = {'torch', 'flair', 'spacy', 'sentence_transformers', 'transformers', 'prefect', 'boto3'}\n"
        "print('LOADED', sorted(heavy & set(sys.modules)))"
    )
    assert run_python("-c", script).stdout.splitlines()[-1] == "LOADED []"
