"""Questions about a time: "When will the next new moon occur?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import ends_stranded, splice_adverbial
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.places import time_phrase
from situatedgen.rules.choice.verbs import gerund

if TYPE_CHECKING:
    from situatedgen.rules.choice.answers import Answer
    from situatedgen.rules.clauses.inversion import ScoredDeclarative


def state_when(found: ScoredDeclarative, answer: Answer) -> Draft:
    """The answer as the time of a declarative.

    Example:
        "The next new moon will occur" + "June 30" gives "The next new moon will occur on June 30".
    """
    phrase = _time(found, answer)
    odd = phrase.startswith("during ") or answer.form is Form.ADJECTIVE
    shape = "when_during" if odd else "when"
    return Draft(splice_adverbial(found, phrase), shape)


def _time(found: ScoredDeclarative, answer: Answer) -> str:
    if answer.form is Form.CLAUSE:
        return f"when {answer.text}"
    if answer.text.startswith("following "):
        return answer.text
    if answer.form in {Form.GERUND, Form.VERB, Form.ADJECTIVE}:
        return f"when {gerund(answer)}"
    return answer.noun if ends_stranded(found.text) else time_phrase(answer)
