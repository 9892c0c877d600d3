"""A dataset by its name: a published folder, or a build of a store."""

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from situatedgen.errors import SettingsError, StoreError
from storage.builds import read_build_table, record_build
from storage.datasets import open_dataset
from storage.store import Store

TIMES = [f"2001-01-01T00:00:0{second}.000000Z" for second in range(4)]


@pytest.fixture(scope="module")
def store(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The tiny store with four more builds, older than its own."""
    root = tmp_path_factory.mktemp("opening") / "store"
    shutil.copytree(tiny.store.root, root)
    for created in TIMES:
        record_build(Store(root), tiny.build.model_copy(update={"created": created}))
    return Store(root)


@pytest.mark.parametrize(
    ("name", "created"),
    [
        ("previous", TIMES[3]),
        ("latest~0", None),
        ("latest~3", TIMES[1]),
        (TIMES[2], TIMES[2]),  # as it is written down
        ("2001-01-01T000001", TIMES[1]),  # as the file is named, and only its beginning
    ],
)
def test_a_build_goes_by_many_names(store: Store, tiny: Any, name: str, created: str | None) -> None:
    assert open_dataset(name, store).created == (created or tiny.build.created)


def test_a_folder_and_its_build_are_made_from_the_same(store: Store, tiny: Any) -> None:
    folder, build = open_dataset(str(tiny.out), store), open_dataset("latest", store)
    assert (folder.created, folder.settings, folder.artifacts) == (build.created, build.settings, build.artifacts)
    ids = pl.col("example_id").sort()
    assert_frame_equal(folder.examples.select(ids), build.examples.select(ids))
    assert_frame_equal(build.examples, read_build_table(tiny.store, tiny.build, "examples"))


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("no-such-build", StoreError, "unknown build 'no-such-build'; known: latest, previous, 2001"),
        ("latest~99", StoreError, "unknown build 'latest~99'; known: latest"),
        ("2001", StoreError, "'2001' matches 4 builds"),
        (".", SettingsError, r"is not a situatedgen dataset \(no manifest\.json\)"),
    ],
)
def test_what_is_no_dataset_is_refused(store: Store, name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        open_dataset(name, store)


def test_a_folder_whose_data_is_gone_is_refused(store: Store, tiny: Any, tmp_path: Path) -> None:
    shutil.copytree(tiny.out, tmp_path / "copy")
    (tmp_path / "copy/data/dev.parquet").unlink()
    with pytest.raises(StoreError, match=r"the examples of .*copy cannot be read"):
        open_dataset(str(tmp_path / "copy"), store)


def test_a_build_whose_examples_were_altered_is_refused(store: Store, tiny: Any, tmp_path: Path) -> None:
    copied = Store(tmp_path / "store")
    shutil.copytree(store.root, copied.root)
    copied.path(tiny.build.refs("examples")[0]).write_bytes(b"not a table")
    with pytest.raises(StoreError, match=r"artifact examples .*; build again"):
        open_dataset("latest", copied)
