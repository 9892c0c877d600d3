"""Ranking and comparing as people do it, in a real browser: by keys and by taps, with a server that is killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from review_browser import IN_A_BROWSER, SETTLING, Server, check_layout, running, visiting
from review_support import PLACES, place_pairs, write_dataset, write_questions
from situatedgen.evaluation.predictions import write_predictions
from situatedgen.review.ballots import Ballot
from storage.annotation.log import Log

ITEMS = 10
LETTERS = {"likely": "q", "unlikely": "w", "gibberish": "e"}
KILLED = 5
"""How many items are done when the server is killed."""
CHANGED, GIBBERISH = (2, 6), (1, 4, 8)
"""Where ben changes best and second over, and where he calls the third text gibberish: by the number of the item."""

pytestmark = IN_A_BROWSER


def counted(done: int, *pages: Page, items: int = ITEMS) -> None:
    for page in pages:
        expect(page.locator("#count")).to_have_text(f"{done} of {items} judged")
    pages[-1].wait_for_timeout(SETTLING)


def texts(page: Page) -> list[str]:
    """The numbers of the texts, as they stand on the page."""
    return [str(text.get_attribute("data-text")) for text in page.locator("fieldset.ending").all()]


def press(page: Page, best: str, second: str, third: str) -> None:
    """Rank what is shown by keys alone; the third and the fourth text are not among the best."""
    shown = texts(page)
    for number in (best, second):
        page.keyboard.press(str(shown.index(number) + 1))
    for number in shown:
        if number in {"3", "4"}:
            page.keyboard.press(LETTERS[third if number == "3" else "unlikely"])
    page.keyboard.press("Enter")


def tap(page: Page, best: str, second: str, third: str) -> None:
    """Rank what is shown by taps alone."""
    for number, name in ((best, "best"), (second, "second"), ("3", third), ("4", "unlikely")):
        page.locator(f"fieldset.ending[data-text='{number}'] label.{name}").tap()
    page.locator("#record").tap()


def rank_as_ben(page: Page) -> None:
    item = PLACES.index(str(page.locator(".chips li").first.text_content()))
    best, second = ("2", "1") if item in CHANGED else ("1", "2")
    tap(page, best, second, "gibberish" if item in GIBBERISH else "unlikely")


def ballots(folder: Path, annotator: str) -> list[Ballot]:
    found = Log(folder / "decisions").read()
    assert found.faults == ()
    return [each for each in found.ballots if each.annotator == annotator]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for ten items, each of a place of its own; the right text is the first of the alphabet."""
    folder = tmp_path_factory.mktemp("ranking")
    places = PLACES[:ITEMS]
    written = [[f"{word} live in {place}." for word in ("A <b>lion</b>", "Bears", "Cats", "Dogs")] for place in places]
    write_questions(folder / "questions", written, keywords=[[place] for place in places])
    with running(folder, "--mode", "rank", "--annotator", "anna,ben", reviewed="questions") as found:
        yield found


