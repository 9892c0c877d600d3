"""How two datasets differ, and why: small builds of a few facts, and the command."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cli_support import run
from situatedgen.dataset.diff.compare import Differences, differences
from situatedgen.dataset.diff.format import as_values
from situatedgen.dataset.diff.reasons import side
from storage.builds import Tables
from storage.datasets import compare
from storage.store import Store
from store_support import built
from table_support import write_facts

FACTS = (
    "People in Japan speak Japanese",
    "People in Nepal speak Nepali",
    "Most people in Turkey speak Turkish",
    "The Tiber flows through Rome",
    "The Seine flows through Paris",
    "The Thames flows through London",
    "The Nile flows through Cairo",
    "Fado comes from Portugal",
    "Haggis comes from Scotland",
    "Lilacs bloom in May",
    "Roses bloom in June",
    "Tulips bloom in April",
)
ROSES, SEINE = 10, 4
ROOMY = "selected.max_family_share=1"  # so few facts have no breadth
Counts = dict[tuple[str, str, str, str | None], int]


def edited(place: int, fact: str) -> tuple[str, ...]:
    return (*FACTS[:place], fact, *FACTS[place + 1 :])


def fact(place: int) -> str:
    return f"openbookqa::Main/openbook.txt::{place}"


def pair(left: int, right: int) -> str:
    return "|".join(sorted((fact(left), fact(right))))


WORLDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "base": (FACTS, ()),
    "cut": (FACTS[:-1], ()),
    "july": (edited(ROSES, "Roses bloom in July"), ()),
    "may": (edited(ROSES, "Roses bloom in May"), ()),
    "berlin": (edited(ROSES, "Roses bloom in Berlin"), ()),
    "never": (edited(ROSES, "Roses bloom outside with care"), ()),
    "unclean": (edited(ROSES, "Roses bloom"), ()),
    "empty": (edited(ROSES, '""'), ()),
    "slowly": (edited(SEINE, "The Seine slowly flows through Paris"), ()),
    "similar": (FACTS, ("pairs.min_similarity=0.99",)),
    "floor": (FACTS, ("pairs.min_similarity=0.99", "candidates.floor=0.99")),
    "masks": (FACTS, ("masks.max_masks=2",)),
    "dealt": (FACTS, ("splits.seed=2",)),
    "shuffled": (FACTS, ("examples.seed=1",)),
    "sure": (FACTS, ("judged.min_probability=0.35",)),
    "shifted": (("Ice is cold", *FACTS), ()),
}


@dataclass(frozen=True)
class World:
    """A store with a build of every small world, by name."""

    store: Store
    created: Mapping[str, str]
    tables: Mapping[str, Tables]

    def diff(self, old: str, new: str) -> Differences:
        return compare(self.created[old], self.created[new], store=self.store).differences


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    root = tmp_path_factory.mktemp("worlds")
    store = Store(root / "store")
    finished = {}
    for name, (facts, overrides) in WORLDS.items():
        write_facts(root / name, facts)
        finished[name] = built(store, root / name, ROOMY, *overrides)
    created = {name: each.created for name, each in finished.items()}
    return World(store, created, {name: Tables(store, each) for name, each in finished.items()})


def counted(found: Differences) -> Counts:
    return {(row[0], row[1], row[2], row[3]): row[4] for row in found.counts.iter_rows()}


# The three pairs of blossoms become one, so that test holds it and the three of languages go to train.
REDEALT: Counts = {
    ("moved", "splits", "dealt_elsewhere", None): 3,
    ("moved", "communities", "community_shrank", None): 1,
}


@pytest.mark.parametrize(
    ("new", "unchanged", "expected"),
    [
        ("base", 13, {}),  # nothing differs from itself
        ("cut", 7, {("removed", "items", "no_item", None): 2} | REDEALT),  # the last line is gone
        ("empty", 7, {("removed", "items", "malformed", None): 2} | REDEALT),  # nothing within the quotes
        ("unclean", 7, {("removed", "statements", "not_clean", "edited"): 2} | REDEALT),  # two words
        ("never", 7, {("removed", "masks", "no_context", "edited"): 2} | REDEALT),  # no month any more
        ("berlin", 7, {("removed", "candidates", "no_common_kind", "edited"): 2} | REDEALT),  # a place, not a time
        (
            "may",  # the month of the lilacs; with the tulips it is a pair still
            11,
            {("removed", "candidates", "shared_entity", "edited"): 1, ("changed", "items", "edited", None): 1},
        ),
        ("july", 11, {("changed", "items", "edited", None): 2}),  # another month of its own
        (
            "slowly",  # a word more in the template; the rivers lose three pairs, and all is dealt anew
            6,
            {("removed", "pairs", "too_dissimilar", "edited"): 3, ("moved", "splits", "dealt_elsewhere", None): 4},
        ),
        ("similar", 11, {("removed", "pairs", "too_dissimilar", None): 2}),  # "most people" against "people"
        ("floor", 11, {("removed", "candidates", "no_candidate", None): 2}),  # the same two, not even looked at
        (
            "masks",  # languages and blossoms have three masks
            6,
            {("removed", "masks", "too_many_masks", None): 6, ("moved", "splits", "dealt_elsewhere", None): 1},
        ),
        ("dealt", 7, {("moved", "splits", "dealt_elsewhere", None): 6}),  # another seed of the splits
        # another seed of the keywords, which leaves a few that are short as they were
        ("shuffled", 2, {("changed", "examples", "shuffled_otherwise", None): 11}),
        (
            "shifted",  # a line before all others: every id stands for the record before
            0,
            {
                ("added", "items", "renumbered", None): 8,
                ("removed", "items", "renumbered", None): 8,
                ("changed", "items", "renumbered", None): 5,
                ("moved", "items", "renumbered", None): 2,
            },
        ),
    ],
)
def test_every_difference_has_its_reason(world: World, new: str, unchanged: int, expected: Counts) -> None:
    found = world.diff("base", new)
    assert (counted(found), found.unchanged) == (expected, unchanged)


MIRRORED = {
    "added": "removed",
    "removed": "added",
    "community_grew": "community_shrank",
    "community_shrank": "community_grew",
}
SWAPPED = {"old_split": "new_split", "old_similarity": "new_similarity"}


def mirrored(rows: pl.DataFrame) -> pl.DataFrame:
    back = {new: old for old, new in SWAPPED.items()}
    words = [pl.col(name).cast(pl.String).replace(MIRRORED) for name in ("kind", "reason")]
    turned = rows.with_columns(*words).rename(SWAPPED | back).select(rows.columns)
    return turned.with_columns(pl.col("kind").cast(rows.schema["kind"])).sort("kind", "example_id")


@pytest.mark.parametrize("old", ["base", "may", "slowly", "shifted"])
@pytest.mark.parametrize("new", list(WORLDS))
def test_a_difference_read_backwards_is_its_mirror(world: World, old: str, new: str) -> None:
    there, back = world.diff(old, new), world.diff(new, old)
    assert back.rows.to_dicts() == mirrored(there.rows).to_dicts()
    assert back.unchanged == there.unchanged


def test_examples_add_up(world: World) -> None:
    """Old and new examples are the removed, the added, and those of both, each counted once."""
    for name in WORLDS:
        found = world.diff("base", name)
        ids = {kind: set(found.rows.filter(pl.col("kind") == kind)["example_id"]) for kind in MIRRORED}
        both = found.unchanged + found.rows.filter(pl.col("kind").is_in(["changed", "moved"]))["example_id"].n_unique()
        assert both + len(ids["removed"]) == world.tables["base"]["examples"].height
        assert both + len(ids["added"]) == world.tables[name]["examples"].height


def test_a_removed_example_tells_the_statement_and_both_similarities(world: World) -> None:
    rows = world.diff("base", "slowly").rows.filter(pl.col("kind") == "removed")
    assert rows.select("example_id", "statement_ids", "old_similarity").rows() == [
        (pair(SEINE, other), [fact(SEINE)], 1.0) for other in (3, 5, 6)
    ]
    assert rows["new_similarity"].is_between(0.7, 0.8).all()


def test_the_similarity_of_what_is_no_candidate_is_measured(world: World) -> None:
    rows = world.diff("base", "floor").rows
    assert rows["new_similarity"].to_list() == pytest.approx(rows["old_similarity"].to_list(), abs=1e-6)


def test_a_change_shows_what_was_and_what_is(world: World) -> None:
    found = compare(world.created["base"], world.created["july"], store=world.store)
    rows = as_values(found.differences, *found.sides)["changed"]
    assert [row["fields"]["statements"] for row in rows] == [  # type: ignore[index]
        {"old": ["Roses bloom in June.", other], "new": ["Roses bloom in July.", other]}
        for other in ("Tulips bloom in April.", "Lilacs bloom in May.")
    ]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("cut", {("removed", "examples", "statement_out", None): 2, ("moved", "splits", "other_split", None): 4}),
        ("similar", {("removed", "examples", "statement_out", None): 2}),  # "most people" has no other pair
        (
            "may",  # both statements are there, with the tulips
            {
                ("removed", "examples", "pair_out", None): 1,
                ("changed", "statements", "worded_otherwise", None): 1,
            },
        ),
        ("shuffled", {("changed", "examples", "shuffled_otherwise", None): 11}),
    ],
)
def test_without_tables_only_what_the_examples_show_is_told(world: World, new: str, expected: Counts) -> None:
    found = differences(*(side(world.tables[name]["examples"]) for name in ("base", new)))
    assert counted(found) == expected


def test_one_side_without_tables_still_tells_what_the_other_lost(world: World) -> None:
    old, new = side(world.tables["base"]["examples"]), side(world.tables["cut"]["examples"], world.tables["cut"])
    assert counted(differences(old, new)) == {
        ("removed", "items", "no_item", None): 2,
        ("moved", "splits", "other_split", None): 4,
    }


def test_a_folder_is_like_the_build_it_came_from(tiny: Any) -> None:
    text = run("diff", tiny.out, "latest", "--store", tiny.store.root)
    examples = Tables(tiny.store, tiny.build)["examples"].height
    assert text.splitlines()[-1] == f"0 added, 0 removed, 0 changed, 0 moved, {examples:,} unchanged"


def test_a_folder_without_its_store_is_compared_with_a_note(tiny: Any, tmp_path: Path) -> None:
    shutil.copytree(tiny.out, tmp_path / "copy")
    rows = pl.read_parquet(tmp_path / "copy/data/test.parquet")
    rows.tail(-1).write_parquet(tmp_path / "copy/data/test.parquet")
    found = json.loads(run("diff", tiny.out, tmp_path / "copy", "--store", tmp_path / "none", "--json"))
    assert [row["example_id"] for row in found["removed"]] == [rows["example_id"][0]]
    assert [note.split(", ")[-1] for note in found["notes"]] == ["so not all reasons are known"] * 2


def test_the_command_shows_reasons_settings_and_ids(world: World) -> None:
    text = run("diff", world.created["base"], world.created["similar"], "--store", world.store.root, "--limit", 1)
    assert "setting pairs.min_similarity: 0.8 → 0.99\n" in text
    assert f"removed (pairs) too dissimilar\n  {pair(0, 2)} (0.9116 → 0.9116)\n  …\n" in text
    assert text.splitlines()[-1] == "0 added, 2 removed, 0 changed, 0 moved, 11 unchanged"


def test_the_command_as_json_has_every_row_of_the_kind(world: World) -> None:
    command = ("diff", world.created["cut"], world.created["base"], "--store", world.store.root)
    assert f"added (items) new item\n  {pair(ROSES, 11)} ({fact(11)})\n" in run(*command)
    found = json.loads(run(*command, "--json", "--only", "added"))
    assert found["counts"] == [{"kind": "added", "stage": "items", "reason": "no_item", "change": None, "examples": 2}]
    assert [(row["example_id"], row["statement_ids"]) for row in found["added"]] == [
        (pair(ROSES, 11), [fact(11)]),
        (pair(11, 9), [fact(11)]),
    ]
    assert not {"removed", "changed", "moved"} & set(found)


def test_a_lost_table_limits_the_reasons_and_is_no_error(world: World, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    shutil.copytree(world.store.root, store.root)
    lost = world.tables["cut"].build.refs("masks")[0]
    store.path(lost).write_bytes(b"not a table")
    found = compare(world.created["base"], world.created["cut"], store=store)
    assert counted(found.differences)["removed", "examples", "statement_out", None] == 2
    assert len(found.notes) == 1
