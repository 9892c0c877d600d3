"""All ways to regroup the keywords of two statements: some of one go to the other, and back."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from situatedgen.filtering.choice.slots import NOUN, PLACE, TIME, Slot, is_plural
from situatedgen.filtering.choice.times import is_one_time

Regrouping: TypeAlias = tuple[int, ...]
"""For each slot of the left statement and then of the right one, the number of the slot whose filler it gets."""

_WORDS = re.compile(r"\w+")
_NEGATION = re.compile(r"\b(?:not|no|never|cannot|none|neither|nor|without|unlikely|isnt|dont)\b|n['’]t\b", re.I)
_POSSIBLE = re.compile(r"\b(?:can|could|may|might|would)\b", re.I)
_LOWERED = re.compile(
    r"(?:the|an?|every|each|all|some|many|most|about|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.I,
)


def regroupings(left: Sequence[Slot], right: Sequence[Slot]) -> Iterator[Regrouping]:
    """Every way to fill the slots of two statements anew in which a place, a time or a name leaves its company."""
    slots = [*left, *right]
    fits = [
        [other for other in range(len(slots)) if other == slot or can_exchange(slots[slot], slots[other])]
        for slot in range(len(slots))
    ]
    return (found for found in _fillings(fits, ()) if _parts_company(found, left, right))


def is_negated(text: str) -> bool:
    """Whether a statement denies something: with other keywords it would mostly stay true.

    Example:
        >>> [is_negated(text) for text in ("Kobe is not in Europe.", "Kobe is in Japan.")]
        [True, False]
    """
    return bool(_NEGATION.search(text))


def is_possible(text: str) -> bool:
    """Whether a statement only says what may be: of two such, with other keywords both mostly stay true.

    Example:
        >>> [is_possible(text) for text in ("You could see a bear in Ohio.", "Kobe is in Japan.")]
        [True, False]
    """
    return bool(_POSSIBLE.search(text))


def _parts_company(regrouping: Regrouping, left: Sequence[Slot], right: Sequence[Slot]) -> bool:
    """Whether something goes to the other statement without what makes a statement of it.

    Where all of a statement goes over, and only its verb stays, both sentences mostly stay true: "Salmon are found in
    Alaska. Honda resides in Japan." Where only common nouns go, they are too often as good as those that they replace.
    """
    border = len(left)
    going = {filler for slot, filler in enumerate(regrouping) if (slot < border) != (filler < border)}
    return any(_is_torn(dict(side), going) for side in (enumerate(left), enumerate(right, border)))


def _is_torn(side: Mapping[int, Slot], going: Set[int]) -> bool:
    """Whether a place or time of a statement goes and what it is said of stays, or its name goes and they stay."""
    contexts = {number for number, slot in side.items() if slot.kind in (PLACE, TIME)}
    named = [number for number, slot in side.items() if slot.kind not in (PLACE, TIME, NOUN)]
    said_of = next(iter(named or sorted(side.keys() - contexts)), None)
    if said_of is None:
        return bool(contexts & going) and (len(contexts) == 1 or bool(contexts - going))
    if said_of in going:
        return bool(named and contexts) and not contexts & going
    return bool(contexts & going)


def _fillings(fits: Sequence[Sequence[int]], taken: Regrouping) -> Iterator[Regrouping]:
    if len(taken) == len(fits):
        yield taken
        return
    for filler in fits[len(taken)]:
        if filler not in taken:
            yield from _fillings(fits, (*taken, filler))


def can_exchange(left: Slot, right: Slot) -> bool:
    """Whether both sentences stay grammatical when these slots change places, and something changes at all."""
    if left.kind != right.kind or _words(left.text) == _words(right.text):
        return False
    if (left.is_modified and right.has_article) or (right.is_modified and left.has_article):
        return False
    if not (_sounds_right(left, right) and _sounds_right(right, left)):
        return False
    if left.kind == TIME:
        return not is_one_time(left.text, right.text) and _can_exchange_times(left, right)
    if left.shape != right.shape:
        return False
    return left.kind != NOUN or _can_exchange_nouns(left, right)


def _sounds_right(slot: Slot, filler: Slot) -> bool:
    """Whether an article that stays before a slot suits what comes there: "an" before a vowel, "a" before others."""
    return slot.before not in ("a", "an") or (slot.before == "an") == (filler.text[0].lower() in "aeiou")


def _can_exchange_times(left: Slot, right: Slot) -> bool:
    if (left.is_first or right.is_first) and is_plural(left.text) != is_plural(right.text):
        return False
    return left.shape == right.shape or (left.before == right.before and left.has_article == right.has_article)


def _can_exchange_nouns(left: Slot, right: Slot) -> bool:
    """Nouns fit when they are alike in this: described or not, first in their sentence or not, names or not."""
    if left.is_first != right.is_first and not (left.has_article and right.has_article):
        return False
    return left.is_modified == right.is_modified and (left.is_first or _is_name(left) == _is_name(right))


def _is_name(slot: Slot) -> bool:
    return slot.text.split()[-1][:1].isupper()


def _words(text: str) -> list[str]:
    return [word for word in _WORDS.findall(text.lower()) if word not in ("the", "a", "an")]


def regrouped(
    left: tuple[str, Sequence[Slot]], right: tuple[str, Sequence[Slot]], regrouping: Regrouping
) -> tuple[str, str]:
    """Two statements, each with its slots, after a regrouping."""
    (left_text, left_slots), (right_text, right_slots) = left, right
    slots = [*left_slots, *right_slots]
    fillers = [slots[number] for number in regrouping]
    border = len(left_slots)
    return refilled(left_text, left_slots, fillers[:border]), refilled(right_text, right_slots, fillers[border:])


def refilled(text: str, slots: Sequence[Slot], fillers: Sequence[Slot]) -> str:
    """A statement with other fillers in its slots, their capitals as the new place asks."""
    parts, end = [], 0
    for slot, filler in zip(slots, fillers, strict=True):
        parts += [text[end : slot.start], slot.text if filler == slot else _placed(filler, slot)]
        end = slot.end
    return "".join((*parts, text[end:]))


def _placed(filler: Slot, slot: Slot) -> str:
    """A filler's text in its new place: with a capital at the start, without one on an article elsewhere."""
    if slot.is_first:
        return filler.text[0].upper() + filler.text[1:]
    if filler.is_first and _LOWERED.match(filler.text):
        return filler.text[0].lower() + filler.text[1:]
    return filler.text
