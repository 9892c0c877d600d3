"""`SHA256SUMS`: a line a file, as `sha256sum --check` reads it."""

import hashlib
import re
from collections.abc import Mapping
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


def written(digests: Mapping[str, str]) -> bytes:
    """The text of the file, by name."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode("utf-8")


def read(text: bytes, of: str) -> dict[str, str]:
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
