"""Which words of a tagged sentence are nouns, with the tagger's commonest slips put right."""

from collections.abc import Sequence
from dataclasses import dataclass

NOUNS = frozenset({"NOUN", "PROPN"})
_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
_DO = frozenset({"do", "does", "did"})
_DIRECTIONS = frozenset({"north", "south", "east", "west"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence with its part of speech and its Penn Treebank tag."""

    text: str
    pos: str
    tag: str


def nouns_of(words: Sequence[Word]) -> tuple[bool, ...]:
    """For each word of a sentence whether it is a noun; what has no letter is none.

    Four slips are put right: the only verb of a sentence taken for a plural ("Lima identifies as the capital"),
    a subject in -ing taken for a verb ("Surfing is popular"), the object of "does" taken for its verb ("Scotland
    Yard does police work"), and a direction before "of" taken for an adjective ("south of the river").
    """
    verbless = not any(word.tag in _FINITE for word in words)
    verb = _missed_verb(words) if verbless else -1
    return tuple(_is_noun(words, index) and index != verb for index in range(len(words)))


def _is_noun(words: Sequence[Word], index: int) -> bool:
    word = words[index]
    if word.pos in NOUNS:
        return any(letter.isalpha() for letter in word.text)
    return _is_subject(words, index) or _is_done(words, index) or _is_direction(words, index)


def _missed_verb(words: Sequence[Word]) -> int:
    """The first plural that stands right after a proper noun and before an article or preposition, or -1."""
    for index in range(1, len(words) - 1):
        before, word, after = words[index - 1 : index + 2]
        if word.tag == "NNS" and word.text.islower() and before.pos == "PROPN" and after.pos in ("DET", "ADP"):
            return index
    return -1


def _is_subject(words: Sequence[Word], index: int) -> bool:
    return index == 0 and words[0].tag == "VBG" and words[1:2] != [] and words[1].tag in _FINITE


def _is_done(words: Sequence[Word], index: int) -> bool:
    if index < 3 or words[index].tag != "VB" or words[index - 1].pos != "NOUN":
        return False
    return words[index - 2].text in _DO and words[index - 3].pos in NOUNS


def _is_direction(words: Sequence[Word], index: int) -> bool:
    after = words[index + 1 : index + 2]
    return words[index].text.lower() in _DIRECTIONS and bool(after) and after[0].text == "of"
