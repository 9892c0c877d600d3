"""Quantified subjects under negation: "not all", "no one", "neither … nor"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from situatedgen.rules.clauses.auxiliaries import Auxiliary, Kind

_SINGULAR = frozenset({"is", "was", "has", "does"})
_FREE_CHOICE = re.compile(r"any(?! of\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scope:
    """How a subject with a certain opening is stated.

    `positive` and `negative` replace the opening; where `negative` is None no plain statement says no.
    """

    opening: re.Pattern[str]
    positive: str
    negative: str | None


def _scope(opening: str, positive: str, negative: str | None) -> Scope:
    return Scope(re.compile(rf"(?:{opening})(?!\w)", re.IGNORECASE), positive, negative)


SCOPES = (
    _scope("any of", "some of", "none of"),
    _scope("any ?(?:one|body)", "someone", "no one"),
    _scope("anything", "something", "nothing"),
    _scope("any", "some", "no"),
    _scope("(?:someone|somebody)$", r"\g<0>", "no one"),
    _scope("something$", "something", "nothing"),
    _scope("all|every|everyone|everybody|everything", r"\g<0>", r"not \g<0>"),
    _scope("each of", "each of", "not all of"),
    _scope("each", "each", "not every"),
    _scope("many", "many", "not many"),
    _scope("much", "much", "not much"),
    _scope("some of", "some of", "none of"),
    _scope("some", "some", "no"),
    _scope("(?:at least )?one of", r"\g<0>", "none of"),
    _scope("at least one", "at least one", "no"),
    _scope("either of", "at least one of", "neither of"),
    _scope("either", "either", "neither"),
    _scope("both", "both", "not both"),
    _scope("more|fewer|less|few|only|multiple|several|no|none|nobody|nothing|neither|not", r"\g<0>", None),
)
"""The first whose opening fits is taken."""
_ALTERNATIVES = _scope(r".*\bor\b.*", r"\g<0>", None)


def scope_of(subject: str, moved: Auxiliary) -> Scope | None:
    """The scope of a subject that opens with a quantifier; names in capitals ("All Might") have none.

    Subjects joined by "or" have no plain statement for no. After a modal "any" may mean whichever ("Can
    anyone join?"), so that neither "some" nor "no" is sure.
    """
    known = () if subject[:1].isupper() else SCOPES
    scope = next((scope for scope in (*known, _ALTERNATIVES) if scope.opening.match(subject)), None)
    if scope is not None and moved.kind is Kind.MODAL and _FREE_CHOICE.match(subject):
        return Scope(scope.opening, r"\g<0>", None)
    return scope


def rescoped(subject: str, scope: Scope, moved: Auxiliary, *, positive: bool) -> str:
    """The subject with its opening as the answer has it.

    Example:
        >>> from situatedgen.rules.clauses.auxiliaries import AUXILIARIES
        >>> rescoped("any of us", SCOPES[0], AUXILIARIES["did"], positive=False)
        'none of us'
    """
    opening = scope.positive if positive else (scope.negative or r"\g<0>")
    if opening == "some of" and moved.form in _SINGULAR:
        opening = "one of"
    stated = scope.opening.sub(opening, subject, count=1)
    return re.sub(r"\bor\b", "nor", stated, count=1) if stated.startswith("neither") else stated
