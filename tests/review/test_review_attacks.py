"""The review page under attack: one test for each class of attack."""

import json
import secrets
import socket
from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from itsdangerous import TimestampSigner

from flows.review.app import Review
from flows.review.security import MAX_BODY_BYTES, SESSION_SECONDS, Links, Role, User, load_secret
from review_server import Visitor, read_lines, review_in, serving, visiting
from review_support import place_pairs, ranking_answers, write_dataset, write_questions
from situatedgen.errors import DecisionError, PredictionError, SettingsError
from situatedgen.evaluation.predictions import write_predictions
from situatedgen.review.ballots import Task
from situatedgen.review.criteria import FILTER
from situatedgen.vocabulary import Mode

ANNA, BEN, LEAD = User(Role.ANNOTATOR, "anna"), User(Role.ANNOTATOR, "benedikt"), User(Role.LEAD, "lead")
GOOD = dict.fromkeys(FILTER.names, "yes")
SCRIPT = "<script>alert(1)</script>"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"
HOSTILE = (f"It is summer in Spain {SCRIPT}.", 'It is winter in Peru "><img src=x onerror=alert(1)>.')
TEXTS = [[f"{name} {number} in Spain." for name in ("True", "False", "Odd", "Bad")] for number in range(4)]
HOSTILE_TEXTS = [f"A {SCRIPT} in Spain.", 'B "><img src=x onerror=alert(1)>.', "C &amp; </p>.", "D."]
ANSWERS = {Mode.FILTER: GOOD, Task.RANK: ranking_answers(1, 2, "lugu"), Task.PREFER: {"better": "1"}}
EVERY_MODE = pytest.mark.parametrize("mode", ANSWERS, indirect=True)


def predictions(pairs: list[tuple[str, str]], ending: str = "") -> dict[str, str]:
    ids = (f"own::train::{2 * number}|own::train::{2 * number + 1}" for number in range(len(pairs)))
    return {key: f"{second} {first}{ending}" for key, (first, second) in zip(ids, pairs, strict=True)}


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> Mode | Task:
    found: Mode | Task = getattr(request, "param", Mode.FILTER)
    return found


@pytest.fixture
def review(tmp_path: Path, mode: Mode | Task) -> Review:
    given: dict[str, Any] = {"mode": mode, "annotators": ("anna", "benedikt")}
    if mode is Task.RANK:
        write_questions(tmp_path / "questions", [*TEXTS, HOSTILE_TEXTS], keywords=[["Spain", SCRIPT]] * 5)
        return review_in(tmp_path, "questions", **given)
    pairs = [HOSTILE, *place_pairs(5)]
    write_dataset(tmp_path / "dataset", pairs)
    if mode is Task.PREFER:
        write_predictions(tmp_path / "secretive.jsonl", predictions(pairs, f" {SCRIPT}"))
        given["predictions"] = (tmp_path / "secretive.jsonl",)
    return review_in(tmp_path, **given)


@pytest.fixture
def answers(mode: Mode | Task) -> dict[str, str]:
    return ANSWERS[mode]


@pytest.fixture
def site(review: Review) -> Iterator[str]:
    with serving(review) as found:
        yield found


@pytest.fixture
def anna(site: str, review: Review) -> Iterator[Visitor]:
    with visiting(site, review, ANNA) as visitor:
        yield visitor


@pytest.fixture
def ben(site: str, review: Review) -> Iterator[Visitor]:
    with visiting(site, review, BEN) as visitor:
        yield visitor


def keys(review: Review) -> list[str]:
    return [item.key for item in review.service.queue.items]


def raw(site: str, request: str) -> str:
    """What a server answers to bytes that no client library would send."""
    place = urlsplit(site)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=300) as connection:
        connection.sendall(request.encode("latin-1"))
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode("latin-1")


