"""`situatedgen filter`: from a finished dataset to filtered questions, by either method."""

import fcntl
import json
import os
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import datasets
import polars as pl
import pytest

from cli_support import run
from situatedgen.dataset.configuration import CHOICE_FIELDS
from situatedgen.errors import SettingsError, StoreError
from situatedgen.filtering.settings import filter_settings
from situatedgen.runtime import Runtime
from storage.filtering import FilterRequest, filter_dataset
from storage.store import Store

QUICK = (
    *("choice.min_population=3", "choice.uses=6", "audits=1", "filter.max_iterations=3"),
    *("committee.size=8", "committee.epochs=1", "committee.language.size=8", "committee.language.epochs=1"),
    *("baselines.runs=1", "baselines.size=4", "baselines.epochs=1", "baselines.bilinear_epochs=1"),
)


def options(*settings: str) -> list[str]:
    return [f"--set={each}" for each in (*QUICK, *settings)]


@pytest.fixture(scope="module")
def command(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    out = tmp_path_factory.mktemp("filter") / "choice"
    words = ("--store", tiny.store.root, "--out", out, "--threads", 1, "--json")
    return out, json.loads(run("filter", tiny.out, *words, *options()))


@pytest.mark.slow
@pytest.mark.weights
def test_questions_load_and_have_four_answers_of_the_same_keywords_in_their_split(tiny: Any, command: Any) -> None:
    out, told = command
    loaded = datasets.load_dataset(str(out), "choice", cache_dir=str(out.parent / "cache"))
    assert loaded["train"].column_names == list(CHOICE_FIELDS)
    assert sum(map(len, loaded.values())) == told["questions"] > 20
    for split, rows in loaded.items():
        examples = pl.read_parquet(tiny.out / "data" / f"{split}.parquet")
        known = dict(examples.select("example_id", "statement").iter_rows())
        for row in rows:
            assert len(set(row["choices"])) == 4
            assert row["choices"][row["label"]] == known[row["example_id"]]


@pytest.mark.slow
@pytest.mark.weights
def test_the_curve_and_the_baselines_are_told(command: Any) -> None:
    out, told = command
    curve, kept = (json.loads((out / name).read_text(encoding="utf-8")) for name in ("curve.json", "baselines.json"))
    members = ["mlp", "bag", "cnn", "lstm", "ensemble"]
    assert [(step["number"], list(step["members"])) for step in curve["steps"]] == [(n, members) for n in range(3)]
    assert list(told["before"]) == list(told["after"]) == [*members, "linear"]
    assert (out / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert kept == told["baselines"]
    models = ("length", "bag", "bilstm", "bilinear")
    sights = ("ending", "second sentence", "context and second sentence")
    assert {(row["model"], row["sight"]) for row in kept["after"]} == {*product(models, sights)}
    assert all(row["low"] <= row["accuracy"] <= row["high"] for each in kept.values() for row in each)


@pytest.mark.slow
@pytest.mark.weights
def test_a_second_run_trains_nothing_and_other_settings_want_another_folder(
    tiny: Any, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, told = command
    before = {path: path.read_bytes() for path in out.glob("choice/*.parquet")}
    monkeypatch.setattr("situatedgen.filtering.committee.Committee.fit", None)
    order = FilterRequest(tiny.out, Store(tiny.store.root), out, filter_settings("af", None, QUICK), Runtime(threads=1))
    assert filter_dataset(order).after == told["after"]
    assert {path: path.read_bytes() for path in out.glob("choice/*.parquet")} == before
    with pytest.raises(SettingsError, match="other items or settings"):
        filter_dataset(replace(order, settings=filter_settings("af", None, (*QUICK, "filter.seed=1"))))


@pytest.mark.slow
@pytest.mark.weights
def test_aflite_leaves_wrong_answers_and_takes_questions(tiny: Any, tmp_path: Path) -> None:
    words = ("--store", tiny.store.root, "--out", tmp_path / "a", "--method", "aflite", "--json")
    told = json.loads(run("filter", tiny.out, *words, *options("aflite.partitions=8", "aflite.threshold=0.3")))
    left_out = sum(step["left_out"] for step in told["steps"])
    assert left_out > 0
    assert told["questions"] == told["pairs"]["kept"] - left_out


def test_what_is_no_dataset_or_no_folder_of_ours_is_refused(tiny: Any, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    settings = filter_settings("af")
    with pytest.raises(SettingsError, match="is not a situatedgen dataset"):
        filter_dataset(FilterRequest(tmp_path, tiny.store, tmp_path / "out", settings, Runtime()))
    with pytest.raises(SettingsError, match="was not written by `situatedgen filter`"):
        filter_dataset(FilterRequest(tiny.out, tiny.store, tmp_path, settings, Runtime()))
    with pytest.raises(StoreError, match="build again"):
        filter_dataset(FilterRequest(tiny.out, Store(tmp_path / "empty"), tmp_path / "out", settings, Runtime()))


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("filter.patience", "invalid override"),
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
    with pytest.raises(StoreError, match="another process is using"):
        filter_dataset(FilterRequest(tiny.out, tiny.store, tmp_path / "out", filter_settings("af"), Runtime()))
    os.close(handle)


FLOW = """
import sys
from pathlib import Path
from flows.filter_choice import filter_choice
from situatedgen.filtering.settings import FilterSettings
from situatedgen.runtime import Runtime

dataset, store, out, settings = sys.argv[1:]
settings = FilterSettings.model_validate_json(settings)
filter_choice(Path(dataset), store, Path(out), settings, Runtime(device="cpu", threads=1))
"""


@pytest.mark.prefect
@pytest.mark.weights
def test_the_flow_filters_and_shows_the_accuracies(
    tiny: Any, run_flow: Callable[..., None], read_artifacts: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    settings = filter_settings("af", None, (*QUICK, "filter.max_iterations=1")).model_dump_json()
    run_flow(FLOW, tiny.out, tiny.store.root, tmp_path / "a", settings)
    shown = read_artifacts("filtering")
    curve = json.loads((tmp_path / "a" / "curve.json").read_text(encoding="utf-8"))
    assert {row["model"]: row["after"] for row in json.loads(shown["filtering"])} == curve["after"]


def test_an_encoder_that_only_a_manifest_names_is_not_run(tiny: Any, tmp_path: Path) -> None:
    told = json.loads((tiny.out / "manifest.json").read_text(encoding="utf-8"))
    told["settings"]["embeddings"]["encoder"] = {"name": "evil:Encoder", "weights": "", "revision": ""}
    (tmp_path / "forged").mkdir()
    (tmp_path / "forged" / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    order = FilterRequest(tmp_path / "forged", tiny.store, tmp_path / "out", filter_settings("af"), Runtime())
    with pytest.raises(SettingsError, match="names the encoder 'evil:Encoder'"):
        filter_dataset(order)
