"""Releases of a real build: frozen, verified, reproduced; and every real fault found."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from review_support import WHEN, answers
from situatedgen.dataset.release import archive, record
from situatedgen.dataset.release.record import foreign_parts
from situatedgen.dataset.release.verify import law_faults, verify
from situatedgen.errors import SettingsError, StoreError
from situatedgen.preset_files import names
from situatedgen.presets import load
from situatedgen.review.decisions import Content, Decision, Undo
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Mode
from storage import inputs
from storage.annotation.log import Log
from storage.builds import Build
from storage.inputs import read_splits, save_splits
from storage.releases import Reproduction, WrittenRelease, releases, reproduce, write_release
from storage.store import Store
from store_support import built


@pytest.fixture(scope="module")
def first(few: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Build]:
    folder = tmp_path_factory.mktemp("first")
    return Store(folder / "store"), built_in(Store(folder / "store"), few, folder / "out")


def built_in(store: Store, sources: Path, out: Path, *overrides: str, follow: Path | None = None) -> Build:
    followed = save_splits(store, read_splits(follow)) if follow else None
    return built(store, sources, *overrides, out=out, precedent=followed)


@pytest.fixture(scope="module")
def v1(first: tuple[Store, Build], tmp_path_factory: pytest.TempPathFactory) -> WrittenRelease:
    store, build = first
    return write_release(store, "v1", build, out=tmp_path_factory.mktemp("releases"), note="as published")


@pytest.fixture
def copy(v1: WrittenRelease, tmp_path: Path) -> Path:
    """A release to be harmed."""
    shutil.copytree(v1.folder, tmp_path / "v1")
    return tmp_path / "v1"


def run(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def test_a_release_holds_all_that_it_was_made_from(v1: WrittenRelease, first: tuple[Store, Build]) -> None:
    told = record.read_record(v1.folder)
    _, build = first
    assert (told.name, told.note, told.build, told.settings) == ("v1", "as published", build.created, build.settings)
    assert {name: each.digest for name, each in told.artifacts.items()} == {
        outcome.ref.name: outcome.ref.digest for outcome in build.outcomes
    }
    assert told.artifacts["items/creak"].parts["files"].keys() == {"creak/train.json", "creak/dev.json"}
    assert told.artifacts["embeddings"].parts["models"]["encoder"]["name"] == "fake"
    assert {"python", "polars", "situatedgen"} <= told.versions.keys()
    listed = archive.read_sums((v1.folder / archive.FILE).read_bytes(), "")
    there = {path.relative_to(v1.folder).as_posix() for path in v1.folder.rglob("*") if path.is_file()}
    assert listed.keys() == there - {archive.FILE}
    assert told.files.keys() == there - {archive.FILE, record.FILE}


def test_released_again_it_is_the_same_to_the_byte(
    v1: WrittenRelease, first: tuple[Store, Build], tmp_path: Path
) -> None:
    store, build = first
    before = v1.archive.read_bytes()
    there = write_release(store, "v1", build, out=v1.folder.parent)
    elsewhere = write_release(store, "v1", build, out=tmp_path)
    assert v1.archive.read_bytes() == before == elsewhere.archive.read_bytes()
    assert there.release == elsewhere.release == releases(store)["v1"] == v1.release
    assert archive.digest(before) == v1.release.archive


def test_a_release_is_written_over_nothing(v1: WrittenRelease, first: tuple[Store, Build], tmp_path: Path) -> None:
    store, build = first
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "mine.txt").write_text("mine")
    with pytest.raises(SettingsError, match="already exists and is not this release"):
        write_release(store, "v1", build, out=tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["v1", "mine.txt"]
    with pytest.raises(StoreError, match="was already written with the note 'as published'"):
        write_release(store, "v1", build, out=tmp_path, note="another")


@pytest.mark.parametrize("form", ["folder", "archive"])
def test_what_was_released_is_verified(v1: WrittenRelease, form: str) -> None:
    path = v1.folder if form == "folder" else v1.archive
    digest = v1.release.sums if form == "folder" else v1.release.archive
    found = verify(path, digest)
    assert (found.faults, found.digest, found.is_release, found.name) == ((), digest, True, "v1")
    other = verify(path, "0" * 64)
    assert [fault.kind for fault in other.faults] == ["altered"]


@pytest.mark.parametrize("file", ["data/train.jsonl", "manifest.json", "release.json"])
def test_an_altered_file_is_named(copy: Path, file: str) -> None:
    (copy / file).write_bytes((copy / file).read_bytes().replace(b"a", b"b", 1))
    assert [(fault.kind.value, fault.file) for fault in verify(copy).faults] == [("altered", file)]
    assert file in run("verify", copy, code=1)


def reseal(folder: Path) -> None:
    """Make the sums of a release anew, as whoever altered it would."""
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    digests = {name: archive.file_digest(folder / name) for name in names if name != archive.FILE}
    (folder / archive.FILE).write_bytes(archive.format_sums(digests))


def test_data_that_breaks_its_laws_is_found_though_all_sums_are_right(copy: Path) -> None:
    """An example of the training data is put into the test data as well, in both of its files."""
    assert law_faults(copy) == []
    moved = pl.read_parquet(copy / "data" / "train.parquet").head(1)
    rows = pl.concat([pl.read_parquet(copy / "data" / "test.parquet"), moved])
    rows.write_parquet(copy / "data" / "test.parquet")
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows.to_dicts()]
    (copy / "data" / "test.jsonl").write_text("".join(lines), encoding="utf-8")
    reseal(copy)
    found = " ".join(fault.detail for fault in verify(copy).faults)
    assert "pairs, but there are" in found
    assert "example ids occur more than once" in found
    assert "statement ids occur in two splits" in found
    assert "statement texts occur in two splits" in found


def test_forms_that_differ_or_cannot_be_read_are_faults_not_crashes(copy: Path) -> None:
    lines = (copy / "data" / "train.jsonl").read_text().splitlines(keepends=True)
    (copy / "data" / "train.jsonl").write_text("".join([*lines[1:], lines[0]]))
    reseal(copy)
    assert [(fault.kind, fault.file) for fault in verify(copy).faults] == [("unlawful", "data/train.jsonl")]
    for content in (b"", b"PAR1", b"no parquet at all"):
        (copy / "data" / "dev.parquet").write_bytes(content)
        assert ("unlawful", "data/dev.parquet") in [(fault.kind, fault.file) for fault in law_faults(copy)]


def test_a_folder_that_was_only_built_is_reproduced_and_verified_by_its_manifest(few: Path, tmp_path: Path) -> None:
    built_in(Store(tmp_path / "store"), few, tmp_path / "out")
    assert again(tmp_path / "out", few, tmp_path / "again").is_same
    (tmp_path / "out" / "mine.txt").write_text("not of the dataset, and welcome")
    assert verify(tmp_path / "out").faults == ()
    (tmp_path / "out" / "README.md").write_text("other")
    assert [(fault.kind, fault.file) for fault in verify(tmp_path / "out").faults] == [("altered", "README.md")]
    with pytest.raises(SettingsError, match="is neither a release nor a situatedgen dataset"):
        verify(tmp_path)
    with pytest.raises(SettingsError, match="there is no release at"):
        verify(tmp_path / "nothing")


def test_an_archive_is_checked_against_the_sum_beside_it(v1: WrittenRelease, tmp_path: Path) -> None:
    for path in (v1.archive, v1.archive.with_name("v1.tar.gz.sha256")):
        shutil.copy(path, tmp_path)
    (tmp_path / "v1.tar.gz").write_bytes(v1.archive.read_bytes() + b"\0")
    assert "its checksum differs from that in" in verify(tmp_path / "v1.tar.gz").faults[0].detail


def again(folder: Path, sources: Path, place: Path, decisions: Path | None = None) -> Reproduction:
    store, out = Store(place / "store"), place / "out"
    return reproduce(folder, sources=sources, store=store, out=out, runtime=Runtime(), decisions=decisions)


def test_a_release_is_reproduced_from_nothing_but_its_sources(v1: WrittenRelease, few: Path, tmp_path: Path) -> None:
    found = again(v1.folder, few, tmp_path)
    assert (found.is_same, found.first, found.steps, found.versions) == (True, None, (), ())
    assert found.files > 10
    assert "identical: " in run("reproduce", v1.archive, "--sources", few)


def test_another_source_is_named_as_the_cause(v1: WrittenRelease, few: Path, tmp_path: Path) -> None:
    shutil.copytree(few, tmp_path / "sources")
    with (tmp_path / "sources" / "creak" / "dev.json").open("a") as stream:
        stream.write(json.dumps({"sentence": "Farmers in Egypt sell fresh fruit.", "label": "true"}) + "\n")
    found = again(v1.folder, tmp_path / "sources", tmp_path)
    assert not found.is_same
    assert found.first is not None
    assert (found.first.artifact, found.first.reasons) == ("items/creak", ("file creak/dev.json: changed",))
    assert "data/train.parquet" in found.differing
    printed = run("reproduce", v1.folder, "--sources", tmp_path / "sources", code=1)
    assert "first artifact with different rows: items/creak" in printed
    assert "file creak/dev.json: changed" in printed


def test_another_version_of_a_package_is_named_as_the_cause(copy: Path, few: Path, tmp_path: Path) -> None:
    """As if the release had been made with an older polars and an encoder of another revision."""
    told = json.loads((copy / record.FILE).read_text())
    told["versions"]["polars"] = "0.1"
    embeddings = told["artifacts"]["embeddings"]
    embeddings.update(key="0" * 64, digest="0" * 64)
    embeddings["parts"]["models"]["encoder"]["revision"] = "0"
    told["files"]["stats.json"]["sha256"] = "0" * 64
    (copy / record.FILE).write_text(json.dumps(told))
    found = again(copy, few, tmp_path)
    assert (found.is_same, found.differing) == (False, ("stats.json",))
    assert found.first is not None
    assert found.first.artifact == "embeddings"
    assert any("revision" in reason for reason in found.first.reasons)
    assert len(found.versions) == 1
    assert found.versions[0].startswith("polars 0.1 → ")


def test_a_release_that_follows_another_brings_its_splits_along(v1: WrittenRelease, few: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    build = built_in(store, few, tmp_path / "out", "splits.seed=5", follow=v1.folder)
    written = write_release(store, "v2", build, out=tmp_path / "releases")
    assert again(written.folder, few, tmp_path / "again").is_same
    (written.folder / "precedent.parquet").unlink()
    with pytest.raises(SettingsError, match="keeps the splits of an earlier dataset"):
        again(written.folder, few, tmp_path / "more")


def test_decisions_of_people_are_named_not_released(v1: WrittenRelease, few: Path, tmp_path: Path) -> None:
    store, folder = Store(tmp_path / "store"), tmp_path / "decisions"
    row = pl.read_parquet(v1.folder / "data" / "train.parquet").row(0, named=True)
    left, right = row["statements"]
    asked = Content((left, right), row["context"])
    Log(folder).add(Decision("token-001", "anna", Mode.FILTER, asked, answers(faults=("contrast",)), WHEN))
    build = built(store, few, out=tmp_path / "out", decisions=inputs.save_decisions(store, folder))
    written = write_release(store, "v2", build, out=tmp_path / "releases")
    assert not any(b"anna" in path.read_bytes() for path in written.folder.rglob("*") if path.is_file())
    assert again(written.folder, few, tmp_path / "again", decisions=folder).is_same
    with pytest.raises(SettingsError, match="give their folder with --decisions"):
        again(written.folder, few, tmp_path / "more")
    Log(folder).add(Undo("token-002", "anna", "token-001", WHEN))
    other = again(written.folder, few, tmp_path / "other", decisions=folder)
    assert (other.is_same, len(other.given)) == (False, 1)
    assert other.first is not None
    assert other.first.artifact == "judgements"


def test_the_commands_tell_digests(first: tuple[Store, Build], tmp_path: Path) -> None:
    store, _ = first
    options = ("--store", store.root, "--out", tmp_path / "releases")
    told = json.loads(run("release", "v3", *options, "--json"))
    printed = run("release", "v3", *options)
    assert told["sums"] in printed.replace("\n", "")
    assert told["archive"] in printed.replace("\n", "")
    listed = {each["name"]: each for each in json.loads(run("release", "--list", "--store", store.root, "--json"))}
    assert listed["v3"]["archive"] == told["archive"]
    assert "all checksums match" in run("verify", tmp_path / "releases" / "v3.tar.gz", "--sha256", told["archive"])
    assert json.loads(run("verify", tmp_path / "releases" / "v3", "--json"))["faults"] == []


@pytest.fixture
def forged(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release with whole checksums whose reader deletes a file; the module lies where Python finds it."""
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    module = "from pathlib import Path\n\n\ndef read(path):\n    Path({!r}).unlink()\n    yield 1, {{'text': 'x'}}\n"
    (tmp_path / "forged_reader.py").write_text(module.format(str(victim)))
    monkeypatch.syspath_prepend(tmp_path)
    source = {"name": "bad", "files": ["creak/*.json"], "kind": "claim", "statement": "text"}
    forge(copy, {"sources": [{**source, "reader": "forged_reader:read"}]})
    return copy


