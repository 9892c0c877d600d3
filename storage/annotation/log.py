"""The decision log: a folder with one append-only file per annotator."""

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import lock_descriptor

from situatedgen.errors import DecisionError, SettingsError, StoreError
from situatedgen.review.active_decisions import Entry, active_ballots, active_decisions, check_entry
from situatedgen.review.ballots import Ballot
from situatedgen.review.decisions import Decision, Undo
from situatedgen.review.log_format import entry_of, line

ENDING = ".jsonl"


@dataclass(frozen=True, slots=True)
class MalformedLine:
    """A malformed line, which is skipped but reported, so that nothing is lost silently."""

    file: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class LogContent:
    """The content of a log: its entries, each annotator's in the order written, and its malformed lines."""

    entries: tuple[Entry, ...]
    faults: tuple[MalformedLine, ...]

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions in force."""
        return active_decisions(self.entries)

    @property
    def ballots(self) -> tuple[Ballot, ...]:
        """The ballots in force."""
        return active_ballots(self.entries)


@dataclass(slots=True)
class _FileState:
    """The parsed part of a file: complete lines up to an offset, valid as long as the inode is the same."""

    file: int = 0
    offset: int = 0
    lines: int = 0
    entries: dict[str, Entry] = field(default_factory=dict)
    faults: list[MalformedLine] = field(default_factory=list)


@dataclass(frozen=True)
class Log:
    """The decisions in a folder. Reads are incremental, so that frequent reads are cheap."""

    folder: Path
    _known: dict[Path, _FileState] = field(default_factory=dict, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def add(self, entry: Entry) -> bool:
        """Append an entry, flushed to disk before returning; return False if it was already there.

        Raises:
            DecisionError: the entry is invalid, or its id belongs to another entry.
            StoreError: the folder cannot be written.
        """
        return self.add_all([entry]) == 1

    def add_all(self, entries: Sequence[Entry]) -> int:
        """Append entries, each annotator's atomically, and return how many were not there already.

        Raises:
            DecisionError: an entry is invalid; then none of that annotator's entries is written.
            StoreError: the folder cannot be written.
        """
        for entry in entries:
            check_entry(entry)
        people = dict.fromkeys(entry.annotator for entry in entries)
        return sum(self._add_entries(name, [entry for entry in entries if entry.annotator == name]) for name in people)

    def read(self) -> LogContent:
        """Return the current content of the log.

        Raises:
            StoreError: the folder cannot be read.
        """
        contents = [self._read_file(path) for path in self.files()]
        return LogContent(
            tuple(entry for content in contents for entry in content.entries),
            tuple(fault for content in contents for fault in content.faults),
        )

    def files(self) -> list[Path]:
        """Return the files of the log, sorted by name."""
        try:
            return sorted(self.folder.glob(f"*{ENDING}")) if self.folder.is_dir() else []
        except OSError as error:
            raise StoreError(f"decisions cannot be read from {self.folder}: {error}") from error

    def path(self, annotator: str) -> Path:
        """Return the file of an annotator."""
        return self.folder / f"{annotator}{ENDING}"

    def _add_entries(self, annotator: str, entries: Sequence[Entry]) -> int:
        path = self.path(annotator)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = not path.exists()
            with self._lock, _open_locked(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as descriptor:
                if is_new:
                    _flush_folder(path.parent)
                new = _filter_new(entries, self._entries(path, descriptor)[0])
                if new:
                    _append(descriptor, "".join(f"{line(entry)}\n" for entry in new).encode("utf-8"))
        except OSError as error:
            raise StoreError(f"decisions cannot be written to {path}: {error}; nothing was recorded") from error
        return len(new)

    def _read_file(self, path: Path) -> LogContent:
        try:
            with self._lock, _open_locked(path, os.O_RDONLY) as descriptor:
                entries, faults = self._entries(path, descriptor)
        except OSError as error:
            raise StoreError(f"decisions cannot be read from {path}: {error}") from error
        return LogContent(tuple(entries.values()), tuple(faults))

    def _entries(self, path: Path, descriptor: int) -> tuple[dict[str, Entry], list[MalformedLine]]:
        """Return the entries and faults of a file, including a complete last line without a newline."""
        known = self._parse_new_lines(path, descriptor)
        last = _FileState(lines=known.lines)
        _parse_lines(last, path, [_read_from(descriptor, known.offset)])
        return {**known.entries, **last.entries}, [*known.faults, *last.faults]

    def _parse_new_lines(self, path: Path, descriptor: int) -> _FileState:
        """Return the state of a file after parsing its new complete lines."""
        state = os.fstat(descriptor)
        known = self._known.get(path, _FileState())
        if known.file != state.st_ino or known.offset > state.st_size:
            known = _FileState(file=state.st_ino)
        whole, end, _ = _read_from(descriptor, known.offset).rpartition(b"\n")
        if end:
            _parse_lines(known, path, whole.split(b"\n"))
            known.offset += len(whole) + 1
        self._known[path] = known
        return known


def open_log(folder: Path) -> Log:
    """Return the log in an existing folder.

    Raises:
        SettingsError: the folder does not exist.
    """
    if not folder.is_dir():
        raise SettingsError(f"no decisions: there is no folder {folder}; `situatedgen review` creates one")
    return Log(folder)


def _filter_new(entries: Iterable[Entry], known: dict[str, Entry]) -> list[Entry]:
    """Return the entries not yet in the file, once each; refuse conflicting ids and undos without a decision."""
    new: dict[str, Entry] = {}
    for entry in entries:
        there = known.get(entry.decision_id) or new.get(entry.decision_id)
        if there is not None and there != entry:
            raise DecisionError(f"the id {entry.decision_id!r} belongs to another decision of {entry.annotator}")
        taken = (known.get(entry.takes_back) or new.get(entry.takes_back)) if isinstance(entry, Undo) else None
        if isinstance(entry, Undo) and not isinstance(taken, Decision | Ballot):
            raise DecisionError(f"{entry.annotator} has no decision {entry.takes_back!r} to undo")
        if there is None:
            new[entry.decision_id] = entry
    return list(new.values())


def _parse_lines(known: _FileState, path: Path, lines: Iterable[bytes]) -> None:
    """Parse lines into the state of a file, ignoring repeated ids."""
    for content in lines:
        known.lines += 1
        if not content.strip():
            continue
        try:
            entry = entry_of(content.decode("utf-8"))
            _check_owner(entry, path)
            known.entries.setdefault(entry.decision_id, entry)
        except (DecisionError, UnicodeDecodeError) as error:
            known.faults.append(MalformedLine(path, known.lines, str(error)))


def _check_owner(entry: Entry, path: Path) -> None:
    if entry.annotator != path.stem:
        raise DecisionError(f"it belongs to {entry.annotator}, but is in the file of {path.stem}")


@contextmanager
def _open_locked(path: Path, flags: int) -> Iterator[int]:
    """Yield the descriptor of an annotator's file, locked against other processes until it is closed."""
    descriptor = os.open(path, flags, 0o644)
    try:
        lock_descriptor(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def _append(descriptor: int, content: bytes) -> None:
    """Append bytes and flush them to disk, first ending a truncated last line so that it stays separate."""
    size = os.fstat(descriptor).st_size
    torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
    try:
        _write(descriptor, b"\n" + content if torn else content)
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def _write(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def _read_from(descriptor: int, offset: int) -> bytes:
    size = os.fstat(descriptor).st_size
    parts = []
    while offset < size and (part := os.pread(descriptor, size - offset, offset)):
        parts.append(part)
        offset += len(part)
    return b"".join(parts)


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
