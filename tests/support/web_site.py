"""A web server for tests: a few files in memory, with ranges, ETags, and faults on demand."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from situatedgen.fetch.fetch import Fetched, Home, Status, Wanted, homes

ONE = b"one\n" * 500
TWO = b"two\n" * 400


@dataclass
class Site:
    """Files by path, how they are served, and what was asked.

    `cuts` are numbers of body bytes after which the next answers break off, `statuses` are what the next
    answers are instead of files.
    """

    files: dict[str, bytes]
    address: str = ""
    etags: bool = True
    ranges: bool = True
    heeds_conditions: bool = True
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    asked: list[tuple[str, int]] = field(default_factory=list)
    """The path and the status of every answer."""

    def etag(self, path: str) -> str:
        """The ETag of a file as it is now."""
        return f'"{hashlib.sha256(self.files[path]).hexdigest()[:16]}"'


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    """The site, with its address, while it is served on loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": site}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of files, by their paths."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def mirrored(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a sources folder as a mirror has them, by path; archives with a folder around their files."""
    return {f"/{home.place}": _packed(home, files) for home in homes() if home.files[0].file in files}


def _packed(home: Home, files: Mapping[str, bytes]) -> bytes:
    if not home.files[0].member:
        return files[home.files[0].file]
    return zipped({f"Some-Folder/{wanted.member}": files[wanted.file] for wanted in home.files})


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        """Answer with a file, the rest of it, or the fault that is due."""
        data = self.site.files.get(self.path)
        fault = self.site.statuses.pop(0) if self.site.statuses else 0
        if fault or data is None:
            self._answer(fault or 404, b"", {"Retry-After": "0"})
        elif self._is_known():
            self._answer(304, b"", {})
        else:
            self._send(data)

    def _is_known(self) -> bool:
        known = self.headers.get("If-None-Match")
        return self.site.heeds_conditions and known == self.site.etag(self.path)

    def _send(self, data: bytes) -> None:
        headers = {"ETag": self.site.etag(self.path)} if self.site.etags else {}
        begin = self._begin()
        if begin is None:
            self._answer(200, data, headers)
        elif begin >= len(data):
            self._answer(416, b"", {"Content-Range": f"bytes */{len(data)}"})
        else:
            headers["Content-Range"] = f"bytes {begin}-{len(data) - 1}/{len(data)}"
            self._answer(206, data[begin:], headers)

    def _begin(self) -> int | None:
        """Where the asked range begins; nothing when the whole file is sent."""
        asked = self.headers.get("Range")
        if asked is None or not self.site.ranges or self.headers.get("If-Range") != self.site.etag(self.path):
            return None
        return int(asked.removeprefix("bytes=").removesuffix("-"))

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.site.asked.append((self.path, status))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.site.cuts.pop(0)] if body and self.site.cuts else body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name that http.server gives)
        """Say nothing."""


def digest(data: bytes) -> str:
    """The sha256 that a file of these bytes is pinned by."""
    return hashlib.sha256(data).hexdigest()


def home(site: Site, path: str = "/creak/train.json", pinned: bytes = ONE) -> Home:
    """A source of one file on a site."""
    wanted = Wanted(file="creak/train.json", sha256=digest(pinned))
    return Home(source="creak", address=site.address + path, files=(wanted,))


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its relative name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def statuses(fetched: list[Fetched]) -> list[Status]:
    """What came of each file that was fetched."""
    return [arrival.status for each in fetched for arrival in each.arrivals]
