"""User-defined sources: described by params, or read by a Python function."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from situatedgen.errors import RecordError, SettingsError, SourceError, unknown
from situatedgen.sources.builtin import text_of_label
from situatedgen.sources.formats import (
    Record,
    as_text,
    csv_rows,
    describe_value,
    json_lines,
    json_records,
    look_up,
    own_id,
    parquet_rows,
    text_lines,
    tsv_rows,
)
from situatedgen.sources.params import SourceParams
from situatedgen.sources.source import Content, Format, Part
from situatedgen.vocabulary import ItemKind

YES, NO = frozenset({"yes", "true", "y", "1"}), frozenset({"no", "false", "n", "0"})
SEPARATOR = "|"
LONG = 6
AUTO = ("letter", "index", "text")


def plain_text(found: object, name: str) -> str:
    """Text as it is, or a number as its digits.

    Raises:
        RecordError: the value is neither, or blank.
    """
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return as_text(str(found) if is_number else found, name)


def yes_or_no(found: object, name: str) -> str:
    """The answer `yes` or `no` for true or false, 1 or 0, or the words for them in any case.

    Raises:
        RecordError: the value is none of these.
    """
    word = str(found).strip().lower()
    if word in YES:
        return "yes"
    if word in NO:
        return "no"
    raise RecordError(f"expected yes or no in {name!r}, found {describe_value(found)}")


def same(found: object, wanted: object) -> bool:
    """Whether a value equals the wanted one, whether it is given as text (`"true"`, `"1"`) or not (`true`, `1`)."""
    return _as_text(found) == _as_text(wanted)


def choice_list(found: object, name: str) -> Sequence[object]:
    """The choices of a record: a list, or text with `|` between them.

    Raises:
        RecordError: the value is neither, or has fewer than two choices.
    """
    choices = found.split(SEPARATOR) if isinstance(found, str) else found
    if not isinstance(choices, list | tuple) or len(choices) < 2:
        raise RecordError(f"expected a list of choices in {name!r}, found {describe_value(found)}")
    return choices


def choice_text(choices: Sequence[object], label: object, name: str, reading: str) -> str:
    """The text of the right choice.

    `reading` says how to interpret the label; `auto` accepts whichever of letter, index (from 0) and text matches.

    Raises:
        RecordError: the label matches no choice, or several.
    """
    word = plain_text(label, name).strip()
    if all(isinstance(choice, dict) and "label" in choice for choice in choices):
        return text_of_label(choices, word, name)
    texts = [plain_text(choice, "choices").strip() for choice in choices]
    readings = AUTO if reading == "auto" else (reading,)
    positions = [_position(each, word, texts) for each in readings]
    fitting = {texts[position] for position in positions if 0 <= position < len(texts)}
    if len(fitting) == 1:
        return fitting.pop()
    raise RecordError(_describe_misfit(word, texts, name, fitting))


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def _describe_misfit(word: str, texts: list[str], name: str, fitting: set[str]) -> str:
    if fitting:
        both = " and ".join(repr(text) for text in sorted(fitting))
        return f"expected {name!r} to mean one choice, found {word!r}, which may mean {both}; set `label_as`"
    hint = '; set `label_as = "number"` if yours count from 1' if word == str(len(texts)) else ""
    return f"expected {name!r} to be among the choices {', '.join(map(repr, texts))}, found {word!r}{hint}"


def _position(reading: str, word: str, texts: list[str]) -> int:
    """The index of the choice that a label means in this reading; -1 if it cannot be read so."""
    if reading == "letter":
        return ord(word.upper()) - ord("A") if len(word) == 1 and word.isascii() and word.isalpha() else -1
    if reading == "text":
        return texts.index(word) if word in texts else -1
    first = 1 if reading == "number" else 0
    return int(word) - first if word.isascii() and word.isdigit() and len(word) < LONG else -1


Reader = Callable[[Path], Iterable[tuple[int, Mapping[str, object]]]]


def reader_records(reader: str, root: Path, file: str) -> list[Record]:
    """The records that the function `module:function` yields for a file: pairs of a line and an object.

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
    """The sha256 of the module of a reader, so that a changed reader invalidates the cache.

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
        f"{file}: reader {reader!r} must yield pairs of a line number and an object; record {index} is {pair!r:.60}"
    )


FORMATS: dict[str, Format] = {
    ".csv": csv_rows,
    ".json": json_records,
    ".jsonl": json_lines,
    ".parquet": parquet_rows,
    ".tsv": tsv_rows,
    ".txt": text_lines,
}
LINE = "text"


@dataclass(frozen=True)
class OwnSource:
    """A source that is fully described by its params."""

    params: SourceParams

    @property
    def name(self) -> str:
        """The first part of its ids."""
        return self.params.name

    @property
    def kind(self) -> ItemKind:
        """The kind of its records."""
        return cast(ItemKind, self.params.kind)

    @property
    def licence(self) -> str:
        """The licence of its data."""
        return self.params.licence

    @property
    def citation(self) -> str:
        """How its data is cited."""
        return self.params.citation

    def parts(self, root: Path) -> tuple[Part, ...]:
        """The files that match its patterns, sorted by name.

        Raises:
            SourceError: a pattern matches no file, or two files would give the same ids.
        """
        found = {file for pattern in self.params.files for file in _matching_files(root, pattern, self.name)}
        parts = tuple(Part(self.params.split or Path(file).stem, file) for file in sorted(found))
        _check_splits(parts)
        return parts

    def records(self, root: Path, file: str) -> Iterable[Record]:
        """The records of one of its files.

        Raises:
            SourceError: the file's format is unknown, or the file is not in that format.
            SettingsError: no record has a column that the params name.
        """
        if self.params.reader:
            records = reader_records(self.params.reader, root, file)
        else:
            records = [_as_object(record) for record in _format(file)(root, file)]
        _check_columns(self.params, file, records)
        return records

    def content(self, value: object) -> Content | None:
        """The content of a record; None if `keep` does not hold for it.

        Raises:
            RecordError: a column is missing or cannot be interpreted.
        """
        keep = self.params.keep
        if keep is not None and not same(look_up(value, keep.column), keep.equals):
            return None
        if self.kind == ItemKind.CLAIM:
            statement = plain_text(look_up(value, self.params.statement), self.params.statement)
            return self._with_its_own(Content(statement=statement), value)
        question = plain_text(look_up(value, self.params.question), self.params.question)
        return self._with_its_own(Content(question=question, answer=_answer(self.params, value)), value)

    def _with_its_own(self, content: Content, value: object) -> Content:
        """Add the record's own id and licence if the source has such columns."""
        column = self.params.record_licence
        licence = plain_text(look_up(value, column), column) if column else None
        return replace(content, own_id=own_id(value, self.params.id), own_licence=licence)


