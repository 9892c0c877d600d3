"""A store in a bucket gives what a store on disk gives: the same keys and datasets, whole or not at all."""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from copy import copy
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from obstore.store import AzureStore, GCSStore, MemoryStore, S3Store
from typer.testing import CliRunner

from flows.cli.app import app
from process_support import COMMAND_LINE, run_python
from situatedgen.errors import SettingsError, StoreError
from situatedgen.sources.params import SourceParams
from storage import builds
from storage import memo as memos
from storage.builds import Build
from storage.filesystem import BucketPath, StorePath, locate
from storage.maintenance import gc
from storage.maintenance.files import list_files
from storage.maintenance.gc import collect
from storage.maintenance.inventory import inventory
from storage.maintenance.verify import Fault, repair, verify
from storage.memo import Memo
from storage.store import Store
from storage.watch import check_source, record
from store_support import built, made

FILES = ("data/train.jsonl", "data/dev.jsonl", "data/test.jsonl", "stats.json")
HARMS: dict[str, Callable[[bytes], bytes | None]] = {
    "deleted": lambda content: None,
    "truncated": lambda content: content[:-7],
    "emptied": lambda content: b"",
    "flipped": lambda content: content[:99] + bytes([content[99] ^ 1]) + content[100:],
}


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("situatedgen.dataset.figures.draw_figures", lambda *_: {})


def dataset(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def on_disk(few: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Build]:
    """A folder with a build of the small sources: its store, and its dataset."""
    folder = tmp_path_factory.mktemp("on-disk")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("situatedgen.dataset.figures.draw_figures", lambda *_: {})
        return folder, built(Store(folder / "store"), few, out=folder / "out")


@pytest.fixture
def filled(bucket: BucketPath, on_disk: tuple[Path, Build]) -> Store:
    """A store in a bucket, copied there from a disk."""
    root = on_disk[0] / "store"
    for kept in list_files(root):
        (bucket / kept.place).write_bytes((root / kept.place).read_bytes())
    return Store(bucket)


@pytest.fixture
def aged(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes all that was written by now older than a day."""
    return lambda: monkeypatch.setattr(gc, "YOUNG_SECONDS", -1)


def harmed(path: BucketPath, harm: str) -> None:
    content = HARMS[harm](path.read_bytes())
    path.unlink() if content is None else path.write_bytes(content)


@pytest.fixture
def environment(service: Any, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The environment, to be changed, with what a service of Google's or Microsoft's needs."""
    monkeypatch.setenv("GOOGLE_BEARER_TOKEN", "testing")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "team")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "dGVzdGluZw==")
    return monkeypatch


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    ("address", "bucket", "key", "client"),
    [
        ("s3://team", "s3://team", "", S3Store),
        ("s3://team//a//b/", "s3://team", "a/b", S3Store),
        ("gs://team/a", "gs://team", "a", GCSStore),
        ("az://team/a", "az://team", "a", AzureStore),
    ],
)
def test_an_address_names_a_prefix_of_a_bucket(address: str, bucket: str, key: str, client: type) -> None:
    found = locate(address)
    assert isinstance(found, BucketPath)
    assert (found.bucket, found.key, type(found.client)) == (bucket, key, client)
    assert copy(found) == found  # as another process makes one


def test_any_other_path_is_a_folder() -> None:
    assert locate("/tmp/s3/x") == Path("/tmp/s3/x")


@pytest.mark.parametrize("address", ["s3://", "gs:///x", "s3:/team/x", "ftp://team/x", "https://team.example"])
def test_an_address_of_another_kind_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match=r"expected a folder, s3://bucket/prefix, gs://"):
        locate(address)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.filesystem.find_spec", lambda _: None)
    with pytest.raises(SettingsError, match=r"pip install 'situatedgen\[buckets\]'"):
        locate("gs://team")


def test_names_are_those_of_paths() -> None:
    root = BucketPath("s3://team", "", MemoryStore())
    path = root / "a" / "b" / "c.json"
    assert (str(path), path.name, path.stem, str(root)) == ("s3://team/a/b/c.json", "c.json", "c", "s3://team")


