"""The text of a source file, or a clear word on why it cannot be read."""

from pathlib import Path

from situatedgen.errors import SourceError

UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_bytes(root: Path, file: str) -> bytes:
    """The bytes of a file below the sources folder.

    Raises:
        SourceError: there is no such file, or it cannot be opened.
    """
    try:
        return (root / file).read_bytes()
    except FileNotFoundError as error:
        raise SourceError(f"{file}: expected this file in {root}, found none") from error
    except OSError as error:
        raise SourceError(f"{file}: cannot be read: {error.strerror}") from error


def read_text(root: Path, file: str) -> str:
    """The text of a UTF-8 file below the sources folder, without a byte-order mark.

    Raises:
        SourceError: the file is missing or not UTF-8.
    """
    data = read_bytes(root, file)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = "UTF-16" if data.startswith(UTF16) else f"0x{data[error.start]:02x}"
        raise SourceError(
            f"{file}:{line}: expected UTF-8, found {found} at byte {error.start}; save the file as UTF-8"
        ) from error
