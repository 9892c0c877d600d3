"""The archive of a release: the same files give the same bytes, and nothing unsafe is ever unpacked."""

import gzip
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO, RawIOBase
from pathlib import Path

from situatedgen.errors import StoreError
from situatedgen.release.sums import is_inside

ENDING = ".tar.gz"
MOST_FILES = 10_000
FREE, GROWTH = 64 << 20, 100
"""An archive may unpack to so many bytes, and beyond them to so many times its own size: text shrinks by far less."""
CHUNK = 1 << 20
BROKEN = (tarfile.TarError, EOFError, OSError, zlib.error)


def archive(name: str, files: Mapping[str, bytes]) -> bytes:
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


def unpacked(path: Path, folder: Path) -> Path:
    """The folder that an archive holds, unpacked below another.

    Raises:
        StoreError: the archive is cut short or broken, or holds what no release holds: links, devices, paths that
            lead elsewhere, a file twice, more than one folder, or far more bytes than it should.
    """
    try:
        with gzip.open(path, "rb") as stream:
            limited = Limited(stream, FREE + GROWTH * path.stat().st_size, path)
            with tarfile.open(fileobj=limited, mode="r|") as tar:
                roots = {_placed(tar, member, folder) for member in _members(tar, path)}
            while limited.read(CHUNK):
                """What follows must be whole too: the sum at the end of the stream is checked when it is reached."""
    except BROKEN as error:
        raise StoreError(f"{path} is cut short or broken: {error}; fetch it again") from error
    if len(roots) != 1:
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
        if self._left < 0:
            raise StoreError(f"{self._path} unpacks to far more than a release holds, and is not unpacked")
        return found


def _members(tar: tarfile.TarFile, path: Path) -> Iterator[tarfile.TarInfo]:
    """The members of an archive, each of which is safe to write."""
    seen: set[str] = set()
    for member in tar:
        fault = _fault(member, seen)
        if fault or len(seen) >= MOST_FILES:
            raise StoreError(f"{path} is not safe to unpack: {member.name[:100]!r} {fault or 'is one file too many'}")
        seen.add(member.name)
        yield member


def _fault(member: tarfile.TarInfo, seen: set[str]) -> str:
    """What is wrong with a member; nothing where it is a plain file inside a folder."""
    if not is_inside(member.name) or "/" not in member.name:
        return "does not lie inside the folder of the release"
    if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
        return "is no plain file"
    return "is there twice" if member.name in seen else ""


def _placed(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> str:
    """The first folder of a member, once its content is written."""
    target = folder / member.name
    target.parent.mkdir(parents=True, exist_ok=True)
    source = tar.extractfile(member)
    with target.open("xb") as file:
        while source and (chunk := source.read(CHUNK)):
            file.write(chunk)
    return member.name.split("/", 1)[0]
