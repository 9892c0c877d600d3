"""Whether a statement is bound to its place or time, so that it is false of another far from it."""

import re
from collections.abc import Sequence

from situatedgen.variants.moments import Moment
from situatedgen.variants.slots import Named, Slot
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
    r"|perform\w*|produc\w+|manufactur\w+|broadcast\w*|works?|worked|knows?|lot|sells?|sold|flies|flights?|fly|exists?|operat\w+|acts|sun|moon|earth|north|south|east|west"
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
# What opens with "A" speaks of a kind; "Jill is in a shop" of nobody; "a influential", "Presidents of" are slips.
_ODD = re.compile(
    r"^an? |\bis in an? |\ba (?!uni|us|eu|one)[aeiou]\w|\b(?:ministers|presidents) of\b|\bhas with\b", re.I
)
# What holds of one place or time alone, as it stands right before the preposition: an event, a birth, an office.
_HAPPENED = r"took place|happened|occurred|began|started|ended|was (?:born|founded|established|built|held|killed)|died"
_PLACED = re.compile(
    rf"\b(?:{_HAPPENED}|is|are|was|were|lies|sits|stands|originated|grew up|raised|buried|comes?|came"
    r"|(?:is|are|was|were) (?:located|situated|based|headquartered|built|found)"
    r"|(?:is|was) (?:an?|the) (?:[\w-]+ ){0,3}"
    r"(?:city|town|village|river|lake|mountain|county|state|island|newspaper|university)"
    r"|capital(?: city)?|president|prime minister|premier|chancellor|governor|senator|emperor|king|queen|mayor|leader"
    r"|first lady) (?:in|of|from) (?:the )?$",
    re.IGNORECASE,
)
_TIMED = re.compile(
    rf"\b(?:{_HAPPENED}|debuted|opened|closed|aired|came out|was (?:released|published|signed|assassinated|discovered)"
    r"|(?:married|won|joined|left|became|ran for|published|discovered|established|invaded|ruled over|reigned)\b[^,;]*)"
    r" (?:in|on|during) $",
    re.IGNORECASE,
)
_BE = frozenset({"am", "are", "be", "been", "being", "is", "was", "were", "and"})


def is_bound(text: str, slot: Slot, words: Sequence[Named]) -> bool:
    """Whether a statement would be false with a far place or time in its slot.

    It says plainly, of a thing that has a name, where it is, when it happened or what office it has; or it says which
    months and feasts fall in a season.
    """
    is_loose = _LOOSE.search(text, 0, slot.start) or _LOOSE.search(text, slot.end)
    is_plain = not is_loose and not _ODD.search(text) and not _lacks_verb(text, words)
    return is_plain and _is_tied(text, slot, words)


def _lacks_verb(text: str, words: Sequence[Named]) -> bool:
    """Whether a text has no verb, or a participle without its auxiliary: "Elton John born in England"."""
    if any(before.lower() not in _BE for before in _PARTICIPLE.findall(text)):
        return True
    ends = [0, *(word.end for word in words)]
    starts = [*(word.start for word in words), len(text)]
    return not any(_VERB.search(text, end, start) for end, start in zip(ends, starts, strict=True))


def _names(text: str, slot: Slot, word: Named) -> bool:
    """Whether a word outside the slot names something."""
    if word.start >= slot.start and word.end <= slot.end:
        return False
    return word.label in NAMED or (word.label is None and word.start > 0 and text[word.start].isupper())


def _is_tied(text: str, slot: Slot, words: Sequence[Named]) -> bool:
    """Whether what is said right before the slot holds of one place or time alone."""
    if isinstance(slot.what, Moment) and slot.what.kind == "season":
        return any(word.is_time and word.end <= slot.start for word in words)
    pattern = _TIMED if isinstance(slot.what, Moment) else _PLACED
    is_said = pattern.search(text, 0, slot.start)
    return bool(is_said) and any(_names(text, slot, word) for word in words)
