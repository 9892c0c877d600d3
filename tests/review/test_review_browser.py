"""The review page as people use it, in a real browser: two annotators, a killed server, a phone, and who settles."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from review_browser import IN_A_BROWSER, SETTLING, Server, check_layout, running, seen, visiting
from review_support import place_pairs, write_dataset
from situatedgen.review.decisions import Decision
from situatedgen.vocabulary import Mode
from storage.annotation.log import Log

PAIRS = 20
ANNA_REJECTS, BEN_REJECTS = range(6), range(3, 9)
HOSTILE = (
    "It is summer in Malta <img src=x onerror=window.hacked=1>.",
    "It is winter in Samoa <script>hacked=1</script>.",
)

pytestmark = IN_A_BROWSER


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("review")
    write_dataset(found / "dataset", [*place_pairs(PAIRS - 1), HOSTILE])
    return found


def shown(page: Page) -> str:
    """The key of the pair that is shown."""
    return page.locator("#form").get_attribute("data-pair") or ""


def count(page: Page, done: int) -> None:
    expect(page.locator("#count")).to_have_text(f"{done} of {PAIRS} judged")
    page.wait_for_timeout(SETTLING)


def judge(page: Page, done: int, *, rejects: bool, taps: bool = False) -> None:
    """Judge the pair that is shown by keys or by taps alone."""
    if rejects:
        page.locator("fieldset[data-question=contrast] label.fault").tap() if taps else page.keyboard.press("r")
        expect(page.locator("#record")).to_contain_text("Not valid")
    page.locator("#record").tap() if taps else page.keyboard.press("Enter")
    count(page, done + 1)


def decisions(folder: Path, annotator: str, mode: Mode = Mode.FILTER) -> list[Decision]:
    found = Log(folder / "decisions").read()
    assert found.faults == ()
    return [each for each in found.decisions if (each.annotator, each.mode) == (annotator, mode)]


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with running(folder, "--annotator", "anna,ben") as found:
        yield found


@pytest.fixture(scope="module")
def judged(browser: Browser, server: Server, folder: Path) -> Path:
    """The decisions of two people about 20 pairs; the server is killed while they are at it.

    Anna goes on in the page that is open; Ben, on a phone, opens his link again.
    """
    with visiting(browser, server.link("anna")) as anna, visiting(browser, server.link("ben"), phone=True) as ben:
        count(anna, 0)
        count(ben, 0)
        check_layout(ben)
        for done in range(8):
            judge(anna, done, rejects=done in ANNA_REJECTS)
        for done in range(5):
            judge(ben, done, rejects=done in BEN_REJECTS, taps=True)
        pair = shown(anna)
        server.kill()
        anna.keyboard.press("Enter")
        expect(anna.locator("#banner")).to_contain_text("sent again")
        assert shown(anna) == pair
        server.start()
        count(anna, 9)
        expect(anna.locator("#banner")).to_be_hidden()
        for done in range(9, PAIRS):
            judge(anna, done, rejects=done in ANNA_REJECTS)
        expect(anna.get_by_role("heading", name="All done")).to_be_visible()
    with visiting(browser, server.link("ben"), phone=True) as ben:
        count(ben, 5)
        for done in range(5, PAIRS):
            judge(ben, done, rejects=done in BEN_REJECTS, taps=True)
    return folder


def test_every_answer_is_there_once(judged: Path) -> None:
    lines = [(judged / "decisions" / f"{name}.jsonl").read_text("utf-8").count("\n") for name in ("anna", "ben")]
    assert lines == [PAIRS, PAIRS]
    anna, ben = decisions(judged, "anna"), decisions(judged, "ben")
    assert [each.pair for each in anna] == [each.pair for each in ben]
    assert [number for number, each in enumerate(anna) if each.faults == ("contrast",)] == list(ANNA_REJECTS)
    assert [number for number, each in enumerate(ben) if each.faults == ("contrast",)] == list(BEN_REJECTS)
    assert all(0 < each.seconds < 60 for each in (*anna, *ben))


def test_the_agreement_is_live_and_what_a_hand_calculation_gives(
    judged: Path, browser: Browser, server: Server
) -> None:
    """Of 20 pairs both keep 11, both reject 3, and each rejects 3 that the other keeps.

    Kappa: seen 14 / 20 = 0.7; by chance (14 · 14 + 6 · 6) / 400 = 0.58; (0.7 - 0.58) / (1 - 0.58) = 0.12 / 0.42.
    Alpha: they differ on 6 / 20 = 0.3; 28 yes and 12 no differ by chance on 2 · 28 · 12 / (40 · 39) = 672 / 1560.
    """
    with visiting(browser, server.link("lead")) as lead:
        between = lead.locator("tr[data-people='anna ben'][data-question=contrast]")
        assert float(between.locator("b").get_attribute("data-value") or "") == pytest.approx(0.12 / 0.42)
        expect(between).to_contain_text("70 %")
        together = lead.locator("tr[data-question=contrast]").first
        assert float(together.locator("b").get_attribute("data-value") or "") == pytest.approx(1 - 0.3 / (672 / 1560))
        expect(lead.locator("tr[data-person=anna]")).to_contain_text("20")
        expect(lead.locator("tr[data-person=ben]")).to_contain_text("70 %")
        with visiting(browser, server.link("ben")) as ben:
            ben.keyboard.press("u")
            count(ben, PAIRS - 1)
            expect(lead.locator("tr[data-person=ben] td").first).to_have_text("19")
            judge(ben, PAIRS - 1, rejects=False)
            expect(lead.locator("tr[data-person=ben] td").first).to_have_text("20")


def test_undo_brings_the_answer_back_to_be_mended(judged: Path, browser: Browser, server: Server) -> None:
    with visiting(browser, server.link("anna")) as anna:
        anna.keyboard.press("u")
        count(anna, PAIRS - 1)
        anna.keyboard.press("e")
        anna.keyboard.press("n")
        anna.keyboard.type("quite so")
        anna.keyboard.press("Enter")
        expect(anna.locator("#note")).not_to_be_focused()
        anna.reload()
        expect(anna.locator("#note")).to_have_value("quite so")
        expect(anna.locator("#record")).to_contain_text("Not valid")
        anna.wait_for_timeout(SETTLING)
        anna.keyboard.press("Enter")
        count(anna, PAIRS)
        assert [(each.faults, each.note) for each in decisions(judged, "anna")[-1:]] == [(("sound",), "quite so")]
        anna.keyboard.press("u")
        count(anna, PAIRS - 1)
        expect(anna.locator("#note")).to_have_value("quite so")
        anna.keyboard.press("3")
        judge(anna, PAIRS - 1, rejects=False)
        assert decisions(judged, "anna")[-1].is_valid


def test_who_settles_sees_both_sides_and_has_the_last_word(judged: Path, browser: Browser) -> None:
    with running(judged, "--mode", "adjudicate", "--annotator", "carol") as settling:
        with visiting(browser, settling.link("carol")) as carol:
            expect(carol.locator("#count")).to_have_text("0 of 6 resolved")
            expect(carol.locator("#record")).to_contain_text("1 unanswered")
            carol.wait_for_timeout(SETTLING)
            carol.keyboard.press("Enter")
            expect(carol.locator("#count")).to_have_text("0 of 6 resolved")
            expect(carol.locator("fieldset.disputed .readings li")).to_have_count(2)
            expect(carol.get_by_text("anna")).to_have_count(0)
            said = carol.locator("fieldset.disputed .readings li[data-reader=B]").get_attribute("data-answer")
            carol.keyboard.press("j")
            expect(carol.locator("#judge")).to_contain_text("0.43")
            pair = shown(carol)
            carol.keyboard.press("b")
            carol.keyboard.press("Enter")
            expect(carol.locator("#count")).to_have_text("1 of 6 resolved")
            carol.get_by_role("link", name="Agreement").click()
            expect(carol.locator("tr[data-person=anna]")).to_contain_text("20")
        (made,) = decisions(judged, "carol", Mode.ADJUDICATE)
        assert (made.pair, made.answers["contrast"]) == (pair, said)
        farewell = settling.interrupt()
    assert "carol: 1 of 6 judged" in farewell
    assert f"next: situatedgen build --decisions {judged / 'decisions'}" in farewell
    assert "Traceback" not in farewell


def test_keys_a_screen_reader_and_the_clock(browser: Browser, tmp_path: Path) -> None:
    """The time of a pair stands still while nobody moves."""
    write_dataset(tmp_path / "dataset", place_pairs(3))
    with running(tmp_path, "--annotator", "ben") as own, seen(browser, phone=False) as context:
        ben = context.new_page()
        ben.clock.install()
        ben.goto(own.link("ben"))
        ben.clock.run_for(20_000)
        expect(ben.locator("#clock")).to_have_text(re.compile("0:(19|2.)"))
        ben.clock.run_for(600_000)
        expect(ben.locator("#clock")).to_have_class("paused")
        ben.keyboard.press("Shift+?")
        expect(ben.get_by_role("dialog", name="Filter")).to_be_visible()
        ben.keyboard.press("Escape")
        expect(ben.get_by_role("dialog", name="Filter")).to_be_hidden()
        group = ben.get_by_role("group", name="Does swapping the places or times break it?")
        group.get_by_role("radio", name="No").focus()
        ben.keyboard.press("Space")
        expect(ben.get_by_role("button", name=re.compile("Not valid, next: it is still true"))).to_be_visible()
        first = shown(ben)
        ben.keyboard.press("Enter")
        expect(ben.locator("#status")).to_contain_text("Recorded. 1 of 3 judged")
        expect(ben.locator("#title")).to_be_focused()
        second = shown(ben)
        ben.keyboard.press("s")
        expect(ben.locator("#status")).to_contain_text("Skipped. 1 of 3 judged")
        assert shown(ben) not in {first, second}
        (made,) = decisions(tmp_path, "ben")
        assert (made.pair, made.faults) == (first, ("dependent",))
        assert 55 < made.seconds < 75


def test_an_answer_is_recorded_once_over_a_broken_line(browser: Browser, tmp_path: Path) -> None:
    """The line breaks after an answer was written down, and the page sends it again; then it breaks before.

    What could not be sent is sent when the link is opened again.
    """
    write_dataset(tmp_path / "dataset", place_pairs(3))
    sent: list[str] = []

    def lose(route: Route) -> None:
        sent.append(route.request.post_data or "")
        if len(sent) == 1:
            assert route.fetch().ok
        if len(sent) == 2:
            route.continue_()
        else:
            route.abort()

    with running(tmp_path, "--annotator", "ben") as own, visiting(browser, own.link("ben")) as ben:
        expect(ben.locator("#form")).to_be_visible()
        ben.route("**/decisions", lose)
        first = shown(ben)
        ben.wait_for_timeout(SETTLING)
        ben.keyboard.press("Enter")
        expect(ben.locator("#count")).to_have_text("1 of 3 judged")
        expect(ben.locator("#banner")).to_be_hidden()
        assert sent == [sent[0]] * 2
        second = shown(ben)
        ben.wait_for_timeout(SETTLING)
        ben.keyboard.press("w")
        ben.keyboard.press("Enter")
        expect(ben.locator("#banner")).to_be_visible()
        again = ben.context.new_page()
        again.goto(own.link("ben"))
        expect(again.locator("#count")).to_have_text("2 of 3 judged")
        ben.close(run_before_unload=False)
    assert [(each.pair, each.faults) for each in decisions(tmp_path, "ben")] == [(first, ()), (second, ("situated",))]
    assert (tmp_path / "decisions" / "ben.jsonl").read_text("utf-8").count("\n") == 2
