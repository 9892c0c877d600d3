"""The words that endings are written in: their numbers, and how they are printed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from situatedgen.filtering.committee.words import SPECIAL, UNKNOWN

RARE = "[rare]"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, and whether it stands apart from the word before it, or begins the text."""

    text: str
    is_apart: bool
    is_first: bool = False


@dataclass(frozen=True)
class Vocabulary:
    """Words in small letters by number, each with the form it is mostly printed in, and where no space goes."""

    words: tuple[str, ...]
    forms: tuple[str, ...]
    clings: frozenset[int]
    """Numbers of words that cling to the word before them: a comma, "'s"."""
    draws: frozenset[int]
    """Numbers of words that the word after them clings to: a hyphen, a bracket."""

    def __len__(self) -> int:
        """How many numbers there are, with those that stand for no word."""
        return SPECIAL + len(self.words)

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The numbers of words, whatever their case; a word that is not known has the number of the unknown."""
        return [self._known.get(word.lower(), UNKNOWN) for word in words]

    def text(self, numbers: Sequence[int]) -> str:
        """Words as they are printed."""
        printed = ""
        for place, number in enumerate(numbers):
            apart = place and number not in self.clings and numbers[place - 1] not in self.draws
            printed += f" {self._form(number)}" if apart else self._form(number)
        return printed

    def _form(self, number: int) -> str:
        return self.forms[number - SPECIAL] if number >= SPECIAL else RARE

    @cached_property
    def _known(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, SPECIAL)}


def vocabulary(texts: Sequence[Sequence[Word]], *, min_count: int, size: int) -> Vocabulary:
    """The commonest words of texts, without rare ones; words as common as each other by the alphabet."""
    counts = Counter(word.text.lower() for text in texts for word in text)
    ranked = sorted((word for word, count in counts.items() if count >= min_count), key=lambda w: (-counts[w], w))
    known = tuple(ranked[:size])
    clings, draws = _clinging(texts, counts)
    return Vocabulary(
        known,
        _forms(texts, known),
        frozenset(number for number, word in enumerate(known, SPECIAL) if word in clings),
        frozenset(number for number, word in enumerate(known, SPECIAL) if word in draws),
    )


def _forms(texts: Sequence[Sequence[Word]], known: Sequence[str]) -> tuple[str, ...]:
    """The form that each word mostly has inside a text; the first word of one has a capital whatever it is."""
    inside: dict[str, Counter[str]] = {word: Counter() for word in known}
    for text in texts:
        for word in text:
            if not word.is_first and word.text.lower() in inside:
                inside[word.text.lower()][word.text] += 1
    return tuple(max(forms, key=lambda form: (forms[form], form), default=word) for word, forms in inside.items())


def _clinging(texts: Sequence[Sequence[Word]], counts: Counter[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Words that mostly stand close to the word before, and those that the word after mostly stands close to."""
    before, after = Counter[str](), Counter[str]()
    for text in texts:
        for left, right in pairwise(text):
            if not right.is_apart:
                before[right.text.lower()] += 1
                after[left.text.lower()] += 1
    return _mostly(before, counts), _mostly(after, counts)


def _mostly(found: Counter[str], counts: Counter[str]) -> frozenset[str]:
    return frozenset(word for word, count in found.items() if 2 * count > counts[word])
