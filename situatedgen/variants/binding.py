"""Whether a statement is bound to its place or time, so that it is false of another far from it."""

import re
from collections.abc import Sequence

from situatedgen.variants.moments import Moment
from situatedgen.variants.slots import Slot, Word
from situatedgen.vocabulary import Label

# What has a name is in few places and times; a kind of thing is in many.
NAMED = frozenset(
    {Label.PERSON, Label.ORG, Label.FAC, Label.LOC, Label.EVENT, Label.WORK_OF_ART, Label.PRODUCT, Label.GPE}
)
# Words by which a statement denies, guesses, compares or speaks of many; and doings that are not tied to one place.
_LOOSE = re.compile(
    r"\b(?:not|no|never|nor|neither|without|cannot|\w+n['’]t|can|could|would|should|may|might|must|will|if|or|unless|but"
    r"|likely|unlikely|possible|possibly|probably|perhaps|usually|often|sometimes|generally|frequently|commonly"
    r"|some|any|many|most|several|various|multiple|different|other|others|another|all|every|each|everywhere|anywhere"
    r"|popular|famous|known|similar\w*|like|than|more|less|fewer|both|outside|near|around|between|before|after|since"
    r"|until|only|one|visit\w*|travel\w*|tour\w*|fans|popularity|want\w*|there|members?|influenced?|role|roll|concerts?"
    r"|perform\w*|produc\w+|manufactur\w+|broadcast\w*|works?|worked|sells?|sold|flies|flights?|fly|exists?|operat\w+|acts|sun|moon|earth|north|south|east|west"
    r"|you|your|i|people|someone|anyone|somebody|person|he|she|they|it|his|her|their)\b",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(
    r"\b(\w+) (?:born|based|built|celebrated|created|found|founded|held|invented|located|made|written)\b"
)
# A statement without one of these, outside its keywords, is a fragment more often than a sentence.
_VERB = re.compile(
    r"\b(?:am|are|be|been|is|was|were|has|have|had|do|does|did|\w+ed|\w{2,}s|became|began|broke|brought|built|came|fell"
    r"|fought|gave|got|grew|held|hit|knew|lay|led|left|lie|live|lost|made|meet|met|ran|reside|rose|sang|sank|saw|sent"
    r"|set|shot|spent|spoke|stood|taught|threw|took|went|won|wore|wrote)\b"
)
_BE = frozenset({"am", "are", "be", "been", "being", "is", "was", "were", "and"})


def is_bound(text: str, slot: Slot, words: Sequence[Word]) -> bool:
    """Whether a statement would be false with a far place or time in its slot.

    It says plainly something of a thing that has a name; of winter and summer, of any thing.
    """
    is_loose = _LOOSE.search(text, 0, slot.start) or _LOOSE.search(text, slot.end)
    is_plain = not is_loose and not _lacks_verb(text, words)
    return is_plain and (_is_season(slot) or any(_names(text, slot, word) for word in words))


def _lacks_verb(text: str, words: Sequence[Word]) -> bool:
    """Whether a text has no verb, or a participle without its auxiliary: "Elton John born in England"."""
    if any(before.lower() not in _BE for before in _PARTICIPLE.findall(text)):
        return True
    ends = [0, *(word.end for word in words)]
    starts = [*(word.start for word in words), len(text)]
    return not any(_VERB.search(text, end, start) for end, start in zip(ends, starts, strict=True))


def _names(text: str, slot: Slot, word: Word) -> bool:
    """Whether a word outside the slot names something."""
    if word.start >= slot.start and word.end <= slot.end:
        return False
    return word.label in NAMED or (word.label is None and word.start > 0 and text[word.start].isupper())


def _is_season(slot: Slot) -> bool:
    return isinstance(slot.what, Moment) and slot.what.kind == "season"
