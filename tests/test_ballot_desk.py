"""The desk at which people rank: what comes next, what comes back, and what another round leaves alone."""

import secrets
from pathlib import Path

import pytest

from review_support import asked, ranking_answers
from situatedgen.errors import DecisionError
from situatedgen.review.ballots.items import Item, shown_order
from situatedgen.review.ballots.tasks import PREFER, RANK
from storage.ballot_desk import BallotDesk
from storage.decisions import Log
from storage.turns import Given

ITEMS = [Item(name, "test", asked(name), 0) for name in "abc"]
GOOD = ranking_answers(1, 2, "lluu")


def given(item: Item, **more: str) -> Given:
    return Given(item.key, {**GOOD, **more}, secrets.token_hex(16), note="so")


@pytest.fixture
def desk(tmp_path: Path) -> BallotDesk:
    return BallotDesk(Log(tmp_path), RANK, ITEMS, seed=5)


def test_items_come_one_after_the_other_and_again_after_a_restart(desk: BallotDesk) -> None:
    desk.decide("anna", given(ITEMS[0]))
    desk.skip("anna", ITEMS[1].key)
    assert desk.page("anna").pair == ITEMS[2]
    assert desk.page("ben").pair == ITEMS[0]
    desk.decide("anna", given(ITEMS[2]))
    assert desk.page("anna").pair == ITEMS[1]
    restarted = BallotDesk(Log(desk.log.folder), RANK, ITEMS, seed=5)
    assert restarted.page("anna") == desk.page("anna")
    assert (restarted.page("anna").progress.done, restarted.page("anna").progress.total) == (2, 3)
    desk.decide("anna", given(ITEMS[1]))
    assert desk.page("anna").pair is None


def test_what_is_taken_back_comes_back_as_it_was(desk: BallotDesk) -> None:
    desk.decide("anna", given(ITEMS[0]))
    desk.decide("anna", given(ITEMS[1], best="4"))
    token = secrets.token_hex(16)
    assert [desk.undo("anna", token) for _ in range(2)] == [ITEMS[1].key] * 2
    page = desk.page("anna", again=ITEMS[1].key)
    assert (page.pair, page.given["best"], page.note) == (ITEMS[1], "4", "so")
    assert desk.page("anna").given == {}
    assert desk.undo("anna", secrets.token_hex(16)) == ITEMS[0].key
    assert desk.undo("anna", secrets.token_hex(16)) == ""


def test_the_order_in_which_texts_were_shown_is_recorded(desk: BallotDesk) -> None:
    desk.decide("anna", given(ITEMS[0]))
    view = desk.page("ben").view
    assert view is not None
    desk.decide("ben", given(ITEMS[0]))
    orders = {ballot.annotator: ballot.order for ballot in desk.log.read().ballots}
    assert orders["ben"] == tuple(text.number for text in view.texts)
    assert orders == {name: shown_order(ITEMS[0].content, name, seed=5) for name in ("anna", "ben")}


def test_rounds_about_other_items_or_of_another_kind_are_left_alone(desk: BallotDesk) -> None:
    desk.decide("anna", given(ITEMS[0]))
    others = BallotDesk(desk.log, RANK, ITEMS[1:], seed=5)
    assert others.page("anna").progress.done == 0
    assert others.undo("anna", secrets.token_hex(16)) == ""
    assert others.report().people == ()
    with pytest.raises(DecisionError, match="this ranking is not among those"):
        others.decide("anna", given(ITEMS[0]))
    two = Item("two", "test", asked("two", 2))
    comparing = BallotDesk(desk.log, PREFER, [two], seed=5)
    comparing.decide("anna", Given(two.key, {"better": "equal"}, secrets.token_hex(16)))
    assert comparing.report().people[0].decisions == 1
    assert desk.page("anna").progress.done == 1
    assert desk.report().people[0].valid == 1
