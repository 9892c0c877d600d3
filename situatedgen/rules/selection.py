"""Selection for breadth: takes the best pairs first, with caps per sentence and per family of sentences."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from situatedgen.records import Token
from situatedgen.vocabulary import Verdict

COMPLEMENTS = frozenset({"attr", "acomp"})
PREPOSITIONS = frozenset({"prep", "agent"})
ARTICLES = frozenset({"a", "an", "the"})
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
NUMBERS = {word: number for number, word in enumerate(ONES.split())} | {
    word: 10 * number for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
WORD = re.compile(r"\w+")
APOSTROPHE = re.compile(r"['’]")


def family_of(words: Sequence[Token]) -> str:
    """The predicate of a parsed sentence: its root, the complement of a copula, and its prepositions.

    All as lemmas: "Lima is the capital of Peru." is in the family `be capital`, "He was born in May." in `bear in`.
    """
    root = next((number for number, word in enumerate(words) if word.role == "ROOT"), None)
    if root is None:
        return ""
    below = [word for number, word in enumerate(words) if word.head == root and number != root]
    verb = words[root].lemma.lower()
    said = [word.lemma.lower() for word in below if word.role in COMPLEMENTS][:1] if verb == "be" else []
    return " ".join([verb, *said, *sorted({word.lemma.lower() for word in below if word.role in PREPOSITIONS})])


def content_of(text: str) -> str:
    """A normal form of a sentence without case, punctuation and articles, and with numbers as digits.

    Example:
        >>> content_of("A day has twenty-four hours.") == content_of("The day has 24 hours")
        True
    """
    words = (word for word in WORD.findall(APOSTROPHE.sub("", text.casefold())) if word not in ARTICLES)
    found: list[str] = []
    tens = 0
    for word in words:
        number = NUMBERS.get(word)
        if number is None:
            found.append(word)
        elif tens and 0 < number < 10:
            found[-1] = str(tens + number)
        else:
            found.append(str(number))
        tens = number if number is not None and number >= 20 else 0
    return " ".join(found)


FEWEST_SLOTS = 10
"""Slots that every family may fill, so that a dataset of few families does not become empty."""


class Offer(NamedTuple):
    """A pair that may be selected: the contents of its two sentences, and their families.

    Unless it `may_repeat`, a pair is selected only if it brings a sentence that no better pair has.
    """

    contents: tuple[str, str]
    families: tuple[str, str]
    may_repeat: bool = True


def selection(offers: Sequence[Offer], *, max_pairs: int, max_share: float) -> list[Verdict]:
    """The verdict on each pair; the pairs are given best first.

    A sentence occurs in at most `max_pairs` pairs, and a family fills at most `max_share` of the slots (two per pair)
    of all selected pairs. That limit depends on the selection itself, so the selection is repeated with the limit of
    the previous round, which shrinks each time, until no family exceeds its share.
    """
    slots = 2 * len(offers)
    while True:
        verdicts = fitting(offers, max_pairs=max_pairs, max_slots=slots)
        room = max(int(max_share * 2 * verdicts.count(Verdict.KEPT)), FEWEST_SLOTS)
        if largest_family(offers, verdicts) <= room:
            return verdicts
        slots = room


def fitting(offers: Sequence[Offer], *, max_pairs: int, max_slots: int) -> list[Verdict]:
    """The verdict on each pair, best first: kept if its sentences and families still have room.

    Sentences with the same content count as one; no sentence is paired with itself, nor twice with the same other.
    """
    pairs: Counter[str] = Counter()
    slots: Counter[str] = Counter()
    there: set[frozenset[str]] = set()
    verdicts = []
    for contents, families, may_repeat in offers:
        both, needed = frozenset(contents), 2 if families[0] == families[1] else 1
        if len(both) == 1 or both in there:
            verdict = Verdict.SAME_CONTENT
        elif any(pairs[content] >= max_pairs for content in contents) or (
            not may_repeat and all(pairs[content] for content in contents)
        ):
            verdict = Verdict.TOO_FREQUENT
        elif any(slots[family] + needed > max_slots for family in families):
            verdict = Verdict.FAMILY_FULL
        else:
            verdict = Verdict.KEPT
            pairs.update(contents)
            slots.update(families)
            there.add(both)
        verdicts.append(verdict)
    return verdicts


def largest_family(offers: Sequence[Offer], verdicts: Sequence[Verdict]) -> int:
    """The number of slots that the largest family fills among the kept pairs."""
    kept = (offer for offer, verdict in zip(offers, verdicts, strict=True) if verdict is Verdict.KEPT)
    slots = Counter(family for offer in kept for family in offer.families)
    return max(slots.values(), default=0)
