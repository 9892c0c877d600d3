"""`situatedgen filter`: from a finished dataset to filtered questions, by either method."""

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

from flows.cli.app import app
from situatedgen.errors import SettingsError, StoreError
from situatedgen.filtering.settings import filter_settings
from situatedgen.runtime import Runtime
from situatedgen.variants.choice import FIELDS
from situatedgen.vocabulary import Split
from storage.filtering import Order, filter_dataset
from storage.store import Store

FEW = (
    "choice.min_population=3",
    "choice.uses=6",
    "choice.without=[]",
    "committee.size=8",
    "committee.epochs=1",
    "audits=1",
)
SIMPLE = ("baselines.runs=1", "baselines.size=4", "baselines.epochs=1", "baselines.bilinear_epochs=1")
QUICK = (*FEW, *SIMPLE, "committee.language.size=8", "committee.language.epochs=1", "filter.max_iterations=3")


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["filter", *map(str, words)], catch_exceptions=False)


def options(*, quick: tuple[str, ...] = QUICK) -> list[str]:
    return [word for each in quick for word in ("--set", each)]


@pytest.fixture(scope="module")
def command(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    out = tmp_path_factory.mktemp("filter") / "choice"
    found = run(tiny.out, "--store", tiny.store.root, "--out", out, "--threads", 1, "--json", *options())
    assert found.exit_code == 0, found.output
    return out, json.loads(found.stdout)


@pytest.mark.slow
@pytest.mark.weights
def test_questions_have_four_answers_of_the_same_keywords_in_their_split(tiny: Any, command: Any) -> None:
    out, told = command
    splits = {}
    for split in Split:
        examples = pl.read_parquet(tiny.out / "data" / f"{split}.parquet")
        rows = pl.read_parquet(out / "choice" / f"{split}.parquet")
        splits[split] = rows.height
        known = dict(zip(examples["example_id"], examples["statement"], strict=True))
        for row in rows.iter_rows(named=True):
            assert len(set(row["choices"])) == 4
            assert row["choices"][row["label"]] == known[row["example_id"]]
    assert sum(splits.values()) == told["questions"] > 20
    assert splits["train"] > 0


@pytest.mark.slow
@pytest.mark.weights
def test_the_curve_tells_every_iteration_and_member(command: Any) -> None:
    out, told = command
    curve = json.loads((out / "curve.json").read_text(encoding="utf-8"))
    assert [step["number"] for step in curve["steps"]] == [0, 1, 2]
    assert all(list(step["members"]) == ["mlp", "bag", "cnn", "lstm", "ensemble"] for step in curve["steps"])
    assert list(told["before"]) == list(told["after"]) == ["mlp", "bag", "cnn", "lstm", "ensemble", "linear"]
    assert (out / "curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.weights
def test_baselines_are_asked_before_and_after_by_what_they_see(command: Any) -> None:
    out, told = command
    kept = json.loads((out / "baselines.json").read_text(encoding="utf-8"))
    assert kept == told["baselines"]
    asked = [(row["model"], row["sight"]) for row in kept["after"]]
    models, sights = (
        ("length", "bag", "bilstm", "bilinear"),
        ("ending", "second sentence", "context and second sentence"),
    )
    assert set(asked) == {(model, sight) for model in models for sight in sights}
    assert all(row["low"] <= row["accuracy"] <= row["high"] for each in kept.values() for row in each)
    assert "## Baselines" in (out / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.weights
def test_a_second_run_trains_nothing_and_gives_the_same(
    tiny: Any, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, told = command
    before = {split: pl.read_parquet(out / "choice" / f"{split}.parquet") for split in Split}
    monkeypatch.setattr("situatedgen.filtering.committee.committee.Committee.fit", None)
    order = Order(tiny.out, Store(tiny.store.root), out, filter_settings("af", None, QUICK), Runtime(threads=1))
    again = filter_dataset(order)
    assert again.after == told["after"]
    for split in Split:
        assert_frame_equal(pl.read_parquet(out / "choice" / f"{split}.parquet"), before[split])


@pytest.mark.slow
@pytest.mark.weights
def test_the_folder_loads_as_a_configuration(command: Any) -> None:
    datasets = pytest.importorskip("datasets")
    out, told = command
    loaded = datasets.load_dataset(str(out), "choice", cache_dir=str(out.parent / "cache"))
    assert sum(len(part) for part in loaded.values()) == told["questions"]
    assert set(loaded) <= {"train", "dev", "test"}
    assert loaded["train"].column_names == list(FIELDS)


@pytest.mark.slow
@pytest.mark.weights
def test_other_settings_want_another_folder(tiny: Any, command: Any) -> None:
    out, _ = command
    settings = filter_settings("af", None, (*QUICK, "filter.seed=1"))
    with pytest.raises(SettingsError, match="other items or settings"):
        filter_dataset(Order(tiny.out, tiny.store, out, settings, Runtime(threads=1)))


@pytest.mark.slow
@pytest.mark.weights
def test_aflite_leaves_wrong_answers_and_takes_questions(tiny: Any, tmp_path: Path) -> None:
    quick = (*QUICK, "aflite.partitions=8", "aflite.threshold=0.3")
    found = run(
        tiny.out,
        "--store",
        tiny.store.root,
        "--out",
        tmp_path / "a",
        "--method",
        "aflite",
        "--json",
        *options(quick=quick),
    )
    told = json.loads(found.stdout)
    left_out = sum(step["left_out"] for step in told["steps"])
    assert left_out > 0
    assert told["questions"] == told["pairs"]["kept"] - left_out


def test_what_is_no_dataset_or_no_folder_of_ours_is_refused(tiny: Any, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    settings = filter_settings("af")
    with pytest.raises(SettingsError, match="no dataset folder"):
        filter_dataset(Order(tmp_path, tiny.store, tmp_path / "out", settings, Runtime()))
    with pytest.raises(SettingsError, match="no filtering of ours"):
        filter_dataset(Order(tiny.out, tiny.store, tmp_path, settings, Runtime()))
    with pytest.raises(StoreError, match="build again"):
        filter_dataset(Order(tiny.out, Store(tmp_path / "empty"), tmp_path / "out", settings, Runtime()))


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("filter.patience", "sets nothing"),
        ("filter.patience=-1", "filter.patience"),
        ("filtre.patience=3", "filtre"),
        ("audits.more=3", "audits"),
    ],
)
def test_a_bad_setting_is_refused(override: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        filter_settings("af", None, ("audits=1", override))


def test_settings_of_a_file_stand_below_single_ones(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("audits = 2\n[filter]\npatience = 4\nseed = 9\n", encoding="utf-8")
    found = filter_settings("aflite", file, ("filter.patience=5",))
    assert (found.method, found.audits, found.filter.patience, found.filter.seed) == ("aflite", 2, 5, 9)


def test_two_filterings_do_not_share_a_folder(tiny: Any, tmp_path: Path) -> None:
    (tmp_path / "out" / "prepared").mkdir(parents=True)
    handle = os.open(tmp_path / "out", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(StoreError, match="another process works"):
        filter_dataset(Order(tiny.out, tiny.store, tmp_path / "out", filter_settings("af"), Runtime()))
    os.close(handle)


FLOW = """
from pathlib import Path
from flows.filter_choice import filter_choice
from situatedgen.filtering.settings import FilterSettings
from situatedgen.runtime import Runtime

settings = FilterSettings.model_validate_json({settings!r})
filter_choice(Path({dataset!r}), {store!r}, Path({out!r}), settings, Runtime(device="cpu", threads=1))
"""


@pytest.mark.prefect
@pytest.mark.weights
def test_the_flow_filters_and_shows_the_accuracies(
    tiny: Any, prefect_server: dict[str, str], read_artifacts: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    settings = filter_settings("af", None, (*QUICK, "filter.max_iterations=1")).model_dump_json()
    script = FLOW.format(settings=settings, dataset=str(tiny.out), store=str(tiny.store.root), out=str(tmp_path / "a"))
    done = subprocess.run(
        [sys.executable, "-c", script], env=prefect_server, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = read_artifacts("filtering")
    curve = json.loads((tmp_path / "a" / "curve.json").read_text(encoding="utf-8"))
    assert {row["model"]: row["after"] for row in json.loads(shown["filtering"])} == curve["after"]


def test_an_encoder_that_only_a_manifest_names_is_not_run(tiny: Any, tmp_path: Path) -> None:
    told = json.loads((tiny.out / "manifest.json").read_text(encoding="utf-8"))
    told["settings"]["embeddings"]["encoder"] = {"name": "evil:Encoder", "weights": "", "revision": ""}
    (tmp_path / "forged").mkdir()
    (tmp_path / "forged" / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    order = Order(tmp_path / "forged", tiny.store, tmp_path / "out", filter_settings("af"), Runtime())
    with pytest.raises(SettingsError, match="names the encoder 'evil:Encoder'"):
        filter_dataset(order)
