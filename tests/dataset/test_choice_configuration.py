"""Questions as a configuration of a dataset folder: added whole, kept while its examples are the same, then gone."""

import json
import shutil
from pathlib import Path
from typing import Any

import datasets
import polars as pl
import pytest

from situatedgen.dataset.configuration import CHOICE, CHOICE_FIELDS
from situatedgen.dataset.folder import publish, read_manifest
from situatedgen.errors import StoreError
from situatedgen.vocabulary import Split
from storage.builds import Tables
from storage.publication import manifest, publish_questions
from storage.store import Store


def questions(dataset: Path) -> pl.DataFrame:
    parts = [
        pl.read_parquet(dataset / "data" / f"{split}.parquet").with_columns(split=pl.lit(split.value))
        for split in Split
    ]
    wrong = [pl.lit(f"Wrong {number}.") for number in range(3)]
    choices = pl.concat_list("statement", *wrong)
    return (
        pl.concat(parts).with_columns(choices=choices, label=pl.lit(0, dtype=pl.Int64)).select(*CHOICE_FIELDS, "split")
    )


@pytest.fixture(scope="module")
def with_questions(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("questions") / "dataset"
    shutil.copytree(tiny.out, out)
    publish_questions(out, questions(out), store=tiny.store)
    return out


@pytest.fixture
def dataset(with_questions: Path, tmp_path: Path) -> Path:
    """A copy of one's own."""
    return Path(shutil.copytree(with_questions, tmp_path / "dataset"))


def test_questions_are_in_the_metadata_and_the_manifest_and_load(dataset: Path) -> None:
    told = read_manifest(dataset)
    assert {CHOICE.file(split) for split in Split} <= told["files"].keys()
    assert told["questions"]["rows"] == questions(dataset).height
    sets = json.loads((dataset / "croissant.json").read_text(encoding="utf-8"))["recordSet"]
    assert "choice/train" in {each["@id"] for each in sets}
    loaded = datasets.load_dataset(str(dataset), "choice", cache_dir=str(dataset.parent / "cache"))
    assert sum(map(len, loaded.values())) == questions(dataset).height
    assert loaded["train"].column_names == list(CHOICE_FIELDS)


@pytest.mark.parametrize("lost", [(), ("README.md",)])
def test_a_build_in_which_nothing_changed_keeps_them(tiny: Any, dataset: Path, lost: tuple[str, ...]) -> None:
    """Whether the folder is whole, or has to be made again."""
    before = {path: path.read_bytes() for path in dataset.rglob("*.parquet")}
    for name in lost:
        (dataset / name).unlink()
    publish(dataset, Tables(tiny.store, tiny.build), manifest(tiny.build))
    assert {path: path.read_bytes() for path in dataset.rglob("*.parquet")} == before
    assert "questions" in read_manifest(dataset)
    assert "- config_name: choice" in (dataset / "README.md").read_text(encoding="utf-8")


def test_they_go_when_the_examples_changed(tiny: Any, dataset: Path, caplog: pytest.LogCaptureFixture) -> None:
    told = manifest(tiny.build)
    stages: Any = told["stages"]
    other = {**told, "stages": {**stages, "examples": {**stages["examples"], "digest": "another"}}}
    publish(dataset, Tables(tiny.store, tiny.build), other)
    assert "filter again" in caplog.text
    assert not (dataset / "choice").exists()
    assert "choice" not in (dataset / "README.md").read_text(encoding="utf-8")


def test_a_dataset_of_another_store_is_refused(tiny: Any, dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no build in"):
        publish_questions(dataset, questions(dataset), store=Store(tmp_path / "empty"))
