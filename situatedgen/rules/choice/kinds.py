"""The noun after a question word: what of it the answer replaces, and what must be kept beside the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.asking import phrase_reaches_end
from situatedgen.rules.choice.articles import indefinite
from situatedgen.rules.choice.lexicon import PREPOSITIONS, is_plural_noun, parts_of_speech
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

_OF_LIST = re.compile(
    r"^(?:one )?of (?:the \d*\s*following|these|the choices|those|the listed|the \w+ listed)(?:\s+(?P<noun>.+))?$|^one$",
    re.I,
)
_KIND_OF = re.compile(
    r"^(?P<lead>.*?\b)?(?:kinds?|types?|sorts?|forms?|classe?s?|examples?) of (?:an? )?(?P<noun>.+)$", re.I
)
_FIXED = re.compile(
    r"\b(state|phase|unit|time|period|source|part|method|way|level|stage) of (?:matter|the moon|measure|measurement|day|time|energy|life)\b",
    re.I,
)
_VACUOUS = frozenset(
    "specific particular certain likely possible additional following common single other different one 's type kind"
    " general main else famous popular well known well-known sort of the".split()
)
PLACES = words(
    "country state city place region area continent location building room store town island hemisphere county"
    " province village district neighborhood house shop spot ocean sea zone environment habitat biome"
)
TIMES = words("year season month day time date decade century week hour period era holiday")
_YEARLY = re.compile(r"^of (?:the )?(?:year|day|month|week)\b")
_ATTRIBUTES = frozenset("color colour size shape".split())


@dataclass(frozen=True, slots=True)
class Kind:
    """The noun that a question word asks about.

    `text` is the phrase after the question word, `head` its noun, `plural` its number; `listed` says that the question
    chooses from its own list ("which of these"), `generic` that it asks for a kind ("what kind of").
    """

    text: str
    head: str
    plural: bool
    listed: bool
    generic: bool

    @property
    def restricts(self) -> bool:
        """The phrase says more than its noun, so that it must not be lost."""
        if self.listed or self.generic or not self.text:
            return False
        extra = [word for word in self.text.lower().split() if word != self.head and word not in _VACUOUS]
        return bool(extra)


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
    kind = _KIND_OF.match(phrase)
    if kind:
        phrase = kind.group("noun")
    phrase = _FIXED.sub(lambda match: match[1], phrase)
    head = head_noun(phrase)
    return Kind(phrase, head, is_plural_noun(head), bool(listed), bool(kind))


_AFTER_HEAD = words("that which who where whose south north east west located called known found used made")


def head_noun(phrase: str) -> str:
    """The noun before the first preposition or relative of a phrase, in small letters."""
    parts = re.findall(r"[\w'’.-]+", phrase.lower())
    cut = next(
        (place for place, word in enumerate(parts) if place and (word in PREPOSITIONS or word in _AFTER_HEAD)),
        len(parts),
    )
    return parts[cut - 1] if cut else ""


def slot_words(kind: Kind, answer: Answer) -> str:
    """What stands in the answer's place: the answer, with the noun where it needs it and what restricts it."""
    if is_modifier(kind, answer):
        return _modified(kind, answer)
    if kind.head == "state" and answer.text in {"solid", "liquid", "gas", "gaseous", "plasma"}:
        return f"the {answer.text} state"
    noun = answer.place if kind.head in PLACES else answer.noun
    if is_named_place(kind, answer):
        return f"the {kind.text} of {noun.removeprefix('the ')}"
    if kind.head in TIMES and kind.restricts and kind.text.lower().startswith(f"{kind.head} "):
        return f"{noun} {_YEARLY.sub('', kind.text[len(kind.head) + 1 :])}".strip()
    if kind.restricts and answer.form is Form.NOUN and not _repeats(kind, answer):
        return f"{noun}, {with_kind_article(kind, apposed=True)},"
    return noun


def is_named_place(kind: Kind, answer: Answer) -> bool:
    """A named place asked about with words before its noun alone: "the western state of Colorado"."""
    place = kind.head in PLACES and answer.place[:1].isupper() and kind.restricts
    return place and kind.text.lower().endswith(kind.head) and not _repeats(kind, answer)


def is_modifier(kind: Kind, answer: Answer) -> bool:
    """The answer only describes the noun asked about: "thermal" for "which type of energy"."""
    if not kind.head or kind.text.lower() in _ATTRIBUTES or kind.head in _ATTRIBUTES:
        return False
    if answer.form is Form.ADJECTIVE:
        return True
    asks_attribute = kind.text.split(" ", 1)[0].lower() in _ATTRIBUTES
    return (
        answer.adjectival
        and not answer.is_name
        and kind.head not in PLACES
        and (kind.generic or kind.head in {"system", "state"} or asks_attribute)
    )


def with_kind_article(kind: Kind, *, apposed: bool = False) -> str:
    """The kind's phrase with its article: "a western state", "the part of the method"."""
    if kind.plural or not kind.text:
        return kind.text
    text = kind.text.lower()
    if text.startswith("other "):
        return f"another {kind.text[6:]}"
    if re.search(r"\b(?:first|last|only|same|next|\w{3,}est|most|least)\b", text) or (
        not apposed and f"{kind.head} of " in text
    ):
        return f"the {kind.text}"
    return f"{indefinite(kind.text)} {kind.text}"


def _repeats(kind: Kind, answer: Answer) -> bool:
    return kind.head in answer.text.lower().split()


def _modified(kind: Kind, answer: Answer) -> str:
    noun = kind.text
    attribute, _, rest = noun.partition(" ")
    if attribute.lower() in _ATTRIBUTES and rest:
        noun = rest
    noun = re.sub(r"^(?:two|three|four|five) ", "", noun, flags=re.I)
    noun = re.sub(r"^(?:human |body |organ )+(?=system)", "", noun)
    article = (
        "the "
        if kind.head in {"system", "state"}
        else ""
        if kind.plural or kind.head in {"energy", "radiation"}
        else None
    )
    phrase = f"{answer.text} {noun}"
    return f"{indefinite(phrase)} {phrase}" if article is None else f"{article}{phrase}"


def kind_end(token: Token) -> int:
    """The token after the noun phrase that a question word inside a sentence opens, at least the next one."""
    doc = token.doc
    place = token.i + 1
    if phrase_reaches_end(token):
        last = len(doc) - 1 if doc[-1].is_punct else len(doc)
        time = re.search(r" (?:at night|in the \w+|on \w+day|this \w+|last \w+|every \w+)$", doc[place:last].text)
        return last - len(time[0].split()) if time else last
    while place < len(doc) and _continues_kind(doc[place], token):
        place += 1
    return place


def _continues_kind(word: Token, asked: Token) -> bool:
    listed = asked.doc[asked.i + 1 : asked.i + 3].text.lower().startswith(("of ", "one of"))
    if word.lower_ in {"one", "of", "the", "following", "these"} and asked.i + 1 <= word.i <= asked.i + 4 and listed:
        return True
    if (
        word.pos_ == "ADP"
        and word.lower_ == "of"
        and word.nbor(-1).lower_ in {"kind", "type", "sort", "form", "set", "part"}
    ):
        return True
    if word.tag_ == "VBG" and word.i + 1 < len(word.doc) and word.nbor().pos_ == "NOUN":
        return True
    last = word.i + 1 == len(word.doc) or word.nbor().is_punct
    if last and word.i == asked.i + 1 and "NOUN" in parts_of_speech(word.lower_):
        return True
    return word.pos_ in {"NOUN", "PROPN", "ADJ", "NUM"} or word.tag_ in {"HYPH", "POS"} or word.dep_ == "amod"
