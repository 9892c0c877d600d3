"""What a sentence says in a few words, by which sentences of one kind, or of one content, are counted together."""

import re
from collections.abc import Sequence

from situatedgen.records import Token

COMPLEMENTS = frozenset({"attr", "acomp"})
PREPOSITIONS = frozenset({"prep", "agent"})
ARTICLES = frozenset({"a", "an", "the"})
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
NUMBERS = {word: number for number, word in enumerate(ONES.split())} | {
    word: 10 * number for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
WORD = re.compile(r"\w+")
APOSTROPHE = re.compile(r"['’]")


def family_of(words: Sequence[Token]) -> str:
    """The predicate of a parsed sentence: its root, what a copula says its subject is, and its prepositions.

    All as lemmas: "Lima is the capital of Peru." is of the family `be capital`, "He was born in May." of `bear in`.
    """
    root = next((number for number, word in enumerate(words) if word.role == "ROOT"), None)
    if root is None:
        return ""
    below = [word for number, word in enumerate(words) if word.head == root and number != root]
    verb = words[root].lemma.lower()
    said = [word.lemma.lower() for word in below if word.role in COMPLEMENTS][:1] if verb == "be" else []
    return " ".join([verb, *said, *sorted({word.lemma.lower() for word in below if word.role in PREPOSITIONS})])


def content_of(text: str) -> str:
    """What a sentence says, whatever its case, punctuation and articles, and however it writes its numbers.

    Example:
        >>> content_of("A day has twenty-four hours.") == content_of("The day has 24 hours")
        True
    """
    words = (word for word in WORD.findall(APOSTROPHE.sub("", text.casefold())) if word not in ARTICLES)
    found: list[str] = []
    tens = 0
    for word in words:
        number = NUMBERS.get(word)
        if number is None:
            found.append(word)
        elif tens and 0 < number < 10:
            found[-1] = str(tens + number)
        else:
            found.append(str(number))
        tens = number if number is not None and number >= 20 else 0
    return " ".join(found)