def test_an_answer_of_ones_own_page_is_recorded(anna: Visitor, review: Review) -> None:
    """The one request from which each attack below differs in one thing."""
    assert anna.decide(keys(review)[0], GOOD, note="fine", seconds=3.5).status_code == HTTPStatus.OK
    (line,) = map(json.loads, read_lines(review))
    assert (line["annotator"], line["pair"], line["note"], line["seconds"]) == ("anna", keys(review)[0], "fine", 3.5)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},  # the page of another site
        {"Origin": ""},
        {"Origin": "http://127.0.0.1:1"},  # the page of another program on this machine
        {"Sec-Fetch-Site": "cross-site"},
        {"X-Form-Token": "A" * 43},
        {"Cookie": ""},
    ],
)
def test_a_cross_site_request_changes_nothing(anna: Visitor, review: Review, headers: dict[str, str]) -> None:
    first, second, *_ = keys(review)
    anna.decide(first, GOOD)
    before = read_lines(review)
    refusals = [
        anna.post("/decisions", json={"pair": second, "answers": GOOD, "token": "0" * 32}, headers=headers),
        anna.post("/undo", json={"token": "1" * 32}, headers=headers),
        anna.post("/skip", json={"pair": second}, headers=headers),
    ]
    assert {answer.status_code for answer in refusals} <= {HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED}
    assert read_lines(review) == before
    assert review.service.page("anna").item == review.service.queue.items[1]


def test_dns_rebinding_is_refused(anna: Visitor) -> None:
    """The foreign page is same-origin with itself, but it comes with its own name; a tunnel comes from loopback."""
    for host in ("evil.example:80", "127.0.0.1.evil.example", "evil.example#127.0.0.1", "192.168.0.7"):
        headers = {"Host": host, "Origin": f"http://{host}"}
        assert anna.get("/", headers=headers).status_code == HTTPStatus.BAD_REQUEST
        assert anna.undo(headers=headers).status_code == HTTPStatus.BAD_REQUEST
    for host in ("localhost:9000", "127.0.0.1", "[::1]:8765"):
        assert anna.get("/", headers={"Host": host}).status_code == HTTPStatus.OK


def test_two_hosts_in_one_request_are_refused(site: str) -> None:
    host = urlsplit(site).netloc
    answer = raw(site, f"GET /enter HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    assert answer.split()[1] == "400"


def test_another_site_cannot_load_parts_of_the_page(anna: Visitor) -> None:
    for path in ("/pair", "/static/review.js", "/agreement/figures"):
        assert anna.get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == HTTPStatus.FORBIDDEN


@EVERY_MODE
def test_hostile_texts_and_notes_are_escaped(anna: Visitor, review: Review, answers: dict[str, str]) -> None:
    shown = ""
    for key in keys(review):
        shown += anna.get("/pair").text
        anna.decide(key, answers, note=f"</textarea>{SCRIPT}")
    shown += anna.undo().text
    assert [word in shown for word in (ESCAPED, "&lt;/textarea&gt;", "<script", "<img")] == [True, True, False, False]


def test_the_adjudicator_sees_a_hostile_note_as_text_and_no_names(
    tmp_path: Path, anna: Visitor, ben: Visitor, review: Review
) -> None:
    anna.decide(keys(review)[0], GOOD, note=SCRIPT)
    ben.decide(keys(review)[0], {**GOOD, "contrast": "no"})
    settling = review_in(tmp_path, mode=Mode.ADJUDICATE, annotators=("carol",))
    with serving(settling) as place, visiting(place, settling, settling.links.users[0]) as carol:
        shown = carol.get("/pair").text
    assert ESCAPED in shown
    assert not [word for word in ("<script", "anna", "benedikt") if word in shown]


def test_no_link_can_be_guessed(site: str, review: Review) -> None:
    link = review.links.link(ANNA)
    assert len(link.rpartition(".")[2]) * 6 >= 256
    other = Links(secrets.token_bytes(32), review.links.users)
    payload, _, signature = link.rpartition(".")
    bens = review.links.link(BEN).rpartition(".")[0]
    for guess in ("", "anna", payload, f"{bens}.{signature}", link.lower(), other.link(ANNA), "\udcff", "é"):
        body = json.dumps({"link": guess}).encode("ascii")
        answer = httpx.post(
            f"{site}/session", content=body, headers={"Origin": site, "Content-Type": "application/json"}
        )
        assert answer.status_code in {HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY}
        assert "set-cookie" not in answer.headers


def test_without_a_link_nothing_is_shown(site: str) -> None:
    for path in ("/", "/pair", "/agreement", "/agreement/figures"):
        answer = httpx.get(f"{site}{path}", headers={"Accept": "text/html"})
        assert answer.status_code == HTTPStatus.UNAUTHORIZED
        assert "<h1>Sign-in required</h1>" in answer.text
        assert "summer" not in answer.text


def test_a_session_cannot_be_altered_or_outlive_its_time(
    site: str, review: Review, anna: Visitor, ben: Visitor
) -> None:
    class Past(TimestampSigner):
        def get_timestamp(self) -> int:
            return super().get_timestamp() - SESSION_SECONDS - 60

    def status(session: str) -> int:
        return httpx.get(f"{site}/pair", headers={"Cookie": f"{review.cookie}={session}"}).status_code

    secret, session = review.links.secret.hex(), anna.cookies[review.cookie]
    payload, _, signature = session.partition(".")
    bens = ben.cookies[review.cookie].partition(".")[0]
    assert status(session) == status(TimestampSigner(secret).sign(payload).decode()) == HTTPStatus.OK
    forged = [
        f"{bens}.{signature}",  # the name of another
        payload,  # no signature
        TimestampSigner(secrets.token_hex(32)).sign(payload).decode(),  # another key
        Past(secret).sign(payload).decode(),  # too old
        review.links.link(ANNA),  # a signature that stands for something else
    ]
    assert [status(each) for each in forged] == [HTTPStatus.UNAUTHORIZED] * len(forged)


def test_a_user_who_was_removed_is_out(review: Review, anna: Visitor) -> None:
    links = replace(review.links, users=(BEN, LEAD))
    assert links.open_link(review.links.link(ANNA)) is None
    with serving(replace(review, links=links)) as place:
        answer = httpx.get(f"{place}/pair", headers={"Cookie": f"{review.cookie}={anna.cookies[review.cookie]}"})
    assert answer.status_code == HTTPStatus.UNAUTHORIZED


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(site: str, review: Review) -> None:
    answer = httpx.post(f"{site}/session", json={"link": review.links.link(ANNA)}, headers={"Origin": site})
    settings = [part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]]
    assert {"httponly", "samesite=strict", "path=/", f"max-age={SESSION_SECONDS}"} == set(settings)


