"""Prefect's pages as a person sees them: the form, the run, its artifacts, and a failure, in a real browser."""

import shutil
from collections.abc import Iterator
from http import HTTPStatus

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from flows.testing import Serving, serving_in
from situatedgen.presets import names

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
PATIENCE = 60_000
"""Milliseconds that a page may take to show something."""

pytestmark = [
    pytest.mark.prefect,
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome is installed"),
]


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving_in(tmp_path_factory.mktemp("project")) as found:
        yield found


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=OPTIONS)
        try:
            found = browser.new_page(viewport={"width": 1400, "height": 1300})
            found.set_default_timeout(PATIENCE)
            yield found
        finally:
            browser.close()


def open_form(page: Page, serving: Serving, deployment: str) -> None:
    """Go to the form of a deployment as a person does, from the first page on."""
    page.goto(serving.site)
    page.get_by_role("link", name="Deployments").click()
    page.get_by_role("link", name=deployment, exact=True).click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Custom run").click()
    expect(page.get_by_role("button", name="Submit")).to_be_visible()


def submit(page: Page) -> str:
    """Send the form, and give the id of the run that it made; sent again, as a person would, to a busy server."""
    for _ in range(5):
        with page.expect_response("**/create_flow_run") as answer:
            page.get_by_role("button", name="Submit").click()
        if answer.value.status != HTTPStatus.SERVICE_UNAVAILABLE:
            break
    assert answer.value.status == HTTPStatus.CREATED, answer.value.text()
    return str(answer.value.json()["id"])


def open_tab(page: Page, serving: Serving, run: str, tab: str) -> None:
    page.goto(f"{serving.site}/v2/runs/flow-run/{run}")
    page.get_by_role("tab", name=tab).click()


def choose_preset(page: Page, name: str) -> None:
    page.get_by_text("embedded", exact=True).click()
    assert page.get_by_role("option").all_inner_texts() == list(names())
    page.get_by_role("option", name=name).click()


@pytest.fixture(scope="module")
def run(page: Page, serving: Serving) -> str:
    """A run of the sample that a person started from the form, with a threshold and a folder of their own."""
    open_form(page, serving, "sample")
    choose_preset(page, "tiny")
    page.get_by_label("min_similarity").fill("0.9")
    page.get_by_label("out (Optional)", exact=True).fill("seen")
    found = submit(page)
    assert serving.ended(found)["state"]["message"].endswith("examples in seen; 24 artifacts, 0 reused")
    return found


def test_the_form_says_what_may_be_filled_in(page: Page, serving: Serving) -> None:
    open_form(page, serving, "sample")
    for words in (
        "The folder of the source collections; the shipped sample when left out.",
        "Candidates less similar than this are out. More than 0, at most 1."
        " Presets: 0.8 (embedded, paper, tiny), 0.6 (strict).",
        "Texts per model call. At least 1.",
    ):
        expect(page.get_by_text(words)).to_be_visible()
    labels = [label.removesuffix(" (Optional)") for label in page.locator("main label").all_inner_texts()]
    outer = ["sources", "preset", "out", "store", "strict", "stable_with", "decisions", "params", "runtime"]
    assert [label for label in dict.fromkeys(labels) if label in outer] == outer
    page.get_by_role("button", name="Add item").first.click()
    page.get_by_role("tab", name="built in").wait_for()
    expect(page.get_by_text('Property is type "None"')).to_have_count(0)


def test_a_bad_value_is_refused_beside_its_field(page: Page, serving: Serving) -> None:
    open_form(page, serving, "sample")
    page.get_by_label("floor").fill("0")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("0 is less than or equal to the minimum of 0", exact=True)).to_be_visible()
    assert serving.post("/flow_runs/count", {"flow_runs": {"name": {"like_": "→ sample-dataset"}}}) == 0


def test_a_run_from_the_form_is_completed_with_a_task_run_an_artifact(page: Page, serving: Serving, run: str) -> None:
    open_tab(page, serving, run, "Task Runs")
    expect(page.get_by_text("sample, tiny → seen").first).to_be_visible()
    expect(page.get_by_text("Completed", exact=True).first).to_be_visible()
    for name in ("report", "dataset folder", "examples", "screening", "pairs"):
        expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()


def test_the_log_tells_each_artifact_by_its_name(page: Page, serving: Serving, run: str) -> None:
    open_tab(page, serving, run, "Logs")
    expect(page.get_by_text("items/arc: 92 rows made in")).to_be_visible()
    expect(page.get_by_text("candidates: 8,048 rows made in")).to_be_visible()


def test_the_artifacts_stand_beside_the_run_by_title(page: Page, serving: Serving, run: str) -> None:
    open_tab(page, serving, run, "Artifacts")
    titles = {
        "plan": "24 of 24 artifacts to make",
        "table-1": "Table 1: Sentences with a place or a time",
        "table-2": "Table 2: Dataset",
        "funnel": "Funnel: What stays and what goes",
        "lineage": "24 artifacts, 0 reused",
        "dataset": "examples in seen",
    }
    for key, title in titles.items():
        card = page.locator(f"a[href$='/artifacts/key/{key}']")
        expect(card).to_contain_text(title)


def open_artifact(page: Page, serving: Serving, run: str, key: str) -> None:
    asked = {"artifacts": {"key": {"any_": [key]}, "flow_run_id": {"any_": [run]}}}
    (found,) = serving.post("/artifacts/filter", asked)
    page.goto(f"{serving.site}/v2/artifacts/artifact/{found['id']}")


def test_the_lineage_is_drawn(page: Page, serving: Serving, run: str) -> None:
    open_artifact(page, serving, run, "lineage")
    for stage in ("items", "candidates", "examples"):
        expect(page.locator("main svg g.node", has_text=stage)).to_be_visible()
    expect(page.get_by_role("cell", name="statements/creak", exact=True)).to_be_visible()


def test_the_dataset_is_shown_with_its_folder_and_examples(page: Page, serving: Serving, run: str) -> None:
    open_artifact(page, serving, run, "dataset")
    expect(page.get_by_text(str(serving.folder / "seen"), exact=True)).to_be_visible()
    expect(page.get_by_role("cell", name="data/train.jsonl")).to_be_visible()
    assert page.locator("main a[href^='file:']").count() == 0


def test_the_same_run_again_is_cached(page: Page, serving: Serving, run: str) -> None:
    before = serving.get(f"/api/flow_runs/{run}")
    again = serving.post(
        f"/deployments/{before['deployment_id']}/create_flow_run", {"parameters": before["parameters"]}
    )["id"]
    assert serving.ended(again)["state_name"] == "Completed"
    open_tab(page, serving, again, "Task Runs")
    expect(page.get_by_text("Cached", exact=True).nth(10)).to_be_visible()


def test_a_run_that_fails_says_why_without_a_stack_trace(page: Page, serving: Serving) -> None:
    open_form(page, serving, "sample")
    page.get_by_label("floor").fill("0.95")
    failed = submit(page)
    assert serving.ended(failed)["state_name"] == "Failed"
    why = "candidates.floor is 0.95; expected at most pairs.min_similarity, which is 0.8"
    open_tab(page, serving, failed, "Details")
    expect(page.get_by_text(why)).to_be_visible()
    open_tab(page, serving, failed, "Logs")
    expect(page.get_by_text(why).last).to_be_visible()
    expect(page.get_by_text("Traceback")).to_have_count(0)
