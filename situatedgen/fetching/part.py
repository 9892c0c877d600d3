"""A download that is not whole yet: its bytes, and a note beside them of which version they belong to."""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from situatedgen.atomic import write
from situatedgen.errors import SourceError


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
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SourceError(f"another process is downloading {Part(path).name}; wait for it to end") from error
        try:
            yield Part(path)
        finally:
            if not os.fstat(stream.fileno()).st_size:
                Part(path).remove()
