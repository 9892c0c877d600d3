"""The forms and base forms of English words, as lemminflect's dictionary has them.

lemminflect imports spaCy, and rules must not load it before a conversion runs: it is imported by the first question.
"""

from functools import lru_cache

Forms = dict[str, tuple[str, ...]]


@lru_cache(maxsize=1 << 14)
def lemmas(word: str) -> Forms:
    """The base forms of a word, by part of speech."""
    import lemminflect  # noqa: PLC0415

    return dict(lemminflect.getAllLemmas(word))


def base_forms(word: str, part: str) -> tuple[str, ...]:
    """The base forms of a word that is this part of speech; by rule where the dictionary lacks the word."""
    import lemminflect  # noqa: PLC0415

    return tuple(lemminflect.getLemma(word, part))


def inflections(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms of a base form with a tag of the Penn Treebank; by rule where the dictionary lacks the word."""
    import lemminflect  # noqa: PLC0415

    return tuple(lemminflect.getInflection(lemma, tag))
