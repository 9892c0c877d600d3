"""A yes/no question stated: its clause declared, then given the polarity of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.records import Conversion
from situatedgen.rules.clauses.inversion import declare
from situatedgen.rules.clauses.sentences import split_sentences
from situatedgen.rules.clauses.tidying import sentence, spaced, undoubled
from situatedgen.rules.yes_no.anaphora import points_back
from situatedgen.rules.yes_no.checks import confidence, is_unsure, text_verdict
from situatedgen.rules.yes_no.leads import asked, without_tag
from situatedgen.rules.yes_no.plain import state_plain
from situatedgen.rules.yes_no.polarity import asserted, nonexistent
from situatedgen.rules.yes_no.scope import rescoped, scope_of
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from situatedgen.rules.clauses.inversion import ScoredDeclarative
    from situatedgen.rules.clauses.work import Work

NOTHING = Conversion("", "yes_no.none", 0.0, Verdict.NO_RULE)


def state(question: str, *, positive: bool) -> Work:
    """The work that states a yes/no question with its answer as a sentence."""
    sentences = split_sentences(undoubled(spaced(question)))
    if not sentences:
        return NOTHING
    asking = without_tag(sentences[-1])
    parts = asked(asking)
    if parts is None:
        return (yield from state_plain(asking, positive=positive))
    found = yield from declare(parts.clause)
    if found is None:
        return NOTHING
    text = stated(found, positive=positive)
    whole = sentence(f"{parts.lead}, {text}" if parts.lead else text)
    shape = f"yes_no.{found.declarative.auxiliary.kind.value}"
    back = not parts.lead and points_back(subject_text(found), text, alone=len(sentences) == 1)
    verdict = Verdict.NEEDS_CONTEXT if back else verdict_on(whole, found, positive=positive)
    return Conversion(whole, shape, confidence(found), verdict)


def stated(found: ScoredDeclarative, *, positive: bool) -> str:
    """The clause with the polarity of the answer, shown in its verb or in the quantifier of its subject."""
    declarative = found.declarative
    scope = scope_of(subject_text(found), declarative.auxiliary)
    if scope is None or (scope.negative is None and not positive):
        return asserted(declarative.text) if positive else nonexistent(found.opposite().text)
    subject = rescoped(subject_text(found), scope, declarative.auxiliary, positive=positive)
    rest = declarative.text[declarative.subject.end :]
    return subject + (asserted(rest) if positive else rest)


def subject_text(found: ScoredDeclarative) -> str:
    """The subject of a declarative."""
    return found.text[: found.declarative.subject.end]


def verdict_on(whole: str, found: ScoredDeclarative, *, positive: bool) -> Verdict:
    """The verdict on a statement: by its words, by what its quantifier allows, by how sure its subject is."""
    scope = scope_of(subject_text(found), found.declarative.auxiliary)
    unsaid = not positive and scope is not None and scope.negative is None
    verdict = text_verdict(whole)
    return Verdict.UNSURE if verdict is Verdict.KEPT and (unsaid or is_unsure(found)) else verdict
