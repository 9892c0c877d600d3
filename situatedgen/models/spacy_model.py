"""The small English spaCy model, loaded once a process and checked against its pinned digest."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any, cast

import spacy
from spacy.language import Language
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc

from situatedgen.errors import SettingsError
from situatedgen.models.weights import SPACY_MODEL, check_package
from situatedgen.params import ModelParams

READ = frozenset({"POS", "TAG", "DEP"})
"""What we read of what the attribute ruler says; lemmas and morphology we do not."""


def require(params: ModelParams) -> None:
    """Nothing, when params ask for the weights and revision that are installed, or leave them open.

    Raises:
        SettingsError: they ask for others.
    """
    installed = version(SPACY_MODEL)
    if params.weights not in ("", SPACY_MODEL) or params.revision not in ("", installed):
        raise SettingsError(
            f"model {params.name!r} runs on {SPACY_MODEL} {installed}; asked for {params.weights} {params.revision}"
        )


@cache
def load() -> Language:
    """The model, once for all who ask it, without what nothing reads.

    Raises:
        ModelError: the weights are not installed, or are not the pinned ones.
    """
    check_package(SPACY_MODEL)
    model = spacy.load(SPACY_MODEL, exclude=["lemmatizer", "senter"])
    _leave_out_unread(cast(AttributeRuler, model.get_pipe("attribute_ruler")))
    return model


def _leave_out_unread(ruler: AttributeRuler) -> None:
    """Spare the ruler the patterns that only say what nothing reads: a third of its time."""
    entries: list[dict[str, Any]] = [*ruler.patterns]  # Any: as spaCy has them
    for entry in entries:
        entry["attrs"] = {name: value for name, value in entry["attrs"].items() if name in READ}
    ruler.clear()
    ruler.add_patterns([entry for entry in entries if entry["attrs"]])


def parse(texts: Sequence[str], *, disable: tuple[str, ...] = ()) -> Iterator[Doc]:
    """The analysis of each text by all components but the disabled ones, in order."""
    return load().pipe(texts, disable=list(disable))