def check_contract(root: BucketPath, *, keeps_digests: bool) -> None:
    """What a store needs of a bucket, whoever keeps it."""
    path, other = root / "keys/pairs/a b~é.json", root / "keys/c.json"
    path.write_bytes(b"old")
    path.write_bytes(b"content")
    other.write_bytes(b"")
    assert (path.read_bytes(), path.read_text(), path.open().read(3)) == (b"content", "content", b"con")
    assert (path.read_range(2, 5), other.read_range(0, 0)) == (b"nte", b"")
    assert path.read_digest() == (hashlib.sha256(b"content").hexdigest() if keeps_digests else None)
    assert (path.is_file(), (root / "keys").is_file()) == (root.is_dir(), (root / "key").is_dir()) == (True, False)
    listed = {place: found["size"] for place, found in root.list_objects()}
    assert listed == {"keys/pairs/a b~é.json": 7, "keys/c.json": 0}
    assert all(abs(found["last_modified"].timestamp() - time.time()) < 600 for _, found in root.list_objects())
    assert list((root / "keys").glob("*.json")) == [other]
    path.unlink()
    path.unlink(missing_ok=True)
    for ask in (path.read_bytes, path.read_digest, lambda: path.read_range(0, 1)):
        with pytest.raises(FileNotFoundError, match="keys/pairs"):
            ask()


def test_every_kind_of_bucket_keeps_the_contract(place: StorePath) -> None:
    if isinstance(place, BucketPath):
        check_contract(place, keeps_digests=not place.bucket.startswith("file"))


def test_a_bucket_of_googles_keeps_the_contract(environment: pytest.MonkeyPatch, bucket: BucketPath) -> None:
    """Google's XML interface is that of S3, so that the same service answers; it does not know Google's attributes."""
    environment.setenv("GOOGLE_BASE_URL", os.environ["AWS_ENDPOINT_URL"])
    found = locate(f"gs://shared/{bucket.key}")
    assert isinstance(found, BucketPath)
    check_contract(found, keeps_digests=False)


def test_a_neighbour_whose_prefix_begins_alike_is_not_seen(bucket: BucketPath) -> None:
    beside = BucketPath(bucket.bucket, f"{bucket.key}-too", bucket.client)
    (beside / "keys/pairs/k.json").write_bytes(b"{}")
    assert (list_files(bucket), bucket.is_dir(), beside.is_dir()) == ([], False, True)


def test_a_build_gives_the_same_keys_and_dataset_as_on_disk(
    bucket: BucketPath, few: Path, on_disk: tuple[Path, Build], tmp_path: Path, service: Any
) -> None:
    here, there = on_disk[1], built(Store(bucket), few, out=tmp_path / "there")
    assert [(each.key, each.ref) for each in there.outcomes] == [(each.key, each.ref) for each in here.outcomes]
    assert dataset(tmp_path / "there") == dataset(on_disk[0] / "out")
    service.requests.clear()
    again = built(Store(bucket), few, out=tmp_path / "there")
    assert made(again) == []
    assert sum(service.requests.values()) <= 5 * len(again.outcomes)


def test_a_grown_source_asks_only_what_is_new(bucket: BucketPath, few: Path, tmp_path: Path, counted: Any) -> None:
    grown = tmp_path / "grown"
    store = Store(bucket)
    shutil.copytree(few, grown)
    built(store, grown, *counted.OVERRIDES, out=tmp_path / "out")
    with (grown / "creak" / "dev.json").open("a") as stream:
        stream.write('{"sentence": "Egypt has many tall mountains.", "label": "true"}\n')
    counted.asked()
    finished = built(store, grown, *counted.OVERRIDES, out=tmp_path / "out")
    assert counted.asked() == [(role, "Egypt has many tall mountains.") for role in ("tagger", "nouns", "parser")]
    mined = next(each for each in finished.outcomes if each.ref.stage == "candidates")
    assert mined.recalled > 0


