"""The declarative of a question's clause, chosen with an eye to the gap its question phrase left."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.rules.choice.gaps import GapKind, find_gap
from situatedgen.rules.clauses.inversion import as_sentence, best, declaratives
from situatedgen.rules.clauses.tidying import spaced, unmarked

if TYPE_CHECKING:
    from spacy.tokens import Token

    from situatedgen.rules.clauses.inversion import ScoredDeclarative
    from situatedgen.rules.clauses.work import Parsing

CLEAR = 0.6
"""The probability from which a declarative is beyond doubt."""

# In log-odds: how much likelier a subject's end is when the clause then lacks just what was asked for.
_GAP_BONUS = {
    GapKind.DO: 2.0,
    GapKind.PREPOSITION: 2.0,
    GapKind.OBJECT: 1.5,
    GapKind.SUBJECT: 1.0,
    GapKind.COMPLEMENT: 0.5,
    GapKind.END: -1.0,
}
_SWALLOWED = 3.0
_LEFT_OVER = 3.0


def declare_gapped(clause: str, *, nominal: bool) -> Parsing[ScoredDeclarative | None]:
    """The best declarative of an inverted clause that a question phrase has left, None when it has none.

    For a `nominal` phrase (what, which, who) the gap counts; adverbs leave none.
    """
    (doc,) = yield [unmarked(spaced(clause))]
    found = declaratives(doc, gapped=True)
    if not found:
        return None
    docs = yield [as_sentence(declarative.text) for declarative in found]
    scored = [best(doc, [one], [parsed]) for one, parsed in zip(found, docs, strict=True)]
    values = [_value(one, nominal=nominal) for one in scored]
    place = max(range(len(scored)), key=lambda index: (values[index], -index))
    return replace(scored[place], probability=1 / sum(math.exp(value - values[place]) for value in values))


def doubt(found: ScoredDeclarative) -> float:
    """How much less sure a sentence is when other ends of the subject were nearly as likely."""
    return 1.0 if found.probability >= CLEAR else 0.6


def _value(found: ScoredDeclarative, *, nominal: bool) -> float:
    left_over = _LEFT_OVER if any(map(_is_left_over, found.doc)) else 0.0
    swallowed = _SWALLOWED if _swallows_verb(found, participles=nominal) else 0.0
    gap = _GAP_BONUS[find_gap(found).kind] if nominal else 0.0
    return found.score + gap - left_over - swallowed


def _swallows_verb(found: ScoredDeclarative, *, participles: bool) -> bool:
    """The subject ends in a participle or a preposition, which rather begins the predicate."""
    tokens = [token for token in found.doc if token.idx < found.declarative.subject.end]
    last = tokens[-1]
    if not participles:
        return len(tokens) == 2 and tokens[0].lower_ in {"this", "that"} and last.lower_.endswith("ing")
    return last.tag_ in {"VBG", "VBN", "VB"} or last.pos_ == "ADP"


def _is_left_over(token: Token) -> bool:
    """A verb in its base form with nothing before it to govern it: the real verb of a clause cut too early."""
    if token.tag_ not in {"VB", "VBP"} or token.dep_ not in {"advcl", "dep", "parataxis", "npadvmod"}:
        return False
    return not any(child.dep_ in {"mark", "aux", "nsubj", "advmod", "expl"} for child in token.lefts)
