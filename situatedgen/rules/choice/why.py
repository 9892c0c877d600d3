"""Questions about a reason: "Why are many desert animals more active at night?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.lexicon import noun_list
from situatedgen.rules.choice.verbs import infinitive

if TYPE_CHECKING:
    from situatedgen.rules.choice.answers import Answer
    from situatedgen.rules.clauses.inversion import ScoredDeclarative

_REASONS = frozenset({Form.CLAUSE, Form.INFINITIVE, Form.ADVERBIAL})


def state_why(found: ScoredDeclarative, answer: Answer) -> Draft:
    """The declarative and the answer as its reason.

    Example:
        "Many desert animals are more active at night" + "it is cooler at night" gives the two with "because".
    """
    shape = "why" if answer.form in _REASONS else "why_verb" if answer.form is Form.VERB else "why_noun"
    return Draft(f"{found.text.removesuffix(' for')} {reason(answer)}", shape)


def reason(answer: Answer) -> str:
    """The answer as a reason: with "because", "to", "for" or "because of"."""
    if answer.form is Form.CLAUSE:
        return f"because {answer.text}"
    if answer.form in {Form.INFINITIVE, Form.ADVERBIAL}:
        return answer.text
    if answer.form in {Form.VERB, Form.GERUND} or answer.text.startswith("not "):
        return infinitive(answer) or f"to {answer.text}"
    if answer.form is Form.ADJECTIVE:
        return f"because of being {answer.text}"
    return f"for {answer.noun}" if answer.text.lower() in noun_list("purposes") else f"because of {answer.noun}"
