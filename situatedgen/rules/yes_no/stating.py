"""A yes/no question stated: its clause declared with the polarity of the answer."""

from situatedgen.records import Conversion
from situatedgen.rules.clauses.inversion import declare
from situatedgen.rules.clauses.tidying import sentence
from situatedgen.rules.clauses.work import Work
from situatedgen.vocabulary import Verdict


def state(question: str, *, positive: bool) -> Work:
    """The work that states a yes/no question with its answer as a sentence."""
    found = yield from declare(question, negative=not positive)
    if found is None:
        return Conversion("", "yes_no.none", 0.0, Verdict.NO_RULE)
    shape = f"yes_no.{found.declarative.auxiliary.kind.value}"
    return Conversion(sentence(found.text), shape, 0.5, Verdict.KEPT)
