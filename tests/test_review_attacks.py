"""The review page under attack: foreign pages, foreign names, guessed links, stolen sessions, hostile text."""

import json
import secrets
import socket
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from flows.review.app import Round
from flows.review.guard import LONGEST_BODY
from flows.review.keyring import SESSION_SECONDS, Holder, Keyring, Role, keyring
from review_server import Visitor, round_in, serving, visiting
from review_support import place_pairs, write_dataset
from situatedgen.errors import DecisionError, SettingsError
from situatedgen.review.criteria import FILTER, Mode
from situatedgen.vocabulary import Split
from storage.decisions import Log
from storage.link_keys import link_key

ANNA, BEN, LEAD = Holder(Role.ANNOTATOR, "anna"), Holder(Role.ANNOTATOR, "benedikt"), Holder(Role.LEAD, "lead")
GOOD = dict.fromkeys(FILTER.names, "yes")
SCRIPT = "<script>alert(1)</script>"
HOSTILE = (f"It is summer in Spain {SCRIPT}.", 'It is winter in Peru "><img src=x onerror=alert(1)>.')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("review")
    write_dataset(found / "dataset", [HOSTILE, *place_pairs(5)])
    return found


@pytest.fixture(scope="module")
def serving_round(folder: Path) -> Iterator[tuple[Round, str]]:
    found = round_in(folder, annotators=("anna", "benedikt"))
    with serving(found) as site:
        yield found, site


@pytest.fixture
def served(serving_round: tuple[Round, str], folder: Path) -> Round:
    """A round that is being served, and in which nobody has decided anything yet."""
    for path in (folder / "decisions").glob("*.jsonl"):
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()
    served, _ = serving_round
    served.desk.log._known.clear()
    served.desk._turns.skipped.clear()
    return served


@pytest.fixture
def site(serving_round: tuple[Round, str]) -> str:
    return serving_round[1]


@pytest.fixture
def anna(site: str, served: Round) -> Iterator[Visitor]:
    with visiting(site, served, ANNA) as visitor:
        yield visitor


@pytest.fixture
def ben(site: str, served: Round) -> Iterator[Visitor]:
    with visiting(site, served, BEN) as visitor:
        yield visitor


def first_pair(served: Round) -> str:
    return served.desk.queue[0].key


def lines(served: Round) -> list[dict[str, object]]:
    """Every line of the log as it lies on disk."""
    return [json.loads(line) for path in served.desk.log.files() for line in path.read_text("utf-8").splitlines()]


def test_an_answer_of_ones_own_page_is_taken(anna: Visitor, served: Round) -> None:
    """The one request that all attacks below differ from in one thing."""
    answer = anna.decide(first_pair(served), GOOD, note="fine", seconds=3.5)
    assert answer.status_code == HTTPStatus.OK
    assert [(line["annotator"], line["note"], line["seconds"]) for line in lines(served)] == [("anna", "fine", 3.5)]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},  # another site's page
        {"Origin": "null"},  # a sandboxed frame, or a file
        {"Origin": ""},
        {"Origin": "http://127.0.0.1:1"},  # another program's page on this machine
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-Form-Token": ""},
        {"X-Form-Token": "A" * 43},
        {"Cookie": ""},
    ],
)
@pytest.mark.parametrize("path", ["/decisions", "/undo", "/skip"])
def test_a_foreign_page_changes_nothing(anna: Visitor, served: Round, path: str, headers: dict[str, str]) -> None:
    anna.decide(first_pair(served), GOOD)
    before = lines(served)
    bodies = {
        "/decisions": {"pair": served.desk.queue[1].key, "answers": GOOD, "token": secrets.token_hex(16)},
        "/undo": {"token": secrets.token_hex(16)},
        "/skip": {"pair": served.desk.queue[1].key},
    }
    answer = anna.post(path, json=bodies[path], headers=headers)
    assert answer.status_code in {HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED}
    assert lines(served) == before
    assert served.desk.page("anna").pair == served.desk.queue[1]


