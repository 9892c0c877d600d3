"""One address into one file: asked for only when it changed, resumed, tried again, unpacked."""

import json
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

import httpx
from filelock import lock_descriptor
from tenacity import RetryCallState, Retrying, retry_if_exception_type

from situatedgen.atomic import write
from situatedgen.errors import SourceError
from situatedgen.progress import Progress

PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds between tries that bring nothing; tries go on as long as they bring bytes."""
LONGEST_PAUSE = 60.0
UNREACHABLE_TRIES = 2
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
ELSEWHERE = "`--mirror URL` takes the files from elsewhere"
NOT_MODIFIED, PARTIAL, PAST_THE_END = 304, 206, 416
LARGEST = 1 << 28
"""No file that is read is nearly as large; one that claims to be is not unpacked."""
ODD = re.compile(r"\\|\x00|^[A-Za-z]:")
# Altered bytes send zipfile to places before the file's beginning, and to codecs that there are not.
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    OSError,
)


@dataclass(frozen=True, slots=True)
class Version:
    """How a server names a version of a file: by an ETag, by the time of its last change, by both or by neither."""

    etag: str = ""
    modified: str = ""

    @property
    def resumable(self) -> str:
        """What tells this version from every other, byte for byte; empty when nothing does."""
        return self.modified if self.etag.startswith("W/") else self.etag or self.modified


@dataclass(frozen=True)
class Part:
    """The file `path`, which grows as bytes arrive, and its note `path.json`."""

    path: Path

    @property
    def name(self) -> str:
        """What is being downloaded, with its source: `creak/train.json`."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def note(self) -> Path:
        """Where it is noted which address and version the bytes are of."""
        return self.path.with_name(f"{self.path.name}.json")

    @property
    def size(self) -> int:
        """How many bytes are there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def version(self, address: str) -> Version | None:
        """The version that the bytes are of, when they are of this address and more of it can be asked for."""
        try:
            value = json.loads(self.note.read_text(encoding="utf-8"))
            version = Version(str(value["etag"]), str(value["modified"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return version if value.get("address") == address and version.resumable and self.size else None

    def begin(self, address: str, version: Version) -> None:
        """Start from nothing. Cut short anywhere, the note never speaks of bytes of another version."""
        self.drop()
        write(self.note, json.dumps({"address": address, **asdict(version)}).encode("utf-8"))

    def extend(self, chunks: Iterable[bytes]) -> Iterator[int]:
        """Append bytes as they come; yields how many each time."""
        with self.path.open("ab") as stream:
            for chunk in chunks:
                stream.write(chunk)
                yield len(chunk)
            stream.flush()
            os.fsync(stream.fileno())

    def drop(self) -> None:
        """Forget the bytes, and what was noted of them."""
        self.note.unlink(missing_ok=True)
        if self.path.exists():
            os.truncate(self.path, 0)

    def remove(self) -> None:
        """Take both files away."""
        self.note.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


@contextmanager
def held(path: Path) -> Iterator[Part]:
    """A part that no other process writes within this block.

    Raises:
        SourceError: another process is downloading the same file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        if not lock_descriptor(stream.fileno(), blocking=False):
            raise SourceError(f"another process is downloading {Part(path).name}; wait for it to end")
        try:
            yield Part(path)
        finally:
            if not os.fstat(stream.fileno()).st_size:
                Part(path).remove()


@dataclass(frozen=True, slots=True)
class Downloaded:
    """That all bytes of a version are there, and whether they came in more than one piece."""

    version: Version
    resumed: bool


class _PassingError(Exception):
    """Something that may be better at the next try: how long to wait, how many more tries it is worth, what to do."""

    def __init__(self, reason: str, *, wait: float = 0.0, tries: int | None = None, advice: str = "") -> None:
        super().__init__(reason)
        self.wait = wait
        self.tries = tries
        self.advice = advice


def client() -> httpx.Client:
    """A client that takes files as they are, follows redirects, and gives up on silence."""
    return httpx.Client(
        follow_redirects=True,
        timeout=httpx.Timeout(30, connect=10),
        headers={"Accept-Encoding": "identity", "User-Agent": "situatedgen"},
    )


def download(
    address: str,
    part: Part,
    *,
    web: httpx.Client,
    progress: Progress,
    known: Version | None = None,
    pauses: Sequence[float] = PAUSES,
) -> Downloaded | None:
    """The version that an address holds, once all of its bytes are in `part`; nothing when it is the known one.

    Raises:
        SourceError: the address cannot be reached, does not have the file, or keeps breaking off.
    """
    retrying = Retrying(
        retry=retry_if_exception_type(_PassingError),
        stop=lambda state: state.attempt_number > len(pauses[: _error(state).tries]),
        wait=lambda state: min(max(_nth(pauses, state.attempt_number), _error(state).wait), LONGEST_PAUSE),
        before_sleep=lambda state: progress.tell(f"{part.name}: {_error(state)}; trying again in {_pause(state):g} s"),
        reraise=True,
    )
    while True:
        before = part.size
        try:
            return retrying(_try, address, part, known, web, progress)
        except _PassingError as error:
            if part.size <= before or not pauses:  # else something came, and it is worth going on
                raise SourceError(f"{error}{error.advice}{_kept(part)}") from error


def _error(state: RetryCallState) -> "_PassingError":
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, _PassingError) else _PassingError(str(error))


def _pause(state: RetryCallState) -> float:
    return state.next_action.sleep if state.next_action else 0.0


