"""One address into one file: asked for only when it changed, taken up where it stopped, tried again."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from situatedgen.errors import SourceError
from situatedgen.fetching.listening import Listener
from situatedgen.fetching.part import Part, Version

PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds between tries that bring nothing; a try that brings bytes starts them anew."""
LONGEST_PAUSE = 60.0
UNREACHABLE_TRIES = 2
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
ELSEWHERE = "`--mirror URL` takes the files from elsewhere"
NOT_MODIFIED, PARTIAL, PAST_THE_END = 304, 206, 416


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
    listener: Listener,
    known: Version | None = None,
    pauses: Sequence[float] = PAUSES,
) -> Downloaded | None:
    """The version that an address holds, once all of its bytes are in `part`; nothing when it is the known one.

    Raises:
        SourceError: the address cannot be reached, does not have the file, or keeps breaking off.
    """
    left = list(pauses)
    while True:
        before = part.size
        try:
            return _try(address, part, known, web, listener)
        except _PassingError as error:
            left = (list(pauses) if part.size > before else left)[: error.tries]
            if not left:
                raise SourceError(f"{error}{error.advice}{_kept(part)}") from error
            pause = min(max(left.pop(0), error.wait), LONGEST_PAUSE)
            listener.paused(part.name, str(error), pause)
        time.sleep(pause)


def _try(address: str, part: Part, known: Version | None, web: httpx.Client, listener: Listener) -> Downloaded | None:
    held = part.version(address)
    try:
        with web.stream("GET", address, headers=_headers(part, held, known)) as answer:
            return _take(answer, address, part, held, listener)
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
    answer: httpx.Response, address: str, part: Part, held: Version | None, listener: Listener
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
    _store(answer, part, listener)
    _check_whole(answer, part)
    return Downloaded(version, resumed)


def _store(answer: httpx.Response, part: Part, listener: Listener) -> None:
    length = answer.headers.get("Content-Length", "")
    listener.started(part.name, part.size, part.size + int(length) if length.isdigit() else None)
    for size in part.extend(answer.iter_raw()):
        listener.advanced(part.name, size)
    listener.finished(part.name)


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
