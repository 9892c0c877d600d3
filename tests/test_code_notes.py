"""Notes of what code reaches: equal to what is read from the code, and never trusted once anything differs."""

import json
from pathlib import Path

import pytest

from storage import code_notes, fingerprint

TARGET = "situatedgen.stages.masks:masks"


@pytest.fixture(autouse=True)
def _own_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    fingerprint.forget()
    yield
    fingerprint.forget()


def reading(found: dict[tuple[str, str], str], asked: list[str]):
    def read() -> dict[tuple[str, str], str]:
        asked.append("read")
        return found

    return read


def test_what_is_noted_is_what_was_read():
    first = dict(fingerprint.parts(TARGET))
    fingerprint.forget()
    assert code_notes.noted(TARGET, dict) == first == fingerprint.parts(TARGET)


def test_code_is_read_once_for_all_processes():
    asked: list[str] = []
    found = {("situatedgen.a", "b"): "1"}
    assert [code_notes.noted(TARGET, reading(found, asked)) for _ in range(3)] == [found] * 3
    assert asked == ["read"]


@pytest.mark.parametrize("harm", ["", "{", "[]", '{"symbols": [["a", "b", "c"]], "self": "0"}', '{"symbols": 1}'])
def test_a_harmed_note_is_read_anew_and_mended(harm: str):
    found = {("situatedgen.a", "b"): "1"}
    code_notes.noted(TARGET, reading(found, []))
    (note,) = code_notes.folder().rglob("*.json")
    whole = note.read_text()
    note.write_text(harm)
    assert code_notes.noted(TARGET, reading(found, [])) == found
    assert note.read_text() == whole


def test_a_changed_digest_in_a_note_is_not_believed():
    found = {("situatedgen.a", "b"): "1"}
    code_notes.noted(TARGET, reading(found, []))
    (note,) = code_notes.folder().rglob("*.json")
    told = json.loads(note.read_text())
    told["symbols"][0][2] = "2"
    note.write_text(json.dumps(told))
    assert code_notes.noted(TARGET, reading(found, [])) == found


def test_another_state_of_the_code_has_other_notes(monkeypatch: pytest.MonkeyPatch):
    found, edited = {("situatedgen.a", "b"): "1"}, {("situatedgen.a", "b"): "2"}
    code_notes.noted(TARGET, reading(found, []))
    monkeypatch.setattr(code_notes, "state", lambda: "other")
    assert code_notes.noted(TARGET, reading(edited, [])) == edited


def test_notes_of_old_states_go(monkeypatch: pytest.MonkeyPatch):
    for number in range(2 * code_notes.STATES):
        monkeypatch.setattr(code_notes, "state", lambda number=number: str(number))
        code_notes.noted(TARGET, reading({}, []))
    assert len(list(code_notes.folder().iterdir())) == code_notes.STATES


def test_code_of_others_is_never_noted():
    asked: list[str] = []
    for _ in range(2):
        code_notes.noted("theirs.models:Tagger", reading({}, asked))
    assert (asked, code_notes.folder().exists()) == (["read", "read"], False)


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert code_notes.noted(TARGET, reading({}, [])) == {}
