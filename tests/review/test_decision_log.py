"""The log of decisions: nothing acknowledged is lost, nothing stands twice, nothing torn is taken or hidden."""

import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from filelock import lock_descriptor

from process_support import run_python, running
from review_support import WHEN, decision
from situatedgen.errors import DecisionError, StoreError
from situatedgen.review.decisions import Undo
from situatedgen.review.log_format import line
from storage.annotation import log as module
from storage.annotation.log import Log, MalformedLine

# Writes decisions one after the other.
WRITER = """
import sys
from pathlib import Path
from review_support import decision
from storage.annotation.log import Log

log, annotator, first = Log(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
for number in range(first, first + int(sys.argv[4])):
    log.add(decision(annotator, f"City {number}"))
"""

# Forks a writer for every line it reads, kills it a moment after so many decisions, and says which it called safe.
KILLER = """
import os, signal, sys, time
from pathlib import Path
from review_support import decision
from storage.annotation.log import Log

folder = Path(sys.argv[1])
for told in sys.stdin:
    first, count, moment = told.split()
    safe, saying = os.pipe()
    if not (child := os.fork()):
        try:
            log = Log(folder)
            for number in range(int(first), int(first) + 10_000):
                log.add(decision("anna", f"City {number}"))
                os.write(saying, f"{number}\\n".encode())
        finally:
            os._exit(1)
    os.close(saying)
    with os.fdopen(safe) as stream:
        numbers = [stream.readline() for _ in range(int(count))]
        time.sleep(float(moment))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        print(*(number.strip() for number in (*numbers, *stream)), flush=True)
"""


def _names(log: Log) -> list[str]:
    return [entry.content.statements[0] for entry in log.read().entries]


def test_what_was_added_is_read_by_anyone_in_the_order_of_writing(tmp_path):
    log = Log(tmp_path / "decisions")
    assert log.read().entries == ()
    with pytest.raises(DecisionError):
        log.add_all([decision("anna", "Rome"), decision("../anna", "Rome")])
    assert not log.folder.exists()
    made = [decision("anna", "Rome"), decision("anna", "Oslo", "sound"), decision("ben", "Rome")]
    assert [log.add(each) for each in made] == [True, True, True]
    assert log.read() == Log(tmp_path / "decisions").read()
    assert log.read().entries == tuple(made)
    assert sorted(path.name for path in log.files()) == ["anna.jsonl", "ben.jsonl"]


def test_a_decision_sent_twice_is_written_once_and_its_id_means_nothing_else(tmp_path):
    log, made = Log(tmp_path), decision("anna", "Rome", token="token-001")
    assert [log.add(made), log.add(made), Log(tmp_path).add(made)] == [True, False, False]
    assert log.read().entries == (made,)
    with pytest.raises(DecisionError, match="'token-001' belongs to another decision of anna"):
        log.add(decision("anna", "Oslo", token="token-001"))
    assert log.add(decision("ben", "Oslo", token="token-001"))


def test_undo_is_a_further_line(tmp_path):
    log, made = Log(tmp_path), decision("anna", "Rome")
    log.add(made)
    before = (tmp_path / "anna.jsonl").read_bytes()
    log.add(Undo("undo-0001", "anna", made.decision_id, WHEN))
    assert (tmp_path / "anna.jsonl").read_bytes().startswith(before)
    assert log.read().decisions == ()
    with pytest.raises(DecisionError, match="ben has no decision"):
        log.add(Undo("undo-0002", "ben", made.decision_id, WHEN))


def test_wherever_the_last_line_is_torn_the_rest_stands_and_the_tear_is_told(tmp_path):
    """Torn anywhere by a kill, or zeros after a power cut."""
    kept, lost = decision("anna", "Rome"), decision("anna", "Zürich")
    whole, last = f"{line(kept)}\n".encode(), line(lost).encode()
    tails = [last[:length] for length in {*range(1, len(last), 9), len(last) - 1}]
    for number, tail in enumerate([*tails, b"\0" * 512]):
        path = tmp_path / str(number) / "anna.jsonl"
        path.parent.mkdir()
        path.write_bytes(whole + tail)
        log = Log(path.parent)
        reading = log.read()
        assert reading.entries == (kept,)
        assert [(fault.file, fault.line) for fault in reading.faults] == [(path, 2)]
        assert log.add(lost)
        assert log.read().entries == Log(path.parent).read().entries == (kept, lost)
        assert [fault.line for fault in log.read().faults] == [2]
        assert path.read_bytes() == whole + tail + b"\n" + last + b"\n"


def test_a_whole_line_without_its_end_is_a_decision(tmp_path):
    made, path = decision("anna", "Rome"), tmp_path / "anna.jsonl"
    path.write_bytes(line(made).encode())
    log = Log(tmp_path)
    assert log.read().entries == (made,)
    assert log.read().faults == ()
    assert not log.add(made)
    assert log.add(decision("anna", "Oslo"))
    assert _names(log) == _names(Log(tmp_path)) == ["July is summer in Rome.", "July is summer in Oslo."]


