"""The letters of an answer as they stand inside a sentence."""

import re
from functools import cache

from situatedgen.resources import read_lines
from situatedgen.rules.casing import true_case
from situatedgen.rules.choice.lexicon import DETERMINERS, PREPOSITIONS, SUBORDINATORS, is_known
from situatedgen.rules.clauses.auxiliaries import AUXILIARIES
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.phrases import PhraseBook, find_phrases, phrase_book

_NAMES = words("mercury venus earth mars jupiter saturn uranus neptune pluto sun moon god internet i congress")
_SMALL_WORDS = DETERMINERS | PREPOSITIONS | SUBORDINATORS | frozenset(AUXILIARIES) | words(
    "it they there he she we you how where why who and than not this that these those"
)  # fmt: skip
_MARKS = "\"'“”‘’(),.;:"


def inside(answer: str) -> str:
    """The answer as it is written inside a sentence: names with capitals, the first word without unless a name.

    Example:
        >>> inside("Coal")
        'coal'
        >>> inside("new york")
        'New York'
    """
    return true_case(_with_names(_lowered(answer)))


def _with_names(text: str) -> str:
    """The text with capitals on planets, shops and the like that are written small."""
    letters = list(text)
    for phrase in find_phrases(text, _name_book()):
        if text[phrase.start : phrase.end].islower():
            letters[phrase.start : phrase.end] = phrase.form
    return "".join(letters)


@cache
def _name_book() -> PhraseBook:
    return phrase_book(read_lines("written_names.txt"))


def _lowered(answer: str) -> str:
    word = answer.split(" ", 1)[0].strip(_MARKS)
    if not word[:1].isupper() or _keeps_capital(answer, word):
        return answer
    return answer.replace(word, word[0].lower() + word[1:], 1)


def _keeps_capital(answer: str, word: str) -> bool:
    """The first word is a name, an abbreviation or a letter; a word of English keeps no capital but in a title."""
    if word in {"A", "An", "The"}:
        return False
    if len(word) == 1 or not word[1:].replace("'", "").replace("’", "").replace("-", "").islower():
        return True
    base = re.sub(r"['’]s$|-.*$", "", word.lower())
    return base in _NAMES or not (is_known(base) or base in _SMALL_WORDS) or _is_title(answer)


def _is_title(answer: str) -> bool:
    """Two words or more, all with capitals but for small ones: a name."""
    content = [word for word in re.findall(r"[A-Za-z]+", answer) if len(word) > 3 or word[0].isupper()]
    return len(content) > 1 and all(word[0].isupper() for word in content)
