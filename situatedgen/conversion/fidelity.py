"""Checks whether a statement made by a model still says what the answer says."""

import re

from situatedgen.conversion.confidence import lost_words
from situatedgen.conversion.inversion import split_sentences
from situatedgen.records import Question
from situatedgen.vocabulary import ItemKind, Verdict

_NEGATION = re.compile(r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)


def judge(question: Question, statement: str) -> Verdict:
    """The verdict on a statement of the question: KEPT, or why it cannot be used.

    Example:
        >>> judge(Question("Where do people ski?", "on snow", ItemKind.CHOICE), "People ski in winter.")
        <Verdict.LOST_ANSWER: 'lost_answer'>
    """
    if not _is_one_statement(statement):
        return Verdict.NOT_CLEAN
    if question.kind is ItemKind.YES_NO:
        keeps = _is_no(question) == (_negations(statement) > _negations(question.text))
    else:
        keeps = not lost_words(question.answer, statement)
    return Verdict.KEPT if keeps else Verdict.LOST_ANSWER


def _is_one_statement(text: str) -> bool:
    return bool(text) and not text.rstrip("\"'”’)").endswith("?") and len(split_sentences(text)) == 1


def _is_no(question: Question) -> bool:
    return question.answer.strip().lower() in {"no", "false"}


def _negations(text: str) -> int:
    return len(_NEGATION.findall(text))
