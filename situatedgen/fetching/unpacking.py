"""Single files out of a zip archive that nobody has checked."""

import re
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from situatedgen.errors import SourceError

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
        _check(info)
    fitting = [info for info in archive.infolist() if f"/{info.filename}".endswith(f"/{member}")]
    if len(fitting) != 1:
        found = ", ".join(info.filename for info in fitting) or "none"
        raise SourceError(f"expected one file {member} in the archive, found {found}")
    if fitting[0].file_size > LARGEST:
        raise SourceError(f"{member} would have {fitting[0].file_size:,} bytes; expected at most {LARGEST:,}")
    return fitting[0]


def _check(info: zipfile.ZipInfo) -> None:
    """Refuse an archive that means to write elsewhere, or through a link."""
    path = PurePosixPath(info.orig_filename)
    if path.is_absolute() or ".." in path.parts or ODD.search(info.orig_filename):
        raise SourceError(f"the archive holds a file with the path {info.orig_filename!r}, which leads elsewhere")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise SourceError(f"the archive holds {info.filename!r}, which is a link")
