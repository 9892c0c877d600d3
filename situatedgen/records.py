"""Value types that rules and models exchange."""

from dataclasses import dataclass
from typing import NamedTuple

from situatedgen.vocabulary import ItemKind, Label, Verdict


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its correct answer, which a converter turns into a statement."""

    text: str
    answer: str
    kind: ItemKind


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of converting a question: the statement, the rule that produced it, and its confidence.

    `text` is empty if the question could not be converted; `confidence` is between 0 and 1; `shape` names the rule.
    """

    text: str
    shape: str
    confidence: float
    verdict: Verdict


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """A named entity in a text: half-open character offsets and an OntoNotes label."""

    start: int
    end: int
    label: Label


class Token(NamedTuple):
    """A token of a dependency parse: half-open character offsets, lemma, tag, part of speech and dependency label.

    `head` is the index of the token that this one depends on, or the token's own index for the root.
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
    """A span of a text: half-open character offsets."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """The probability that a sentence pair is valid, and that it has each property of a valid pair.

    `common` is not required for validity: it says whether both sentences are general knowledge, not a detail that
    one would look up.
    """

    probability: float
    fluent: float
    antithesis: float
    dependent: float
    common: float


@dataclass(frozen=True, slots=True, order=True)
class Lemma:
    """A word in its dictionary form, lower-cased, with its part of speech: `N` (noun) or `V` (verb)."""

    text: str
    part: str
