"""COVERAGE and MATCH: which keywords an output contains, and whether it groups them like the reference."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

from situatedgen.evaluation.predictions import Example
from situatedgen.models.lemmas import Lemmas, Lemmatiser
from situatedgen.resources import read_lines

INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]")


class _Abbreviations(frozenset[str]):
    """Abbreviations that keep their period, including all initials (`u.s`, `b.i.g`)."""

    def __contains__(self, word: object) -> bool:
        return super().__contains__(word) or (isinstance(word, str) and INITIALS.fullmatch(word) is not None)


def sentences(text: str, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Split a text into sentences with NLTK's Punkt; a known sentence that occurs verbatim is never split.

    Example:
        >>> sentences("It is cold in Washington, D.C. Rome is warm.", known=("It is cold in Washington, D.C.",))
        ('It is cold in Washington, D.C.', 'Rome is warm.')
    """
    for sentence in known:
        before, found, after = text.partition(sentence)
        if found and _ends_word(before, after):
            return (*sentences(before, known), sentence, *sentences(after, known))
    return tuple(_punkt().tokenize(text.strip()))


def _ends_word(before: str, after: str) -> bool:
    return (not before or before[-1].isspace()) and (not after or after[0].isspace())


@cache
def _punkt() -> PunktSentenceTokenizer:
    params = PunktParameters()
    params.abbrev_types = _Abbreviations(read_lines("abbreviations.txt"))
    params.sent_starters = set(read_lines("sentence_starters.txt"))
    return PunktSentenceTokenizer(params)


BOTH = frozenset({0, 1})


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword as it occurs in its statement: its lower-cased words and their lemmas."""

    text: str
    words: tuple[str, ...]
    lemmas: tuple[str, ...]

    def spans(self, sentence: Lemmas) -> list[tuple[int, int]]:
        """Word spans at which the keyword occurs in a sentence; each word must match by form or by lemma."""
        if not self.words:
            return []
        size, first, root = len(self.words), self.words[0], self.lemmas[0]
        openings = enumerate(zip(sentence.words, sentence.lemmas, strict=True))
        starts = [start for start, (word, lemma) in openings if word == first or lemma == root]
        return [
            (start, start + size)
            for start in starts
            if start + size <= len(sentence.words) and self._occurs_at(sentence, start)
        ]

    def occurs_in(self, sentence: Lemmas) -> bool:
        """Whether the keyword occurs in the sentence."""
        return bool(self.spans(sentence)) or is_written(self.text, sentence.text)

    def _occurs_at(self, sentence: Lemmas, start: int) -> bool:
        return all(
            word == sentence.words[start + offset] or lemma == sentence.lemmas[start + offset]
            for offset, (word, lemma) in enumerate(zip(self.words, self.lemmas, strict=True))
        )


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which sentences of the output (of its first two) and of the reference contain each keyword of an example."""

    places: tuple[int, ...]
    in_output: tuple[frozenset[int], ...]
    in_reference: tuple[frozenset[int], ...]
    found: tuple[bool, ...]

    @property
    def coverage(self) -> float:
        """Share of the keywords that occur anywhere in the output."""
        return sum(self.found) / len(self.found)

    @property
    def match(self) -> float:
        """Share of the keywords in the correct sentence, for the better of the two sentence orders.

        A keyword that both reference sentences contain is correct in either output sentence. Keywords that both
        output sentences contain, but only one reference sentence, are all counted in the same single sentence.
        """
        rows = list(zip(self.places, self.in_output, self.in_reference, strict=True))
        repeated = [place for place, in_output, in_reference in rows if in_output == BOTH != in_reference]
        settled = [
            (place, in_output) for place, in_output, in_reference in rows if not in_output == BOTH != in_reference
        ]
        straight = sum(place in in_output for place, in_output in settled)
        mirrored = sum(1 - place in in_output for place, in_output in settled)
        return (max(straight, mirrored) + max(repeated.count(0), repeated.count(1))) / len(rows)


def groupings(examples: Sequence[Example], texts: Sequence[str], lemmatiser: Lemmatiser) -> list[Grouping]:
    """Grouping of the keywords of each example by its text; every sentence is lemmatised once."""
    split = [sentences(text, example.statements) for example, text in zip(examples, texts, strict=True)]
    lemmatiser.learn(_all_sentences(examples, split))
    return [_grouping(example, parts, lemmatiser) for example, parts in zip(examples, split, strict=True)]


def keywords_of(example: Example, lemmatiser: Lemmatiser) -> list[Keyword]:
    """Keywords of an example with their lemmas in the statements they come from."""
    return [
        keyword(text, lemmatiser[example.statements[place]], lemmatiser)
        for text, place in zip(example.keywords, example.places, strict=True)
    ]


def keyword(text: str, statement: Lemmas, lemmatiser: Lemmatiser) -> Keyword:
    """A keyword with its lemmas in a statement, or out of context if it does not occur there verbatim."""
    start = statement.text.find(text)
    end = start + len(text)
    chosen = [number for number, at in enumerate(statement.starts) if start <= at < end] if start >= 0 else []
    words = tuple(statement.words[number] for number in chosen)
    if "".join(words) == "".join(text.lower().split()):
        return Keyword(text, words, tuple(statement.lemmas[number] for number in chosen))
    alone = lemmatiser[text]
    return Keyword(text, alone.words, alone.lemmas)


def is_written(text: str, sentence: str) -> bool:
    """Whether a text occurs in a sentence as whole words, ignoring case."""
    folded, inside = text.casefold(), sentence.casefold()
    return folded in inside and re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", inside) is not None


def _all_sentences(examples: Iterable[Example], split: Iterable[Sequence[str]]) -> Iterable[str]:
    for example in examples:
        yield from example.statements
    for parts in split:
        yield from parts


def _grouping(example: Example, parts: Sequence[str], lemmatiser: Lemmatiser) -> Grouping:
    output = [lemmatiser[part] for part in parts]
    reference = [lemmatiser[statement] for statement in example.statements]
    keywords = keywords_of(example, lemmatiser)
    in_output = [_places(each, output) for each in keywords]
    in_reference = [_places(each, reference) | {place} for each, place in zip(keywords, example.places, strict=True)]
    return Grouping(
        example.places,
        tuple(places & BOTH for places in in_output),
        tuple(in_reference),
        tuple(
            bool(places) or is_written(each.text, " ".join(parts))
            for each, places in zip(keywords, in_output, strict=True)
        ),
    )


def _places(keyword: Keyword, sentences: Sequence[Lemmas]) -> frozenset[int]:
    return frozenset(number for number, sentence in enumerate(sentences) if keyword.occurs_in(sentence))
