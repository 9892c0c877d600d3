"""The values that rules and models exchange."""

from dataclasses import dataclass

from situatedgen.vocabulary import ItemKind, Label, Verdict


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its right answer: what a converter is asked to state."""

    text: str
    answer: str
    kind: ItemKind


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a converter made of a question: the statement, how it was made, and how sure it is.

    `text` is empty when nothing could be made of it; `confidence` lies in 0 to 1;
    `shape` names the rule that made it.
    """

    text: str
    shape: str
    confidence: float
    verdict: Verdict


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """A named entity of a text: half-open character offsets and an OntoNotes label."""

    start: int
    end: int
    label: Label


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a text: half-open character offsets."""

    start: int
    end: int
