"""Which pairs make a broad dataset: the best first, as long as no sentence and no family of sentences has too many."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from situatedgen.vocabulary import Verdict

FEWEST_SLOTS = 10
"""Slots that every family may fill, so that a dataset of few families is not emptied."""


class Offer(NamedTuple):
    """A pair that may be selected: the contents of its two sentences, and their families."""

    contents: tuple[str, str]
    families: tuple[str, str]


def selection(offers: Sequence[Offer], *, max_pairs: int, max_share: float) -> list[Verdict]:
    """The verdict on each pair, of which the best comes first.

    A sentence stands in at most `max_pairs`, and a family fills at most `max_share` of the slots, two a pair, of all
    that is selected. How many slots that is depends on what is selected, so that the pairs are selected again with
    the room that was left, which gets less each time, until no family has more than its share.
    """
    slots = 2 * len(offers)
    while True:
        verdicts = fitting(offers, max_pairs=max_pairs, max_slots=slots)
        room = max(int(max_share * 2 * verdicts.count(Verdict.KEPT)), FEWEST_SLOTS)
        if largest_family(offers, verdicts) <= room:
            return verdicts
        slots = room


def fitting(offers: Sequence[Offer], *, max_pairs: int, max_slots: int) -> list[Verdict]:
    """The verdict on each pair, the best first: kept wherever its sentences and families have room by then.

    Sentences of the same content are one sentence, and no sentence is paired with itself, nor twice with another.
    """
    pairs: Counter[str] = Counter()
    slots: Counter[str] = Counter()
    there: set[frozenset[str]] = set()
    verdicts = []
    for contents, families in offers:
        both, needed = frozenset(contents), 2 if families[0] == families[1] else 1
        if len(both) == 1 or both in there:
            verdict = Verdict.SAME_CONTENT
        elif any(pairs[content] >= max_pairs for content in contents):
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
    """How many slots the family fills that fills most, of the pairs that are kept."""
    kept = (offer for offer, verdict in zip(offers, verdicts, strict=True) if verdict is Verdict.KEPT)
    slots = Counter(family for offer in kept for family in offer.families)
    return max(slots.values(), default=0)
