"""The rule-based converter, which turns questions into statements from their spaCy parses, parsed in batches."""

import logging
from collections.abc import Sequence
from functools import partial

from situatedgen.conversion import choice, yes_no
from situatedgen.conversion.parsing import Work, drive
from situatedgen.errors import SituatedGenError
from situatedgen.models.spacy_models import CachingParser, parse, require
from situatedgen.params import ModelParams
from situatedgen.records import Conversion, Question
from situatedgen.rules.text import tidy_sentence
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind, Verdict

log = logging.getLogger(__name__)

YES = frozenset({"yes", "true"})
CHUNK = 1024
"""Number of questions whose parses are held in memory at once."""


class RuleConverter:
    """The converter `rules`."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)
        self._parse = CachingParser(partial(parse, disable=("ner",)))

    def convert(self, questions: Sequence[Question]) -> list[Conversion]:
        """The conversion of each question, in order."""
        conversions: list[Conversion] = []
        for start in range(0, len(questions), CHUNK):
            works = [guard(question) for question in questions[start : start + CHUNK]]
            conversions += drive(works, self._parse)
        return conversions


def guard(question: Question) -> Work:
    """The work that converts a question; if a rule fails on an unforeseen parse, only this question is lost."""
    try:
        return (yield from state(question))
    except SituatedGenError:
        raise
    except Exception as error:  # noqa: BLE001  one question of many thousands must not end a build
        log.warning("cannot convert %r with the answer %r: %r", question.text, question.answer, error)
        return Conversion("", f"{question.kind}.broken", 0.0, Verdict.NO_RULE)


def state(question: Question) -> Work:
    """The work that converts a question, by its kind."""
    if question.kind is ItemKind.YES_NO:
        return yes_no.state(question.text, positive=question.answer.strip().lower() in YES)
    if question.kind is ItemKind.CHOICE:
        return choice.state(question.text, question.answer)
    return _claim(question.text)


def _claim(text: str) -> Work:
    yield from ()
    tidied = tidy_sentence(text)
    return Conversion(tidied, "claim", 1.0, Verdict.KEPT if tidied else Verdict.BLANK)
