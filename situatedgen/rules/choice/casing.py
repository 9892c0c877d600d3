"""The letters of an answer as they stand inside a sentence."""

import re

from situatedgen.rules import casing
from situatedgen.rules.choice.lexicon import is_known

_NAMES = frozenset(
    "mercury venus earth mars jupiter saturn uranus neptune pluto sun moon god internet i congress".split()
)
_SMALL_FORMS = {
    "i": "I", "i'm": "I'm", "tv": "TV", "dna": "DNA", "usa": "USA", "u.s": "U.S", "nasa": "NASA", "mit": "MIT", "ymca": "YMCA",
    "whitehouse": "White House", "white house": "White House", "ipod": "iPod", "eddie bauer": "Eddie Bauer", "pta": "PTA",
    "library of congress": "Library of Congress", "trevi fountain": "Trevi Fountain", "sierra nevada mountains": "Sierra Nevada mountains", "bermuda triangle": "Bermuda Triangle",
    "great barrier reef": "Great Barrier Reef", "fort knox": "Fort Knox", "space needle": "Space Needle",
    **{name: name.capitalize() for name in (
        "english god mars jupiter venus saturn neptune pluto disneyland chinatown eden bible kalahari alcatraz walmart tahoe"
        " napster pleistocene tomales carolina phoenix wimbledon bauer versailles hollywood broadway"
    ).split()},
}  # fmt: skip
_SMALL_NAMES = re.compile(
    r"(?<![\w'-])(?:" + "|".join(map(re.escape, sorted(_SMALL_FORMS, key=len, reverse=True))) + r")(?![\w-])"
)


def inside(answer: str) -> str:
    """The answer as it is written inside a sentence: names with capitals, the first word without unless a name.

    Example:
        >>> inside("Coal")
        'coal'
        >>> inside("new york")
        'New York'
    """
    return casing.true_case(with_names(_lowered(answer)))


def with_names(text: str) -> str:
    """The text with capitals on planets and the like that are written small."""
    return _SMALL_NAMES.sub(lambda match: _SMALL_FORMS[match[0]], text)


def _lowered(answer: str) -> str:
    first = answer.split(" ", 1)[0]
    word = first.strip("\"'“”‘’(),.;:")
    if not word[:1].isupper() or _keeps_capital(answer, word):
        return answer
    return answer.replace(word, word[0].lower() + word[1:], 1)


def _keeps_capital(answer: str, word: str) -> bool:
    if word in {"A", "An", "The"}:
        return False
    if any(letter.isupper() for letter in word[1:]) or len(word) == 1 or any(map(str.isdigit, word)):
        return True
    base = word.lower().removesuffix("'s").removesuffix("’s")
    if base in _NAMES:
        return True
    return not is_known(base) and not _is_function_word(base) or _is_title(answer)


def _is_title(answer: str) -> bool:
    """Two words or more, all with capitals but for small ones: a name."""
    content = [word for word in re.findall(r"[A-Za-z]+", answer) if len(word) > 3 or word[0].isupper()]
    return len(content) > 1 and all(word[0].isupper() for word in content)


def _is_function_word(word: str) -> bool:
    return word in {
        "the", "a", "an", "it", "its", "they", "their", "there", "he", "she", "his", "her", "we", "our", "you", "your",
        "in", "on", "at", "by", "to", "from", "with", "without", "because", "if", "when", "while", "since", "as", "for",
        "all", "both", "some", "most", "many", "each", "every", "no", "only", "this", "that", "these", "those", "how",
        "what", "which", "where", "why", "who", "do", "does", "is", "are", "can", "will", "would", "and", "of", "than",
        "into", "during", "after", "before", "under", "over", "between", "through", "not", "more", "less",
    }  # fmt: skip
