"""The stage `items`, and which sources a build reads."""

import hashlib
import json
import logging
from pathlib import Path

import polars as pl
import pytest

from situatedgen.errors import RecordError, SettingsError, SourceError
from situatedgen.schemas import ITEMS, check
from situatedgen.sources import sample_folder
from situatedgen.sources.builtin import COLLECTIONS, CREAK
from situatedgen.sources.params import ItemParams, SourceParams
from situatedgen.sources.registry import choose, source_digests
from situatedgen.stages.items import items, refuse_malformed

CREAK_PARAMS = ItemParams(source=SourceParams(name="creak"))


def claim(sentence: str, label: str = "true") -> str:
    return json.dumps({"sentence": sentence, "label": label}) + "\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "creak"
    folder.mkdir()
    train = [claim(f"Claim {number} is true.") for number in range(11)]
    (folder / "train.json").write_text("".join(train) + claim("No.", "false") + "oops\n")
    (folder / "dev.json").write_text(claim("Paris lies in France."))
    return tmp_path


def test_items_are_a_checked_table_sorted_by_id(root: Path) -> None:
    found = check(items(root, params=CREAK_PARAMS), ITEMS, name="items")
    assert found["item_id"].to_list()[:4] == [
        "creak::dev::0", "creak::train::0", "creak::train::1", "creak::train::10",
    ]  # fmt: skip
    assert found.row(0, named=True) == {
        "item_id": "creak::dev::0",
        "source": "creak",
        "split": "dev",
        "file": "creak/dev.json",
        "line": 1,
        "kind": "claim",
        "question": None,
        "answer": None,
        "statement": "Paris lies in France.",
        "licence": "MIT",
        "citation": CREAK.citation,
        "verdict": "kept",
        "reason": None,
    }
    assert found.group_by("verdict").len().sort("len").rows() == [("malformed", 1), ("kept", 12)]


def test_items_say_what_was_left_out(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        items(root, params=CREAK_PARAMS)
    assert caplog.messages == ["creak: 12 items, 1 blank, malformed or excluded by licence, 1 skipped on purpose"]


def test_the_first_malformed_record_is_refused_by_its_place_in_the_file(root: Path) -> None:
    path = root / "creak/train.json"
    path.write_text(claim("Snow is cold.") + "first\n" + claim("Fire is hot.") * 8 + "second\n")
    with pytest.raises(RecordError, match=r"^creak/train\.json:2: expected JSON"):
        refuse_malformed(items(root, params=CREAK_PARAMS))
    path.write_text(claim("Snow is cold."))
    kept = items(root, params=CREAK_PARAMS)
    refuse_malformed(kept)
    assert kept["verdict"].to_list() == ["kept", "kept"]


def test_the_folder_that_files_lie_in_is_in_no_row(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    moved = tmp_path_factory.mktemp("elsewhere") / "moved"
    before = items(root, params=CREAK_PARAMS)
    root.rename(moved)
    assert items(moved, params=CREAK_PARAMS).equals(before)


def test_params_survive_the_way_through_json() -> None:
    for source in (
        SourceParams(name="arc"),
        SourceParams(name="my", files=("a.csv",), kind="claim", statement="t"),
    ):
        params = ItemParams(source=source)
        assert ItemParams.model_validate(params.model_dump(mode="json")) == params
        assert ItemParams.model_validate(params.model_dump(mode="json", exclude_unset=True)) == params


def test_digests_follow_content_alone(root: Path) -> None:
    before = source_digests(CREAK_PARAMS.source, root)
    data = (root / "creak/dev.json").read_bytes()
    assert before["creak/dev.json"] == hashlib.sha256(data).hexdigest()
    assert list(before) == ["creak/dev.json", "creak/train.json"]
    (root / "creak/dev.json").touch()
    assert source_digests(CREAK_PARAMS.source, root) == before
    (root / "creak/dev.json").write_bytes(data + b"\n")
    after = source_digests(CREAK_PARAMS.source, root)
    assert {file for file in before if before[file] != after[file]} == {"creak/dev.json"}


def test_unnamed_sources_are_those_that_the_folder_holds(root: Path) -> None:
    assert choose((), root) == (SourceParams(name="creak"),)
    assert [params.name for params in choose((), sample_folder())] == list(COLLECTIONS)


def test_named_sources_come_sorted(root: Path) -> None:
    named = [SourceParams(name=name) for name in ("strategyqa", "arc")]
    assert [params.name for params in choose(named, sample_folder())] == ["arc", "strategyqa"]


@pytest.mark.parametrize(
    ("names", "removed", "problem"),
    [
        (
            ("arc",),
            (),
            "source 'arc': expected the file {root}/arc/ARC-Easy/ARC-Easy-Train.jsonl, found none",
        ),
        ((), ("creak/dev.json",), "source 'creak': expected the file {root}/creak/dev.json, found none"),
    ],
)
def test_a_source_with_a_missing_file_is_refused(
    root: Path, names: tuple[str, ...], removed: tuple[str, ...], problem: str
) -> None:
    for file in removed:
        (root / file).unlink()
    with pytest.raises(SourceError) as stopped:
        choose([SourceParams(name=name) for name in names], root)
    assert str(stopped.value) == problem.format(root=root)


def test_a_folder_without_any_source_is_refused_with_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as stopped:
        choose((), tmp_path)
    message = str(stopped.value)
    assert message.startswith(f"expected at least one source in {tmp_path}, found none; looked for: arc/ARC-Easy")
    assert all(part.file in message for source in COLLECTIONS.values() for part in source.files)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"expected a folder of sources at .*nowhere, found none"):
        choose((), tmp_path / "nowhere")


def test_a_reader_of_ones_own_is_part_of_the_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "a.odd").write_text("x")
    params = SourceParams(
        name="my", files=("a.odd",), kind="claim", statement="t", reader="digested_reader_module:read"
    )
    with pytest.raises(SettingsError, match="there is no module 'digested_reader_module'"):
        source_digests(params, tmp_path)
    module = tmp_path / "digested_reader_module.py"
    module.write_text("def read(path): ...\n")
    before = source_digests(params, tmp_path)
    assert list(before) == ["a.odd", "digested_reader_module:read"]
    module.write_text("def read(path): return []\n")
    after = source_digests(params, tmp_path)
    assert {name for name in before if before[name] != after[name]} == {"digested_reader_module:read"}


def test_the_sample_gives_every_kind(tmp_path: Path) -> None:
    tables = [items(sample_folder(), params=ItemParams(source=params)) for params in choose((), sample_folder())]
    kinds = pl.concat(tables).filter(pl.col("verdict") == "kept")["kind"].unique().sort().to_list()
    assert kinds == ["claim", "yes_no", "choice"]
