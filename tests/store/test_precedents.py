"""Datasets to follow: how they are read, kept and refused, and what a build tells of following one."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cli_support import run
from situatedgen.dataset import statistics
from situatedgen.dataset.counts import stability
from situatedgen.dataset.statistics import MoveCount, Stability
from situatedgen.dataset.tables import moved_table, stability_line
from situatedgen.errors import SettingsError
from situatedgen.params import SplitParams
from situatedgen.rules.splits import Reason, SplitChange
from situatedgen.schemas import PRECEDENT
from situatedgen.sources import sample_folder
from situatedgen.stages.splits import splits
from situatedgen.vocabulary import Split
from storage import builds
from storage.builds import Build
from storage.inputs import find_splits, read_splits, save_splits
from storage.store import ArtifactRef, Store
from store_support import ARTIFACTS, built, made
from table_support import split_tables

TRAIN, DEV, TEST = Split


def written(folder: Path, **ids: list[list[str]]) -> Path:
    """A plain folder with the examples of each split, of which only their ids are given."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in ids.items():
        lines = [json.dumps({"statement": "…", "ids": row}) + "\n" for row in rows]
        (folder / f"{split}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def test_the_splits_are_read_from_a_plain_folder(tmp_path: Path) -> None:
    written(tmp_path, train=[["b", "a"], ["a", "c"]], dev=[], test=[["d", "e"]])
    expected = PRECEDENT.frame([(name, "", TRAIN) for name in "abc"] + [(name, "", TEST) for name in "de"])
    assert_frame_equal(read_splits(tmp_path), expected)


def test_the_splits_of_a_dataset_are_those_of_its_examples(tiny: Any, tmp_path: Path) -> None:
    examples = builds.read_build_table(tiny.store, tiny.build, "examples")
    sides = examples.select(pl.col("ids").alias("statement_id"), pl.col("statements").alias("text"), "split")
    expected = sides.explode("statement_id", "text").unique()
    assert_frame_equal(read_splits(tiny.out), expected.sort("statement_id"))
    for split in Split:
        shutil.copy(tiny.out / "data" / f"{split.value}.parquet", tmp_path)
    assert_frame_equal(read_splits(tmp_path), read_splits(tiny.out))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (None, r"^cannot keep splits: there is no folder .*older$"),
        ({}, r"^cannot keep splits: .*older has no train.jsonl, dev.jsonl and test.jsonl$"),
        ({"train": "", "dev": ""}, r"older has no test split to keep; .* create an empty test.jsonl$"),
        (
            {"train": '{"ids": ["a", "b"]}', "dev": '{"ids": ["c", "b"]}', "test": '{"ids": ["c", "a"]}\n'},
            r"^.*older has statements in more than one split: a, b, c$",
        ),
        (
            {"train": '{"ids": ["a", "b"]}\n\nnonsense', "dev": "", "test": ""},
            r"train.jsonl, line 3: expected a JSON object whose `ids` is",
        ),
        ({"train": "", "dev": '{"ids": "a"}', "test": ""}, r"dev.jsonl, line 1: expected"),  # no list
    ],
)
def test_what_cannot_be_followed_is_refused(files: dict[str, str] | None, message: str, tmp_path: Path) -> None:
    folder = tmp_path / "older"
    if files is not None:
        folder.mkdir()
    for name, text in (files or {}).items():
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        read_splits(folder)


