"""The annotation service: whatever people do in whatever order, each is shown what they have not decided."""

import secrets
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review_server import review_in
from review_support import asked, place_pairs, ranking_answers, write_dataset
from situatedgen.errors import DecisionError
from situatedgen.review.ballots import PREFER, RANK, Item, shown_order
from situatedgen.review.criteria import FILTER, QUALITY
from situatedgen.review.queue import Progress
from situatedgen.vocabulary import Mode, Split
from storage.annotation.log import Log
from storage.annotation.service import AnnotationService, BallotQueue, Submission

GOOD = dict.fromkeys(FILTER.names, "yes")
PEOPLE = ("anna", "ben")
Step: TypeAlias = tuple[str, str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("annotation")
    write_dataset(found / "dataset", place_pairs(4))
    return found


def service_in(folder: Path, **options: object) -> AnnotationService:
    return review_in(folder, annotators=PEOPLE, **options).service


@pytest.fixture
def service(folder: Path, tmp_path: Path) -> AnnotationService:
    (tmp_path / "dataset").symlink_to(folder / "dataset")
    return service_in(tmp_path)


def decide(service: AnnotationService, annotator: str, pair: str, token: int, *faults: str) -> None:
    answers = {name: "no" if name in faults else "yes" for name in service.queue.questions.names}
    service.decide(annotator, Submission(pair, answers, f"{token:032x}", seconds=token))


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
    service = service_in(place)
    model = Model([pair.key for pair in service.queue.items])
    for token, (name, what) in enumerate(steps):
        key = model.shown(name)
        if what == "restart":
            service, model.skipped = service_in(place), {each: [] for each in PEOPLE}
        elif what == "undo":
            taken = model.decided[name].pop() if model.decided[name] else ""
            assert service.undo(name, f"{token:032x}") == taken
        elif key is not None and what == "decide":
            decide(service, name, key, token)
            model.decided[name].append(key)
            model.skipped[name] = [each for each in model.skipped[name] if each != key]
        elif key is not None:
            service.skip(name, key)
            model.skipped[name] = [*(each for each in model.skipped[name] if each != key), key]
        for each in PEOPLE:
            page = service.page(each)
            assert (page.item.key if page.item else None) == model.shown(each)
            assert page.progress.done == len(model.decided[each])
            assert page.progress.may_undo == bool(model.decided[each])


def test_two_servers_on_one_folder_see_each_others_decisions(service: AnnotationService, tmp_path: Path) -> None:
    one, two = service, service_in(tmp_path)
    decide(one, "anna", one.queue.items[0].key, 1)
    assert two.page("anna").item == two.queue.items[1]
    assert two.undo("anna", "f" * 32) == one.queue.items[0].key
    assert one.page("anna").item == one.queue.items[0]


def test_progress_tells_the_pace_and_what_is_left(service: AnnotationService) -> None:
    assert service.page("anna").progress == Progress(0, 4, 0.0, may_undo=False)
    for token, pair in zip((20, 40, 90), service.queue.items, strict=False):
        decide(service, "anna", pair.key, token)
    told = service.page("anna").progress
    assert told == Progress(3, 4, 40.0, may_undo=True)
    assert told.left_minutes == 1


def test_an_undone_answer_comes_back_as_it_was(service: AnnotationService) -> None:
    decide(service, "anna", service.queue.items[0].key, 1, "sound")
    page = service.page("anna", again=service.undo("anna", "f" * 32))
    assert page.item == service.queue.items[0]
    assert page.given == {**GOOD, "sound": "no"}
    assert service.page("anna").given == GOOD


def test_only_what_people_differ_about_is_settled_and_what_they_agree_on_is_filled_in(
    service: AnnotationService, tmp_path: Path
) -> None:
    first, second, third, _ = (pair.key for pair in service.queue.items)
    decide(service, "anna", first, 0)
    decide(service, "ben", first, 1)  # alike
    decide(service, "anna", second, 2, "sound", "contrast")
    decide(service, "ben", second, 3, "sound")  # both reject it, for other reasons
    decide(service, "anna", third, 4, "dependent")
    decide(service, "ben", third, 5)  # one keeps it: this comes first
    settling = service_in(tmp_path, mode=Mode.ADJUDICATE)
    page = settling.page("carol")
    assert page.item
    assert (page.item.key, page.disputed, page.progress.total) == (third, ("dependent",), 2)
    assert page.given == {name: "yes" for name in FILTER.names if name != "dependent"}
    assert sorted(each.letter for each in page.opinions) == ["A", "B"]
    assert sorted(each.answers["dependent"] for each in page.opinions) == ["no", "yes"]
    with pytest.raises(DecisionError, match="pair is not in the queue"):
        decide(settling, "carol", first, 100)
    decide(settling, "carol", third, 101)
    decide(settling, "carol", second, 102, "sound")
    assert settling.page("carol").item is None
    assert service.page("anna").progress.done == 3  # what carol settles is nobody's own answer


def test_what_the_dataset_holds_no_more_can_still_be_settled(service: AnnotationService, tmp_path: Path) -> None:
    """Two of three reject a pair, so that the next build drops it; who settles has the last word all the same."""
    pair = service.queue.items[0]
    for token, (name, faults) in enumerate([("anna", ("sound",)), ("ben", ("sound",)), ("cleo", ())]):
        decide(service, name, pair.key, token, *faults)
    (tmp_path / "dataset").unlink()
    rebuilt = [each for each in place_pairs(4) if each != pair.content.statements]
    write_dataset(tmp_path / "dataset", rebuilt)
    settling = service_in(tmp_path, mode=Mode.ADJUDICATE)
    page = settling.page("carol")
    assert page.item
    assert page.view
    assert (page.item.key, page.item.content) == (pair.key, pair.content)
    assert [swap.kind.value for swap in page.view.swaps] == ["place"]
    decide(settling, "carol", pair.key, 100)
    assert settling.page("carol").item is None
    assert settling.undo("carol", "e" * 32) == pair.key


def test_the_quality_questions_are_asked_of_a_sample(tmp_path: Path) -> None:
    write_dataset(tmp_path / "dataset", place_pairs(20), split=Split.DEV)
    small, large = (service_in(tmp_path, mode=Mode.QUALITY, sample=size) for size in (5, 12))
    assert small.queue.questions == QUALITY
    assert [len(small.queue.items), len(large.queue.items)] == [5, 12]
    assert large.queue.items[:5] == small.queue.items
    with pytest.raises(DecisionError, match="pair is not in the queue"):
        decide(small, "anna", large.queue.items[5].key, 0)
    decide(small, "anna", small.queue.items[0].key, 1, "antithesis")
    assert large.page("anna").item == large.queue.items[1]


ITEMS = [Item(name, "test", asked(name), 0) for name in "abc"]
RANKED = ranking_answers(1, 2, "lluu")


def ranked(item: Item, **more: str) -> Submission:
    return Submission(item.key, {**RANKED, **more}, secrets.token_hex(16), note="so")


@pytest.fixture
def rankings(tmp_path: Path) -> AnnotationService:
    return AnnotationService(Log(tmp_path), BallotQueue(RANK, ITEMS, seed=5))


def test_items_come_one_after_the_other_and_again_after_a_restart(rankings: AnnotationService) -> None:
    rankings.decide("anna", ranked(ITEMS[0]))
    rankings.skip("anna", ITEMS[1].key)
    assert rankings.page("anna").item == ITEMS[2]
    assert rankings.page("ben").item == ITEMS[0]
    rankings.decide("anna", ranked(ITEMS[2]))
    assert rankings.page("anna").item == ITEMS[1]
    restarted = AnnotationService(Log(rankings.log.folder), BallotQueue(RANK, ITEMS, seed=5))
    assert restarted.page("anna") == rankings.page("anna")
    assert (restarted.page("anna").progress.done, restarted.page("anna").progress.total) == (2, 3)
    rankings.decide("anna", ranked(ITEMS[1]))
    assert rankings.page("anna").item is None


def test_what_is_taken_back_comes_back_as_it_was(rankings: AnnotationService) -> None:
    rankings.decide("anna", ranked(ITEMS[0]))
    rankings.decide("anna", ranked(ITEMS[1], best="4"))
    token = secrets.token_hex(16)
    assert [rankings.undo("anna", token) for _ in range(2)] == [ITEMS[1].key] * 2
    page = rankings.page("anna", again=ITEMS[1].key)
    assert (page.item, page.given["best"], page.note) == (ITEMS[1], "4", "so")
    assert rankings.page("anna").given == {}
    assert rankings.undo("anna", secrets.token_hex(16)) == ITEMS[0].key
    assert rankings.undo("anna", secrets.token_hex(16)) == ""


def test_the_order_in_which_texts_were_shown_is_recorded(rankings: AnnotationService) -> None:
    rankings.decide("anna", ranked(ITEMS[0]))
    view = rankings.page("ben").view
    assert view is not None
    rankings.decide("ben", ranked(ITEMS[0]))
    orders = {ballot.annotator: ballot.order for ballot in rankings.log.read().ballots}
    assert orders["ben"] == tuple(text.number for text in view.texts)
    assert orders == {name: shown_order(ITEMS[0].content, name, seed=5) for name in ("anna", "ben")}


def test_queues_of_other_items_or_of_another_kind_are_left_alone(rankings: AnnotationService) -> None:
    rankings.decide("anna", ranked(ITEMS[0]))
    others = AnnotationService(rankings.log, BallotQueue(RANK, ITEMS[1:], seed=5))
    assert others.page("anna").progress.done == 0
    assert others.undo("anna", secrets.token_hex(16)) == ""
    assert others.report().people == ()
    with pytest.raises(DecisionError, match="this ranking is not in the queue"):
        others.decide("anna", ranked(ITEMS[0]))
    two = Item("two", "test", asked("two", 2))
    comparing = AnnotationService(rankings.log, BallotQueue(PREFER, [two], seed=5))
    comparing.decide("anna", Submission(two.key, {"better": "equal"}, secrets.token_hex(16)))
    assert comparing.report().people[0].decisions == 1
    assert rankings.page("anna").progress.done == 1
    assert rankings.report().people[0].valid == 1
