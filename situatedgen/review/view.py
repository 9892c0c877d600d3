"""What an annotator sees of a pair: marked keywords, the sentences joined by "while", and with entities swapped."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from situatedgen.records import Entity
from situatedgen.rules.places import find_places
from situatedgen.rules.text import MONTHS, WEEKDAYS, true_case
from situatedgen.rules.times import find_times
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context


class Kind(StrEnum):
    """Kind of a marked span: place or time."""

    PLACE = "place"
    TIME = "time"


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A place or time in a text, as half-open character offsets."""

    start: int
    end: int
    kind: Kind


LABELS = {Kind.PLACE: GEO_LABELS, Kind.TIME: TEMP_LABELS}
SHARED = {
    Context.GEO: (Kind.PLACE,),
    Context.TEMP: (Kind.TIME,),
    Context.BOTH: (Kind.PLACE, Kind.TIME),
    Context.NONE: (),
}


def marks_of(entities: Iterable[Entity]) -> tuple[Mark, ...]:
    """Marks for the places and times among a text's entities, sorted by position."""
    return tuple(
        sorted(
            Mark(entity.start, entity.end, kind)
            for entity in entities
            for kind, labels in LABELS.items()
            if entity.label in labels
        )
    )


def found_marks(text: str, keywords: Sequence[str]) -> tuple[Mark, ...]:
    """Places and times that the rules find among a text's keywords; used when a dataset comes without its store.

    Example:
        >>> [text for text in (mark.kind.value for mark in found_marks("It is hot in Spain.", ["Spain"]))]
        ['place']
    """
    cased = true_case(text)
    known = {keyword.casefold() for keyword in keywords}
    times = marks_of(find_times(cased))
    places = [mark for mark in marks_of(find_places(cased)) if not any(_overlap(mark, time) for time in times)]
    return tuple(mark for mark in sorted([*times, *places]) if _matches_keyword(text[mark.start : mark.end], known))


def _matches_keyword(found: str, keywords: set[str]) -> bool:
    """Whether the span contains a keyword or is contained in one."""
    small = found.casefold()
    return any(small in keyword or keyword in small for keyword in keywords)


def _overlap(left: Mark, right: Mark) -> bool:
    return left.start < right.end and right.start < left.end


_FIRST_WORD = re.compile(r"[^\W\d_]+")
_INNER_WORD = re.compile(r"(?<=[\w,;] )[a-z]+\b")
_ENDS_SHORTENED = re.compile(r"\b\w\.$")
_FULL_STOP = re.compile(r"\.\s*$")
# Words that precede a name or a time without being part of it.
_OPENERS = frozenset("a an the in on at during before after between from early late mid every each last next".split())
_NAMED_TIMES = frozenset(name.lower() for name in (*MONTHS, *WEEKDAYS))


