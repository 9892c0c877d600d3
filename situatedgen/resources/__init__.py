"""Data files that rules and models read; the fingerprint of code that names one covers its content."""

from importlib.resources import files


def read_text(name: str) -> str:
    """The text of a data file of this package. Name it literally, so that its content enters the key."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def read_bytes(name: str) -> bytes:
    """The bytes of a data file of this package. Name it literally, as for `read_text`."""
    return files(__name__).joinpath(name).read_bytes()


def read_lines(name: str) -> tuple[str, ...]:
    """The lines of a data file of this package, without blanks and comments (`#`)."""
    lines = (line.strip() for line in read_text(name).splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))
