"""Looking into a record: what is there if it is as expected, else a RecordError that says what was found."""

from collections.abc import Sequence

from situatedgen.errors import RecordError

SHOWN = 40
NAMES = {bool: "true or false", int: "a number", float: "a number", str: "text", type(None): "nothing"}


def look_up(value: object, path: str) -> object:
    """What stands at a dotted path (`question.stem`); a key that holds the dots itself comes first.

    Raises:
        RecordError: the value is not an object, or has nothing at the path.
    """
    if not isinstance(value, dict):
        raise RecordError(f"expected an object with the field {path!r}, found {described(value)}")
    if path in value:
        return value[path]
    first, dot, rest = path.partition(".")
    if dot and isinstance(value.get(first), dict):
        return look_up(value[first], rest)
    known = ", ".join(map(str, value)) or "none"
    raise RecordError(f"expected the field {path!r}, found the fields {known}")


def text_at(value: object, path: str) -> str:
    """The text at a path.

    Raises:
        RecordError: it is missing, not text, blank, or not proper Unicode.
    """
    return as_text(look_up(value, path), path)


def as_text(found: object, name: str) -> str:
    """A value as the text that it is.

    Raises:
        RecordError: it is not text, or blank, or not proper Unicode.
    """
    if not isinstance(found, str):
        raise RecordError(f"expected text in {name!r}, found {described(found)}")
    if not found.strip():
        raise RecordError(f"expected text in {name!r}, found a blank")
    if not found.isascii() and any("\ud800" <= letter <= "\udfff" for letter in found):
        raise RecordError(f"expected text in {name!r}, found half a surrogate pair")
    return found


def flag_at(value: object, path: str) -> bool:
    """The true or false at a path.

    Raises:
        RecordError: it is missing, or something else.
    """
    found = look_up(value, path)
    if not isinstance(found, bool):
        raise RecordError(f"expected true or false in {path!r}, found {described(found)}")
    return found


def list_at(value: object, path: str) -> Sequence[object]:
    """The list at a path.

    Raises:
        RecordError: it is missing, not a list, or empty.
    """
    found = look_up(value, path)
    if not isinstance(found, list | tuple) or not found:
        raise RecordError(f"expected a list in {path!r}, found {described(found)}")
    return found


def described(value: object) -> str:
    """What a value is, in words short enough for a message."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    name = NAMES.get(type(value), type(value).__name__)
    if value is None:
        return name
    shown = repr(value)
    return f"{name}: {shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + '…'}"


def own_id(value: object, path: str) -> str | None:
    """The id that a record has in its own source, when it has one."""
    found = value.get(path) if path and isinstance(value, dict) else None
    return str(found) if isinstance(found, str | int) else None
