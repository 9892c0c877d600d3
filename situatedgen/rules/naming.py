"""When two words, or two names, are the same but for their form."""

import re
import unicodedata
from functools import lru_cache

# First match wins. Singular and plural fall on one form; the form itself need not be a word.
ENDINGS = (
    ("ies", "y"), ("ie", "y"), ("ches", "ch"), ("che", "ch"), ("shes", "sh"), ("she", "sh"), ("xes", "x"),
    ("xe", "x"), ("ses", "s"), ("se", "s"), ("zzes", "zz"), ("oes", "o"), ("oe", "o"),
    ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", ""),
)  # fmt: skip
ARTICLES = frozenset({"a", "an", "the"})
INITIALS = re.compile(r"\b(?:\w\.){2,}")
WORD = re.compile(r"\w+(?:['’]\w+)*")
POSSESSIVE = re.compile(r"['’]s$")


def word_forms(text: str) -> str:
    """The words of a text without case, plural and possessive, a space before and after each.

    Example:
        >>> word_forms("Japan's islands, and the U.S.")
        ' japan island and the u '
    """
    if text.isascii() and text.isalpha():  # one word: most keywords, and quickly told
        return f" {word_form(text.lower())} "
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = INITIALS.sub(lambda initials: initials.group().replace(".", ""), plain)
    return " ".join(["", *map(word_form, WORD.findall(plain)), ""])


# The same words come back in every statement, and a word takes 20 times as long as a look at what it was.
@lru_cache(maxsize=1 << 16)
def word_form(word: str) -> str:
    """The form that a lower-case word shares with its singular, plural and possessive.

    Example:
        >>> word_form("countries"), word_form("country's")
        ('country', 'country')
    """
    bare = POSSESSIVE.sub("", word)
    if not bare.endswith(("s", "e")):  # as every ending does
        return bare
    for ending, replacement in ENDINGS:
        if bare.endswith(ending) and len(bare) > len(ending):
            return bare.removesuffix(ending) + replacement
    return bare


def name_form(name: str) -> str:
    """The form that a name shares with its other forms, as `word_forms` writes it, without its article.

    It is empty for a name that is no more than an article.

    Example:
        >>> name_form("the United States")
        ' united state '
    """
    words = word_forms(name).split()
    bare = words[1:] if words and words[0] in ARTICLES else words
    return f" {' '.join(bare)} " if bare else ""
