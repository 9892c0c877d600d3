"""What stands in the answer's place: the answer, with the noun it describes and with what restricts it."""

from __future__ import annotations

import re

from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.articles import indefinite
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.kinds import Kind, single, with_kind_article
from situatedgen.rules.choice.lexicon import noun_list
from situatedgen.rules.clauses.lexicon import words

_ATTRIBUTES = words("color colour size shape")
STATES = words("solid liquid gas gaseous plasma")
_YEARLY = re.compile(r"^of (?:the )?(?:year|day|month|week)\b")
_NUMBER = re.compile(r"^(?:two|three|four|five) ", re.I)
_BODY = re.compile(r"^(?:human |body |organ )+(?=system)")


def slot_words(kind: Kind, answer: Answer) -> str:
    """The answer as it stands where a kind was asked for.

    Example:
        "thermal" for "type of energy" becomes "thermal energy", "Colorado" for "western state" "the western state of
        Colorado".
    """
    if is_modifier(kind, answer):
        return _modified(kind, answer)
    if kind.head == "state" and answer.text in STATES:
        return f"the {answer.text} state"
    noun = answer.place if kind.head in noun_list("places") else answer.noun
    if is_named_place(kind, answer):
        return f"the {kind.text} of {noun.removeprefix('the ')}"
    if not kind.restricts or answer.form is not Form.NOUN:
        return noun
    if kind.head in noun_list("times") and kind.text.lower().startswith(f"{kind.head} "):
        return f"{noun} {_YEARLY.sub('', kind.text[len(kind.head) + 1 :])}".strip()
    said = kind if answer.plural else single(kind)
    return noun if repeats(kind, answer) else f"{noun}, {with_kind_article(said, apposed=True)},"


def is_named_place(kind: Kind, answer: Answer) -> bool:
    """A named place asked about with words before its noun alone: "the western state of Colorado"."""
    place = kind.head in noun_list("places") and answer.place[:1].isupper() and kind.restricts
    return place and kind.text.lower().endswith(kind.head) and not repeats(kind, answer)


def is_modifier(kind: Kind, answer: Answer) -> bool:
    """The answer only describes the noun asked about: "thermal" for "which type of energy"."""
    if not kind.head or kind.head in _ATTRIBUTES:
        return False
    if answer.form is Form.ADJECTIVE:
        return True
    if not answer.adjectival or answer.is_name or kind.head in noun_list("places"):
        return False
    asks_attribute = kind.text.split(" ", 1)[0].lower() in _ATTRIBUTES
    return kind.generic or kind.head in {"system", "state"} or asks_attribute


def repeats(kind: Kind, answer: Answer) -> bool:
    """The answer has the noun that was asked about."""
    return kind.head in answer.text.lower().split()


def _modified(kind: Kind, answer: Answer) -> str:
    attribute, _, rest = kind.text.partition(" ")
    noun = rest if attribute.lower() in _ATTRIBUTES and rest else kind.text
    phrase = f"{answer.text} {_BODY.sub('', _NUMBER.sub('', noun))}"
    if kind.head in {"system", "state"}:
        return f"the {phrase}"
    return phrase if kind.plural or kind.head in noun_list("mass") else f"{indefinite(phrase)} {phrase}"
