"""The pages for ranking and comparing under attack: the same guard, and nothing tells what is right or whose it is."""

import json
import secrets
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest

from flows.review.app import Round
from flows.review.keyring import Holder, Role
from flows.review.rounds import Request, round_of
from review_server import Visitor, serving, visiting
from review_support import place_pairs, ranking_answers, write_dataset, write_questions
from situatedgen.errors import PredictionError, SettingsError
from situatedgen.evaluation.reading import write_predictions
from situatedgen.review.ballots.tasks import Task
from storage.store import Store

ANNA, BEN, LEAD = Holder(Role.ANNOTATOR, "anna"), Holder(Role.ANNOTATOR, "benedikt"), Holder(Role.LEAD, "lead")
SCRIPT = "<script>alert(1)</script>"
TEXTS = [[f"{name} {number} in Spain." for name in ("True", "False", "Odd", "Bad")] for number in range(4)]
HOSTILE = [f"A {SCRIPT} in Spain.", 'B "><img src=x onerror=alert(1)>.', "C &amp; </p>.", "D."]
RANKED, PREFERRED = ranking_answers(1, 2, "lugu"), {"better": "1"}


def ballot_round(folder: Path, mode: Task, **more: object) -> Round:
    """A round of ranking the questions in a folder, or of comparing systems' texts for its dataset."""
    place = folder / ("questions" if mode is Task.RANK else "dataset")
    request = Request(
        place, folder / "decisions", Store(folder / "store"), mode=mode, annotators=("anna", "benedikt"), **more
    )
    return round_of(request)


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Task, tuple[Round, str]]]:
    folder = tmp_path_factory.mktemp("ballots")
    write_questions(folder / "questions", [*TEXTS, HOSTILE], keywords=[["Spain", SCRIPT]] * 5)
    pairs = place_pairs(3)
    write_dataset(folder / "dataset", pairs)
    texts = {
        f"own::train::{2 * number}|own::train::{2 * number + 1}": f"{second} {first} {SCRIPT}"
        for number, (first, second) in enumerate(pairs)
    }
    write_predictions(folder / "secretive.jsonl", texts)
    ranking = ballot_round(folder, Task.RANK)
    comparing = ballot_round(folder, Task.PREFER, predictions=(folder / "secretive.jsonl",))
    with serving(ranking) as rank_site, serving(comparing) as prefer_site:
        yield {Task.RANK: (ranking, rank_site), Task.PREFER: (comparing, prefer_site)}


@pytest.fixture(params=[Task.RANK, Task.PREFER])
def task(request: pytest.FixtureRequest) -> Task:
    found: Task = request.param
    return found


@pytest.fixture
def served(rounds: dict[Task, tuple[Round, str]], task: Task) -> Round:
    """A round in which nobody has said anything yet."""
    found, _ = rounds[task]
    for path in found.desk.log.files():
        path.unlink()
    found.desk.log._known.clear()
    found.desk._turns.skipped.clear()
    return found


@pytest.fixture
def site(rounds: dict[Task, tuple[Round, str]], task: Task) -> str:
    return rounds[task][1]


@pytest.fixture
def anna(site: str, served: Round) -> Iterator[Visitor]:
    with visiting(site, served, ANNA) as visitor:
        yield visitor


@pytest.fixture
def answers(task: Task) -> dict[str, str]:
    return RANKED if task is Task.RANK else PREFERRED


def lines(served: Round) -> list[dict[str, object]]:
    return [json.loads(line) for path in served.desk.log.files() for line in path.read_text("utf-8").splitlines()]


def test_an_answer_of_ones_own_page_is_taken(anna: Visitor, served: Round, answers: dict[str, str]) -> None:
    """The one request that all attacks below differ from in one thing."""
    first = served.desk.queue[0].key
    assert anna.decide(first, answers, note="fine", seconds=3.5).status_code == HTTPStatus.OK
    assert [(line["annotator"], line["item"], line["answers"]) for line in lines(served)] == [("anna", first, answers)]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"X-Form-Token": ""},
        {"X-Form-Token": "A" * 43},
        {"Cookie": ""},
        {"Host": "evil.example", "Origin": "http://evil.example"},
    ],
)
@pytest.mark.parametrize("path", ["/decisions", "/undo", "/skip"])
def test_a_foreign_page_changes_nothing(
    anna: Visitor, served: Round, answers: dict[str, str], path: str, headers: dict[str, str]
) -> None:
    anna.decide(served.desk.queue[0].key, answers)
    before = lines(served)
    token = {"token": secrets.token_hex(16)}
    pair = {"pair": served.desk.queue[1].key}
    bodies = {"/decisions": {**pair, **token, "answers": answers}, "/undo": token, "/skip": pair}
    refusals = {HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED, HTTPStatus.MISDIRECTED_REQUEST}
    assert anna.post(path, json=bodies[path], headers=headers).status_code in refusals
    assert lines(served) == before
    assert served.desk.page("anna").pair == served.desk.queue[1]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"pair": "0" * 32}, HTTPStatus.CONFLICT),  # no such item
        ({"pair": "../../etc/passwd"}, HTTPStatus.CONFLICT),
        ({"answers": {}}, HTTPStatus.CONFLICT),
        ({"answers": {"keywords": "yes"}}, HTTPStatus.CONFLICT),  # another mode's
        ({"answers": {**RANKED, "best": "9"}}, HTTPStatus.CONFLICT),  # no such text
        ({"answers": {**RANKED, "best": "2"}}, HTTPStatus.CONFLICT),  # one text twice
        ({"answers": {"better": "4"}}, HTTPStatus.CONFLICT),
        ({"answers": {"better": 1}}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"order": [1, 2]}, HTTPStatus.UNPROCESSABLE_ENTITY),  # the server says in which order texts are shown
        ({"annotator": "benedikt"}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"token": "short"}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"note": "x" * 2001}, HTTPStatus.UNPROCESSABLE_ENTITY),
    ],
)
def test_what_no_page_would_send_is_refused(
    anna: Visitor, served: Round, answers: dict[str, str], changes: dict[str, object], status: HTTPStatus
) -> None:
    content = {"pair": served.desk.queue[0].key, "answers": answers, "token": secrets.token_hex(16), **changes}
    assert anna.post("/decisions", json=content).status_code == status
    assert lines(served) == []


