"""CREAK: claims about entities, true and false; the true ones are items."""

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


CREAK = Collection(
    name="creak",
    kind=ItemKind.CLAIM,
    licence="MIT",
    citation="Onoe, Zhang, Choi, Durrett (2021): CREAK. NeurIPS Datasets and Benchmarks. arXiv:2109.01653",
    files=(Part("train", "creak/train.json"), Part("dev", "creak/dev.json")),
    format=json_lines,
    understand=content,
)
