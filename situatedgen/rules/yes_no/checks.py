"""What makes a statement unfit, and how sure a conversion is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from situatedgen.rules.clauses.scoring import subject_of, token_at
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from situatedgen.rules.clauses.inversion import ScoredDeclarative

MIN_PROBABILITY = 0.7

_TWICE = re.compile(r"\b(?!that\b|had\b|great\b|very\b)([a-z]+) \1\b")
_TWO_VERBS = re.compile(r"\b(?:is|are|was|were) (?:not )?(?:is|are|was|were|be)\b")


def is_unbalanced(text: str) -> bool:
    """A quote or bracket is opened and not closed."""
    return text.count('"') % 2 == 1 or text.count("(") != text.count(")") or text.count("“") != text.count("”")


def says_twice(text: str) -> bool:
    """A word stands twice in a row, or a form of be meets another."""
    return bool(_TWICE.search(text) or _TWO_VERBS.search(text))


def still_asks(text: str) -> bool:
    """A question mark is left in the statement."""
    return "?" in text


TEXT_CHECKS: tuple[tuple[Verdict, Callable[[str], bool]], ...] = (
    (Verdict.NOT_CLEAN, still_asks),
    (Verdict.NOT_CLEAN, is_unbalanced),
    (Verdict.NOT_CLEAN, says_twice),
)


def text_verdict(text: str) -> Verdict:
    """The verdict on a statement by its words alone."""
    return next((verdict for verdict, is_wrong in TEXT_CHECKS if is_wrong(text)), Verdict.KEPT)


def confidence(found: ScoredDeclarative) -> float:
    """How sure the declarative is: its probability, less where its parse does not bear it out."""
    return round(found.probability * (1.0 if is_borne_out(found) else 0.8), 3)


def is_borne_out(found: ScoredDeclarative) -> bool:
    """The declarative's own parse has the verb as its root and a subject before it."""
    finite = token_at(found.doc, found.declarative.finite.start)
    if finite is None:
        return False
    root = finite.head if finite.dep_ in {"aux", "auxpass"} else finite
    return root.dep_ == "ROOT" and subject_of(root) is not None


def is_unsure(found: ScoredDeclarative) -> bool:
    """The end of the subject is in doubt."""
    return confidence(found) < MIN_PROBABILITY
