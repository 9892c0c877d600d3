"""Places in a bucket, with those methods of `pathlib.Path` that a store needs; boto3 is loaded by the first request."""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.util import find_spec
from io import SEEK_CUR, SEEK_END, BytesIO, RawIOBase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from situatedgen.errors import SettingsError

if TYPE_CHECKING:
    from types import ModuleType

    from storage.s3 import Answer, Entry

SCHEME = "s3://"


@dataclass(frozen=True, order=True, slots=True)
class BucketPath:
    """A place in a bucket: an object, or all that lies below a prefix."""

    bucket: str
    key: str = ""

    def __truediv__(self, below: str) -> "BucketPath":
        """A place below this one."""
        return BucketPath(self.bucket, f"{self.key}/{below}".strip("/"))

    def __str__(self) -> str:
        """The address."""
        return f"{SCHEME}{self.bucket}/{self.key}".rstrip("/")

    @property
    def name(self) -> str:
        """What stands after the last slash."""
        return PurePosixPath(self.key).name

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return PurePosixPath(self.key).stem

    @property
    def parent(self) -> "BucketPath":
        """The place above."""
        return BucketPath(self.bucket, self.key.rpartition("/")[0])

    def relative_to(self, root: "BucketPath") -> PurePosixPath:
        """Where this is below another place."""
        return PurePosixPath(self.key).relative_to(root.key)

    def read_bytes(self) -> bytes:
        """The whole object, in one request.

        Raises:
            FileNotFoundError: there is none.
            StoreError: the service refuses, or does not answer.
        """
        found: Answer = _s3().get(self.bucket, self.key)
        return found.content

    def read_text(self, encoding: str = "utf-8") -> str:
        """The whole object as text."""
        return self.read_bytes().decode(encoding)

    def open(self, mode: str = "rb") -> BytesIO:  # noqa: ARG002 (as of a path)
        """The whole object as a stream."""
        return BytesIO(self.read_bytes())

    def checksum(self) -> str | None:
        """The sha256 that the service knows the object by; nothing where it knows none."""
        found: str | None = _s3().checksum(self.bucket, self.key)
        return found

    def write_bytes(self, content: bytes) -> None:
        """Write the object, whole, in one request: a reader sees the old one, the new one, or none."""
        _s3().put(self.bucket, self.key, content)

    def unlink(self, *, missing_ok: bool = False) -> None:  # noqa: ARG002 (a service does not tell)
        """Delete the object."""
        _s3().delete(self.bucket, self.key)

    def exists(self) -> bool:
        """Whether there is such an object."""
        try:
            self.checksum()
        except FileNotFoundError:
            return False
        return True

    is_file = exists

    def is_dir(self) -> bool:
        """Whether anything lies below."""
        return any(True for _ in _s3().listed(self.bucket, self._below(), deep=True, first=True))

    def glob(self, pattern: str) -> Iterator["BucketPath"]:
        """The objects right below whose names look like a pattern."""
        for entry in _s3().listed(self.bucket, self._below(), deep=False):
            if fnmatchcase(entry.key.rpartition("/")[2], pattern):
                yield BucketPath(self.bucket, entry.key)

    def entries(self) -> Iterator[tuple["BucketPath", "Entry"]]:
        """All objects below, however deep, with their sizes and times."""
        for entry in _s3().listed(self.bucket, self._below(), deep=True):
            yield BucketPath(self.bucket, entry.key), entry

    def _below(self) -> str:
        return f"{self.key}/" if self.key else ""


class Ranged(RawIOBase):
    """An object of a known size, read span by span: for those who need its end alone."""

    def __init__(self, place: BucketPath, size: int) -> None:
        self._place, self._size, self._at = place, size, 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Where the next span begins."""
        self._at = offset + {SEEK_CUR: self._at, SEEK_END: self._size}.get(whence, 0)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """How many bytes were read, in one request."""
        end = min(self._at + len(buffer), self._size)
        if end <= self._at:
            return 0
        found: Answer = _s3().get(self._place.bucket, self._place.key, f"bytes={self._at}-{end - 1}")
        buffer[: len(found.content)] = found.content
        self._at += len(found.content)
        return len(found.content)


def bucket_path(address: str) -> BucketPath:
    """The place of an address such as `s3://bucket/prefix`.

    Raises:
        SettingsError: it names no bucket, or what asks a bucket is not installed.
    """
    bucket, _, key = address.removeprefix(SCHEME).partition("/")
    if not bucket:
        raise SettingsError(f"store {address!r} names no bucket; expected s3://bucket or s3://bucket/prefix")
    if find_spec("boto3") is None:
        raise SettingsError("a store in a bucket needs boto3; pip install 'situatedgen[s3]'")
    return BucketPath(bucket, "/".join(part for part in key.split("/") if part))


def _s3() -> "ModuleType":
    """What asks the service."""
    from storage import s3  # noqa: PLC0415 (a store on disk needs no boto3)

    return s3
