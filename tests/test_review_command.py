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


def run(*arguments: str) -> None:
    CliRunner().invoke(app, ["review", *arguments], catch_exceptions=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--split", "dev"), "the dev split of .* has no pairs; choose another with --split"),
        (("--split", "tset"), "unknown split 'tset'.*did you mean 'test'"),
        (("--host", "203.0.113.7"), "cannot listen on 203.0.113.7, port 8765.*choose another"),  # none of ours
    ],
)
def test_what_cannot_be_served_is_refused_at_once(
    dataset: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        run(str(dataset), "--decisions", str(tmp_path / "decisions"), *options)


def test_a_taken_port_is_named(dataset: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SettingsError, match=f"port {port}.*choose another with --port"):
            run(str(dataset), "--decisions", str(tmp_path / "decisions"), "--port", str(port))


def test_a_folder_that_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is no dataset folder"):
        run(str(tmp_path), "--decisions", str(tmp_path / "decisions"))


@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)],
)
def test_only_loopback_is_taken_for_loopback(host: str, is_loopback: bool) -> None:
    assert Address(host, 80).is_loopback == is_loopback


def test_an_address_reads_as_a_browser_takes_it() -> None:
    assert Address("::1", 8765).site == "http://[::1]:8765"
    assert Address("127.0.0.1", 8765).site == "http://127.0.0.1:8765"
    assert "0.0.0.0" not in Address("0.0.0.0", 8765).site


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
