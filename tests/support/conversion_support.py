"""The rules of conversion, run with the parser of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from situatedgen.conversion.choice import state
from situatedgen.conversion.parsing import Parsing, Result, drive
from situatedgen.records import Conversion


def parsed(works: Sequence[Parsing[Result]]) -> list[Result]:
    """The results of works that ask for parses."""
    from situatedgen.models.spacy_models import parse  # noqa: PLC0415

    return drive(works, lambda texts: list(parse(texts, disable=("ner",))))


def stated_choice(question: str, answer: str) -> Conversion:
    """The statement of a multiple-choice question with its answer."""
    return parsed([state(question, answer)])[0]