def test_a_request_without_an_origin_changes_nothing(anna: Visitor, served: Round) -> None:
    del anna.headers["Origin"]
    assert anna.decide(first_pair(served), GOOD).status_code == HTTPStatus.FORBIDDEN
    assert lines(served) == []


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_plain_form_can_send_is_refused(anna: Visitor, served: Round, kind: str) -> None:
    """A form of a foreign page can send these without asking first; JSON it cannot."""
    content = json.dumps({"pair": first_pair(served), "answers": GOOD, "token": secrets.token_hex(16)})
    answer = anna.post("/decisions", content=content, headers={"Content-Type": kind})
    assert answer.status_code == HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    assert lines(served) == []


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8765",
        "evil.example#127.0.0.1",
        "192.168.0.7",
        "",
    ],
)
def test_a_name_pointed_at_this_machine_is_refused(anna: Visitor, served: Round, host: str) -> None:
    """DNS rebinding: the foreign page is same-origin with itself, but it comes with its own name."""
    headers = {"Host": host, "Origin": f"http://{host}"}
    assert anna.get("/", headers=headers).status_code in {HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.BAD_REQUEST}
    answer = anna.post("/undo", json={"token": secrets.token_hex(16)}, headers=headers)
    assert answer.status_code in {HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.BAD_REQUEST}


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1", "[::1]:8765"])
def test_this_machine_goes_by_its_own_names_whatever_the_port_of_a_tunnel(anna: Visitor, host: str) -> None:
    assert anna.get("/", headers={"Host": host}).status_code == HTTPStatus.OK


def test_a_foreign_page_cannot_load_parts_of_ours(anna: Visitor) -> None:
    for path in ("/pair", "/static/review.js", "/agreement/figures"):
        assert anna.get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == HTTPStatus.FORBIDDEN


def test_hostile_sentences_and_notes_are_text(anna: Visitor, served: Round) -> None:
    hostile = next(pair for pair in served.desk.queue if SCRIPT in pair.content.statements[0])
    anna.decide(hostile.key, GOOD, note=f"</textarea>{SCRIPT}")
    again = anna.post("/undo", json={"token": secrets.token_hex(16)}).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in again
    assert "&lt;/textarea&gt;" in again
    assert "<script" not in again
    assert "<img" not in again
    scripts = anna.get("/").text.count("<script")
    assert scripts == anna.get("/").text.count('<script src="/static/') == 2  # our own, which are all that may run


def test_a_hostile_note_is_text_to_the_adjudicator(folder: Path, anna: Visitor, ben: Visitor, served: Round) -> None:
    anna.decide(first_pair(served), GOOD, note=SCRIPT)
    ben.decide(first_pair(served), {**GOOD, "contrast": "no"})
    settling = round_in(folder, mode=Mode.ADJUDICATE, annotators=("carol",))
    with serving(settling) as place, visiting(place, settling, settling.keys.holders[0]) as carol:
        shown = carol.get("/pair").text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
        assert "<script" not in shown
        assert "anna" not in shown
        assert "benedikt" not in shown


def guesses(served: Round) -> list[str]:
    link = served.keys.link(ANNA)
    other = Keyring(secrets.token_bytes(32), served.keys.holders)
    flipped = ("A" if link[0] != "A" else "B") + link[1:]
    return ["", "anna", link[:-1], f"{link}A", link.lower(), flipped, other.link(ANNA), "é", "\udcff", "A" * 43]


def test_no_link_can_be_guessed(site: str, served: Round) -> None:
    assert len(served.keys.link(ANNA)) * 6 >= 256
    for guess in guesses(served):
        body = json.dumps({"link": guess}).encode("ascii")
        headers = {"Origin": site, "Content-Type": "application/json"}
        answer = httpx.post(f"{site}/session", content=body, headers=headers)
        assert answer.status_code in {HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY}
        assert "set-cookie" not in answer.headers


def test_without_a_link_nothing_is_shown(site: str, served: Round) -> None:
    for path in ("/", "/pair", "/agreement", "/agreement/figures"):
        answer = httpx.get(f"{site}{path}", headers={"Accept": "text/html"})
        assert answer.status_code == HTTPStatus.UNAUTHORIZED
        assert "summer" not in answer.text


def test_a_session_cannot_be_altered_or_outlive_its_time(served: Round) -> None:
    keys = served.keys
    session = keys.session(ANNA, now=1000)
    assert keys.inside(session, now=1000 + SESSION_SECONDS) == ANNA
    assert keys.inside(session, now=1001 + SESSION_SECONDS) is None
    role, name, issued, digest = session.split(".")
    ben = keys.session(BEN, now=1000).split(".")[1]
    altered = [
        f"{role}.{ben}.{issued}.{digest}",  # another's name
        f"lead.{name}.{issued}.{digest}",  # another role
        f"{role}.{name}.9999999999.{digest}",  # a longer life
        f"{role}.{name}.{issued}.",
        f"{role}.{name}.{issued}.{keys.link(ANNA)}",  # a digest that stands for something else
        f"{session}.",
        "....",
        "",
    ]
    assert [keys.inside(each, now=1000) for each in altered] == [None] * len(altered)
    assert keyring(keys.secret, ["benedikt"], role=Role.ANNOTATOR).inside(session, now=1000) is None  # anna left


