"""The report as a person sees it: opened from disk in a real browser, with no network at all."""

import shutil
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import polars as pl
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from situatedgen.report.facts import Facts
from situatedgen.report.page import page
from situatedgen.report.statistics import read

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PATIENCE = 60_000
EVIL = '</script><img src="http://example.invalid/x" onerror="document.title=1">'
DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 360, "height": 740}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome is installed"),
]
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=BROWSER, args=OPTIONS)
        yield found
        found.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Opens a page, and afterwards fails where it asked for anything but itself or complained about anything."""
    faults: list[str] = []
    contexts = []

    def opening(path: Path, fragment: str = "", **settings: Any) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP, "offline": True, **settings})
        contexts.append(context)
        found = context.new_page()
        found.set_default_timeout(PATIENCE)
        found.on("console", lambda message: faults.append(message.text))
        found.on("pageerror", lambda error: faults.append(str(error)))
        found.on("request", lambda request: faults.append(request.url) if _is_outside(request.url, path) else None)
        found.goto(path.as_uri() + fragment)
        return found

    yield opening
    for context in contexts:
        context.close()
    assert faults == []


def _is_outside(url: str, path: Path) -> bool:
    return url.partition("#")[0] != path.as_uri()


@pytest.fixture(scope="module")
def report(tiny: Any) -> Path:
    """The report of the dataset of the tiny preset."""
    found: Path = tiny.out / "report.html"
    return found


@pytest.fixture(scope="module")
def rows(tiny: Any) -> list[dict[str, Any]]:
    """Every example of that dataset."""
    parts = [
        pl.read_parquet(tiny.out / "data" / f"{split}.parquet").with_columns(split=pl.lit(split))
        for split in ("train", "dev", "test")
    ]
    return pl.concat(parts).sort("example_id").to_dicts()


def count(found: Page) -> str:
    return found.locator("#count").inner_text()


def shown(found: Page) -> list[str]:
    """The ids of the examples that are shown."""
    return found.locator("#results .meta a").all_inner_texts()


def test_all_examples_are_listed_page_by_page(opened: Open, report: Path, rows: list[dict[str, Any]]) -> None:
    found = opened(report)
    assert count(found) == f"{len(rows):,} of {len(rows):,} examples"
    listed = shown(found)
    while found.locator("#on").is_visible() and found.locator("#on").is_enabled():
        found.locator("#on").click()
        listed += shown(found)
    assert sorted(listed) == [row["example_id"] for row in rows]


def test_search_finds_what_holds_all_words(opened: Open, report: Path, rows: list[dict[str, Any]]) -> None:
    found = opened(report)
    first, second = rows[0]["keywords"][:2]
    found.locator("#query").fill(f'"{first.upper()}" "{second}"')
    wanted = [row for row in rows if all(word.lower() in row["statement"].lower() for word in (first, second))]
    assert count(found) == f"{len(wanted):,} of {len(rows):,} examples"
    marked = {text.lower() for text in found.locator("#results mark").all_inner_texts()}
    assert marked == {first.lower(), second.lower()}
    found.locator("#query").fill("no such words at all")
    assert count(found) == f"0 of {len(rows):,} examples"


def test_filters_work_together(opened: Open, report: Path, rows: list[dict[str, Any]]) -> None:
    found = opened(report)
    source = rows[0]["ids"][0].split("::")[0]
    found.locator("#split").select_option("test")
    found.locator("#source").select_option(source)
    wanted = [row for row in rows if row["split"] == "test" and any(i.split("::")[0] == source for i in row["ids"])]
    assert count(found) == f"{len(wanted):,} of {len(rows):,} examples"
    found.locator("#context").select_option("TEMP")
    wanted = [row for row in wanted if row["context"] == "TEMP"]
    assert count(found) == f"{len(wanted):,} of {len(rows):,} examples"
    found.locator("#clear").click()
    assert count(found) == f"{len(rows):,} of {len(rows):,} examples"


def test_examples_are_filtered_by_flag_and_sorted_by_doubt(
    opened: Open, tiny: Any, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    some = [
        {
            **row,
            "flags": ["near_duplicate"] * (number % 2) + ["not_parallel"] * (number % 3 == 0),
            "doubt": number / 100,
        }
        for number, row in enumerate(rows[:30])
    ]
    path = tmp_path / "flagged.html"
    path.write_text(page(Facts(read(tiny.out / "stats.json"), ()), {}, pl.DataFrame(some)), encoding="utf-8")
    found = opened(path)
    for value, wanted in (("near_duplicate", 15), ("not_parallel", 10), ("-", 10), ("*", 20), ("", 30)):
        found.locator("#flag").select_option(value)
        assert count(found) == f"{wanted} of 30 examples"
    found.locator("#order").select_option("doubt")
    assert shown(found) == [row["example_id"] for row in reversed(some)][:20]
    assert found.locator("#results .flag").first.inner_text() == "flags: near duplicate"


def test_the_most_alike_come_first_when_asked(opened: Open, report: Path, rows: list[dict[str, Any]]) -> None:
    found = opened(report)
    found.locator("#order").select_option("alike")
    wanted = sorted(rows, key=lambda row: -round(row["similarity"], 4))
    texts = found.locator("#results .meta").all_inner_texts()
    assert f"similarity {wanted[0]['similarity']:.3f}" in texts[0]


def test_a_link_leads_to_one_example_and_a_search_is_kept_in_the_address(
    opened: Open, report: Path, rows: list[dict[str, Any]]
) -> None:
    wanted = rows[-1]
    found = opened(report, "#" + urlencode({"example": wanted["example_id"]}))
    assert shown(found) == [wanted["example_id"]]
    assert found.locator("#results .sentence").all_inner_texts() == wanted["statements"]
    assert sorted(found.locator("#results .chip").all_inner_texts()) == sorted(wanted["keywords"])
    found.locator("#query").fill(wanted["keywords"][0])
    again = opened(report, found.evaluate("location.hash"))
    assert (count(again), shown(again)) == (count(found), shown(found))
    lost = opened(report, "#example=nothing")
    assert count(lost) == "There is no example nothing"


def test_a_phone_shows_everything_within_its_width(opened: Open, report: Path) -> None:
    found = opened(report, viewport=PHONE, color_scheme="dark")
    assert found.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    expect(found.locator("#query")).to_be_visible()


def test_figures_and_tables_are_there(opened: Open, report: Path) -> None:
    found = opened(report)
    images = found.locator("figure img")
    titles = images.evaluate_all("images => images.map((each) => each.alt)")
    assert len(titles) == len(set(titles)) >= 6
    assert images.evaluate_all("images => images.every((each) => each.complete && each.naturalWidth > 0)")
    assert found.get_by_role("table").count() >= 4


@pytest.mark.parametrize(("scheme", "paper"), [("light", (255, 255, 255)), ("dark", (20, 24, 28))])
def test_figures_have_the_brightness_of_the_page(
    opened: Open, report: Path, scheme: str, paper: tuple[int, ...]
) -> None:
    figure = opened(report, viewport=PHONE, color_scheme=scheme).locator("figure img").first
    corner = Image.open(BytesIO(figure.screenshot())).convert("RGB").getpixel((4, 4))
    assert corner == paper


def test_everything_has_a_name_for_those_who_listen(opened: Open, report: Path) -> None:
    found = opened(report)
    nameless = found.evaluate(
        """() => [...document.querySelectorAll("input, select, button")].filter(
            (each) => !(each.labels?.length || each.textContent.trim())).map((each) => each.id)"""
    )
    assert nameless == []
    assert found.get_by_role("searchbox").count() == 1


def test_markup_in_a_statement_is_shown_as_text(
    opened: Open, tiny: Any, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    """The attack: a source whose sentence ends the script and brings an image that tells that it ran."""
    evil = pl.DataFrame([{**rows[0], "statements": [EVIL, EVIL], "keywords": [EVIL], "keywords_pos": [0]}])
    path = tmp_path / "evil.html"
    path.write_text(page(Facts(read(tiny.out / "stats.json"), ()), {}, evil), encoding="utf-8")
    found = opened(path)
    assert found.locator("#results .sentence").all_inner_texts() == [EVIL, EVIL]
    found.locator("#query").fill("<img")
    assert found.locator("#results mark").all_inner_texts() == ["<img"] * 3
    assert found.locator("img").count() == 0
    assert found.title() == "SituatedGen dataset: report"