def test_an_artifact_that_another_tool_copied_is_known_by_its_content(
    filled: Store, bucket: BucketPath, few: Path, on_disk: tuple[Path, Build], tmp_path: Path
) -> None:
    """`aws s3 sync` sends no digest along."""
    for kept in list_files(bucket):
        path = bucket / kept.place
        bucket.client.put(path.key, path.read_bytes())
    assert (bucket / on_disk[1].refs("pairs")[0].place).read_digest() is None
    assert made(built(filled, few, out=tmp_path / "out")) == []


@pytest.mark.parametrize("harm", HARMS)
def test_a_harmed_artifact_is_found_and_made_again_and_nothing_else(
    filled: Store, bucket: BucketPath, few: Path, on_disk: tuple[Path, Build], tmp_path: Path, harm: str
) -> None:
    victim = on_disk[1].refs("entities")[0]
    harmed(bucket / victim.place, harm)
    fault = {"deleted": Fault.MISSING, "flipped": Fault.ALTERED}.get(harm, Fault.TRUNCATED)
    assert [(each.place, each.fault) for each in verify(filled)] == [(victim.place, fault)]
    assert made(built(filled, few, out=tmp_path / "out")) == ["entities"]
    assert dataset(tmp_path / "out") == dataset(on_disk[0] / "out")
    assert verify(filled) == []


def test_what_is_repaired_is_gone_and_made_again(
    filled: Store, bucket: BucketPath, few: Path, on_disk: tuple[Path, Build], tmp_path: Path
) -> None:
    harmed(bucket / on_disk[1].refs("masks")[0].place, "flipped")
    harmed(next(iter((bucket / "code").glob("*.json"))), "truncated")
    assert len(repair(filled)) == 2
    assert [problem.fault for problem in verify(filled)] == [Fault.MISSING]  # the build still names its masks
    built(filled, few, out=tmp_path / "out")
    assert verify(filled) == []


def test_collecting_spares_what_is_young_and_keeps_what_the_newest_build_needs(
    filled: Store, bucket: BucketPath, few: Path, on_disk: tuple[Path, Build], tmp_path: Path, aged: Callable[[], None]
) -> None:
    built(filled, few, "pairs.min_similarity=0.95", out=tmp_path / "out")
    before = list_files(bucket)
    assert collect(filled, keep=1).files == collect(filled, keep=0).files == ()
    assert list_files(bucket) == before
    aged()
    gone = {kept.place for kept in collect(filled, keep=1).files}
    assert on_disk[1].refs("pairs")[0].place in gone
    assert gone.isdisjoint(kept.place for kept in list_files(bucket))
    assert made(built(filled, few, "pairs.min_similarity=0.95", out=tmp_path / "out")) == []
    assert verify(filled) == []


