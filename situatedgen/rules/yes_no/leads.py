"""What stands before the inverted clause of a question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from situatedgen.rules.clauses.auxiliaries import AUXILIARIES, CONTRACTIONS, auxiliary
from situatedgen.rules.clauses.lexicon import words

_OPENERS = words(
    "after although as at because before by despite due during following for from given hypothetically if in"
    " on once since theoretically to today under unless until upon when whenever where while with within without"
)
_SUBORDINATORS = words("although because if once since unless until when whenever where while")
_TAG = re.compile(
    r"(?:,\s*(?:right|correct|true or false|yes or no|do you think)|,?\s+or not)\s*\?+\s*$", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z’']+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in two: the words before its inverted clause (with no comma), and that clause."""

    lead: str
    clause: str


def without_tag(question: str) -> str:
    """The question without a tag at its end (", right?")."""
    return _TAG.sub("?", question)


def asked(question: str) -> Asked | None:
    """The lead and the inverted clause of a question; None where no auxiliary opens a clause.

    Example:
        >>> asked("If it rains, do you stay?")
        Asked(lead='If it rains', clause='do you stay?')
    """
    first = _WORD.match(question)
    if first is None:
        return None
    if _opens(first.group()):
        return Asked("", _expanded(question, first))
    if first.group().lower() not in _OPENERS:
        return None
    return _after_comma(question) or _after_bare_lead(question, first.group().lower())


def _opens(word: str) -> bool:
    return auxiliary(word) is not None or word.lower().replace("’", "'") in CONTRACTIONS


def _expanded(clause: str, word: re.Match[str]) -> str:
    """The clause without a negative contraction at its front: "Isn't it?" asks for yes as "Is it?" does."""
    plain = CONTRACTIONS.get(word.group().lower().replace("’", "'"))
    return clause if plain is None else plain + clause[word.end() :]


def _after_comma(question: str) -> Asked | None:
    for comma in re.finditer(r",\s+", question):
        clause = question[comma.end() :]
        word = _WORD.match(clause)
        if word is not None and _opens(word.group()):
            return Asked(question[: comma.start()], _expanded(clause, word))
    return None


def _after_bare_lead(question: str, opener: str) -> Asked | None:
    """The split at an auxiliary without a comma: the last one after a clause, the first after a phrase."""
    places = [
        word.start() for word in _WORD.finditer(question) if word.start() > 0 and word.group().lower() in AUXILIARIES
    ]
    if not places:
        return None
    place = places[-1] if opener in _SUBORDINATORS else places[0]
    return Asked(question[:place].strip(), question[place:])
