"""Questions about a manner: "How do warm ocean currents move?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.chains import last_verb
from situatedgen.rules.choice.drafts import Draft, splice
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.lexicon import verb_lemma
from situatedgen.rules.choice.verbs import verb_phrase
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.morphology import inflect

if TYPE_CHECKING:
    from spacy.tokens import Token

    from situatedgen.rules.choice.answers import Answer
    from situatedgen.rules.clauses.inversion import ScoredDeclarative

_LINKING = words("feel look be seem taste sound smell appear become get act")
_DESCRIBING = words("describe classify define characterize")


def state_how(found: ScoredDeclarative, answer: Answer) -> Draft:
    """The declarative and the answer as its manner.

    Example:
        "You communicate with a friend" + "write letter" gives "You communicate with a friend by writing a letter".
    """
    verb = last_verb(found.doc, found.declarative.verb.start)
    lemma = verb_lemma(verb.text) if verb is not None else ""
    if answer.form is Form.CLAUSE:
        return _clause(found, answer)
    if verb is not None and lemma in _LINKING and not _is_complete(verb):
        return _linking(found, verb, answer)
    if lemma in _DESCRIBING:
        return Draft(f"{found.text} as {answer.noun}", "how_by")
    return _manner(found, answer)


def _linking(found: ScoredDeclarative, verb: Token, answer: Answer) -> Draft:
    first, _, rest = answer.text.partition(" ")
    says = rest and answer.form is Form.VERB and first.lower() in _LINKING
    after = verb.idx + len(verb.text)
    shape = "how_odd" if answer.form is Form.GERUND else "how_linking"
    return Draft(splice(found.text, after, after, rest if says else answer.text), shape)


def _is_complete(verb: Token) -> bool:
    """A linking verb that has its complement, or a "get" with words of its own after it."""
    if verb_lemma(verb.text) == "get" and verb.n_rights > 1:
        return True
    return any(child.dep_ in {"attr", "acomp", "oprd"} for child in verb.rights)


def _manner(found: ScoredDeclarative, answer: Answer) -> Draft:
    if answer.form in {Form.ADVERBIAL, Form.INFINITIVE}:
        return Draft(f"{found.text} {answer.text}", "how")
    if answer.form is Form.GERUND:
        return Draft(f"{found.text} by {answer.text}", "how_by")
    if answer.form is Form.VERB:
        return Draft(f"{found.text} by {verb_phrase(answer, 'VBG')}", "how_by")
    return Draft(f"{found.text} by {answer.noun}", "how_odd")


def _clause(found: ScoredDeclarative, answer: Answer) -> Draft:
    """A clause as a manner: "by" and its gerund where it has the declarative's own subject."""
    subject = found.text[: found.declarative.subject.end].lower()
    if answer.clause is not None and answer.clause[0].lower() in {subject, "it", "they"}:
        _, verb, rest = answer.clause
        return Draft(f"{found.text} by {inflect(verb_lemma(verb), 'VBG')} {rest}".rstrip(), "how_by")
    draft = Draft(f"{found.text} in that {answer.text}", "how_clause")
    return draft.doubted(0.7) if answer.text.lower().startswith(subject) else draft
