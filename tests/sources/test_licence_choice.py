"""Builds of some sources or some licences: what is left out, what stays as it was, what is refused."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest

from flows.cli.build import source_overrides
from flows.form import Overrides, chosen_options
from situatedgen.dataset.folder import read_examples
from situatedgen.errors import SettingsError, SourceError
from situatedgen.presets import load, nest_overrides
from situatedgen.rules.licences import GROUPS, Group
from situatedgen.sources import sample_folder
from situatedgen.sources.registry import choose_sources
from situatedgen.stages.items import items
from storage.builds import Build
from storage.store import Store
from store_support import built


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, under the licences of the collections that it is laid out like."""
    copy = shutil.copytree(sample_folder(), tmp_path_factory.mktemp("sources") / "sample")
    (copy / "licence.toml").unlink()
    return copy


Run = Callable[..., tuple[Build, Path]]


@pytest.fixture(scope="module")
def run(folder: Path, tmp_path_factory: pytest.TempPathFactory, draw_once: None) -> Run:
    """Builds in one store."""
    root = tmp_path_factory.mktemp("builds")

    def build(*overrides: str) -> tuple[Build, Path]:
        out = root / ("-".join(overrides) or "all").replace("/", "-")
        return built(Store(root / "store"), folder, *overrides, out=out), out

    build()
    return build


def sources_of(out: Path) -> set[str]:
    return {name.partition("::")[0] for name in read_examples(out)["ids"].explode()}


def keys(build: Build) -> dict[str, str]:
    return {outcome.ref.name: outcome.key for outcome in build.outcomes}


def test_only_permissive_licences_are_left(run: Run) -> None:
    """ARC is share-alike, OpenbookQA does not state a licence: neither is permissive."""
    everything, _ = run()
    build, out = run(*source_overrides((), "permissive"))
    assert sources_of(out) == {"commonsenseqa", "creak", "strategyqa"}
    assert set(read_examples(out)["licences"].explode()) == {"mit"}
    funnel = json.loads((out / "stats.json").read_text(encoding="utf-8"))["funnel"]
    assert {"stage": "items", "verdict": "licence", "rows": 92 + 136} in funnel
    stay = {name for name, key in keys(build).items() if keys(everything).get(name) == key}
    assert stay == {f"{stage}/{name}" for stage in ("items", "statements") for name in sources_of(out)}
    assert sum(outcome.computed for outcome in build.outcomes if outcome.ref.stage in ("statements", "entities")) == 0


def test_an_excluded_source_is_not_read(run: Run) -> None:
    everything, _ = run()
    build, out = run(*source_overrides(["arc", "creak"], None))
    assert sources_of(out) == {"commonsenseqa", "openbookqa", "strategyqa"}
    assert not {name for name in keys(build) if name.endswith(("/arc", "/creak"))}
    assert keys(build)["statements/openbookqa"] == keys(everything)["statements/openbookqa"]
    assert "| exclude_sources | `arc, creak` |" in (out / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("overrides", "error", "words"),
    [
        (
            ("licences=public-domain",),
            SourceError,
            r"no source has a licence in the group 'public-domain': arc \(CC BY-SA 4.0\), common",
        ),
        (("exclude_sources=arcc",), SettingsError, "unknown source to exclude 'arcc'; .*did you mean 'arc'"),
        (("licences=free",), SettingsError, "licences.*'permissive'"),
        (
            ("exclude_sources=creak,commonsenseqa,strategyqa", "licences=permissive"),
            SourceError,
            "no source has a licence in the group",
        ),
    ],
)
def test_what_leaves_nothing_is_refused(
    folder: Path, overrides: tuple[str, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        choose_sources(load("tiny", overrides), folder)


def test_the_groups_are_named_once_more_for_types() -> None:
    assert get_args(Group) == ("any", *GROUPS)


OWN = """
extends = "tiny"
licences = "share-alike"
[[sources]]
name = "own"
files = "own.jsonl"
kind = "claim"
statement = "text"
record_licence = "rights"
citation = "Doe (2024): Own."
"""


def test_records_are_chosen_by_their_own_licences(tmp_path: Path) -> None:
    rights = ["MIT", "CC BY-SA 4.0", "CC BY-NC 4.0", "ask me", "not stated"]
    lines = [json.dumps({"text": f"Fact {number}.", "rights": each}) for number, each in enumerate(rights)]
    (tmp_path / "own.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    (params,) = choose_sources(load(str(tmp_path / "own.toml")), tmp_path)
    found = items(tmp_path, params=params)
    assert found["licence"].to_list() == rights
    assert found["verdict"].to_list() == ["kept", "kept", "licence", "licence", "licence"]
    assert found["reason"][2] == "own.jsonl:3: licence 'CC BY-NC 4.0' is not of the group 'share-alike'"
    (none,) = choose_sources(load(str(tmp_path / "own.toml"), ("licences=public-domain",)), tmp_path)
    with pytest.raises(SourceError, match="no record has a licence in the group 'public-domain'; exclude the source"):
        items(tmp_path, params=none)


def test_the_form_takes_what_the_options_do() -> None:
    overrides = source_overrides(["arc"], "permissive")
    tables: Any = nest_overrides(overrides)
    assert chosen_options("tiny", Overrides(**tables)) == load("tiny", overrides)
    assert load("tiny", overrides).exclude_sources == ("arc",)


def test_every_row_of_every_configuration_names_its_licences(run: Run) -> None:
    _, out = run()
    known = {
        **dict.fromkeys(("commonsenseqa", "creak", "strategyqa"), "mit"),
        "arc": "cc-by-sa-4.0",
        "openbookqa": "unknown",
    }
    for path in sorted(out.glob("[bd]*/*.parquet")):
        for ids, licences in pl.read_parquet(path).select("ids", "licences").iter_rows():
            assert licences == [known[name.partition("::")[0]] for name in ids]
