"""What code was found to reach, written down for the next process: reading it anew takes half a second.

A note holds for one state of all code of the domain, byte for byte; it lies in the user's cache folder, not in a
store, for it is about the code alone. Where it cannot be read or written, code is read anew.
"""

import json
import logging
import os
import shutil
import sys
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from storage.digests import json_digest

log = logging.getLogger(__name__)
DOMAIN = "situatedgen"
STATES = 8
"""How many states of the code are kept; each edit makes a new one."""

Digests = dict[tuple[str, str], str]


def noted(target: str, read: Callable[[], Digests]) -> Digests:
    """What a target of the domain reaches, from its note or else read now and noted; others are always read."""
    if not target.startswith(f"{DOMAIN}."):
        return read()
    note = folder() / state() / f"{target.replace(':', '-')}.json"
    found = _from_note(note)
    if found is None:
        found = read()
        _write(note, found)
    return found


def folder() -> Path:
    """Where notes lie."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / DOMAIN / "code"


@cache
def state() -> str:
    """The digest of all files of the domain, of what reads them, and of the language."""
    spec = find_spec(DOMAIN)
    package = Path(spec.origin).parent if spec and spec.origin else Path()
    files = sorted(path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    digest = sha256(sys.version.encode())
    for path in (*files, *Path(__file__).parent.glob("fingerprint.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package.parent)}\x1f{len(content)}\x1f".encode() + content)
    return digest.hexdigest()


def _from_note(note: Path) -> Digests | None:
    try:
        told = json.loads(note.read_text(encoding="utf-8"))
        if told["self"] != json_digest(told["symbols"]):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return {(module, name): digest for module, name, digest in told["symbols"]}


def _write(note: Path, found: Digests) -> None:
    symbols = [[*symbol, digest] for symbol, digest in found.items()]
    text = json.dumps({"symbols": symbols, "self": json_digest(symbols)})
    temporary = note.with_name(uuid.uuid4().hex)
    try:
        if not note.parent.exists():
            note.parent.mkdir(parents=True)
            _clear(note.parent.parent)
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(note)
    except OSError as error:
        log.debug("what %s reaches is not noted: %s", note.stem, error)


def _clear(notes: Path) -> None:
    """Remove the notes of all states of the code but the last few."""
    with suppress(OSError):
        for old in sorted(notes.iterdir(), key=lambda path: path.stat().st_mtime)[:-STATES]:
            shutil.rmtree(old, ignore_errors=True)
