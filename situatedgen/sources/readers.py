"""Readers that a user writes in Python, for formats that situatedgen does not know."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from situatedgen.errors import SettingsError, SourceError
from situatedgen.sources.records import Record

Reader = Callable[[Path], Iterable[tuple[int, Mapping[str, object]]]]


def reader_records(reader: str, root: Path, file: str) -> list[Record]:
    """What `module:function` yields for a file: pairs of a line and an object.

    Raises:
        SettingsError: there is no such function.
        SourceError: the function fails, or yields something else.
    """
    read = _function(reader)
    try:
        pairs = list(read(root / file))
    except Exception as error:
        raise SourceError(f"{file}: reader {reader!r} failed: {type(error).__name__}: {error}") from error
    return [_record(reader, file, index, pair) for index, pair in enumerate(pairs)]


def reader_digest(reader: str) -> str:
    """The sha256 of the module that holds a reader, so that a changed reader reads again.

    Raises:
        SettingsError: there is no such module.
    """
    module = reader.partition(":")[0]
    try:
        spec = find_spec(module)
    except ImportError:
        spec = None
    if spec is None or spec.origin is None:
        raise SettingsError(f"reader {reader!r}: there is no module {module!r}; install it, or set PYTHONPATH")
    return hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()


def _function(reader: str) -> Reader:
    module, _, name = reader.partition(":")
    try:
        found: Reader = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise SettingsError(f"reader {reader!r} cannot be imported: {error}") from error
    return found


def _record(reader: str, file: str, index: int, pair: object) -> Record:
    match pair:
        case (int(line), Mapping() as value) if line > 0:
            return Record(index, line, dict(value))
    raise SourceError(
        f"{file}: reader {reader!r} must yield pairs of a line and an object; record {index} is {pair!r:.60}"
    )
