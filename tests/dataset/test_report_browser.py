"""The report as a person sees it: opened from disk in a real browser, with no network at all."""

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import polars as pl
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from review_browser import IN_A_BROWSER, PATIENCE
from situatedgen.dataset.facts import Facts
from situatedgen.dataset.html_report import page
from situatedgen.dataset.statistics import read

EVIL = '</script><img src="http://example.invalid/x" onerror="document.title=1">'
DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 360, "height": 740}

pytestmark = IN_A_BROWSER
Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Opens a page, and afterwards fails where it asked for anything but itself or complained about anything."""
    faults: list[str] = []
    asked, pages = set[str](), set[str]()
    contexts = []

    def opening(path: Path, fragment: str = "", **settings: Any) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP, "offline": True, **settings})
        contexts.append(context)
        found = context.new_page()
        found.set_default_timeout(PATIENCE)
        found.on("console", lambda message: faults.append(message.text))
        found.on("pageerror", lambda error: faults.append(str(error)))
        found.on("request", lambda request: asked.add(request.url.partition("#")[0]))
        found.goto(path.as_uri() + fragment)
        pages.add(path.as_uri())
        return found

    yield opening
    for context in contexts:
        context.close()
    assert (faults, asked) == ([], pages)


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
    for _ in rows:  # there are fewer pages than examples
        if not (found.locator("#on").is_visible() and found.locator("#on").is_enabled()):
            break
        found.locator("#on").click()
        listed += shown(found)
    assert sorted(listed) == [row["example_id"] for row in rows]
    found.locator("#order").select_option("alike")
    highest = max(round(row["similarity"], 4) for row in rows)
    assert f"similarity {highest:.3f}" in found.locator("#results .meta").first.inner_text()


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


def test_examples_are_sorted_by_what_the_judge_expects(
    opened: Open, tiny: Any, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    some = [{**row, "probability": number / 100} for number, row in enumerate(rows[:30])]
    path = tmp_path / "judged.html"
    path.write_text(page(Facts(read(tiny.out / "stats.json"), ()), {}, pl.DataFrame(some)), encoding="utf-8")
    found = opened(path)
    found.locator("#order").select_option("probable")
    assert shown(found) == [row["example_id"] for row in reversed(some)][:20]
    assert found.locator("#results .probability").first.inner_text() == "valid 0.29"
    found.locator("#order").select_option("improbable")
    assert shown(found) == [row["example_id"] for row in some][:20]


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
    assert count(lost) == "No example has the id nothing"


def test_a_phone_shows_everything_within_its_width_and_every_control_has_a_name(opened: Open, report: Path) -> None:
    found = opened(report, viewport=PHONE, color_scheme="dark")
    assert found.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    images = found.locator("figure img")
    titles = images.evaluate_all("images => images.map((each) => each.alt)")
    assert len(titles) == len(set(titles)) >= 6
    assert images.evaluate_all("images => images.every((each) => each.complete && each.naturalWidth > 0)")
    assert found.get_by_role("table").count() >= 4
    assert found.get_by_role("searchbox").is_visible()
    nameless = found.evaluate(
        """() => [...document.querySelectorAll("input, select, button")].filter(
            (each) => !(each.labels?.length || each.textContent.trim())).map((each) => each.id)"""
    )
    assert nameless == []


@pytest.mark.parametrize(("scheme", "paper"), [("light", (255, 255, 255)), ("dark", (20, 24, 28))])
def test_figures_have_the_brightness_of_the_page(
    opened: Open, report: Path, scheme: str, paper: tuple[int, ...]
) -> None:
    figure = opened(report, viewport=PHONE, color_scheme=scheme).locator("figure img").first
    corner = Image.open(BytesIO(figure.screenshot())).convert("RGB").getpixel((4, 4))
    assert corner == paper


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
