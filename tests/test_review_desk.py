"""The desk: whatever people do in whatever order, each is shown what they have not decided, and nothing is lost."""

from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review_server import round_in
from review_support import place_pairs, write_dataset
from situatedgen.errors import DecisionError
from situatedgen.review.criteria import FILTER, QUALITY, Mode
from situatedgen.review.pages import Progress
from situatedgen.vocabulary import Split
from storage.desk import Desk
from storage.turns import Given

GOOD = dict.fromkeys(FILTER.names, "yes")
PEOPLE = ("anna", "ben")
Step: TypeAlias = tuple[str, str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("desk")
    write_dataset(found / "dataset", place_pairs(4))
    return found


def desk_in(folder: Path, **asked: object) -> Desk:
    return round_in(folder, annotators=PEOPLE, **asked).desk


def decide(desk: Desk, annotator: str, pair: str, token: int, *faults: str) -> None:
    answers = {name: "no" if name in faults else "yes" for name in desk.questions.names}
    desk.decide(annotator, Given(pair, answers, f"{token:032x}", seconds=token))


class Model:
    """What should come of it, in plain words: for each a list of what they decided, and of what they put off."""

    def __init__(self, queue: list[str]) -> None:
        self.queue = queue
        self.decided: dict[str, list[str]] = {name: [] for name in PEOPLE}
        self.skipped: dict[str, list[str]] = {name: [] for name in PEOPLE}

    def shown(self, name: str) -> str | None:
        left = [key for key in self.queue if key not in self.decided[name]]
        later = [key for key in self.skipped[name] if key in left]
        return next(iter([*(key for key in left if key not in later), *later]), None)


STEPS = st.lists(
    st.tuples(st.sampled_from(PEOPLE), st.sampled_from(["decide", "undo", "skip", "restart"])), max_size=25
)


@settings(max_examples=40)
@given(steps=STEPS)
def test_each_is_shown_what_they_have_not_decided(
    steps: list[Step], folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("law")
    (place / "dataset").symlink_to(folder / "dataset")
    desk = desk_in(place)
    model = Model([pair.key for pair in desk.queue])
    for token, (name, what) in enumerate(steps):
        key = model.shown(name)
        if what == "restart":
            desk, model.skipped = desk_in(place), {each: [] for each in PEOPLE}
        elif what == "undo":
            taken = model.decided[name].pop() if model.decided[name] else ""
            assert desk.undo(name, f"{token:032x}") == taken
        elif key is not None and what == "decide":
            decide(desk, name, key, token)
            model.decided[name].append(key)
            model.skipped[name] = [each for each in model.skipped[name] if each != key]
        elif key is not None:
            desk.skip(name, key)
            model.skipped[name] = [*(each for each in model.skipped[name] if each != key), key]
        for each in PEOPLE:
            page = desk.page(each)
            assert (page.pair.key if page.pair else None) == model.shown(each)
            assert page.progress.done == len(model.decided[each])
            assert page.progress.may_undo == bool(model.decided[each])


def test_two_servers_on_one_folder_see_each_others_decisions(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "dataset").symlink_to(folder / "dataset")
    one, two = desk_in(tmp_path), desk_in(tmp_path)
    decide(one, "anna", one.queue[0].key, 1)
    assert two.page("anna").pair == two.queue[1]
    assert two.undo("anna", "f" * 32) == one.queue[0].key
    assert one.page("anna").pair == one.queue[0]


def test_progress_tells_the_pace_and_what_is_left(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "dataset").symlink_to(folder / "dataset")
    desk = desk_in(tmp_path)
    assert desk.page("anna").progress == Progress(0, 4, 0.0, may_undo=False)
    for token, pair in zip((20, 40, 90), desk.queue, strict=False):
        decide(desk, "anna", pair.key, token)
    told = desk.page("anna").progress
    assert told == Progress(3, 4, 40.0, may_undo=True)
    assert told.left_minutes == 1


def test_an_undone_answer_comes_back_as_it_was(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "dataset").symlink_to(folder / "dataset")
    desk = desk_in(tmp_path)
    decide(desk, "anna", desk.queue[0].key, 1, "sound")
    page = desk.page("anna", again=desk.undo("anna", "f" * 32))
    assert page.pair == desk.queue[0]
    assert page.given == {**GOOD, "sound": "no"}
    assert desk.page("anna").given == GOOD


def test_only_what_people_differ_about_is_settled_and_what_they_agree_on_is_filled_in(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "dataset").symlink_to(folder / "dataset")
    desk = desk_in(tmp_path)
    first, second, third, _ = (pair.key for pair in desk.queue)
    for token, (name, pair, faults) in enumerate(
        [
            ("anna", first, ()),
            ("ben", first, ()),  # alike
            ("anna", second, ("sound", "contrast")),
            ("ben", second, ("sound",)),  # both reject it, for other reasons
            ("anna", third, ("dependent",)),
            ("ben", third, ()),  # one keeps it: this comes first
        ]
    ):
        decide(desk, name, pair, token, *faults)
    settling = desk_in(tmp_path, mode=Mode.ADJUDICATE)
    page = settling.page("carol")
    assert page.pair
    assert (page.pair.key, page.disputed, page.progress.total) == (third, ("dependent",), 2)
    assert page.given == {name: "yes" for name in FILTER.names if name != "dependent"}
    assert sorted(each.letter for each in page.readings) == ["A", "B"]
    assert sorted(each.answers["dependent"] for each in page.readings) == ["no", "yes"]
    with pytest.raises(DecisionError, match="not among those to be judged"):
        decide(settling, "carol", first, 100)
    decide(settling, "carol", third, 101)
    decide(settling, "carol", second, 102, "sound")
    assert settling.page("carol").pair is None
    assert desk.page("anna").progress.done == 3  # what carol settles is nobody's own answer


def test_what_the_dataset_holds_no_more_can_still_be_settled(folder: Path, tmp_path: Path) -> None:
    """Two of three reject a pair, so that the next build drops it; who settles has the last word all the same."""
    (tmp_path / "dataset").symlink_to(folder / "dataset")
    desk = desk_in(tmp_path)
    pair = desk.queue[0]
    for token, (name, faults) in enumerate([("anna", ("sound",)), ("ben", ("sound",)), ("cleo", ())]):
        decide(desk, name, pair.key, token, *faults)
    (tmp_path / "dataset").unlink()
    rebuilt = [each for each in place_pairs(4) if each != pair.content.statements]
    write_dataset(tmp_path / "dataset", rebuilt)
    settling = desk_in(tmp_path, mode=Mode.ADJUDICATE)
    page = settling.page("carol")
    assert page.pair
    assert page.view
    assert (page.pair.key, page.pair.content) == (pair.key, pair.content)
    assert [swap.kind.value for swap in page.view.swaps] == ["place"]
    decide(settling, "carol", pair.key, 100)
    assert settling.page("carol").pair is None
    assert settling.undo("carol", "e" * 32) == pair.key


def test_nobody_sees_what_others_said_but_who_settles_it(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "dataset").symlink_to(folder / "dataset")
    desk = desk_in(tmp_path)
    before = desk.page("ben")
    decide(desk, "anna", desk.queue[0].key, 1, "sound")
    assert desk.page("ben") == before
    assert before.readings == ()


def test_the_quality_questions_are_asked_of_a_sample(tmp_path: Path) -> None:
    write_dataset(tmp_path / "dataset", place_pairs(20), split=Split.DEV)
    small, large = (desk_in(tmp_path, mode=Mode.QUALITY, sample=size) for size in (5, 12))
    assert small.questions == QUALITY
    assert [len(small.queue), len(large.queue)] == [5, 12]
    assert large.queue[:5] == small.queue
    decide(small, "anna", small.queue[0].key, 1, "antithesis")
    assert large.page("anna").pair == large.queue[1]
