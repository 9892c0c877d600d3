"""Prefect's pages in a real browser: the form of a build, and its run."""

import shutil
from http import HTTPStatus
from pathlib import Path
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from prefect_support import serving_in
from situatedgen.preset_files import names
from store_support import ARTIFACTS

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 300_000
"""Milliseconds that a page may take to show something."""

pytestmark = [
    pytest.mark.prefect,
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome is installed"),
]


def test_a_build_is_started_from_the_form(tmp_path: Path) -> None:
    """From the first page on, as a person does: deployments, form, run; what the form says is tested by its schema."""
    expect.set_options(timeout=PATIENCE)
    with serving_in(tmp_path) as serving, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=OPTIONS)
        page = browser.new_page(viewport={"width": 1400, "height": 1300})
        page.set_default_timeout(PATIENCE)
        page.goto(serving.site)
        page.get_by_role("link", name="Deployments").click()
        page.get_by_role("link", name="sample", exact=True).click()
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Custom run").click()
        expect(
            page.get_by_text("Texts per batch of a flair or sequence-to-sequence model. At least 1.")
        ).to_be_visible()
        expect(page.get_by_text('Property is type "None"')).to_have_count(0)
        page.get_by_text("embedded", exact=True).click()
        assert page.get_by_role("option").all_inner_texts() == list(names())
        page.get_by_role("option", name="tiny").click()
        page.get_by_label("out (Optional)", exact=True).fill("seen")
        run = submit(page)

        message = serving.wait_for(run).message
        assert message is not None
        assert message.endswith(f"examples in seen; {ARTIFACTS} artifacts, 0 reused")
        page.goto(f"{serving.site}/v2/runs/flow-run/{run}")
        expect(page.get_by_text("sample, tiny → seen").first).to_be_visible()
        expect(page.get_by_text("Completed", exact=True).first).to_be_visible()
        page.get_by_role("tab", name="Artifacts").click()
        expect(page.locator("a[href$='/artifacts/key/dataset']")).to_contain_text("examples in seen")
        browser.close()


def submit(page: Page) -> UUID:
    """Send the form, and give the id of the run that it made; sent again, as a person would, to a busy server."""
    for _ in range(20):
        with page.expect_response("**/create_flow_run") as answer:
            page.get_by_role("button", name="Submit").click()
        if answer.value.status != HTTPStatus.SERVICE_UNAVAILABLE:
            break
    assert answer.value.status == HTTPStatus.CREATED, answer.value.text()
    return UUID(answer.value.json()["id"])