def test_a_session_serves_its_own_user_only(anna: Visitor, ben: Visitor, review: Review) -> None:
    pair = keys(review)[0]
    assert anna.decide(pair, GOOD, annotator="benedikt").status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    crossed = anna.undo(headers={"X-Form-Token": ben.headers["X-Form-Token"]})
    assert crossed.status_code == HTTPStatus.FORBIDDEN
    ben.decide(pair, GOOD)
    anna.undo()
    found = [json.loads(line) for line in read_lines(review)]
    assert [(line["kind"], line["annotator"]) for line in found] == [("decision", "benedikt")]


@EVERY_MODE
def test_no_annotator_sees_what_another_answered_what_is_right_or_whose_it_is(
    anna: Visitor, ben: Visitor, review: Review, answers: dict[str, str], mode: Mode | Task
) -> None:
    for key in keys(review):
        ben.decide(key, answers, note="a telling note")
    outside = ("/decisions/benedikt", "/openapi.json", "/benedikt.jsonl")
    shown = [anna.get(path).text for path in ("/", "/pair", "/agreement", "/agreement/figures", *outside)]
    shown += [anna.undo().text, anna.decide(keys(review)[0], answers).text]
    texts = [text.replace("<label", "").replace("label>", "").replace("aria-label", "") for text in shown]
    hidden = () if mode is Mode.FILTER else ("secretive", "reference", "example 0", "label", "right")
    assert not [(word, text) for text in texts for word in ("telling", "benedikt", *hidden) if word in text]
    denied = anna.get("/agreement", headers={"Accept": "text/html"})
    assert denied.status_code == anna.get("/agreement/figures").status_code == HTTPStatus.FORBIDDEN
    assert "<h1>Access denied</h1>" in denied.text


def test_what_the_judge_expects_is_not_sent_to_annotators_who_work_blind(anna: Visitor, tmp_path: Path) -> None:
    assert "0.43" not in anna.get("/").text
    shown = review_in(tmp_path, annotators=("anna",), shows_judge=True)
    with serving(shown) as place, visiting(place, shown, ANNA) as visitor:
        assert "0.43" in visitor.get("/").text


