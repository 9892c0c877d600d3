"""Laws of the plan: what it says before a build is what the build does, and it changes nothing."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage import builds
from storage.builds import Build
from storage.plain import build
from storage.plan.planner import Status, Step, plan
from storage.requests import BuildRequest
from storage.store import Store


@dataclass(frozen=True)
class World:
    """A store with the tiny build of the sample in it, and a copy of the sample to edit."""

    root: Path

    @property
    def store(self) -> Store:
        return Store(self.root / "store")

    @property
    def sources(self) -> Path:
        return self.root / "sources"

    def order(self, *overrides: str) -> BuildRequest:
        return BuildRequest(load("tiny", overrides), self.sources)

    def plan(self, *overrides: str) -> dict[str, Step]:
        return {step.artifact: step for step in plan(self.order(*overrides), self.store)}

    def build(self, *overrides: str) -> Build:
        return build(self.order(*overrides), self.store, Runtime())

    def append(self, file: str, *lines: str) -> None:
        with (self.sources / file).open("a", encoding="utf-8") as stream:
            stream.write("".join(f"{line}\n" for line in lines))

    def edit(self, file: str, change: Callable[[list[str]], list[str]]) -> None:
        path = self.sources / file
        lines = path.read_text(encoding="utf-8").splitlines()
        path.write_text("".join(f"{line}\n" for line in change(lines)), encoding="utf-8")

    def artifact(self, name: str) -> Path:
        store = self.store
        refs = (outcome.ref for outcome in builds.latest(store).outcomes)
        return store.path(next(ref for ref in refs if ref.name == name))


@pytest.fixture
def world(tiny: Any, tmp_path: Path) -> World:
    shutil.copytree(tiny.store.root, tmp_path / "store")
    shutil.copytree(sample_folder(), tmp_path / "sources")
    return World(tmp_path)


FACTS, CLAIMS = "openbookqa/Main/openbook.txt", "creak/train.json"
CHOICES = "commonsenseqa/train_rand_split.jsonl"


def claim(text: str) -> str:
    return json.dumps({"ex_id": "new", "sentence": text, "label": "true", "entity": "x"})


def choice(stem: str) -> str:
    answers = [{"label": "A", "text": "francs"}, {"label": "B", "text": "rupees"}]
    return json.dumps({"answerKey": "B", "id": "new", "question": {"choices": answers, "stem": stem}})


def new_facts(world: World) -> None:
    world.append(FACTS, '"Penguins live in Antarctica"', '"Camels live in Egypt in July"')


def new_claims(world: World) -> None:
    world.append(CLAIMS, claim("Fondue comes from Switzerland."), claim("Zebras like grass."))


def new_choices(world: World) -> None:
    world.append(CHOICES, choice("What do bakers in Nepal pay with?"))


def changed_lines(world: World) -> None:
    world.edit(CLAIMS, lambda lines: [claim("Haggis comes from Wales."), *lines[1:-1]])
    world.edit(CHOICES, lambda lines: [choice("What do farmers in India pay with?"), *lines[1:]])


def other_layout(world: World) -> None:
    world.edit(CLAIMS, lambda lines: [json.dumps(json.loads(line), separators=(",", ":")) for line in lines])


def lost_table(world: World) -> None:
    world.artifact("masks").unlink()


def altered_table(world: World) -> None:
    path = world.artifact("statements/arc")
    path.write_bytes(path.read_bytes()[:-9])


def lost_record(world: World) -> None:
    for path in (world.store.root / "keys" / "keywords").glob("*.json"):
        path.unlink()


def lost_memory(world: World) -> None:
    shutil.rmtree(world.store.root / "memo" / "tagger")
    new_facts(world)


def altered_memory(world: World) -> None:
    for path in (world.store.root / "memo" / "nouns").rglob("*.parquet"):
        path.write_bytes(path.read_bytes()[:-9])
    new_facts(world)


def lost_source(world: World) -> None:
    shutil.rmtree(world.sources / "strategyqa")


def no_store(world: World) -> None:
    shutil.rmtree(world.store.root)


def nothing(world: World) -> None:
    pass


def files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("edit", "overrides"),
    [
        (nothing, ()),
        (nothing, ("statements.min_confidence=0.3",)),  # other params, the same rows
        (nothing, ("masks.max_masks=6",)),  # new texts to encode
        (nothing, ("candidates.floor=0.75",)),
        (nothing, ("pairs.min_similarity=0.95",)),
        (nothing, ("communities.seed=1",)),  # a fake that does not heed it: the same rows, not foreseen
        (nothing, ("splits.seed=1",)),
        (nothing, ("examples.seed=1",)),
        (nothing, ("sources=arc,creak",)),
        (nothing, ("entities.tagger.revision=2",)),  # another model: everything is asked again
        (new_facts, ()),
        (new_claims, ()),
        (new_choices, ()),
        (new_choices, ("masks.max_masks=6", "splits.seed=1")),
        (changed_lines, ()),
        (other_layout, ()),
        (lost_table, ()),
        (altered_table, ()),
        (lost_record, ()),
        (lost_memory, ()),
        (altered_memory, ()),
        (lost_source, ()),
        (no_store, ()),
    ],
)
def test_a_plan_says_what_the_build_does(
    world: World, edit: Callable[[World], None], overrides: tuple[str, ...]
) -> None:
    edit(world)
    before = files(world.store.root)
    planned = world.plan(*overrides)
    assert files(world.store.root) == before
    built = world.build(*overrides)
    assert list(planned) == [outcome.ref.name for outcome in built.outcomes]
    for outcome in built.outcomes:
        step = planned[outcome.ref.name]
        is_sure = not any(reason.startswith("waits for") for reason in step.reasons)
        if is_sure or step.status is Status.CACHED:
            assert outcome.reused == (step.status is Status.CACHED), step
        if step.rows is not None:
            assert step.rows >= outcome.computed, step
        if step.asks and not step.up_to and not outcome.reused and step.rows is not None:
            assert (step.rows, step.of) == (outcome.computed, outcome.computed + outcome.recalled), step
    assert {step.status for step in world.plan(*overrides).values()} == {Status.CACHED}


def made(planned: dict[str, Step]) -> dict[str, tuple[Any, ...]]:
    """Status, amount and reasons of the artifacts that are not cached."""
    return {
        name: (step.status.value, step.amount, list(step.reasons))
        for name, step in planned.items()
        if step.status is not Status.CACHED
    }


def test_new_lines_are_followed_as_far_as_they_are_known(world: World) -> None:
    new_facts(world)
    found = made(world.plan())
    rows = {outcome.ref.name: outcome.ref.rows for outcome in builds.latest(world.store).outcomes}
    items = rows["items/openbookqa"] + 2
    assert found["items/openbookqa"] == ("run", f"{items:,}", [f"file {FACTS}: changed", "+2 rows"])
    assert found["statements/openbookqa"] == ("run", "", ["input items: +2 rows"])  # claims: no model is asked
    assert found["entities"][0] == "partial"
    assert found["entities"][1].startswith("up to 2 of ")
    assert found["entities"][2] == ["waits for statements"]
    assert found["keywords"][1].startswith("up to 2 of ")
    assert found["keywords"][2] == ["waits for statements, entities"]
    assert found["masks"] == ("run", "", ["waits for statements, entities, keywords"])
    assert found["embeddings"][1].startswith("up to 2 of ")
    assert found["candidates"][0] == "partial"
    assert found["candidates"][2][-1] == "up to 2 statements to compare with all"
    assert found["communities"] == ("run", "", ["waits for selected"])


def test_a_source_with_other_layout_stops_at_its_items(world: World) -> None:
    other_layout(world)
    items = world.store.read(builds.latest(world.store).refs("items")[2])
    assert made(world.plan()) == {
        "items/creak": ("run", f"{items.height:,}", [f"file {CLAIMS}: changed", "gives the same rows"])
    }


@pytest.mark.parametrize(
    ("edit", "artifact", "reason"),
    [
        (lost_table, "masks", "artifact missing"),
        (altered_table, "statements/arc", "artifact altered"),
        (lost_record, "keywords", "record of the last build missing"),
    ],
)
def test_what_is_not_whole_is_made_again_alone(
    world: World, edit: Callable[[World], None], artifact: str, reason: str
) -> None:
    edit(world)
    found = made(world.plan())
    assert list(found) == [artifact]
    assert found[artifact][2] == [reason, "gives the same rows"]


def test_another_model_makes_later_stages_wait(world: World) -> None:
    found = made(world.plan("entities.tagger.revision=2"))
    texts = len(
        set(
            builds.read_build_table(world.store, builds.latest(world.store), "statements").filter(verdict="kept")[
                "text"
            ]
        )
    )
    assert found["entities"] == ("run", f"{texts:,}", ["model of tagger fake: revision none → 2"])
    assert found["keywords"][0] == "run"
    assert found["keywords"][1].startswith("up to ")
    assert found["keywords"][2][0].startswith("waits for entities")


def test_a_plan_compares_with_the_last_build_of_its_own_settings(world: World) -> None:
    """Of settings that were never built it compares with the newest build."""
    other, third = "candidates.floor=0.7", "candidates.floor=0.75"
    world.build(other)
    new_facts(world)
    compared = {
        overrides: [reason for reason in world.plan(*overrides)["candidates"].reasons if "floor" in reason]
        for overrides in ((), (other,), (third,))
    }
    assert compared == {(): [], (other,): [], (third,): ["params.floor 0.7 → 0.75"]}
