"""How the answers of a source of your own are understood."""

from collections.abc import Sequence

from situatedgen.errors import RecordError
from situatedgen.sources.choices import labelled
from situatedgen.sources.fields import as_text, described

YES, NO = frozenset({"yes", "true", "y", "1"}), frozenset({"no", "false", "n", "0"})
SEPARATOR = "|"
LONG = 6
AUTO = ("letter", "index", "text")


def plain_text(found: object, name: str) -> str:
    """Text as it is, and a number as its digits.

    Raises:
        RecordError: it is neither, or blank.
    """
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return as_text(str(found) if is_number else found, name)


def yes_or_no(found: object, name: str) -> str:
    """The answer `yes` or `no` from true or false, 1 or 0, or such words in any case.

    Raises:
        RecordError: it is none of these.
    """
    word = str(found).strip().lower()
    if word in YES:
        return "yes"
    if word in NO:
        return "no"
    raise RecordError(f"expected yes or no in {name!r}, found {described(found)}")


def same(found: object, wanted: object) -> bool:
    """Whether a value is the wanted one, be it written as text (`"true"`, `"1"`) or not (`true`, `1`)."""
    return _written(found) == _written(wanted)


def choice_list(found: object, name: str) -> Sequence[object]:
    """The choices of a record: a list, or text with `|` between them.

    Raises:
        RecordError: it is neither, or has fewer than two.
    """
    choices = found.split(SEPARATOR) if isinstance(found, str) else found
    if not isinstance(choices, list | tuple) or len(choices) < 2:
        raise RecordError(f"expected a list of choices in {name!r}, found {described(found)}")
    return choices


def choice_text(choices: Sequence[object], label: object, name: str, reading: str) -> str:
    """The text of the right choice.

    A label is read as `reading` says; `auto` takes whichever of letter, index (from 0) and text fits.

    Raises:
        RecordError: the label fits no choice, or fits several.
    """
    word = plain_text(label, name).strip()
    if all(isinstance(choice, dict) and "label" in choice for choice in choices):
        return labelled(choices, word, name)
    texts = [plain_text(choice, "choices").strip() for choice in choices]
    readings = AUTO if reading == "auto" else (reading,)
    positions = [_position(each, word, texts) for each in readings]
    fitting = {texts[position] for position in positions if 0 <= position < len(texts)}
    if len(fitting) == 1:
        return fitting.pop()
    raise RecordError(_misfit(word, texts, name, fitting))


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def _misfit(word: str, texts: list[str], name: str, fitting: set[str]) -> str:
    if fitting:
        both = " and ".join(repr(text) for text in sorted(fitting))
        return f"expected {name!r} to mean one choice, found {word!r}, which may mean {both}; set `label_as`"
    hint = '; set `label_as = "number"` if yours count from 1' if word == str(len(texts)) else ""
    return f"expected {name!r} to be among the choices {', '.join(map(repr, texts))}, found {word!r}{hint}"


def _position(reading: str, word: str, texts: list[str]) -> int:
    """Where the choice stands that a label means, when it is read so; -1 when it cannot be."""
    if reading == "letter":
        return ord(word.upper()) - ord("A") if len(word) == 1 and word.isascii() and word.isalpha() else -1
    if reading == "text":
        return texts.index(word) if word in texts else -1
    first = 1 if reading == "number" else 0
    return int(word) - first if word.isascii() and word.isdigit() and len(word) < LONG else -1