@EVERY_MODE
def test_the_lead_sees_the_agreement_and_the_systems_and_decides_nothing(
    site: str, review: Review, anna: Visitor, answers: dict[str, str], mode: Mode | Task
) -> None:
    anna.decide(keys(review)[0], answers)
    with visiting(site, review, LEAD) as lead:
        shown = lead.get("/agreement").text
        assert ("anna" in shown, "secretive" in shown) == (True, mode is Task.PREFER)
        assert lead.get("/").headers["location"] == "/agreement"
        assert lead.get("/pair").status_code == HTTPStatus.FORBIDDEN
        assert lead.decide(keys(review)[0], answers).status_code == HTTPStatus.FORBIDDEN
    assert len(read_lines(review)) == 1


@pytest.mark.parametrize(
    ("mode", "changes", "status", "reason"),
    [
        (Mode.FILTER, {"pair": "../../etc/passwd"}, 409, "This pair is not in the queue; reload the page."),
        (Mode.FILTER, {"answers": {**GOOD, "extra": "yes"}}, 409, "Unknown extra"),  # no such question
        (Mode.FILTER, {"answers": {**GOOD, "sound": "maybe"}}, 409, "maybe"),  # no such answer
        (Mode.FILTER, {"answers": {}}, 409, "No answer to keywords"),
        (Mode.FILTER, {"mode": "adjudicate"}, 422, "Invalid request: unexpected form fields."),
        (Mode.FILTER, {"token": "short"}, 422, "Invalid request"),
        (Mode.FILTER, {"seconds": float("nan")}, 422, "Invalid request"),
        (Mode.FILTER, {"note": "x" * 2001}, 422, "Invalid request"),
        (Task.RANK, {"pair": "0" * 32}, 409, "not in the queue"),
        (Task.RANK, {"answers": {**ANSWERS[Task.RANK], "best": "9"}}, 409, "cannot be '9'"),  # no such text
        (Task.PREFER, {"answers": GOOD}, 409, "xpected better to be"),  # another mode's
        (Task.PREFER, {"order": [1, 2]}, 422, "unexpected form fields"),  # the server says in which order texts stand
    ],
    indirect=["mode"],
)
def test_an_answer_that_no_page_sends_is_refused(
    anna: Visitor, review: Review, answers: dict[str, str], changes: dict[str, object], status: int, reason: str
) -> None:
    content = {"pair": keys(review)[0], "answers": answers, "token": "0" * 32, **changes}
    answer = anna.post("/decisions", content=json.dumps(content), headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert reason in answer.json()["error"]
    assert read_lines(review) == []


TOO_LONG = MAX_BODY_BYTES // 1024 + 2


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 422),
        (b"\xff\xfe", "application/json", 422),
        (b"[" * 10_000, "application/json", 400),
        (b" " * (MAX_BODY_BYTES + 1), "application/json", 413),
        ((b" " * 1024 for _ in range(TOO_LONG)), "application/json", 413),  # in pieces, of which no header tells
        (b"{}", "text/plain", 415),  # all that a plain form can send across sites without asking first
    ],
)
def test_a_body_that_is_no_json_of_our_size_is_refused_in_words(
    anna: Visitor, review: Review, body: bytes | Iterator[bytes], kind: str, status: int
) -> None:
    answer = anna.post("/decisions", content=body, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or set(answer.json()) == {"error"}
    assert (read_lines(review), anna.get("/").status_code) == ([], HTTPStatus.OK)


def test_no_path_leads_out(site: str, anna: Visitor) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in anna.cookies.items())
    head = f"HTTP/1.1\r\nHost: {urlsplit(site).netloc}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    for path in ("/static/../app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/links.key"):
        answer = raw(site, f"GET {path} {head}")
        assert (answer.split()[1], "import" in answer, "root:" in answer) == ("404", False, False)


def test_no_other_method_changes_anything(anna: Visitor, review: Review) -> None:
    anna.decide(keys(review)[0], GOOD)
    answer = anna.get("/undo", headers={"X-HTTP-Method-Override": "POST"}, params={"token": "0" * 32})
    assert answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    assert len(read_lines(review)) == 1


