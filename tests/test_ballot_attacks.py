"""The pages for ranking and comparing under attack: nothing tells what is right, or whose a text is."""

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest

from flows.review.app import Review
from flows.review.security import Role, User
from review_server import Visitor, read_lines, review_in, serving, visiting
from review_support import place_pairs, ranking_answers, write_dataset, write_questions
from situatedgen.errors import PredictionError, SettingsError
from situatedgen.evaluation.reading import write_predictions
from situatedgen.review.ballots.tasks import Task

ANNA, BEN, LEAD = User(Role.ANNOTATOR, "anna"), User(Role.ANNOTATOR, "benedikt"), User(Role.LEAD, "lead")
SCRIPT = "<script>alert(1)</script>"
TEXTS = [[f"{name} {number} in Spain." for name in ("True", "False", "Odd", "Bad")] for number in range(4)]
HOSTILE = [f"A {SCRIPT} in Spain.", 'B "><img src=x onerror=alert(1)>.', "C &amp; </p>.", "D."]
RANKED, PREFERRED = ranking_answers(1, 2, "lugu"), {"better": "1"}


def predictions(count: int, ending: str = "") -> dict[str, str]:
    return {
        f"own::train::{2 * number}|own::train::{2 * number + 1}": f"{second} {first}{ending}"
        for number, (first, second) in enumerate(place_pairs(count))
    }


@pytest.fixture(params=[Task.RANK, Task.PREFER])
def task(request: pytest.FixtureRequest) -> Task:
    found: Task = request.param
    return found


@pytest.fixture
def review(tmp_path: Path, task: Task) -> Review:
    people = ("anna", "benedikt")
    if task is Task.RANK:
        write_questions(tmp_path / "questions", [*TEXTS, HOSTILE], keywords=[["Spain", SCRIPT]] * 5)
        return review_in(tmp_path, "questions", mode=task, annotators=people)
    write_dataset(tmp_path / "dataset", place_pairs(3))
    write_predictions(tmp_path / "secretive.jsonl", predictions(3, f" {SCRIPT}"))
    return review_in(tmp_path, mode=task, annotators=people, predictions=(tmp_path / "secretive.jsonl",))


@pytest.fixture
def site(review: Review) -> Iterator[str]:
    with serving(review) as found:
        yield found


@pytest.fixture
def anna(site: str, review: Review) -> Iterator[Visitor]:
    with visiting(site, review, ANNA) as visitor:
        yield visitor


@pytest.fixture
def answers(task: Task) -> dict[str, str]:
    return RANKED if task is Task.RANK else PREFERRED


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"pair": "0" * 32}, HTTPStatus.CONFLICT),  # no such item
        ({"answers": {"keywords": "yes"}}, HTTPStatus.CONFLICT),  # another mode's
        ({"answers": {**RANKED, "best": "9"}}, HTTPStatus.CONFLICT),  # no such text
        ({"order": [1, 2]}, HTTPStatus.UNPROCESSABLE_ENTITY),  # the server says in which order texts are shown
    ],
)
def test_an_answer_that_no_page_sends_is_refused(
    anna: Visitor, review: Review, answers: dict[str, str], changes: dict[str, object], status: HTTPStatus
) -> None:
    item = review.service.queue.items[0].key
    assert (
        anna.post("/decisions", json={"pair": item, "answers": answers, "token": "0" * 32, **changes}).status_code
        == status
    )
    assert read_lines(review) == []
    assert anna.decide(item, answers).status_code == HTTPStatus.OK
    assert len(read_lines(review)) == 1


def test_hostile_texts_and_notes_are_escaped(anna: Visitor, review: Review, answers: dict[str, str]) -> None:
    shown = ""
    for item in review.service.queue.items:
        shown += anna.get("/pair").text
        anna.decide(item.key, answers, note=f"</textarea>{SCRIPT}")
    shown += anna.undo().text
    assert "&lt;script&gt;" in shown
    assert "&lt;/textarea&gt;" in shown
    assert "<script" not in shown
    assert "<img" not in shown


def test_annotators_are_told_neither_what_is_right_nor_whose_it_is(
    anna: Visitor, site: str, review: Review, answers: dict[str, str]
) -> None:
    with visiting(site, review, BEN) as ben:
        for item in review.service.queue.items:
            ben.decide(item.key, answers, note="a telling note")
    shown = [anna.get(path).text for path in ("/", "/pair", "/agreement", "/agreement/figures")]
    shown.append(anna.decide(review.service.queue.items[0].key, answers).text)
    secret = ("telling", "benedikt", "secretive", "reference", "example 0", "label", "right")
    assert not [
        (word, text)
        for text in shown
        for word in secret
        if word in text.replace("<label", "").replace("label>", "").replace("aria-label", "")
    ]


def test_the_order_tells_nothing(tmp_path: Path) -> None:
    """The right text of a question stands in every place for one of twenty people."""
    write_questions(tmp_path / "questions", TEXTS)
    service = review_in(tmp_path, "questions", mode=Task.RANK).service
    places = set()
    for number in range(20):
        view = service.page(f"person{number}").view
        places.add(next(text.place for text in view.texts if text.number - 1 == service.queue.items[0].right))
    assert places == {1, 2, 3, 4}


def test_the_lead_alone_sees_the_systems(
    site: str, review: Review, anna: Visitor, answers: dict[str, str], task: Task
) -> None:
    anna.decide(review.service.queue.items[0].key, answers)
    with visiting(site, review, LEAD) as lead:
        shown = lead.get("/agreement").text
    assert "anna" in shown
    assert ("secretive" in shown) == (task is Task.PREFER)
    assert anna.get("/agreement").status_code == HTTPStatus.FORBIDDEN


def test_what_cannot_be_asked_is_refused_at_once(tmp_path: Path) -> None:
    write_dataset(tmp_path / "dataset", place_pairs(2))
    (tmp_path / "questions").mkdir()
    with pytest.raises(SettingsError, match="has no test questions to rank"):
        review_in(tmp_path, "questions", mode=Task.RANK)
    with pytest.raises(SettingsError, match="give --predictions FILE once for each system"):
        review_in(tmp_path, mode=Task.PREFER)
    same = {key: " ".join(pair) for key, pair in zip(predictions(2), place_pairs(2), strict=True)}
    for name in ("mine", "reference"):
        write_predictions(tmp_path / f"{name}.jsonl", same)
    with pytest.raises(SettingsError, match="nothing to compare"):
        review_in(tmp_path, mode=Task.PREFER, predictions=(tmp_path / "mine.jsonl",))
    with pytest.raises(PredictionError, match="two systems are called 'reference'"):
        review_in(tmp_path, mode=Task.PREFER, predictions=(tmp_path / "reference.jsonl",))