@dataclass(frozen=True, slots=True)
class Part:
    """A span of displayed text: its kind (empty for plain text), and whether it was swapped in."""

    text: str
    kind: str = ""
    is_moved: bool = False


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence with marks for its places and times."""

    text: str
    marks: tuple[Mark, ...] = ()


def parts(sentence: Marked) -> tuple[Part, ...]:
    """Split a sentence at its marks; the parts concatenate to its text."""
    return _fill_marks(sentence, {})


def join_sentences(first: Marked, second: Marked, common: Collection[str]) -> tuple[Part, ...]:
    """Join both sentences with "while"; `common` holds words that may be lowercased at the start of the second.

    Example:
        >>> pair = Marked("It is hot in May."), Marked("It is cold in July.")
        >>> "".join(part.text for part in join_sentences(*pair, {"it"}))
        'It is hot in May, while it is cold in July.'
    """
    opening = first.text if _ENDS_SHORTENED.search(first.text) else _FULL_STOP.sub("", first.text)
    closing = replace(second, text=_lower_first(second, common))
    return (*parts(replace(first, text=opening)), Part(", "), Part("while", "link"), Part(" "), *parts(closing))


def swap_sentences(first: Marked, second: Marked, kind: Kind, common: Collection[str]) -> tuple[tuple[Part, ...], ...]:
    """Both sentences with their places (or times) swapped pairwise in order; empty if there is nothing to swap.

    Example:
        >>> mark = Mark(0, 5, Kind.PLACE)
        >>> pair = Marked("Spain is hot.", (mark,)), Marked("Japan is far.", (mark,))
        >>> ["".join(part.text for part in each) for each in swap_sentences(*pair, Kind.PLACE, set())]
        ['Japan is hot.', 'Spain is far.']
    """
    couples = list(zip(_marks_of_kind(first, kind), _marks_of_kind(second, kind), strict=False))
    if not couples:
        return ()
    into_first = {left: _adapt_case(second, right, left, common) for left, right in couples}
    into_second = {right: _adapt_case(first, left, right, common) for left, right in couples}
    return _fill_marks(first, into_first), _fill_marks(second, into_second)


def common_words(texts: Iterable[str]) -> frozenset[str]:
    """Words that occur in lower case inside a sentence of the texts."""
    return _OPENERS | {word for text in texts for word in _INNER_WORD.findall(text)}


def _marks_of_kind(sentence: Marked, kind: Kind) -> list[Mark]:
    return [mark for mark in sentence.marks if mark.kind is kind]


def _fill_marks(sentence: Marked, moved: dict[Mark, str]) -> tuple[Part, ...]:
    found, end = [], 0
    for mark in _marks_within(sentence):
        found.append(Part(sentence.text[end : mark.start]))
        written = sentence.text[mark.start : mark.end]
        found.append(Part(moved.get(mark, written), mark.kind.value, mark in moved))
        end = mark.end
    return tuple(part for part in (*found, Part(sentence.text[end:])) if part.text)


def _marks_within(sentence: Marked) -> Sequence[Mark]:
    """Marks that start inside the text, which may have lost its final stop."""
    return [mark for mark in sentence.marks if mark.start < len(sentence.text)]


def _adapt_case(origin: Marked, mark: Mark, place: Mark, common: Collection[str]) -> str:
    """A place or time with its capitalisation adapted to its new position."""
    text = origin.text[mark.start : mark.end]
    if place.start == 0:
        return text[:1].upper() + text[1:]
    return _lower_first(Marked(text, (Mark(0, len(text), mark.kind),)), common) if mark.start == 0 else text


def _lower_first(sentence: Marked, common: Collection[str]) -> str:
    """The sentence with its first letter lowercased, unless it begins with a name."""
    match = _FIRST_WORD.match(sentence.text)
    if not match or _keeps_capital(sentence, match, common):
        return sentence.text
    return sentence.text[:1].lower() + sentence.text[1:]


def _keeps_capital(sentence: Marked, word: re.Match[str], common: Collection[str]) -> bool:
    small = word.group().lower()
    if small in _OPENERS:
        return False
    opens_place = any(mark.start == 0 and mark.kind is Kind.PLACE for mark in sentence.marks)
    is_name = sentence.text[word.end() + 1 : word.end() + 2].isupper() or small in _NAMED_TIMES or small == "i"
    return opens_place or is_name or small not in common


@dataclass(frozen=True, slots=True)
class Chip:
    """A keyword: its kind, and whether the sentences contain it."""

    text: str
    kind: str
    is_held: bool


@dataclass(frozen=True, slots=True)
class Swap:
    """Both sentences with their places or times swapped."""

    kind: Kind
    sentences: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, slots=True)
class View:
    """A pair as displayed."""

    chips: tuple[Chip, ...]
    sentences: tuple[tuple[Part, ...], tuple[Part, ...]]
    joined: tuple[Part, ...]
    swaps: tuple[Swap, ...]


def view(keywords: Collection[str], pair: tuple[Marked, Marked], context: Context, common: Collection[str]) -> View:
    """Build the view of a pair; only the kinds that both sentences share (places, times or both) are swapped."""
    first, second = pair
    swaps = (Swap(kind, swap_sentences(first, second, kind, common)) for kind in SHARED[context])
    return View(
        chips=tuple(_chip(keyword, pair) for keyword in keywords),
        sentences=(parts(first), parts(second)),
        joined=join_sentences(first, second, common),
        swaps=tuple(swap for swap in swaps if swap.sentences),
    )


def _chip(keyword: str, pair: tuple[Marked, Marked]) -> Chip:
    kinds = [kind for sentence in pair for kind in _kinds(keyword, sentence)]
    is_held = any(keyword.casefold() in sentence.text.casefold() for sentence in pair)
    return Chip(keyword, kinds[0] if kinds else "", is_held)


def _kinds(keyword: str, sentence: Marked) -> list[str]:
    """Kinds of the marks whose text is exactly this keyword."""
    return [mark.kind.value for mark in sentence.marks if sentence.text[mark.start : mark.end] == keyword]