def _format(file: str) -> Format:
    ending = Path(file).suffix.lower()
    if ending not in FORMATS:
        raise SourceError(
            f"{file}: expected a file that ends in one of {', '.join(FORMATS)}; other formats need a `reader`"
        )
    return FORMATS[ending]


def _answer(params: SourceParams, value: object) -> str:
    if params.kind == ItemKind.YES_NO:
        return yes_or_no(look_up(value, params.answer), params.answer)
    if params.answer:
        return plain_text(look_up(value, params.answer), params.answer)
    choices = choice_list(look_up(value, params.choices), params.choices)
    return choice_text(choices, look_up(value, params.label), params.label, params.label_as)


def _matching_files(root: Path, pattern: str, name: str) -> list[str]:
    found = [path.relative_to(root).as_posix() for path in root.glob(pattern) if path.is_file()]
    if not found:
        raise SourceError(f"source {name!r}: expected files that match {pattern} in {root}, found none")
    return found


def _check_splits(parts: Sequence[Part]) -> None:
    file_of: dict[str, str] = {}
    for part in parts:
        first = file_of.setdefault(part.split, part.file)
        if first != part.file:
            raise SourceError(
                f"{first} and {part.file} would both get ids with the split {part.split!r}; omit `split`"
                " (each file's stem is then its split), or define two sources"
            )


def _as_object(record: Record) -> Record:
    """Wrap a plain-text record in an object with one column."""
    if not isinstance(record.value, str):
        return record
    return Record(record.index, record.line, {LINE: record.value}, record.verdict, record.reason)


def _check_columns(params: SourceParams, file: str, records: Sequence[Record]) -> None:
    objects = [record.value for record in records if isinstance(record.value, dict)]
    for column in params.columns.values():
        if objects and not any(_has(value, column) for value in objects):
            raise unknown(f"column of {file}", column, {path for value in objects for path in _paths(value)})


def _has(value: Mapping[str, object], column: str) -> bool:
    try:
        look_up(value, column)
    except RecordError:
        return False
    return True


def _paths(value: Mapping[str, object], before: str = "") -> Iterable[str]:
    for name, inner in value.items():
        if isinstance(inner, dict):
            yield from _paths(inner, f"{before}{name}.")
        else:
            yield f"{before}{name}"