def test_the_cookie_is_out_of_reach_of_scripts_and_foreign_pages(site: str, served: Round) -> None:
    answer = httpx.post(f"{site}/session", json={"link": served.keys.link(ANNA)}, headers={"Origin": site})
    settings = [part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]]
    assert {"httponly", "samesite=strict", "path=/"} <= set(settings)
    assert not any(part.startswith("domain") for part in settings)


def test_a_session_serves_its_own_holder_only(anna: Visitor, ben: Visitor, served: Round) -> None:
    pair = first_pair(served)
    assert anna.decide(pair, GOOD, annotator="benedikt").status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    token = ben.headers["X-Form-Token"]
    crossed = anna.post("/undo", json={"token": secrets.token_hex(16)}, headers={"X-Form-Token": token})
    assert crossed.status_code == HTTPStatus.FORBIDDEN
    ben.decide(pair, GOOD)
    anna.post("/undo", json={"token": secrets.token_hex(16)})
    assert [(line["kind"], line["annotator"]) for line in lines(served)] == [("decision", "benedikt")]


def test_nobody_who_judges_sees_what_another_answered(anna: Visitor, ben: Visitor, served: Round) -> None:
    for pair in served.desk.queue:
        ben.decide(pair.key, {**GOOD, "sound": "no"}, note="a telling note")
    paths = ("/", "/pair", "/agreement", "/agreement/figures", "/decisions", "/decisions/benedikt", "/docs")
    told = [anna.get(path).text for path in (*paths, "/openapi.json", "/benedikt.jsonl", "/static/benedikt.jsonl")]
    told.append(anna.post("/undo", json={"token": secrets.token_hex(16)}).text)
    told.append(anna.decide(first_pair(served), GOOD).text)
    assert not [text for text in told if "telling" in text or "benedikt" in text]
    assert anna.get("/agreement").status_code == HTTPStatus.FORBIDDEN
    assert anna.get("/agreement/figures").status_code == HTTPStatus.FORBIDDEN


def test_screening_flags_are_not_sent_to_who_judges_blindly(anna: Visitor, folder: Path) -> None:
    assert "contained" not in anna.get("/").text
    open_round = round_in(folder, annotators=("anna",), shows_flags=True)
    with serving(open_round) as place, visiting(place, open_round, ANNA) as visitor:
        assert "contained" in visitor.get("/").text


def test_who_leads_sees_the_agreement_and_decides_nothing(site: str, served: Round, anna: Visitor) -> None:
    anna.decide(first_pair(served), GOOD)
    with visiting(site, served, LEAD) as lead:
        assert "anna" in lead.get("/agreement").text
        assert lead.get("/").headers["location"] == "/agreement"
        assert lead.get("/pair").status_code == HTTPStatus.FORBIDDEN
        assert lead.decide(first_pair(served), GOOD).status_code == HTTPStatus.FORBIDDEN
    assert len(lines(served)) == 1


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"pair": "0" * 32}, HTTPStatus.CONFLICT),  # no such pair
        ({"pair": "../../etc/passwd"}, HTTPStatus.CONFLICT),
        ({"pair": "0" * 1000}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"pair": None}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"answers": {**GOOD, "extra": "yes"}}, HTTPStatus.CONFLICT),  # no such question
        ({"answers": {"antithesis": "yes", "context_dependent": "yes"}}, HTTPStatus.CONFLICT),  # another mode's
        ({"answers": {**GOOD, "sound": "maybe"}}, HTTPStatus.CONFLICT),  # no such answer
        ({"answers": {}}, HTTPStatus.CONFLICT),  # nothing is answered
        ({"answers": [1]}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"token": "short"}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"seconds": -1}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"seconds": float("nan")}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"seconds": float("inf")}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"note": "x" * 2001}, HTTPStatus.UNPROCESSABLE_ENTITY),
        ({"mode": "adjudicate"}, HTTPStatus.UNPROCESSABLE_ENTITY),
    ],
)
def test_what_no_page_would_send_is_refused(
    anna: Visitor, served: Round, changes: dict[str, object], status: HTTPStatus
) -> None:
    content = {"pair": first_pair(served), "answers": GOOD, "token": secrets.token_hex(16), **changes}
    headers = {"Content-Type": "application/json"}
    answer = anna.post("/decisions", content=json.dumps(content), headers=headers)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}
    assert lines(served) == []