def test_two_people_rank_and_the_agreement_is_what_a_hand_calculation_gives(browser: Browser, server: Server) -> None:
    """Ten items of four texts. Ben changes best and second over in two, and calls the third gibberish in three.

    Places: 20 best, 20 second, 40 neither; middles 10, 30, 60. Seen: 8 coincidences 20 apart, 3,200; by chance
    2 · (20 · 20 · 20² + 20 · 40 · 30² + 20 · 40 · 50²) / 79 = 5,760,000 / 79. They agree on 36 of 40.
    Likelihoods: 40 likely, 37 unlikely, 3 gibberish; middles 20, 58.5, 78.5. Seen: 6 coincidences 20 apart, 2,400;
    by chance 2 · (40 · 37 · 38.5² + 40 · 3 · 58.5² + 37 · 3 · 20²) / 79 = 5,297,600 / 79. They agree on 37 of 40.
    """
    with visiting(browser, server.link("anna")) as anna, visiting(browser, server.link("ben"), phone=True) as ben:
        counted(0, anna, ben)
        check_layout(ben)
        for done in range(ITEMS):
            if done == KILLED:
                server.kill()
            press(anna, "1", "2", "unlikely")
            if done == KILLED:
                expect(anna.locator("#banner")).to_contain_text("will be sent again")
                server.start()
            rank_as_ben(ben)
            counted(done + 1, anna, ben)
        expect(ben.get_by_role("heading", name="All done")).to_be_visible()
        undo_and_mend(anna, server.folder)
    assert [len(ballots(server.folder, name)) for name in ("anna", "ben")] == [ITEMS, ITEMS]
    assert [each.pair for each in ballots(server.folder, "anna")] == [
        each.pair for each in ballots(server.folder, "ben")
    ]
    assert len({each.order for name in ("anna", "ben") for each in ballots(server.folder, name)}) > 5
    with visiting(browser, server.link("lead")) as lead:
        for question, alpha, percent in (
            ("place", 1 - 79 * 3_200 / 5_760_000, "90 %"),
            ("likelihood", 1 - 79 * 2_400 / 5_297_600, "92 %"),
        ):
            row = lead.locator(f"tr[data-question={question}]").first
            assert float(row.locator("b").get_attribute("data-value") or "") == pytest.approx(alpha)
            expect(row).to_contain_text(percent)
            expect(lead.locator(f"tr[data-people='anna ben'][data-question={question}]")).to_contain_text(percent)
        expect(lead.locator("tr[data-person=ben]")).to_contain_text("100 %")


def undo_and_mend(anna: Page, folder: Path) -> None:
    """What was recorded comes back with its note, a draft outlives a reload, and the mend is what stands."""
    anna.keyboard.press("u")
    counted(ITEMS - 1, anna)
    expect(anna.locator("#record")).to_contain_text("Next")
    first = texts(anna).index("1") + 1
    anna.keyboard.press(str(first))
    expect(anna.locator("#record")).to_contain_text("1 unanswered")
    anna.keyboard.press("Enter")
    counted(ITEMS - 1, anna)
    anna.keyboard.press(str(first))
    anna.keyboard.press("n")
    anna.keyboard.type("quite so")
    anna.keyboard.press("Enter")
    anna.reload()
    expect(anna.locator("#note")).to_have_value("quite so")
    anna.wait_for_timeout(SETTLING)
    anna.keyboard.press("Enter")
    counted(ITEMS, anna)
    last = ballots(folder, "anna")[-1]
    assert (last.note, last.answers["best"], last.answers["second"]) == ("quite so", "1", "2")


def test_comparisons_make_the_matrix_that_a_hand_calculation_gives(browser: Browser, tmp_path: Path) -> None:
    """The reference is preferred in one of two comparisons and equal in the other: 75 of 100, and 25 for mine."""
    write_dataset(tmp_path / "dataset", place_pairs(2))
    ids = [f"own::train::{2 * number}|own::train::{2 * number + 1}" for number in range(2)]
    mine = ["In July it is summer in {} and winter in {}.".format(*PLACES[number : number + 2]) for number in range(2)]
    write_predictions(tmp_path / "mine.jsonl", zip(ids, mine, strict=True))
    options = ("--mode", "prefer", "--predictions", str(tmp_path / "mine.jsonl"), "--annotator", "anna")
    with running(tmp_path, *options) as server:
        with visiting(browser, server.link("anna")) as anna:
            counted(0, anna, items=2)
            assert not [name for name in ("mine", "reference") if name in anna.content()]
            shown = [str(text.text_content()) for text in anna.locator(".option .text").all()]
            anna.keyboard.press("2" if "and winter" in shown[0] else "1")
            counted(1, anna, items=2)
            anna.keyboard.press("3")
            counted(2, anna, items=2)
        with visiting(browser, server.link("lead")) as lead:
            expect(lead.locator("tr[data-system=reference] td[data-against=mine]")).to_have_text("75.0 of 2")
            expect(lead.locator("tr[data-system=mine] td[data-against=reference]")).to_have_text("25.0 of 2")
