"""What a training reads of examples."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from situatedgen.evaluation.examples import Example
from situatedgen.training.formats import reading


@dataclass(frozen=True, slots=True)
class Row:
    """What a model reads, and what it should write."""

    source: str
    target: str


def rows(examples: Sequence[Example], template: str, *, both_orders: bool) -> list[Row]:
    """A row for each example in the order of its statements, or two, for either order is right (section 6)."""
    orders = (1, -1) if both_orders else (1,)
    return [
        Row(reading(template, example.keywords), " ".join(example.statements[::order]))
        for example in examples
        for order in orders
    ]


def digest(*parts: Sequence[Row]) -> str:
    """A digest of rows and their order."""
    told = [[(row.source, row.target) for row in part] for part in parts]
    return hashlib.sha256(json.dumps(told).encode("utf-8")).hexdigest()