def _nth(pauses: Sequence[float], number: int) -> float:
    return pauses[number - 1] if number <= len(pauses) else 0.0


def _try(address: str, part: Part, known: Version | None, web: httpx.Client, progress: Progress) -> Downloaded | None:
    held = part.version(address)
    try:
        with web.stream("GET", address, headers=_headers(part, held, known)) as answer:
            return _take(answer, address, part, held, progress)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise _PassingError(
            f"{httpx.URL(address).host} cannot be reached ({error})",
            tries=UNREACHABLE_TRIES,
            advice=f"; is this machine online? {ELSEWHERE}",
        ) from error
    except httpx.TransportError as error:
        raise _PassingError(f"{address} broke off: {error or type(error).__name__}") from error
    except (httpx.InvalidURL, httpx.HTTPError) as error:
        raise SourceError(f"{address} cannot be downloaded: {error}") from error


def _headers(part: Part, held: Version | None, known: Version | None) -> dict[str, str]:
    """Ask for the rest of what is held; else for everything, unless it is what is known."""
    if held is not None:
        return {"Range": f"bytes={part.size}-", "If-Range": held.resumable}
    conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.modified} if known else {}
    return {name: value for name, value in conditions.items() if value}


def _take(
    answer: httpx.Response, address: str, part: Part, held: Version | None, progress: Progress
) -> Downloaded | None:
    if answer.status_code == NOT_MODIFIED:
        return None
    _check(answer, address)
    version = Version(answer.headers.get("ETag", ""), answer.headers.get("Last-Modified", ""))
    if held is not None and answer.headers.get("Content-Range") == f"bytes */{part.size}":
        return Downloaded(held, resumed=True)
    if answer.status_code in (PARTIAL, PAST_THE_END):
        _check_rest(answer, part, held, version)
    else:
        part.begin(address, version)
    resumed = part.size > 0
    _store(answer, part, progress)
    _check_whole(answer, part)
    return Downloaded(version, resumed)


def _store(answer: httpx.Response, part: Part, progress: Progress) -> None:
    length = answer.headers.get("Content-Length", "")
    progress.start(part.name, part.size + int(length) if length.isdigit() else None, done=part.size)
    for size in part.extend(answer.iter_raw()):
        progress.advance(part.name, size)
    progress.finish(part.name)


def _check(answer: httpx.Response, address: str) -> None:
    """Refuse an answer that is not the file; whether it is worth another try."""
    status = f"{answer.status_code} {answer.reason_phrase}".strip()
    if answer.status_code in PASSING:
        raise _PassingError(f"{address} answered {status}", wait=_asked_to_wait(answer))
    if not (answer.is_success or answer.status_code == PAST_THE_END):
        raise SourceError(f"{address} answered {status}; has the file moved? {ELSEWHERE}")


def _check_rest(answer: httpx.Response, part: Part, held: Version | None, version: Version) -> None:
    """Start anew where the rest that came does not continue what is held."""
    begins = answer.headers.get("Content-Range", "").startswith(f"bytes {part.size}-")
    if not begins or held is None or version.resumable != held.resumable:
        part.drop()
        raise _PassingError(f"{answer.url} sent a part that does not continue what was there")


def _check_whole(answer: httpx.Response, part: Part) -> None:
    """A server may send less of the rest than was asked for."""
    total = answer.headers.get("Content-Range", "").rpartition("/")[2]
    if total.isdigit() and part.size < int(total):
        raise _PassingError(f"{answer.url} sent {part.size:,} of {total} bytes")


def _asked_to_wait(answer: httpx.Response) -> float:
    seconds = answer.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdigit() else 0.0


def _kept(part: Part) -> str:
    return f"; the {part.size:,} bytes that came are kept, run the command again to go on" if part.size else ""


def unpack(archive: Path, member: str, target: Path) -> None:
    """Write the one file of an archive whose path ends like `member` to a path of our own.

    Raises:
        SourceError: it is no zip archive, it is damaged, a path in it leads elsewhere, or the file is not in it.
    """
    target.write_bytes(_content(archive, member))


def _content(archive: Path, member: str) -> bytes:
    try:
        with zipfile.ZipFile(archive) as opened:
            return opened.read(_only(opened, member))
    except BROKEN as error:
        raise SourceError(f"expected a zip archive with {member}, found a damaged one: {error}") from error


def _only(archive: zipfile.ZipFile, member: str) -> zipfile.ZipInfo:
    for info in archive.infolist():
        _check_member(info)
    fitting = [info for info in archive.infolist() if f"/{info.filename}".endswith(f"/{member}")]
    if len(fitting) != 1:
        found = ", ".join(info.filename for info in fitting) or "none"
        raise SourceError(f"expected one file {member} in the archive, found {found}")
    if fitting[0].file_size > LARGEST:
        raise SourceError(f"{member} would have {fitting[0].file_size:,} bytes; expected at most {LARGEST:,}")
    return fitting[0]


def _check_member(info: zipfile.ZipInfo) -> None:
    """Refuse an archive that means to write elsewhere, or through a link."""
    path = PurePosixPath(info.orig_filename)
    if path.is_absolute() or ".." in path.parts or ODD.search(info.orig_filename):
        raise SourceError(f"the archive holds a file with the path {info.orig_filename!r}, which leads elsewhere")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise SourceError(f"the archive holds {info.filename!r}, which is a link")
