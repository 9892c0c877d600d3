"""A yes/no question stated: its clause declared, then given the polarity of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.records import Conversion
from situatedgen.rules.clauses.inversion import declare
from situatedgen.rules.clauses.sentences import split_sentences
from situatedgen.rules.clauses.tidying import sentence, spaced
from situatedgen.rules.yes_no.checks import confidence, is_unsure, text_verdict
from situatedgen.rules.yes_no.leads import asked, without_tag
from situatedgen.rules.yes_no.polarity import asserted, nonexistent
from situatedgen.rules.yes_no.scope import rescoped, scope_of
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from situatedgen.rules.clauses.inversion import Declarative, ScoredDeclarative
    from situatedgen.rules.clauses.work import Work

_SINGULAR = frozenset({"is", "was", "has", "does"})
NOTHING = Conversion("", "yes_no.none", 0.0, Verdict.NO_RULE)


def state(question: str, *, positive: bool) -> Work:
    """The work that states a yes/no question with its answer as a sentence."""
    sentences = split_sentences(spaced(question))
    parts = asked(without_tag(sentences[-1])) if sentences else None
    if parts is None:
        return NOTHING
    found = yield from declare(parts.clause)
    if found is None:
        return NOTHING
    text = stated(found, positive=positive)
    whole = sentence(f"{parts.lead}, {text}" if parts.lead else text)
    shape = f"yes_no.{found.declarative.auxiliary.kind.value}"
    return Conversion(whole, shape, confidence(found), _verdict(whole, found, positive=positive))


def stated(found: ScoredDeclarative, *, positive: bool) -> str:
    """The clause with the polarity of the answer, shown in its verb or in the quantifier of its subject."""
    declarative = found.declarative
    scope = scope_of(_subject(declarative))
    if scope is None or (scope.negative is None and not positive):
        return asserted(declarative.text) if positive else nonexistent(found.opposite().text)
    singular = declarative.auxiliary.form in _SINGULAR
    subject = rescoped(_subject(declarative), scope, positive=positive, singular=singular)
    rest = declarative.text[declarative.subject.end :]
    return subject + (asserted(rest) if positive else rest)


def _subject(declarative: Declarative) -> str:
    return declarative.text[: declarative.subject.end]


def _verdict(whole: str, found: ScoredDeclarative, *, positive: bool) -> Verdict:
    verdict = text_verdict(whole)
    if verdict is not Verdict.KEPT:
        return verdict
    scope = scope_of(_subject(found.declarative))
    out_of_scope = not positive and scope is not None and scope.negative is None
    return Verdict.UNSURE if out_of_scope or is_unsure(found) else Verdict.KEPT
