"""Subjects that mean nothing without the sentence before them."""

import re

from situatedgen.rules.clauses.lexicon import words

_PRONOUNS = words("he she they him her them his their hers theirs this that these those")
_POINTING = re.compile(r"(?:this|that|these|those|the (?:former|latter))\b", re.IGNORECASE)
_EXPLETIVE = re.compile(r"\bit\b.*\b(?:to|that|for|if|when|whether|rain\w*|snow\w*|\w+ing)\b", re.IGNORECASE)


def points_back(subject: str, declarative: str, *, alone: bool) -> bool:
    """A subject refers to something that its sentence does not say.

    An "it" is taken to point back only where other sentences stand before (`alone` is false), and only
    when nothing in the sentence fills it ("it is safe to swim").
    """
    lower = subject.lower()
    if lower in _PRONOUNS or _POINTING.match(lower):
        return True
    return lower == "it" and not alone and not _EXPLETIVE.search(declarative)