def test_every_response_has_the_security_headers(anna: Visitor, site: str) -> None:
    answers = [
        anna.get("/"),
        anna.get("/enter"),
        anna.get("/static/review.js"),
        anna.get("/nowhere"),
        anna.get("/agreement"),
        anna.get("/", headers={"Host": "evil.example"}),
        anna.undo(headers={"Origin": "https://evil.example"}),
        anna.post("/decisions", json={}),
        anna.post("/decisions", content=b" " * (MAX_BODY_BYTES + 1)),
        httpx.get(f"{site}/"),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 404, 403, 400, 403, 422, 413, 401]
    wanted = {
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "access-control-allow-origin": None,
    }
    for answer in answers:
        assert {name: answer.headers.get(name) for name in wanted} == wanted
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
        assert (policy["default-src"], policy["frame-ancestors"]) == ("'none'", "'none'")
        assert "unsafe" not in answer.headers["content-security-policy"]


def test_a_replayed_answer_counts_once(anna: Visitor, review: Review) -> None:
    first, second, *_ = keys(review)
    answers = [anna.decide(first, GOOD, token="0" * 32) for _ in range(2)]
    assert (answers[0].status_code, answers[0].text) == (HTTPStatus.OK, answers[1].text)
    assert anna.decide(second, GOOD, token="0" * 32).status_code == HTTPStatus.CONFLICT
    assert len(read_lines(review)) == 1


def test_an_answer_that_cannot_be_written_is_not_taken_for_recorded(anna: Visitor, review: Review) -> None:
    review.service.log.path("anna").mkdir(parents=True)
    answer = anna.decide(keys(review)[0], GOOD)
    assert (answer.status_code, answer.json()) == (
        HTTPStatus.SERVICE_UNAVAILABLE,
        {"error": "The decision could not be saved."},
    )


def test_links_survive_a_restart_and_end_with_their_key(tmp_path: Path, review: Review) -> None:
    again = review_in(tmp_path, annotators=("anna",))
    assert again.links.link(ANNA) == review.links.link(ANNA)
    (tmp_path / "decisions" / "links.key").unlink()
    assert review_in(tmp_path, annotators=("anna",)).links.open_link(review.links.link(ANNA)) is None


def test_the_key_is_its_owners_alone(tmp_path: Path) -> None:
    secret, path = load_secret(tmp_path), tmp_path / "links.key"
    assert (len(secret), path.stat().st_mode & 0o777) == (32, 0o600)
    assert load_secret(tmp_path) == secret
    assert "links.key" in (tmp_path / ".gitignore").read_text("utf-8").splitlines()
    path.chmod(0o640)
    with pytest.raises(SettingsError, match="is readable by other users; run `chmod 600"):
        load_secret(tmp_path)
    path.chmod(0o600)
    path.write_bytes(b"short")
    with pytest.raises(SettingsError, match="has 5 bytes, expected 32; delete it"):
        load_secret(tmp_path)


def test_a_name_cannot_lead_out_of_the_folder_of_decisions(tmp_path: Path, review: Review) -> None:
    with pytest.raises(DecisionError, match="is not a valid name"):
        review_in(tmp_path, annotators=("../anna",))


def test_the_order_tells_nothing(tmp_path: Path) -> None:
    """The right text of a question stands in every place for one of twenty people."""
    write_questions(tmp_path / "questions", TEXTS)
    service = review_in(tmp_path, "questions", mode=Task.RANK).service
    places = set()
    for number in range(20):
        view = service.page(f"person{number}").view
        places.add(next(text.place for text in view.texts if text.number - 1 == service.queue.items[0].right))
    assert places == {1, 2, 3, 4}


def test_what_cannot_be_asked_is_refused_at_once(tmp_path: Path) -> None:
    write_dataset(tmp_path / "dataset", place_pairs(2))
    (tmp_path / "questions").mkdir()
    with pytest.raises(SettingsError, match="has no test questions to rank"):
        review_in(tmp_path, "questions", mode=Task.RANK)
    with pytest.raises(SettingsError, match="give --predictions FILE once for each system"):
        review_in(tmp_path, mode=Task.PREFER)
    same = {key: " ".join(pair) for key, pair in zip(predictions(place_pairs(2)), place_pairs(2), strict=True)}
    for name in ("mine", "reference"):
        write_predictions(tmp_path / f"{name}.jsonl", same)
    with pytest.raises(SettingsError, match="nothing to compare"):
        review_in(tmp_path, mode=Task.PREFER, predictions=(tmp_path / "mine.jsonl",))
    with pytest.raises(PredictionError, match="two systems are named 'reference'"):
        review_in(tmp_path, mode=Task.PREFER, predictions=(tmp_path / "reference.jsonl",))
