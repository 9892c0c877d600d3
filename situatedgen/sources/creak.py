"""CREAK: claims about entities, true and false, of which the true ones are items; and why they are true or false."""

from situatedgen.errors import RecordError
from situatedgen.sources.collection import Collection
from situatedgen.sources.fields import own_id, text_at
from situatedgen.sources.records import json_lines
from situatedgen.sources.source import Content, Part
from situatedgen.vocabulary import ItemKind

LABELS = ("true", "false")


def content(value: object) -> Content | None:
    """The sentence of a true claim; nothing for a false one.

    Raises:
        RecordError: a field is missing or of the wrong type, or the label is neither true nor false.
    """
    label = text_at(value, "label")
    if label not in LABELS:
        raise RecordError(f"expected 'label' to be 'true' or 'false', found {label!r}")
    if label == "false":
        return None
    return Content(statement=text_at(value, "sentence"), own_id=own_id(value, "ex_id"))


def explanation(value: object) -> Content | None:
    """Why a claim is true or false, which is a statement by itself; nothing where that is not said.

    Raises:
        RecordError: it is not a text.
    """
    if isinstance(value, dict) and not value.get("explanation"):
        return None
    return Content(statement=text_at(value, "explanation"), own_id=own_id(value, "ex_id"))


CITATION = "Onoe, Zhang, Choi, Durrett (2021): CREAK. NeurIPS Datasets and Benchmarks. arXiv:2109.01653"
FILES = (Part("train", "creak/train.json"), Part("dev", "creak/dev.json"))
CREAK = Collection(
    name="creak",
    kind=ItemKind.CLAIM,
    licence="MIT",
    citation=CITATION,
    files=FILES,
    format=json_lines,
    understand=content,
)
CREAK_EXPLANATIONS = Collection(
    name="creak_explanations",
    kind=ItemKind.CLAIM,
    licence="MIT",
    citation=CITATION,
    files=FILES,
    format=json_lines,
    understand=explanation,
)
