"""When things go wrong: files harmed, a disk that is full, a process killed. The next build is as if nothing was."""

import errno
import os
import random
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from process_support import COMMAND_LINE, run_python
from situatedgen.errors import StoreError
from storage import builds
from storage.builds import Build
from storage.maintenance.verify import verify
from storage.publication import publish
from storage.store import Store
from store_support import built, digests, made

Harm = Callable[[bytes, random.Random], bytes | None]


def flipped(content: bytes, chance: random.Random) -> bytes:
    """One byte altered; its high bit always, so that no JSON file reads as before."""
    position = chance.randrange(len(content))
    return content[:position] + bytes([content[position] ^ chance.randrange(128, 256)]) + content[position + 1 :]


HARMS: dict[str, Harm] = {
    "deleted": lambda content, chance: None,
    "emptied": lambda content, chance: b"",
    "truncated": lambda content, chance: content[: chance.randrange(1, len(content))],
    "flipped": flipped,
}
KINDS = ("artifacts", "keys", "code", "builds", "memo")


def damage(path: Path, harm: str, chance: random.Random) -> None:
    content = HARMS[harm](path.read_bytes(), chance)
    path.unlink() if content is None else path.write_bytes(content)


def asked(finished: Build) -> dict[str, int]:
    stages = {"statements", "entities", "keywords", "embeddings", "parses"}
    counts = {each.ref.name: each.computed for each in finished.outcomes if each.ref.stage in stages}
    return {name: count for name, count in counts.items() if count}


