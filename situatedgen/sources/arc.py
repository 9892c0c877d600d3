"""ARC: multiple-choice questions of grade-school science, easy and hard."""

from situatedgen.sources.choices import stem_and_choices
from situatedgen.sources.collection import Collection
from situatedgen.sources.records import json_lines
from situatedgen.sources.source import Part
from situatedgen.vocabulary import ItemKind

ARC = Collection(
    name="arc",
    kind=ItemKind.CHOICE,
    licence="CC BY-SA 4.0",
    citation=(
        "Clark, Cowhey, Etzioni, Khot, Sabharwal, Schoenick, Tafjord (2018): AI2 Reasoning Challenge. arXiv:1803.05457"
    ),
    files=tuple(
        Part(f"{level}::{split}", f"arc/ARC-{level}/ARC-{level}-{split}.jsonl")
        for level in ("Easy", "Challenge")
        for split in ("Train", "Dev", "Test")
    ),
    format=json_lines,
    understand=stem_and_choices,
)
