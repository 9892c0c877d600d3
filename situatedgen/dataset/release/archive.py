"""The archive of a release and its checksums: the same files give the same bytes, and nothing unsafe is unpacked."""

import gzip
import hashlib
import re
import tarfile
import zlib
from collections.abc import Mapping
from io import BytesIO, RawIOBase
from pathlib import Path, PurePosixPath

from situatedgen.errors import StoreError

FILE = "SHA256SUMS"
LINE = re.compile(r"([0-9a-f]{64})  ([^\x00-\x1f\x7f\\]+)")


def digest(content: bytes) -> str:
    """The sha256 of bytes."""
    return hashlib.sha256(content).hexdigest()


def file_digest(path: Path) -> str:
    """The sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def format_sums(digests: Mapping[str, str]) -> bytes:
    """The text of the file, by name."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode("utf-8")


def read_sums(text: bytes, of: str) -> dict[str, str]:
    """The digest of each file that is named.

    Raises:
        StoreError: a line cannot be read, names a place outside, or a file twice.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.decode("utf-8", errors="replace").splitlines(), start=1):
        match = LINE.fullmatch(line)
        if not match or not is_inside(match[2]) or match[2] in found:
            raise StoreError(f"{of}, line {number} is no sum of a file of its own: {line[:100]!r}; fetch it again")
        found[match[2]] = match[1]
    return found


def is_inside(name: str) -> bool:
    """Whether a path stays below the folder it starts from, whatever system reads it."""
    path = PurePosixPath(name)
    plain = not path.is_absolute() and "\\" not in name and ":" not in name and name == path.as_posix()
    return plain and name.isprintable() and not {"..", "."}.intersection(path.parts) and bool(path.parts)


ENDING = ".tar.gz"
MOST_FILES = 10_000
FREE, GROWTH = 64 << 20, 100
"""An archive may unpack to so many bytes, and beyond them to so many times its own size: text shrinks by far less."""
CHUNK = 1 << 20
BROKEN = (tarfile.TarError, EOFError, OSError, zlib.error)


def pack(name: str, files: Mapping[str, bytes]) -> bytes:
    """The bytes of a tar.gz of one folder: sorted, without owners, times or anything else of the day."""
    stream = BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=stream, compresslevel=6, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in sorted(files):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size, member.mode = len(files[path]), 0o644
            tar.addfile(member, BytesIO(files[path]))
    return stream.getvalue()


def unpack(path: Path, folder: Path) -> Path:
    """The folder that an archive holds, unpacked below another.

    Raises:
        StoreError: the archive is cut short or broken, or holds what no release holds: links, devices, paths that
            lead elsewhere, a file twice, more than one folder, or far more bytes than it should.
    """
    names: set[str] = set()
    try:
        with gzip.open(path, "rb") as stream:
            limited = Limited(stream, FREE + GROWTH * path.stat().st_size, path)
            with tarfile.open(fileobj=limited, mode="r|") as tar:
                for member in tar:
                    limited.require(member.size)
                    _check(member, names, path)
                    tar.extract(member, folder, filter="data")
                    names.add(member.name)
            while limited.read(CHUNK):
                """Read on to the checksum at the end of the stream, which tells whether all of it is whole."""
    except tarfile.FilterError as error:
        raise StoreError(f"{path} is not safe to unpack: {error}") from error
    except BROKEN as error:
        raise StoreError(f"{path} is cut short or broken: {error}; fetch it again") from error
    roots = {name.split("/", 1)[0] for name in names}
    if len(roots) != 1 or not (folder / min(roots)).is_dir():
        raise StoreError(f"{path} is no archive of a release: expected one folder in it, found {len(roots)}")
    return folder / roots.pop()


class Limited(RawIOBase):
    """A stream that ends with an error once more was read than it may hold."""

    def __init__(self, stream: gzip.GzipFile, most: int, path: Path) -> None:
        self._stream, self._left, self._path = stream, most, path

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        found = self._stream.read(min(size, CHUNK) if size >= 0 else CHUNK)
        self._left -= len(found)
        self.require(0)
        return found

    def require(self, size: int) -> None:
        """Refuse to go on where so many bytes more would be too many."""
        if size > self._left:
            raise StoreError(f"{self._path} unpacks to far more than a release holds, and is not unpacked")


def _check(member: tarfile.TarInfo, names: set[str], path: Path) -> None:
    """Refuse what `filter="data"` lets pass and no release holds: links inside the folder, a file twice, a flood."""
    fault = "is no plain file" if not member.isreg() else "is there twice" if member.name in names else ""
    if fault or len(names) >= MOST_FILES:
        raise StoreError(f"{path} is not safe to unpack: {member.name[:100]!r} {fault or 'is one file too many'}")
