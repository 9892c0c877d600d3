"""Release archive and checksums: reproducible packing and safe unpacking."""

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
    """SHA-256 of bytes, in hex."""
    return hashlib.sha256(content).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def format_sums(digests: Mapping[str, str]) -> bytes:
    """The content of `SHA256SUMS`, sorted by file name."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode("utf-8")


def read_sums(text: bytes, of: str) -> dict[str, str]:
    """Parse `SHA256SUMS` into a digest per file.

    Raises:
        StoreError: a line is malformed, names a path outside the folder, or repeats a file.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.decode("utf-8", errors="replace").splitlines(), start=1):
        match = LINE.fullmatch(line)
        if not match or not is_inside(match[2]) or match[2] in found:
            raise StoreError(
                f"{of}, line {number} is not a valid checksum line or repeats a file: {line[:100]!r}; download it again"
            )
        found[match[2]] = match[1]
    return found


def is_inside(name: str) -> bool:
    """Whether a relative path stays inside its folder, on any operating system."""
    path = PurePosixPath(name)
    plain = not path.is_absolute() and "\\" not in name and ":" not in name and name == path.as_posix()
    return plain and name.isprintable() and not {"..", "."}.intersection(path.parts) and bool(path.parts)


ENDING = ".tar.gz"
MOST_FILES = 10_000
FREE, GROWTH = 64 << 20, 100
"""An archive may unpack to FREE bytes plus GROWTH times its own size; text compresses far less than that."""
CHUNK = 1 << 20
BROKEN = (tarfile.TarError, EOFError, OSError, zlib.error)


def pack(name: str, files: Mapping[str, bytes]) -> bytes:
    """Pack files into a reproducible tar.gz with a single folder: sorted, without owners or timestamps."""
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
    """Unpack an archive below a folder and return the folder it contains.

    Raises:
        StoreError: the archive is truncated or corrupt, or contains what no release contains: links, devices, paths
            outside the folder, duplicate files, more than one folder, or far too many bytes.
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
                """Read to the end, where gzip verifies its checksum."""
    except tarfile.FilterError as error:
        raise StoreError(f"{path} is not safe to unpack: {error}") from error
    except BROKEN as error:
        raise StoreError(f"{path} is truncated or corrupt: {error}; download it again") from error
    roots = {name.split("/", 1)[0] for name in names}
    if len(roots) != 1 or not (folder / min(roots)).is_dir():
        raise StoreError(f"{path} is not a release archive: expected a single folder in it, found {len(roots)}")
    return folder / roots.pop()


class Limited(RawIOBase):
    """A stream that raises an error once more bytes are read than allowed."""

    def __init__(self, stream: gzip.GzipFile, most: int, path: Path) -> None:
        self._stream, self._left, self._path = stream, most, path

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes."""
        found = self._stream.read(min(size, CHUNK) if size >= 0 else CHUNK)
        self._left -= len(found)
        self.require(0)
        return found

    def require(self, size: int) -> None:
        """Raise an error if `size` more bytes would exceed the limit."""
        if size > self._left:
            raise StoreError(f"{self._path} is not safe to unpack: it is far larger than a release")


def _check(member: tarfile.TarInfo, names: set[str], path: Path) -> None:
    """Reject what `filter="data"` allows but no release contains: internal links, duplicates, too many files."""
    fault = "is not a regular file" if not member.isreg() else "occurs twice" if member.name in names else ""
    if fault or len(names) >= MOST_FILES:
        raise StoreError(
            f"{path} is not safe to unpack: {member.name[:100]!r} {fault or 'exceeds the maximum number of files'}"
        )
