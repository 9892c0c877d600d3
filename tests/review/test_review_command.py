"""The command `review`: what it refuses, where it listens, and what it says."""

import socket
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from starlette.testclient import TestClient
from typer.testing import CliRunner

from flows.cli.app import app
from flows.review.app import review_app
from flows.review.security import Role, User
from flows.review.server import Address, Reporter, _announce
from review_server import review_in
from review_support import place_pairs, write_dataset
from situatedgen.errors import SettingsError


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "dataset", place_pairs(3))


@pytest.mark.parametrize(
    ("folder", "options", "message"),
    [
        (".", (), "is not a situatedgen dataset"),
        ("dataset", ("--split", "dev"), "the dev split of .* has no pairs; choose another with --split"),
        ("dataset", ("--split", "tset"), "unknown split 'tset'.*did you mean 'test'"),
        ("dataset", ("--port", "TAKEN"), "cannot listen on 127.0.0.1, port .*choose another with --port"),
        ("dataset", ("--host", "203.0.113.7"), "cannot listen on 203.0.113.7, port 8765"),  # none of ours
    ],
)
def test_what_cannot_be_served_is_refused_at_once(
    dataset: Path, tmp_path: Path, folder: str, options: tuple[str, ...], message: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        given = [str(other.getsockname()[1]) if each == "TAKEN" else each for each in options]
        run = ["review", str(tmp_path / folder), "--decisions", str(tmp_path / "decisions"), *given]
        with pytest.raises(SettingsError, match=message):
            CliRunner().invoke(app, run, catch_exceptions=False)


@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)],
)
def test_only_loopback_is_taken_for_loopback(host: str, is_loopback: bool) -> None:
    assert Address(host, 80).is_loopback == is_loopback
    wanted = f"http://[{host}]:80" if ":" in host else f"http://{host}:80"
    assert (Address(host, 80).site == wanted) == is_loopback  # else it names this machine as others reach it


@pytest.mark.parametrize(
    ("host", "status"),
    [("192.168.1.5:8765", 200), ("[fe80::1]:8765", 200), ("box:8765", 200), ("evil.example:8765", 400)],
)
def test_on_all_interfaces_an_address_is_trusted_and_a_foreign_name_is_not(
    dataset: Path, tmp_path: Path, host: str, status: int
) -> None:
    """A page that points its own name here (DNS rebinding) comes with that name; an address cannot be pointed."""
    client = TestClient(review_app(review_in(tmp_path), hosts=["box"], any_address=True))
    assert client.get("/enter", headers={"Host": host}).status_code == status


def test_the_terminal_tells_who_came_and_now_and_then_how_far_they_are() -> None:
    console = Console(record=True, width=100, file=StringIO())
    reporter, anna = Reporter(console), User(Role.ANNOTATOR, "anna")
    reporter(anna, "signed in")
    for _ in range(21):
        reporter(anna, "decided")
    assert console.export_text().splitlines() == [
        "anna signed in",
        "anna: 10 decisions since the start",
        "anna: 20 decisions since the start",
    ]


def test_a_line_that_is_no_decision_is_told_of_at_the_start(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "decisions").mkdir()
    (tmp_path / "decisions" / "anna.jsonl").write_text('{"kind": "decision", "id": "torn', encoding="utf-8")
    console = Console(record=True, width=200, file=StringIO())
    _announce(review_in(tmp_path, annotators=("anna",)), Address("0.0.0.0", 8765), console)
    text = console.export_text()
    assert f"ignored: {tmp_path / 'decisions' / 'anna.jsonl'}, line 1: invalid JSON: the line is incomplete" in text
    assert "warning: 0.0.0.0 is reachable from your network without encryption" in text