def test_a_harmed_parquet_file_is_refused(tiny: Any, tmp_path: Path) -> None:
    for split in Split:
        (tmp_path / f"{split.value}.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(SettingsError, match=r"train.parquet cannot be read as examples"):
        read_splits(tmp_path)


def test_a_precedent_is_kept_by_content(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    rows = {"train": [["a", "b"]], "dev": [["c", "d"]], "test": []}
    first, moved = (keep(store, written(tmp_path / name, **rows)) for name in ("one", "two"))
    other = keep(store, written(tmp_path / "two", **{**rows, "test": [["e", "f"]]}))
    assert first == moved != other
    assert_frame_equal(store.read(first), read_splits(tmp_path / "one"))


def keep(store: Store, folder: Path) -> ArtifactRef:
    """The splits of a dataset, kept in a store."""
    return save_splits(store, read_splits(folder))


def build(folder: Path, *, out: str = "dataset", sources: Path | None = None, following: Path | None = None) -> Build:
    store = Store(folder / "store")
    precedent = keep(store, following) if following else None
    return built(store, sources or sample_folder(), out=folder / out, precedent=precedent)


def splits_in(folder: Path) -> dict[str, str]:
    """The split of each statement of a dataset, by id."""
    return dict(read_splits(folder).select("statement_id", "split").iter_rows())


@pytest.fixture
def copied(tiny: Any, tmp_path: Path) -> Path:
    """A folder of one's own with the tiny build in it, and sources that lost one collection."""
    shutil.copytree(tiny.store.root, tmp_path / "store")
    shutil.copytree(sample_folder(), tmp_path / "sources")
    shutil.rmtree(tmp_path / "sources" / "openbookqa")
    return tmp_path


@pytest.mark.slow
def test_statements_keep_their_split_when_a_source_goes(copied: Path, tiny: Any) -> None:
    """Without the earlier dataset to follow, some of the same statements would have moved."""
    build(copied, out="free", sources=copied / "sources")
    finished = build(copied, out="stable", sources=copied / "sources", following=tiny.out)
    before = splits_in(tiny.out)
    free, stable = (splits_in(copied / out) for out in ("free", "stable"))
    assert [name for name in free if free[name] != before.get(name, free[name])] != []
    assert [name for name in stable if stable[name] != before.get(name, stable[name])] == []
    told = statistics.read(copied / "stable" / "stats.json").stability
    assert told is not None
    both = before.keys() & stable.keys()  # where a pair went, another may have found room
    assert (told.statements, told.kept, told.gone) == (len(before), len(both), len(before) - len(both))
    assert told.moved == ()
    assert finished.precedent == keep(Store(copied / "store"), tiny.out)


@pytest.mark.slow
def test_following_makes_only_what_depends_on_it(copied: Path, tiny: Any) -> None:
    """The same rows come out, so nothing after the splits is made again; and following itself, nothing at all."""
    assert made(build(copied, following=tiny.out)) == ["splits"]
    assert made(build(copied, following=copied / "dataset")) == []
    for split in Split:
        name = f"data/{split}.jsonl"
        assert (copied / "dataset" / name).read_bytes() == (tiny.out / name).read_bytes()
    assert made(build(copied)) == []
    assert "stability" not in json.loads((copied / "dataset" / "stats.json").read_text("utf-8"))


@pytest.fixture
def torn(tiny: Any, tmp_path: Path) -> tuple[Path, str, str]:
    """An earlier dataset in which two statements with one template stood in train and in test."""
    tables = builds.Tables(tiny.store, tiny.build)
    known = read_splits(tiny.out).join(tables["masks"], on="statement_id").sort("masked_text", "statement_id")
    left, right = known.filter(pl.len().over("masked_text") == 2)["statement_id"].head(2)
    return written(tmp_path / "torn", train=[[left]], dev=[], test=[[right]]), left, right


def test_the_command_shows_what_moved(copied: Path, torn: tuple[Path, str, str]) -> None:
    older, left, right = torn
    where = "--store", copied / "store", "--out", copied / "dataset"
    shown = run("build", "--plain", "--preset", "tiny", *where, "--stable-with", older)
    assert "Moved to another split: train → test 1" in shown
    row = next(line for line in shown.splitlines() if f"shared template with {right}" in line)
    assert [cell.strip() for cell in row.split("│")[1:4]] == [left, "train", "test"]
    assert "earlier dataset: 2 statements, 1 kept their split, 1 moved (shared template 1), 0 removed; " in shown
    told = (
        "follow those of an earlier dataset: 2 statements, 1 kept their split, 1 moved (shared template 1), 0 removed;"
    )
    card, page = ((copied / "dataset" / name).read_text("utf-8") for name in ("README.md", "report.html"))
    assert (told in " ".join(card.split()), told in page) == (True, True)
    assert f"| {left} | train | test | shared template with {right} |\n" in card
    assert "Moved to another split: train → test 1" in page


def test_nothing_is_told_where_nothing_was_followed(tiny: Any) -> None:
    pages = [(tiny.out / name).read_text("utf-8") for name in ("README.md", "report.html", "stats.json")]
    assert [word for word in ("earlier dataset", "stability") if any(word in page for page in pages)] == []


def test_the_command_refuses_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot keep splits"):
        run("build", "--plain", "--store", tmp_path / "store", "--stable-with", tmp_path / "older")
    assert list(tmp_path.iterdir()) == []


NODES = {"a": "x", "b": "x", "c": "x", "d": "y", "n": "z"}
MOVED = split_tables(
    [(name, name, template, 0) for name, template in NODES.items()],
    ("ab", "ad", "bn", "cd"),
    {"a": TEST, "b": TRAIN, "c": TRAIN, "d": TEST, "gone": DEV},
)


def test_the_report_tells_what_became_of_the_earlier_dataset() -> None:
    """`a` goes to train with its template, and `n` where most are; so `d`, alone in test, loses its pairs with `a`
    and `c`, and with them goes `c`, which has no other."""
    told = stability({**MOVED, "splits": splits(**MOVED, params=SplitParams())})
    assert told == Stability(
        statements=5,
        kept=1,
        gone=3,
        new=1,
        cut_pairs=2,
        counts=(MoveCount(TEST, TRAIN, 1),),
        moved=(SplitChange("a", TEST, TRAIN, Reason.TEMPLATE, "b"),),
    )
    words = (
        "5 statements, 1 kept their split, 1 moved (shared template 1), 3 removed; 1 new; 2 pairs cut between splits"
    )
    assert stability_line(told) == f"earlier dataset: {words}"


def test_a_long_list_of_moves_is_cut_short() -> None:
    moved = tuple(SplitChange(f"n{index:02}", TRAIN, TEST, Reason.TEXT, "a") for index in range(12))
    shown = moved_table(Stability(12, 0, 0, 0, 0, (MoveCount(TRAIN, TEST, 12),), moved))
    assert shown.title == "Moved to another split: train → test 12; the first 10"
    assert shown.row_count == 10


class Folder:
    """A folder of one's own in which a dataset is built again and again, by the command."""

    def __init__(self, root: Path) -> None:
        self.root, self.out, self.sources = root, root / "dataset", root / "sources"
        shutil.copytree(sample_folder(), self.sources)

    @property
    def options(self) -> tuple[object, ...]:
        where = {"sources": self.sources, "store": self.root / "store", "out": self.out, "preset": "tiny"}
        return tuple(word for name, value in where.items() for word in (f"--{name}", value))

    def build(self, *more: object) -> str:
        return run("build", "--plain", *self.options, *more)

    def plan(self, *more: object) -> str:
        return run("plan", *self.options, *more).splitlines()[-1]

    def edit(self, change: Callable[[list[str]], list[str]]) -> None:
        """Change the lines of a source."""
        path = self.sources / "creak" / "train.json"
        path.write_text("".join(change(path.read_text("utf-8").splitlines(keepends=True))), encoding="utf-8")

    def splits(self) -> dict[str, str]:
        """The split of each statement, by its text."""
        return dict(read_splits(self.out).select("text", "split").iter_rows())


@pytest.fixture
def folder(tiny: Any, tmp_path: Path) -> Folder:
    shutil.copytree(tiny.store.root, tmp_path / "store")
    shutil.copytree(tiny.out, tmp_path / "dataset")
    return Folder(tmp_path)


def moved(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return [text for text in before.keys() & now.keys() if before[text] != now[text]]


ALL_CACHED = f"nothing to compute: all {ARTIFACTS} artifacts are cached"


@pytest.mark.slow
def test_a_build_keeps_the_splits_of_the_dataset_in_its_folder(folder: Folder) -> None:
    """Three lines of a source go, which renumbers all that follow; dealt anew, some statements would move."""
    before = folder.splits()
    folder.edit(lambda lines: [*lines[:10], *lines[13:]])
    shown = folder.build()
    assert moved(before, folder.splits()) == []
    told = statistics.read(folder.out / "stats.json").stability
    assert told is not None
    assert (told.statements, told.kept, told.moved) == (len(before), len(before.keys() & folder.splits().keys()), ())
    assert f"earlier dataset: {len(before):,} statements, {told.kept:,} kept their split, 0 moved, " in shown
    assert (folder.plan(), f"{ARTIFACTS} artifacts, {ARTIFACTS} reused" in folder.build()) == (ALL_CACHED, True)
    assert statistics.read(folder.out / "stats.json").stability == told
    folder.build("--fresh-splits")
    assert moved(before, folder.splits()) != []
    assert statistics.read(folder.out / "stats.json").stability is None


@pytest.mark.slow
def test_an_unchanged_dataset_is_not_made_again(folder: Folder) -> None:
    """And it follows nothing, whether or not it is dealt anew."""
    assert (folder.plan(), folder.plan("--fresh-splits")) == (ALL_CACHED, ALL_CACHED)
    for more in ([], ["--fresh-splits"]):
        shown = folder.build(*more)
        assert (f"{ARTIFACTS} artifacts, {ARTIFACTS} reused" in shown, "earlier dataset" in shown) == (True, False)


@pytest.mark.slow
def test_splits_that_others_dealt_anew_in_the_store_are_not_taken(folder: Folder) -> None:
    """The store knows splits of the same tables that follow nothing; the folder still keeps its own."""
    before = folder.splits()
    folder.edit(lambda lines: lines[3:])
    folder.build("--out", folder.root / "other")
    assert folder.plan() == f"4 of {ARTIFACTS} artifacts to compute, no model answers"
    folder.build()
    assert moved(before, folder.splits()) == []


def test_a_lost_store_changes_no_split(folder: Folder) -> None:
    before = folder.splits()
    folder.build("--store", folder.root / "empty")
    assert folder.splits() == before


def test_a_dataset_that_was_being_replaced_is_followed(tiny: Any, tmp_path: Path) -> None:
    shutil.copytree(tiny.out, tmp_path / ".dataset.replaced")
    assert_frame_equal(find_splits(tmp_path / "dataset").table, read_splits(tiny.out))


@pytest.mark.parametrize("place", ["absent", "empty", "other"])
def test_where_there_is_no_dataset_nothing_is_followed(place: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    written(tmp_path / "other", train=[["a", "b"]], dev=[], test=[])  # examples, but no manifest of ours
    found = find_splits(tmp_path / place)
    assert (found.table.height, found.key, found.save(Store(tmp_path / "store"))) == (0, "", None)


def test_a_dataset_is_named_or_dealt_anew(tiny: Any, tmp_path: Path) -> None:
    written(tmp_path, train=[["a", "b"]], dev=[], test=[])
    assert find_splits(tiny.out, tmp_path).table["statement_id"].to_list() == ["a", "b"]
    assert find_splits(tiny.out, fresh=True).table.is_empty()
    assert (
        find_splits(tiny.out).key
        == tiny.build.outcomes[[each.ref.name for each in tiny.build.outcomes].index("splits")].key
    )
    with pytest.raises(SettingsError, match=r"^--stable-with keeps splits and --fresh-splits assigns new ones; choose"):
        run("build", "--plain", "--out", tmp_path / "out", "--stable-with", tmp_path, "--fresh-splits")


def test_a_harmed_dataset_is_refused_with_the_way_out(folder: Folder) -> None:
    (folder.out / "data" / "test.jsonl").write_text("nonsense\n", encoding="utf-8")
    for command in (folder.build, folder.plan):
        with pytest.raises(SettingsError, match=r"^cannot keep the splits in .*dataset: .*test.jsonl, line 1: .*;"):
            command()
    with pytest.raises(SettingsError, match=r"; to assign new ones, build with --fresh-splits$"):
        folder.build()
    assert folder.plan("--fresh-splits") == ALL_CACHED
