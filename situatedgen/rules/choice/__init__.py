"""Multiple-choice questions and their right answers, stated as one declarative sentence."""

from situatedgen.records import Conversion
from situatedgen.rules.clauses.work import Work
from situatedgen.vocabulary import Verdict


def state(question: str, answer: str) -> Work:  # noqa: ARG001
    """The work that states a question with its right answer as a sentence."""
    yield from ()
    return Conversion("", "choice.none", 0.0, Verdict.NO_RULE)