def files(store: Store, kind: str) -> list[Path]:
    return sorted(path for path in (store.root / kind).rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def whole(few: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Build]:
    """A finished store, which nobody harms."""
    store = Store(tmp_path_factory.mktemp("whole"))
    return store, built(store, few)


@pytest.fixture
def store(whole: tuple[Store, Build], tmp_path: Path) -> Store:
    """A copy of the finished store, to be harmed."""
    shutil.copytree(whole[0].root, tmp_path / "store")
    return Store(tmp_path / "store")


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("kind", ["artifacts", "keys"])
def test_what_a_harmed_file_held_is_made_again_and_nothing_else(
    store: Store, whole: tuple[Store, Build], few: Path, kind: str, harm: str
) -> None:
    chance = random.Random(f"{kind} {harm}")
    paths = files(store, kind)
    assert len(paths) == len(whole[1].outcomes)
    for path in paths:
        damage(path, harm, chance)
        again = built(store, few)
        assert made(again) == owners(whole[1], path.stem), path
        assert digests(again) == digests(whole[1])
        assert asked(again) == {}
    assert verify(store) == []


def owners(finished: Build, name: str) -> list[str]:
    """The artifacts whose content or key a file is named by."""
    return [outcome.ref.name for outcome in finished.outcomes if name in (outcome.key, outcome.ref.digest)]


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("kind", ["code", "builds", "memo", "locks"])
def test_a_harmed_file_that_no_artifact_is_made_from_costs_nothing(
    store: Store, whole: tuple[Store, Build], few: Path, kind: str, harm: str
) -> None:
    chance = random.Random(f"{kind} {harm}")
    for path in files(store, kind):
        if path.stat().st_size:
            damage(path, harm, chance)
    again = built(store, few)
    assert (made(again), digests(again)) == ([], digests(whole[1]))
    assert builds.latest(store) == again
    assert [problem for problem in verify(store) if problem.place.startswith("code")] == []


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize(
    ("role", "stage"),
    [
        ("converter", "statements/strategyqa"),
        ("tagger", "entities"),
        ("nouns", "keywords"),
        ("encoder", "embeddings"),
        ("parser", "parses"),
    ],
)
def test_a_harmed_memo_is_asked_again_only_when_it_is_needed(
    store: Store, whole: tuple[Store, Build], few: Path, role: str, stage: str, harm: str
) -> None:
    """The artifact is lost beside the memo, so that its stage runs: it alone asks, and asks all that was lost."""
    ref = next(outcome.ref for outcome in whole[1].outcomes if outcome.ref.name == stage)
    expected = next(outcome.computed for outcome in whole[1].outcomes if outcome.ref.name == stage)
    chance = random.Random(f"{role} {harm}")
    for path in files(store, f"memo/{role}"):
        damage(path, harm, chance)
    store.path(ref).unlink()
    again = built(store, few)
    assert (made(again), asked(again)) == ([stage], {stage: expected})
    assert digests(again) == digests(whole[1])
    assert verify(store) == []


def test_everything_harmed_at_once_is_made_again(store: Store, whole: tuple[Store, Build], few: Path) -> None:
    chance = random.Random(5)
    for kind in KINDS:
        for path in files(store, kind):
            damage(path, chance.choice(list(HARMS)), chance)
    again = built(store, few)
    assert made(again) == list(digests(whole[1]))
    assert digests(again) == digests(whole[1])


def test_altered_bytes_are_never_parsed(
    store: Store, whole: tuple[Store, Build], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Polars asks for two exabytes, and takes the process down, over some files with one byte altered."""
    ref = whole[1].refs("entities")[0]
    content, chance, parsed = store.path(ref).read_bytes(), random.Random(1), []
    monkeypatch.setattr(pl, "read_parquet", lambda path, **_: parsed.append(path))
    for _ in range(100):
        store.path(ref).write_bytes(flipped(content, chance))
        with pytest.raises(StoreError, match=r"entities in .* was altered; build again"):
            store.read(ref)
    assert parsed == []


def test_a_panic_of_polars_is_an_error_of_the_store(
    store: Store, whole: tuple[Store, Build], monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(path: Path, **_: object) -> None:
        raise pl.exceptions.PanicException("called `Result::unwrap()` on an `Err` value")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(StoreError, match="cannot be read"):
        store.read(whole[1].refs("entities")[0])


@pytest.mark.parametrize(
    "text",
    [
        '{"self": "x", "a": "\\ud800"}',  # a character that no file can hold
        '{"self": "x", "a": ' + "[" * 100_000 + "}",  # deeper than Python reads
        '["self"]',  # no object
        '{"a": 1}',  # no digest
        "\x00" * 100,  # what some disks leave after a crash
    ],
)
def test_a_record_that_makes_no_sense_is_no_record(store: Store, whole: tuple[Store, Build], text: str) -> None:
    path = files(store, "builds")[0]
    path.write_text(text)
    assert store.read_json(path) is None


def test_a_record_under_the_name_of_another_is_not_believed(
    store: Store, whole: tuple[Store, Build], few: Path
) -> None:
    one, other = (path for path in files(store, "keys/statements"))
    shutil.copy(one, other)
    assert made(built(store, few)) == owners(whole[1], other.stem)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes: the next best to a full disk that every system offers."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 100, 700, 2_000, 3_000, 4_500])
def test_a_full_disk_is_an_error_and_the_next_build_is_as_if_nothing_was(
    tmp_path: Path, whole: tuple[Store, Build], few: Path, size: int
) -> None:
    store = Store(tmp_path / "store")
    with pytest.raises(StoreError, match=r"cannot be written: .*File too large"), largest_file(size):
        built(store, few)
    assert files(store, "tmp") == []
    assert verify(store) == []
    assert digests(built(store, few)) == digests(whole[1])


@pytest.mark.parametrize("step", [0, 1, 4, 9, 15, 22, 30])
@pytest.mark.parametrize(("module", "function"), [(os, "fsync"), (Path, "replace"), (Path, "mkdir")])
def test_no_room_at_any_step_is_an_error_and_the_next_build_is_as_if_nothing_was(
    tmp_path: Path,
    whole: tuple[Store, Build],
    few: Path,
    module: object,
    function: str,
    step: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, own, steps = Store(tmp_path / "store"), getattr(module, function), iter(range(step))

    def failing(*arguments: object, **options: object) -> object:
        if next(steps, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return own(*arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(module, function, failing)
        with pytest.raises(StoreError, match="No space left on device"):
            built(store, few)
    assert [path for path in files(store, "tmp") if path.suffix != ".parquet"] == []  # but questions that were asked
    assert digests(built(store, few)) == digests(whole[1])


def test_a_full_disk_leaves_the_published_folder_as_it_was(
    store: Store, whole: tuple[Store, Build], few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("situatedgen.dataset.figures.draw_figures", lambda *_: {})
    out = publish(whole[1], store=store, out=tmp_path / "dataset")
    before = {path: path.read_bytes() for path in files(Store(tmp_path), "dataset")}
    other = built(store, few, "examples.seed=1")
    with pytest.raises(StoreError, match="cannot write the dataset folder"), largest_file(10_000):
        publish(other, store=store, out=out)
    assert {path: path.read_bytes() for path in files(Store(tmp_path), "dataset")} == before
    publish(other, store=store, out=out)
    assert (out / "data" / "train.jsonl").read_bytes() != before[out / "data" / "train.jsonl"]


@pytest.mark.parametrize("place", ["artifacts", "keys", "code", "builds", "memo", "locks", "tmp", "memo/tagger"])
def test_a_store_that_cannot_be_written_says_so(
    tmp_path: Path, whole: tuple[Store, Build], few: Path, place: str
) -> None:
    store = Store(tmp_path / "store")
    (store.root / place).parent.mkdir(parents=True)
    (store.root / place).write_text("a file stands where a folder should be")
    with pytest.raises(StoreError, match=f"store {store.root} cannot be written"):
        built(store, few)
    (store.root / place).unlink()
    assert digests(built(store, few)) == digests(whole[1])


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_store_says_so(store: Store, few: Path) -> None:
    for folder in [store.root, *(path for path in store.root.rglob("*") if path.is_dir())]:
        folder.chmod(0o500)
    with pytest.raises(StoreError, match="cannot be written"):
        built(store, few, "pairs.min_similarity=0.95")


@pytest.mark.slow
def test_the_command_line_tells_of_a_full_disk_without_a_stack_trace(tmp_path: Path, few: Path) -> None:
    limit = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (2000, r.getrlimit(r.RLIMIT_FSIZE)[1]))"
    options = ["--plain", "--preset", "tiny", "--sources", str(few), "--store", "store"]
    done = run_python("-c", f"{limit}; {COMMAND_LINE}", "build", *options, code=1, cwd=tmp_path)
    assert done.stderr.splitlines()[-1].startswith(f"error: store {tmp_path / 'store'} cannot be written: ")
    assert "Traceback" not in done.stderr + done.stdout
    assert not (tmp_path / "dataset").exists()
