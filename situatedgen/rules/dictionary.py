"""The forms and base forms of English words, as lemminflect's dictionary has them.

Its tables have 120,000 lines, and reading them all takes longer than stating a hundred questions, so that a line is
read when its word is first asked for. lemminflect imports spaCy, and rules must not load it before a conversion
runs: it is imported by the first question.
"""

import gzip
from bisect import bisect_left
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

Forms = dict[str, tuple[str, ...]]


class Lines:
    """A table of lines `word,…`, each read when it is asked for; the lines of a word add up."""

    def __init__(self, path: str, read: Callable[[str], Forms], fixed: dict[str, Forms]) -> None:
        self._read, self._known = read, dict(fixed)
        with gzip.open(path, "rt", encoding="utf-8") as file:
            self._lines = sorted(file.read().splitlines())

    def get(self, word: str, default: Forms) -> Forms:
        """What the table has for a word, or else the default."""
        if word not in self._known:
            self._known[word] = {name: form for line in self._of(word) for name, form in self._read(line).items()}
        return self._known[word] or default

    def _of(self, word: str) -> list[str]:
        """The lines of a word: a hyphen is what follows a comma in the order of characters."""
        return self._lines[bisect_left(self._lines, f"{word},") : bisect_left(self._lines, f"{word}-")]


@lru_cache(maxsize=1 << 14)
def lemmas(word: str) -> Forms:
    """The base forms of a word, by part of speech."""
    return dict(_lemmatizer().getAllLemmas(word))


def base_forms(word: str, part: str) -> tuple[str, ...]:
    """The base forms of a word that is this part of speech; by rule where the dictionary lacks the word."""
    return tuple(_lemmatizer().getLemma(word, part))


def inflections(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms of a base form with a tag of the Penn Treebank; by rule where the dictionary lacks the word."""
    return tuple(_inflections().getInflection(lemma, tag))


@cache
def _lemmatizer() -> Any:  # Any: lemminflect has no types
    from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec  # noqa: PLC0415
    from lemminflect.core.Lemmatizer import Lemmatizer  # noqa: PLC0415
    from lemminflect.core.LexicalUtils import categoryToUPos  # noqa: PLC0415

    def read(line: str) -> Forms:
        _, category, forms = LemmaLUCodec.fromString(line)
        return {categoryToUPos(category): forms}

    found = Lemmatizer()
    found.lemma_dict = Lines(found.lemma_lu_fn, read, {})
    return found


@cache
def _inflections() -> Any:  # Any: lemminflect has no types
    from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec  # noqa: PLC0415
    from lemminflect.core.Inflections import Inflections  # noqa: PLC0415

    def read(line: str) -> Forms:
        forms: Forms = InflectionLUCodec.fromString(line)[2]
        return forms

    found = Inflections()
    found.infl_dict = Lines(found.infl_lu_fn, read, InflectionLUCodec.updateForAuxMod({}))
    return found