def forge(folder: Path, settings: dict[str, Any]) -> None:
    """Set settings over those of a release, and put its sums right again."""
    told = json.loads((folder / record.FILE).read_text())
    told["settings"].update(settings)
    (folder / record.FILE).write_text(json.dumps(told))
    reseal(folder)


def test_a_reader_of_a_release_runs_only_when_it_is_trusted(forged: Path, few: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"reader 'forged_reader:read' of source 'bad'.*--trust"):
        run("reproduce", forged, "--sources", few)
    assert (tmp_path / "victim.txt").read_text() == "mine"
    assert "reader 'forged_reader:read' of source 'bad'" in run("verify", forged)
    assert json.loads(run("verify", forged, "--json"))["foreign"] == ["reader 'forged_reader:read' of source 'bad'"]
    result = CliRunner().invoke(app, ["reproduce", str(forged), "--sources", str(few), "--trust"])
    assert "trusted, not built in: reader 'forged_reader:read' of source 'bad'" in result.output
    assert not (tmp_path / "victim.txt").exists()


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ({"name": "evil:Tagger"}, "tagger 'evil:Tagger'"),
        ({"name": "flair", "weights": "/tmp/model.pt"}, "weights '/tmp/model.pt' of tagger 'flair'"),
        (
            {"name": "flair", "weights": "flair/ner-english-ontonotes-large", "revision": "0" * 40},
            f"weights 'flair/ner-english-ontonotes-large' at '{'0' * 40}' of tagger 'flair'",
        ),
    ],
)
def test_models_and_weights_of_a_release_are_not_trusted(
    copy: Path, few: Path, tmp_path: Path, model: dict[str, str], listed: str
) -> None:
    forge(copy, {"entities": {"tagger": model}})
    with pytest.raises(SettingsError) as refused:
        again(copy, few, tmp_path)
    assert listed in str(refused.value)
    assert verify(copy).foreign == (listed,)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("preset", names())
def test_the_shipped_presets_need_no_trust(preset: str) -> None:
    assert foreign_parts(load(preset)) == ()