def test_a_session_serves_its_own_holder_only(anna: Visitor, site: str, served: Round, answers: dict[str, str]) -> None:
    with visiting(site, served, BEN) as ben:
        ben.decide(served.desk.queue[0].key, answers)
        token = {"X-Form-Token": ben.headers["X-Form-Token"]}
        crossed = anna.post("/undo", json={"token": secrets.token_hex(16)}, headers=token)
        assert crossed.status_code == HTTPStatus.FORBIDDEN
        anna.post("/undo", json={"token": secrets.token_hex(16)})
    assert [(line["kind"], line["annotator"]) for line in lines(served)] == [("ballot", "benedikt")]


def test_a_link_of_another_server_opens_nothing(
    rounds: dict[Task, tuple[Round, str]], tmp_path: Path, served: Round, site: str
) -> None:
    write_questions(tmp_path / "questions", TEXTS)
    elsewhere = ballot_round(tmp_path, Task.RANK)
    with Visitor(base_url=site, headers={"Origin": site}) as visitor:
        answer = visitor.post("/session", json={"link": elsewhere.keys.link(ANNA)})
        assert answer.status_code == HTTPStatus.FORBIDDEN
        assert visitor.get("/pair").status_code == HTTPStatus.UNAUTHORIZED


def test_what_the_data_says_is_text(anna: Visitor, served: Round, answers: dict[str, str]) -> None:
    shown = ""
    for item in served.desk.queue:
        shown += anna.get("/pair").text
        anna.decide(item.key, answers, note=f"</textarea>{SCRIPT}")
    shown += anna.post("/undo", json={"token": secrets.token_hex(16)}).text
    assert "&lt;script&gt;" in shown
    assert "&lt;/textarea&gt;" in shown
    assert "<script" not in shown
    assert "<img" not in shown


def test_who_judges_is_told_neither_what_is_right_nor_whose_it_is(
    anna: Visitor, site: str, served: Round, answers: dict[str, str]
) -> None:
    with visiting(site, served, BEN) as ben:
        for item in served.desk.queue:
            ben.decide(item.key, answers, note="a telling note")
    told = [anna.get(path).text for path in ("/", "/pair", "/agreement", "/agreement/figures")]
    told.append(anna.decide(served.desk.queue[0].key, answers).text)
    secret = ("telling", "benedikt", "secretive", "reference", "example 0", "label", "right")
    assert not [
        (word, text)
        for text in told
        for word in secret
        if word in text.replace("<label", "").replace("label>", "").replace("aria-label", "")
    ]
    assert anna.get("/agreement").status_code == HTTPStatus.FORBIDDEN


def test_the_order_tells_nothing(rounds: dict[Task, tuple[Round, str]]) -> None:
    """The right text of a question stands in every place for one of twenty people."""
    ranking, _ = rounds[Task.RANK]
    item = ranking.desk.queue[0]
    places = set()
    for number in range(20):
        view = ranking.desk.page(f"person{number}").view
        assert view is not None
        places.add(next(text.place for text in view.texts if text.number - 1 == item.right))
    assert places == {1, 2, 3, 4}


def test_who_leads_sees_the_agreement_and_says_nothing(
    site: str, served: Round, anna: Visitor, answers: dict[str, str], task: Task
) -> None:
    anna.decide(served.desk.queue[0].key, answers)
    with visiting(site, served, LEAD) as lead:
        shown = lead.get("/agreement").text
        assert "anna" in shown
        assert ("secretive" in shown) == (task is Task.PREFER)
        assert lead.decide(served.desk.queue[1].key, answers).status_code == HTTPStatus.FORBIDDEN
    assert len(lines(served)) == 1


def test_the_same_answer_sent_twice_counts_once(anna: Visitor, served: Round, answers: dict[str, str]) -> None:
    token, first = secrets.token_hex(16), served.desk.queue[0].key
    for _ in range(2):
        assert anna.decide(first, answers, token=token).status_code == HTTPStatus.OK
    assert anna.decide(served.desk.queue[1].key, answers, token=token).status_code == HTTPStatus.CONFLICT
    assert len(lines(served)) == 1


def test_what_cannot_be_asked_is_refused_at_once(tmp_path: Path) -> None:
    write_dataset(tmp_path / "dataset", place_pairs(2))
    (tmp_path / "questions").mkdir()
    with pytest.raises(SettingsError, match="has no test questions to rank"):
        ballot_round(tmp_path, Task.RANK)
    with pytest.raises(SettingsError, match="say --predictions FILE"):
        ballot_round(tmp_path, Task.PREFER)
    same = {
        f"own::train::{2 * number}|own::train::{2 * number + 1}": " ".join(pair)
        for number, pair in enumerate(place_pairs(2))
    }
    write_predictions(tmp_path / "mine.jsonl", same)
    with pytest.raises(SettingsError, match="nothing to compare"):
        ballot_round(tmp_path, Task.PREFER, predictions=(tmp_path / "mine.jsonl",))
    write_predictions(tmp_path / "reference.jsonl", same)
    with pytest.raises(PredictionError, match="two systems are called 'reference'"):
        ballot_round(tmp_path, Task.PREFER, predictions=(tmp_path / "reference.jsonl",))