def test_an_altered_line_is_told_by_file_and_line(tmp_path):
    log, path = Log(tmp_path), tmp_path / "anna.jsonl"
    log.add_all([decision("anna", "Rome"), decision("anna", "Oslo")])
    path.write_text(path.read_text().replace('"sound": "yes"', '"sound": "no"', 1))
    reading = Log(tmp_path).read()
    assert len(reading.entries) == 1
    assert reading.faults == (MalformedLine(path, 1, "checksum mismatch: the line was altered"),)
    assert str(reading.faults[0]) == f"{path}, line 1: checksum mismatch: the line was altered"


def test_a_line_in_the_file_of_another_is_set_aside(tmp_path):
    Log(tmp_path).add(decision("anna", "Rome"))
    (tmp_path / "anna.jsonl").rename(tmp_path / "ben.jsonl")
    reading = Log(tmp_path).read()
    assert reading.entries == ()
    assert "it belongs to anna, but is in the file of ben" in reading.faults[0].reason


def test_a_file_that_was_replaced_is_read_anew(tmp_path):
    log, path = Log(tmp_path), tmp_path / "anna.jsonl"
    log.add_all([decision("anna", "Rome"), decision("anna", "Oslo")])
    other = tmp_path / "other"
    other.write_text(f"{line(decision('anna', 'Bern'))}\n")
    other.replace(path)
    assert _names(log) == ["July is summer in Bern."]


def test_a_full_disk_is_told_and_leaves_no_half_line(tmp_path, monkeypatch):
    log = Log(tmp_path)
    log.add(decision("anna", "Rome"))
    before = (tmp_path / "anna.jsonl").read_bytes()

    def full(descriptor: int, content: bytes) -> int:
        real(descriptor, content[:10])
        raise OSError(28, "No space left on device")

    real = os.write
    monkeypatch.setattr(module.os, "write", full)
    with pytest.raises(StoreError, match=r"No space left on device; nothing was recorded"):
        log.add(decision("anna", "Oslo"))
    monkeypatch.undo()
    assert (tmp_path / "anna.jsonl").read_bytes() == before
    assert log.add(decision("anna", "Oslo"))
    with pytest.raises(StoreError, match=r"decisions cannot be written to .* File exists"):
        Log(tmp_path / "anna.jsonl").add(decision("anna", "Rome"))


def test_reading_leaves_nothing_behind_and_waits_for_a_writer(tmp_path):
    made, path = decision("anna", "Rome"), tmp_path / "anna.jsonl"
    path.write_text(f"{line(made)}\n")
    assert Log(tmp_path).read().entries == (made,)
    assert list(tmp_path.iterdir()) == [path]
    found: list[int] = []
    reader = threading.Thread(target=lambda: found.append(len(Log(tmp_path).read().entries)))
    with path.open("a") as writer:
        lock_descriptor(writer.fileno())
        reader.start()
        writer.write(f"{line(decision('anna', 'Oslo'))}\n")
    reader.join()
    assert found == [2]


def test_every_decision_is_flushed_before_it_is_acknowledged(tmp_path, monkeypatch):
    flushed: list[int] = []
    real = os.fsync
    monkeypatch.setattr(module.os, "fsync", lambda descriptor: (flushed.append(descriptor), real(descriptor))[1])
    log = Log(tmp_path)
    log.add(decision("anna", "Rome"))
    folder_too = len(flushed)
    log.add(decision("anna", "Oslo"))
    assert (folder_too, len(flushed)) == (2, 3)


def test_threads_of_one_server_share_a_log(tmp_path):
    log = Log(tmp_path)

    def work(name: str) -> None:
        for number in range(25):
            log.add(decision(name, f"City {number}"))
            log.read()

    threads = [threading.Thread(target=work, args=(name,)) for name in ("anna", "ben", "ben", "cleo")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(log.read().entries) == 75
    assert log.read() == Log(tmp_path).read()


@pytest.mark.slow
def test_two_processes_of_two_people_and_of_one_lose_nothing(tmp_path):
    work = [("anna", "0", "150"), ("anna", "100", "150"), ("ben", "0", "150")]
    with ThreadPoolExecutor(3) as at_once:
        list(at_once.map(lambda each: run_python("-c", WRITER, tmp_path, *each), work))
    reading = Log(tmp_path).read()
    expected = [*(("anna", number) for number in range(250)), *(("ben", number) for number in range(150))]
    told = sorted((entry.annotator, int(entry.content.statements[0].split()[-1][:-1])) for entry in reading.entries)
    assert (told, reading.faults) == (expected, ())
    assert len((tmp_path / "anna.jsonl").read_text().splitlines()) == 250


@pytest.mark.slow
def test_whenever_a_writer_is_killed_all_it_acknowledged_is_there_once(tmp_path):
    chance, seen = random.Random(6), set[int]()
    with running(KILLER, tmp_path) as killer:
        for _ in range(40):
            killer.send(f"{max(seen, default=-1) + 1} {chance.randint(1, 4)} {chance.uniform(0.0, 0.01)}")
            acknowledged = seen | {int(number) for number in killer.read().split()}
            there = [int(name.split()[-1][:-1]) for name in _names(Log(tmp_path))]
            assert len(there) == len(set(there))
            assert acknowledged <= set(there)
            # At most the one that was being written is there without having been acknowledged.
            assert len(set(there) - acknowledged) <= 1
            seen = set(there)
    assert len(seen) > 40
