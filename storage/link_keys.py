"""The secret that links of annotators are made from: random, its owner's alone, kept with the decisions."""

import os
import secrets
import stat
from pathlib import Path

from situatedgen.errors import SettingsError, StoreError

NAME = "links.key"
BYTES = 32
IGNORED = f"# The secret behind the links of annotators is nobody else's.\n{NAME}\n"


def link_key(folder: Path) -> bytes:
    """The secret of a folder of decisions, made where there is none, so that links outlive the server.

    Raises:
        SettingsError: others may read it, or it is none.
        StoreError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _make(folder)
        return _read(folder / NAME)
    except OSError as error:
        raise StoreError(f"the secret of the links cannot be kept in {folder}: {error}") from error


def _make(folder: Path) -> None:
    """Write a new secret, whole and under its name at once, unless there is one."""
    path, temporary = folder / NAME, folder / f".{NAME}.{os.getpid()}.{secrets.token_hex(4)}"
    if path.exists():
        return
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(secrets.token_bytes(BYTES))
            stream.flush()
            os.fsync(stream.fileno())
        _link(temporary, path)
    finally:
        temporary.unlink()
    ignored = folder / ".gitignore"
    if not ignored.exists():
        ignored.write_text(IGNORED, encoding="utf-8")


def _link(temporary: Path, path: Path) -> None:
    """Give a file its name; one that another server gave meanwhile stands."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return


def _read(path: Path) -> bytes:
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise SettingsError(f"{path} may be read by others; delete it for new links, or run `chmod 600 {path}`")
    found = path.read_bytes()
    if len(found) != BYTES:
        raise SettingsError(f"{path} is no secret of {BYTES} bytes; delete it, and new links are made")
    return found
