"""The values that rules and models exchange."""

from dataclasses import dataclass
from typing import NamedTuple

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


class Token(NamedTuple):
    """A word of a parse: half-open character offsets, lemma, tag, part of speech, and its role under its head.

    `head` is the number of the word that this one depends on, its own for the root.
    """

    start: int
    end: int
    lemma: str
    tag: str
    part: str
    role: str
    head: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a text: half-open character offsets."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """How probable it is that a pair of sentences is valid, and that it has each property that a valid pair needs.

    `common` is not needed: it tells whether both sentences are general knowledge, not a detail that one looks up.
    """

    probability: float
    fluent: float
    antithesis: float
    dependent: float
    common: float


@dataclass(frozen=True, slots=True, order=True)
class Lemma:
    """A word in its dictionary form, in lower case, and its part of speech: `N`oun or `V`erb."""

    text: str
    part: str
