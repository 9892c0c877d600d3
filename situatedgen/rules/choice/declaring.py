"""The declarative of a question's clause, chosen with an eye to the gap its question phrase left."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.rules.choice.gaps import GapKind, find_gap
from situatedgen.rules.clauses.inversion import as_sentence, best, declaratives
from situatedgen.rules.clauses.tidying import spaced, unmarked

if TYPE_CHECKING:
    from situatedgen.rules.clauses.inversion import ScoredDeclarative
    from situatedgen.rules.clauses.work import Parsing

CLEAR = 0.6

# In log-odds: how much likelier a subject's end is when the clause then lacks just what was asked for.
_GAP_BONUS = {
    GapKind.DO: 2.0,
    GapKind.PREPOSITION: 2.0,
    GapKind.OBJECT: 1.5,
    GapKind.SUBJECT: 1.0,
    GapKind.COMPLEMENT: 0.5,
    GapKind.END: -1.0,
}


def declare_gapped(clause: str, *, nominal: bool) -> Parsing[ScoredDeclarative | None]:
    """The best declarative of an inverted clause that a question phrase has left, None when it has none.

    For a `nominal` phrase (what, which, who) the gap counts; adverbs leave none.
    """
    (doc,) = yield [unmarked(spaced(clause))]
    found = declaratives(doc, gapped=True)
    if not found:
        return None
    docs = yield [as_sentence(declarative.text) for declarative in found]
    if not nominal:
        return best(doc, found, docs)
    scored = [best(doc, [one], [parsed]) for one, parsed in zip(found, docs, strict=True)]
    values = [one.score + _GAP_BONUS[find_gap(one).kind] - _ends_in_verb(one) for one in scored]
    place = max(range(len(scored)), key=lambda index: (values[index], -index))
    return replace(scored[place], probability=1 / sum(math.exp(value - values[place]) for value in values))


def doubt(found: ScoredDeclarative) -> float:
    """How much less sure a sentence is when other ends of the subject were nearly as likely."""
    return 1.0 if found.probability >= CLEAR else 0.6


def _ends_in_verb(found: ScoredDeclarative) -> float:
    """A subject that ends in a participle or a preposition has likely swallowed the predicate."""
    end = found.declarative.subject.end
    last = [token for token in found.doc if token.idx < end][-1]
    return 3.0 if last.tag_ in {"VBG", "VBN", "VB"} or last.pos_ == "ADP" else 0.0
