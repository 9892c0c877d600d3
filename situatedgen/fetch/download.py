"""Download one URL into one file, with conditional requests, resumption, retries and unpacking."""

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
"""Seconds between attempts without progress; attempts continue as long as they receive bytes."""
LONGEST_PAUSE = 60.0
UNREACHABLE_TRIES = 2
TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
MIRROR_HINT = "`--mirror URL` downloads from another server"
NOT_MODIFIED, PARTIAL, PAST_THE_END = 304, 206, 416
LARGEST = 1 << 28
"""Maximum size of an unpacked file; no real one is nearly as large."""
ODD = re.compile(r"\\|\x00|^[A-Za-z]:")
# What zipfile raises for corrupt archives, e.g. on negative offsets and unknown codecs.
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
    """A server's identification of a file version: ETag, Last-Modified, both or neither."""

    etag: str = ""
    modified: str = ""

    @property
    def resumable(self) -> str:
        """The validator that identifies this version byte for byte; empty if there is none."""
        return self.modified if self.etag.startswith("W/") else self.etag or self.modified


@dataclass(frozen=True)
class Part:
    """A partial download `path`, and its note `path.json`."""

    path: Path

    @property
    def name(self) -> str:
        """Display name of the download, with its source: `creak/train.json`."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def note(self) -> Path:
        """The file that records the address and version of the bytes."""
        return self.path.with_name(f"{self.path.name}.json")

    @property
    def size(self) -> int:
        """Number of bytes so far."""
        return self.path.stat().st_size if self.path.exists() else 0

    def version(self, address: str) -> Version | None:
        """The version of the bytes, if they come from this address and the download can be resumed."""
        try:
            value = json.loads(self.note.read_text(encoding="utf-8"))
            version = Version(str(value["etag"]), str(value["modified"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return version if value.get("address") == address and version.resumable and self.size else None

    def begin(self, address: str, version: Version) -> None:
        """Start from scratch; if interrupted at any point, the note never describes bytes of another version."""
        self.drop()
        write(self.note, json.dumps({"address": address, **asdict(version)}).encode("utf-8"))

    def extend(self, chunks: Iterable[bytes]) -> Iterator[int]:
        """Append chunks, yielding the size of each."""
        with self.path.open("ab") as stream:
            for chunk in chunks:
                stream.write(chunk)
                yield len(chunk)
            stream.flush()
            os.fsync(stream.fileno())

    def drop(self) -> None:
        """Discard the bytes and the note."""
        self.note.unlink(missing_ok=True)
        if self.path.exists():
            os.truncate(self.path, 0)

    def remove(self) -> None:
        """Delete both files."""
        self.note.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


@contextmanager
def lock_partial(path: Path) -> Iterator[Part]:
    """Lock a partial download against other processes.

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
    """A completed download: its version, and whether it was resumed."""

    version: Version
    resumed: bool


class _TransientError(Exception):
    """An error worth retrying: how long to wait, how many more attempts to make, and advice for the user."""

    def __init__(self, reason: str, *, wait: float = 0.0, tries: int | None = None, advice: str = "") -> None:
        super().__init__(reason)
        self.wait = wait
        self.tries = tries
        self.advice = advice


def client() -> httpx.Client:
    """HTTP client without compression, with redirects and timeouts."""
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
    """Download an address into `part` and return its version; None if it is still the known one.

    Raises:
        SourceError: the address cannot be reached, does not have the file, or is interrupted repeatedly.
    """
    retrying = Retrying(
        retry=retry_if_exception_type(_TransientError),
        stop=lambda state: state.attempt_number > len(pauses[: _transient_error(state).tries]),
        wait=lambda state: min(
            max(_nth_pause(pauses, state.attempt_number), _transient_error(state).wait), LONGEST_PAUSE
        ),
        before_sleep=lambda state: progress.tell(
            f"{part.name}: {_transient_error(state)}; trying again in {_pause(state):g} s"
        ),
        reraise=True,
    )
    while True:
        before = part.size
        try:
            return retrying(_attempt, address, part, known, web, progress)
        except _TransientError as error:
            if part.size <= before or not pauses:  # otherwise it made progress and is worth retrying
                raise SourceError(f"{error}{error.advice}{_resume_hint(part)}") from error


def _transient_error(state: RetryCallState) -> "_TransientError":
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, _TransientError) else _TransientError(str(error))