def test_collecting_spares_what_a_young_record_names(
    filled: Store, bucket: BucketPath, on_disk: tuple[Path, Build], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that runs has just taken over old artifacts: its first new record names them."""
    time.sleep(1.1)  # the service tells times in whole seconds
    began = time.time()
    record = filled.records("pairs")[0]
    filled.write_json(bucket / f"keys/pairs/{record.key}.json", record.model_dump(mode="json"))
    # A clock that stands still, so that the record stays young however long this takes.
    monkeypatch.setattr(gc, "time", SimpleNamespace(time=lambda: began - 1.05 + gc.YOUNG_SECONDS))
    gone = {kept.place for kept in collect(filled, keep=0).files}
    spared = {ref.place for refs in record.inputs.values() for ref in refs} | {record.ref.place}
    assert spared.isdisjoint(gone)
    assert on_disk[1].refs("examples")[0].place in gone


def test_the_inventory_counts_what_one_on_disk_counts(filled: Store, on_disk: tuple[Path, Build]) -> None:
    here, there = (
        [(each.kind, each.name, each.files, each.size, each.rows, each.builds) for each in inventory(store).shelves]
        for store in (Store(on_disk[0] / "store"), filled)
    )
    assert there == here


def test_a_harmed_memo_part_is_asked_again(bucket: BucketPath) -> None:
    memo = Memo(Store(bucket), "tagger", {"name": "m"})
    for text in ("a", "b", "c"):
        memo.append(pl.DataFrame({"text": [text]}))
    victim = memo.paths()[1]
    assert isinstance(victim, BucketPath)
    lost = pl.read_parquet(victim.open())["text"].to_list()
    harmed(victim, "flipped")
    assert sorted(text for part in memo.read() for text in part["text"]) == sorted({"a", "b", "c"} - set(lost))
    memo.compact()
    assert victim not in memo.paths()


def test_a_reader_misses_nothing_while_parts_are_put_together(
    bucket: BucketPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memos, "FEW_PARTS", 4)
    memo, stop, written = Memo(Store(bucket), "tagger", {"name": "m"}), Event(), [0]

    def append_and_compact() -> None:
        while not stop.is_set():
            memo.append(pl.DataFrame({"text": [str(written[0])]}))
            written[0] += 1
            memo.compact()

    writer = Thread(target=append_and_compact)
    writer.start()
    try:
        for _ in range(20):
            known = {str(number) for number in range(written[0])}
            assert known <= {text for part in memo.read() for text in part["text"]}
    finally:
        stop.set()
        writer.join()
    assert written[0] > 4


def test_what_was_seen_of_a_source_is_remembered(bucket: BucketPath, few: Path) -> None:
    source, store = SourceParams(name="creak"), Store(bucket)
    first = check_source(source, few, store)
    record(store, first.now)
    assert (first.before, check_source(source, few, store).before) == (None, first.now)


def run(place: BucketPath | str, *arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments, "--store", str(place)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_every_command_takes_a_bucket(bucket: BucketPath, few: Path, tmp_path: Path, aged: Callable[[], None]) -> None:
    build = ("build", "--plain", "--json", "--preset", "tiny", "--sources", str(few), "--out", str(tmp_path / "out"))
    assert "first build" in run(bucket, "plan", "--preset", "tiny", "--sources", str(few))
    assert json.loads(run(bucket, *build))["store"] == str(bucket)
    run(bucket, *build, "--stable-with", str(tmp_path / "out"), "--set", "examples.seed=3")
    planned = json.loads(run(bucket, "plan", "--preset", "tiny", "--sources", str(few), "--json"))
    assert {step["status"] for step in planned} == {"cached"}
    assert json.loads(run(bucket, "explain", "examples", "--json"))["reasons"]
    shown = [json.loads(line) for line in run(bucket, "show", "statements", "--format", "jsonl").splitlines()]
    assert shown[0]["statement_id"] == "creak::dev::0"
    assert json.loads(run(bucket, "funnel", "--json"))
    assert "creak/dev.json" in run(bucket, "trace", "creak::dev::0")
    assert "unchanged" in run(bucket, "diff", "previous", "latest")
    out = ("--out", str(tmp_path / "releases"))
    assert "pins build" in run(bucket, "release", "v1", *out)
    assert "v1" in run(bucket, "release", "--list")
    assert "all files are intact" in run(bucket, "cache", "verify")
    assert json.loads(run(bucket, "cache", "ls", "--json"))["root"] == str(bucket)
    assert json.loads(run(bucket, "cache", "gc", "--keep", "0", "--yes", "--json"))["files"] == []
    aged()
    assert json.loads(run(bucket, "cache", "gc", "--keep", "0", "--yes", "--json"))["deleted"]
    assert len(builds.all_builds(Store(bucket))) == 1  # the one that is released
    assert "pins build" in run(bucket, "release", "v2", "--build", "v1", *out)
    again = run(bucket, "reproduce", str(tmp_path / "releases" / "v1.tar.gz"), "--sources", str(few))
    assert "identical: " in again


def denied(environment: dict[str, Any], serve: Callable[..., Any], start: Any) -> list[bytes]:
    body = b"<Error><Code>AccessDenied</Code><Message>not yours</Message></Error>"
    start("403 Forbidden", [("Content-Length", str(len(body)))])
    return [body]


@pytest.mark.usefixtures("service")
def test_no_such_bucket_is_said() -> None:
    with pytest.raises(StoreError, match="store s3://nobodys: there is no such bucket; create it"):
        run("s3://nobodys", "cache", "ls")


def test_a_store_that_is_not_there_is_said(bucket: BucketPath) -> None:
    with pytest.raises(StoreError, match="no store at s3://shared/teams/"):
        run(bucket, "cache", "ls")


def test_access_denied_is_said(bucket: BucketPath, service: Any) -> None:
    service.faults = [denied]
    with pytest.raises(StoreError, match=r"access denied .AccessDenied not yours.; the credentials must"):
        run(bucket, "funnel")


@pytest.mark.parametrize(
    ("address", "setting"),
    [("s3://shared", "AWS_SECRET_ACCESS_KEY"), ("az://shared", "AZURE_STORAGE_ACCOUNT_NAME")],
)
def test_no_credentials_are_said(environment: pytest.MonkeyPatch, address: str, setting: str) -> None:
    environment.delenv(setting)
    with pytest.raises(StoreError, match=rf"no credentials .*; set .*{setting}"):
        run(address, "funnel")


def test_credentials_of_a_profile_are_found(
    environment: pytest.MonkeyPatch, bucket: BucketPath, tmp_path: Path
) -> None:
    environment.delenv("AWS_ACCESS_KEY_ID")
    (tmp_path / "credentials").write_text("[team]\naws_access_key_id = a\naws_secret_access_key = b\n")
    environment.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    environment.setenv("AWS_PROFILE", "team")
    path = locate(str(bucket / "a"))
    assert isinstance(path, BucketPath)
    path.write_bytes(b"content")
    assert path.read_bytes() == b"content"
    environment.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(StoreError, match=r"no credentials .*nobody"):
        locate(str(bucket))


@pytest.mark.parametrize(
    ("scheme", "setting"),
    [("s3", "AWS_ENDPOINT_URL"), ("gs", "GOOGLE_BASE_URL"), ("az", "AZURE_STORAGE_ENDPOINT")],
)
def test_a_service_that_does_not_answer_is_said(environment: pytest.MonkeyPatch, scheme: str, setting: str) -> None:
    environment.setenv(setting, "http://127.0.0.1:9")
    with pytest.raises(StoreError, match=rf"{scheme}://team: cannot be reached .*127.0.0.1:9.*; check {setting}"):
        run(f"{scheme}://team/store", "funnel")


def test_a_service_that_fails_for_a_moment_is_asked_again(bucket: BucketPath, service: Any) -> None:
    def busy(environment: dict[str, Any], serve: Callable[..., Any], start: Any) -> list[bytes]:
        start("503 Slow Down", [("Content-Length", "0")])
        return [b""]

    (bucket / "a").write_bytes(b"content")
    service.faults = [busy, busy]
    assert (bucket / "a").read_bytes() == b"content"


def test_an_object_cut_short_on_its_way_is_fetched_again(bucket: BucketPath, service: Any) -> None:
    def cut(environment: dict[str, Any], serve: Callable[..., Any], start: Any) -> list[bytes]:
        return [b"".join(serve(start))[:3]]

    (bucket / "a").write_bytes(b"content")
    service.faults = [cut]
    assert (bucket / "a").read_bytes() == b"content"


@pytest.mark.slow
@pytest.mark.prefect
def test_a_build_through_prefect_takes_a_bucket(
    bucket: BucketPath, few: Path, with_server: dict[str, str], tmp_path: Path
) -> None:
    command = ("-c", COMMAND_LINE, "build", "--preset", "tiny", "--sources", few, "--store", bucket)
    texts = [run_python(*command, cwd=tmp_path, env=with_server).stdout for _ in range(2)]
    assert "0 reused" in texts[0]
    assert "20 artifacts, 20 reused" in texts[1]
    built(Store(tmp_path / "store"), few, out=tmp_path / "here")
    assert dataset(tmp_path / "dataset") == dataset(tmp_path / "here")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dataset", "here", "store"]
