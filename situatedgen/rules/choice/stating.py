"""A question and its right answer made one sentence, finished and judged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.records import Conversion
from situatedgen.rules.casing import true_case
from situatedgen.rules.choice.answers import Answer, understand
from situatedgen.rules.choice.checks import is_sound, judged
from situatedgen.rules.choice.context import needs_context
from situatedgen.rules.choice.doubts import DOUBTFUL, is_doubtful
from situatedgen.rules.choice.drafting import draft_statement
from situatedgen.rules.choice.drafts import smooth
from situatedgen.rules.choice.stems import Stem, read_stem
from situatedgen.rules.clauses.inversion import as_sentence
from situatedgen.rules.clauses.tidying import sentence, unmarked
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from situatedgen.rules.clauses.work import Parsing, Work

NO_RULE = Conversion("", "choice.none", 0.0, Verdict.NO_RULE)
_FEWEST_WORDS = 4
_FEWEST_TOLD = 6
_TOLD = ("subject", "where", "which_of")
_ASKS_FOR_TIME = re.compile(r"\b(?:when|month)\b", re.IGNORECASE)


def state(question: str, answer: str) -> Work:
    """The work that states a question with its right answer as a sentence.

    Example:
        state("Where did she move?", "boston") ends in "She moved to Boston."
    """
    stem = read_stem(question)
    if not stem.text or not any(letter.isalnum() for letter in answer):
        yield from ()
        return NO_RULE
    understood = yield from understand(answer, of_time=bool(_ASKS_FOR_TIME.search(stem.text)))
    draft = yield from draft_statement(stem, understood)
    if draft is None:
        return NO_RULE
    text = sentence(true_case(smooth(unmarked(draft.text))))
    (finished,) = yield [text]
    draft = draft.doubted(1.0 if is_sound(finished) else 0.6)
    if is_doubtful(draft.shape, understood, answer, text):
        draft = draft.doubted(DOUBTFUL)
    verdict, confidence = judged(draft, text, stem.text, answer)
    if verdict is Verdict.KEPT and (yield from _is_dangling(stem, understood, text, draft.shape)):
        verdict = Verdict.NEEDS_CONTEXT
    return Conversion(text, f"choice.{draft.shape}", confidence, verdict)


def _is_dangling(stem: Stem, answer: Answer, text: str, shape: str) -> Parsing[bool]:
    """The statement makes no sense without the sentences before its question."""
    if not stem.context:
        return False
    question, answered = yield [stem.text, as_sentence(answer.text)]
    fewest = _FEWEST_TOLD if shape.startswith(_TOLD) else _FEWEST_WORDS
    return len(text.split()) < fewest or needs_context(question, answered, stem.context)