def test_a_pair_of_another_split_or_outside_the_sample_is_unknown(tmp_path: Path) -> None:
    write_dataset(tmp_path / "dataset", place_pairs(6), split=Split.DEV)
    asked = round_in(tmp_path, mode=Mode.QUALITY, annotators=("anna",), sample=2)
    outside = next(key for key in asked.desk.sheets.by_key if key not in {pair.key for pair in asked.desk.queue})
    with serving(asked) as place, visiting(place, asked, ANNA) as visitor:
        answers = {"antithesis": "yes", "context_dependent": "no"}
        assert visitor.decide(outside, answers).status_code == HTTPStatus.CONFLICT
        assert visitor.decide(first_pair(asked), answers).status_code == HTTPStatus.OK


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"pair": "x", "pair": "y"}', b"[" * 10_000, b'{"token": "\\ud800"}'],
)
def test_broken_json_is_refused_in_words(anna: Visitor, served: Round, body: bytes) -> None:
    answer = anna.post("/decisions", content=body, headers={"Content-Type": "application/json"})
    assert HTTPStatus.BAD_REQUEST <= answer.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    assert set(answer.json()) == {"error"}
    assert anna.get("/").status_code == HTTPStatus.OK


def endless() -> Iterator[bytes]:
    for _ in range(LONGEST_BODY // 1024 + 2):
        yield b" " * 1024


@pytest.mark.parametrize("body", [b" " * (LONGEST_BODY + 1), endless()])
def test_a_body_too_long_is_cut_off(anna: Visitor, body: bytes | Iterator[bytes]) -> None:
    answer = anna.post("/decisions", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert anna.get("/").status_code == HTTPStatus.OK


def raw(site: str, request: str) -> str:
    """What a server answers to bytes that no client library would send."""
    place = urlsplit(site)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=20) as connection:
        connection.sendall(request.encode("latin-1"))
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode("latin-1")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/../../cli/app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/app.py",
        "/static/....//app.py",
        "/static/..\\app.py",
        "/static//etc/passwd",
        "/static/review.css%00.py",
        "/../../../../etc/passwd",
        "//etc/passwd",
        "/static/",
        "/links.key",
    ],
)
def test_no_path_leads_out(site: str, anna: Visitor, path: str) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in anna.cookies.items())
    host = urlsplit(site).netloc
    answer = raw(site, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n")
    assert answer.split()[1] in {"404", "400", "405"}
    assert "import" not in answer
    assert "root:" not in answer


def test_two_hosts_in_one_request_are_refused(site: str) -> None:
    host = urlsplit(site).netloc
    answer = raw(site, f"GET /enter HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    assert answer.split()[1] in {"400", "421"}


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", ["/decisions", "/undo", "/skip", "/session"])
def test_no_other_method_changes_anything(anna: Visitor, served: Round, method: str, path: str) -> None:
    anna.decide(first_pair(served), GOOD)
    before = lines(served)
    override = {"X-HTTP-Method-Override": "POST", "X-Method-Override": "POST", "X-HTTP-Method": "POST"}
    query = {"_method": "POST", "pair": served.desk.queue[1].key, "token": "0" * 32}
    answer = anna.request(method, path, headers=override, params=query)
    assert answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    assert lines(served) == before


def test_an_overridden_method_is_what_it_was_sent_as(anna: Visitor, served: Round) -> None:
    answer = anna.post("/pair", json={}, headers={"X-HTTP-Method-Override": "GET"})
    assert answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED


def test_every_answer_is_sealed(anna: Visitor, site: str) -> None:
    answers = [
        anna.get("/"),
        anna.get("/enter"),
        anna.get("/pair"),
        anna.get("/static/review.js"),
        anna.get("/nowhere"),
        anna.get("/agreement"),
        anna.get("/", headers={"Host": "evil.example"}),
        anna.get("/decisions"),
        anna.post("/decisions", json={}),
        anna.post("/decisions", content=b" " * (LONGEST_BODY + 1)),
        httpx.get(f"{site}/"),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 404, 403, 421, 405, 422, 413, 401]
    for answer in answers:
        sealed = answer.headers
        assert sealed["cache-control"] == "no-store"
        assert sealed["x-content-type-options"] == "nosniff"
        assert sealed["x-frame-options"] == "DENY"
        assert sealed["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in sealed
        policy = dict(part.strip().split(" ", 1) for part in sealed["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in sealed["content-security-policy"]


def test_a_websocket_is_not_opened(site: str) -> None:
    host = urlsplit(site).netloc
    asked = (
        "Upgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAA\r\n"
    )
    assert " 101 " not in raw(site, f"GET / HTTP/1.1\r\nHost: {host}\r\n{asked}\r\n")


def test_an_answer_sent_again_counts_once(anna: Visitor, served: Round) -> None:
    token, pair = secrets.token_hex(16), first_pair(served)
    first, second = (anna.decide(pair, GOOD, token=token) for _ in range(2))
    assert (first.status_code, second.status_code, first.text) == (HTTPStatus.OK, HTTPStatus.OK, second.text)
    assert len(lines(served)) == 1
    other = anna.decide(pair, {**GOOD, "sound": "no"}, token=token)
    assert other.status_code == HTTPStatus.CONFLICT
    assert len(lines(served)) == 1


def test_an_undo_sent_again_takes_back_one_answer(anna: Visitor, served: Round) -> None:
    for pair in served.desk.queue[:2]:
        anna.decide(pair.key, GOOD)
    token = secrets.token_hex(16)
    first, second = (anna.post("/undo", json={"token": token}) for _ in range(2))
    assert first.text == second.text
    assert [line["kind"] for line in lines(served)] == ["decision", "decision", "undo"]
    assert served.desk.page("anna").pair == served.desk.queue[1]


def test_an_answer_that_cannot_be_written_is_not_taken_for_recorded(anna: Visitor, served: Round) -> None:
    served.desk.log.path("anna").mkdir(parents=True)
    answer = anna.decide(first_pair(served), GOOD)
    assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert "form" not in answer.text


def test_links_survive_a_restart_and_end_with_their_secret(tmp_path: Path) -> None:
    write_dataset(tmp_path / "dataset", place_pairs(2))
    first, second = (round_in(tmp_path, annotators=("anna",)).keys.link(ANNA) for _ in range(2))
    assert first == second
    (tmp_path / "decisions" / "links.key").unlink()
    assert round_in(tmp_path, annotators=("anna",)).keys.link(ANNA) != first


def test_the_secret_is_its_owners_alone(tmp_path: Path) -> None:
    secret = link_key(tmp_path)
    path = tmp_path / "links.key"
    assert (len(secret), path.stat().st_mode & 0o777) == (32, 0o600)
    assert link_key(tmp_path) == secret
    assert "links.key" in (tmp_path / ".gitignore").read_text("utf-8").splitlines()
    path.chmod(0o640)
    with pytest.raises(SettingsError, match="may be read by others"):
        link_key(tmp_path)


@pytest.mark.parametrize("name", ["../anna", "/etc/passwd", "a/b", ".hidden", "an na", "a\x00b", "-rf"])
def test_a_name_cannot_lead_out_of_the_folder_of_decisions(tmp_path: Path, name: str) -> None:
    write_dataset(tmp_path / "dataset", place_pairs(2))
    with pytest.raises(DecisionError, match="may hold letters"):
        round_in(tmp_path, annotators=(name,))


def test_all_links_of_a_round_differ(served: Round) -> None:
    everyone = [served.keys.link(holder) for holder in served.keys.holders]
    assert [holder.name for holder in served.keys.holders] == ["anna", "benedikt", "lead"]
    assert len(set(everyone)) == len(everyone)
    assert served.keys.form_token(served.keys.session(ANNA)) not in everyone


def test_the_log_names_whoever_the_session_names(anna: Visitor, ben: Visitor, served: Round, folder: Path) -> None:
    anna.decide(first_pair(served), GOOD)
    ben.decide(first_pair(served), GOOD)
    files = {path.name: path.read_text("utf-8").count("\n") for path in Log(folder / "decisions").files()}
    assert files == {"anna.jsonl": 1, "benedikt.jsonl": 1}
