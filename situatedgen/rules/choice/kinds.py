"""The noun after a question word: what it asks for, and what of it says more than its noun."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from situatedgen.rules.choice.articles import indefinite
from situatedgen.rules.choice.lexicon import PREPOSITIONS, is_plural_noun, parts_of_speech
from situatedgen.rules.clauses.lexicon import words

_OF_LIST = re.compile(
    r"^(?:one )?of (?:the \d*\s*following|these|the choices|those|the listed|the \w+ listed"
    r"|the (?:two|three|four|five|six|\d+)|the(?= [\w -]+s$))"
    r"(?:\s+(?P<noun>.+))?$|^one$",
    re.I,
)
_KIND_OF = re.compile(
    r"^(?P<lead>.*?\b)?(?:kinds?|types?|sorts?|forms?|classe?s?|examples?) of (?:an? )?(?P<noun>.+)$", re.I
)
_FIXED = re.compile(
    r"\b(state|phase|unit|time|period|source|part|method|way|level|stage) of"
    r" (?:matter|the moon|measure|measurement|day|time|energy|life|the world)\b",
    re.I,
)
_SITUATED = re.compile(r"\w (?:in|during|on|at|from|between|before|after|near) ", re.I)
_SUPERLATIVE = re.compile(r"\b(?:first|last|only|same|next|\w{3,}est|most|least)\b")
_VACUOUS = words(
    "specific particular certain likely possible additional following common single other different one 's type kind"
    " general main else famous popular well known well-known sort of the"
)
_UNCOUNTED = words("information equipment furniture evidence advice gear clothing jewelry machinery weather")
_AFTER_HEAD = words(
    "that which who where whose south north east west located called known found used made not shaped named"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """The noun that a question word asks about.

    `text` is the phrase after the question word, `head` its noun, `plural` its number; `listed` says that the
    question chooses from its own list ("which of these"), `generic` that it asks for a kind ("what kind of").
    """

    text: str
    head: str
    plural: bool
    listed: bool
    generic: bool

    @property
    def restricts(self) -> bool:
        """The phrase says more than its noun, so that it must not be lost."""
        if self.listed:
            return bool(_SITUATED.search(self.text))
        if self.generic or not self.text:
            return False
        return any(word != self.head and word not in _VACUOUS for word in self.text.lower().split())


def read_kind(text: str) -> Kind:
    """The kind that the words after a question word name, empty where it asks bare.

    Example:
        >>> read_kind("of these gases").listed
        True
    """
    phrase = text.strip(" ,")
    listed = _OF_LIST.match(phrase)
    if listed:
        phrase = listed.group("noun") or ""
    generic = _KIND_OF.match(phrase)
    if generic:
        phrase = generic.group("noun")
    phrase = _FIXED.sub(lambda match: match[1], phrase)
    head = head_noun(phrase)
    return Kind(phrase, head, is_plural_noun(head), bool(listed), bool(generic))


def head_noun(phrase: str) -> str:
    """The noun before the first preposition or relative of a phrase, in small letters.

    Example:
        >>> head_noun("state south of Kentucky")
        'state'
    """
    parts = re.findall(r"[\w'’.-]+", phrase.lower())
    after = (place for place, word in enumerate(parts) if place and _ends_head(parts[place - 1], word))
    cut = next(after, len(parts))
    return parts[cut - 1] if cut else ""


def _ends_head(before: str, word: str) -> bool:
    """A preposition, a relative, or a participle after a plural: "creatures performing pollination"."""
    return word in PREPOSITIONS | _AFTER_HEAD or (word.endswith("ing") and is_plural_noun(before))


def single(kind: Kind) -> Kind:
    """The kind in the singular, as it is said of one answer: "fields of research" as "field of research"."""
    lemma = parts_of_speech(kind.head).get("NOUN", (kind.head,))[0]
    if not kind.plural or lemma == kind.head or re.match(r"(?:two|three|four|five|\d+)\b", kind.text):
        return kind
    text = re.sub(rf"\b{re.escape(kind.head)}\b", lemma, kind.text, count=1, flags=re.I)
    return replace(kind, text=text, head=lemma, plural=False)


def with_kind_article(kind: Kind, *, apposed: bool = False) -> str:
    """The kind's phrase with its article: "a western state", "the part of the method"; none of it `apposed`."""
    if kind.plural or not kind.text:
        return kind.text
    text = kind.text.lower()
    if text.startswith("other "):
        return f"another {kind.text[6:]}"
    if _SUPERLATIVE.search(text) or (not apposed and f"{kind.head} of " in text):
        return f"the {kind.text}"
    return kind.text if kind.head in _UNCOUNTED else f"{indefinite(kind.text)} {kind.text}"