def _pause(state: RetryCallState) -> float:
    return state.next_action.sleep if state.next_action else 0.0


def _nth_pause(pauses: Sequence[float], number: int) -> float:
    return pauses[number - 1] if number <= len(pauses) else 0.0


def _attempt(
    address: str, part: Part, known: Version | None, web: httpx.Client, progress: Progress
) -> Downloaded | None:
    held = part.version(address)
    try:
        with web.stream("GET", address, headers=_headers(part, held, known)) as answer:
            return _receive(answer, address, part, held, progress)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise _TransientError(
            f"{httpx.URL(address).host} cannot be reached ({error})",
            tries=UNREACHABLE_TRIES,
            advice=f"; is this machine online? {MIRROR_HINT}",
        ) from error
    except httpx.TransportError as error:
        raise _TransientError(f"the download of {address} was interrupted: {error or type(error).__name__}") from error
    except (httpx.InvalidURL, httpx.HTTPError) as error:
        raise SourceError(f"{address} cannot be downloaded: {error}") from error


def _headers(part: Part, held: Version | None, known: Version | None) -> dict[str, str]:
    """Request the rest of a partial download; otherwise the whole file, unless it is the known version."""
    if held is not None:
        return {"Range": f"bytes={part.size}-", "If-Range": held.resumable}
    conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.modified} if known else {}
    return {name: value for name, value in conditions.items() if value}


def _receive(
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
    """Raise unless the response is the file, with a retryable error if another attempt may help."""
    status = f"{answer.status_code} {answer.reason_phrase}".strip()
    if answer.status_code in TRANSIENT_STATUSES:
        raise _TransientError(f"{address} returned {status}", wait=_retry_after(answer))
    if not (answer.is_success or answer.status_code == PAST_THE_END):
        raise SourceError(f"{address} returned {status}; has the file moved? {MIRROR_HINT}")


def _check_rest(answer: httpx.Response, part: Part, held: Version | None, version: Version) -> None:
    """Start over if the received range does not continue the partial download."""
    begins = answer.headers.get("Content-Range", "").startswith(f"bytes {part.size}-")
    if not begins or held is None or version.resumable != held.resumable:
        part.drop()
        raise _TransientError(f"{answer.url} sent a range that does not continue the partial download")


def _check_whole(answer: httpx.Response, part: Part) -> None:
    """Raise if the server sent less than the requested range."""
    total = answer.headers.get("Content-Range", "").rpartition("/")[2]
    if total.isdigit() and part.size < int(total):
        raise _TransientError(f"{answer.url} sent {part.size:,} of {total} bytes")


def _retry_after(answer: httpx.Response) -> float:
    seconds = answer.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdigit() else 0.0


def _resume_hint(part: Part) -> str:
    return f"; the {part.size:,} bytes received are kept, run the command again to resume" if part.size else ""


def unpack(archive: Path, member: str, target: Path) -> None:
    """Extract the one file of an archive whose path ends with `member` to `target`.

    Raises:
        SourceError: it is not a zip archive, is damaged, has an unsafe path, or lacks the file.
    """
    target.write_bytes(_read_member(archive, member))


def _read_member(archive: Path, member: str) -> bytes:
    try:
        with zipfile.ZipFile(archive) as opened:
            return opened.read(_find_member(opened, member))
    except BROKEN as error:
        raise SourceError(f"expected a zip archive with {member}, found a damaged one: {error}") from error


def _find_member(archive: zipfile.ZipFile, member: str) -> zipfile.ZipInfo:
    for info in archive.infolist():
        _check_member(info)
    fitting = [info for info in archive.infolist() if f"/{info.filename}".endswith(f"/{member}")]
    if len(fitting) != 1:
        found = ", ".join(info.filename for info in fitting) or "none"
        raise SourceError(f"expected one file {member} in the archive, found {found}")
    if fitting[0].file_size > LARGEST:
        raise SourceError(f"{member} unpacks to {fitting[0].file_size:,} bytes; expected at most {LARGEST:,}")
    return fitting[0]


def _check_member(info: zipfile.ZipInfo) -> None:
    """Raise if an archive member would be written elsewhere, or is a link."""
    path = PurePosixPath(info.orig_filename)
    if path.is_absolute() or ".." in path.parts or ODD.search(info.orig_filename):
        raise SourceError(f"the archive contains a file with the unsafe path {info.orig_filename!r}")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise SourceError(f"the archive contains {info.filename!r}, which is a link")
