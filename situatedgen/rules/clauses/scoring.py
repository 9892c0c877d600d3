"""How well the parse of a declarative fits the places its words were put in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from situatedgen.records import Span
from situatedgen.rules.clauses.auxiliaries import Auxiliary, Kind
from situatedgen.rules.clauses.morphology import agrees

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

SUBJECT_LABELS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_AUXILIARY_LABELS = frozenset({"aux", "auxpass"})
_OPENS_COMPLEMENT = frozenset(
    {"DT", "PRP$", "IN", "VBN", "VBG", "TO", "RB", "JJ", "JJR", "JJS", "RBR", "RBS"}
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a declarative has its subject, finite verb and main verb, as offsets, and what was moved."""

    subject: Span
    finite: Span
    verb: Span
    auxiliary: Auxiliary
    as_parsed: bool


def score(doc: Doc, layout: Layout) -> float:
    """How well the parse bears out the layout: about 8 when in all, below 4 when not in the main things."""
    finite, verb = token_at(doc, layout.finite.start), token_at(doc, layout.verb.start)
    if finite is None or verb is None:
        return -10.0
    root = finite if finite.dep_ not in _AUXILIARY_LABELS else finite.head
    return (
        _root_score(doc, root, verb)
        + _subject_score(doc, root, layout)
        + (1.0 if layout.as_parsed else 0.0)
        + (_complement_score(doc, layout) if layout.auxiliary.kind is Kind.BE else _verb_score(verb))
    )


def token_at(doc: Doc, offset: int) -> Token | None:
    """The token that begins at a character offset."""
    return next((token for token in doc if token.idx == offset), None)


def subject_of(verb: Token) -> Token | None:
    """The head of the first subject of a verb."""
    return next((child for child in verb.lefts if child.dep_ in SUBJECT_LABELS), None)


def _root_score(doc: Doc, root: Token, verb: Token) -> float:
    heads = sum(token.dep_ == "ROOT" for token in doc)
    whole = 3.0 if root.dep_ == "ROOT" else -2.0
    fitting = verb.i == root.i or (verb.dep_ in _AUXILIARY_LABELS and verb.head.i == root.i)
    return whole + (0.0 if fitting else -1.0) - 1.0 * (heads - 1)


def _subject_score(doc: Doc, root: Token, layout: Layout) -> float:
    subject = subject_of(root)
    if subject is None:
        return -2.0
    last = max(token.i for token in doc if token.idx < layout.subject.end)
    edges = (subject.left_edge.i, subject.right_edge.i)
    spans = 3.0 if edges == (0, last) else 1.0 if _inside(doc, last, root) else -1.0
    return spans - (0.0 if agrees(subject, layout.auxiliary.form) else 1.5)


def _inside(doc: Doc, last: int, root: Token) -> bool:
    return all(token.head.i <= last or token.head.i == root.i for token in doc[: last + 1])


def _complement_score(doc: Doc, layout: Layout) -> float:
    following = next((token for token in doc if token.idx >= layout.finite.end and token.dep_ != "neg"), None)
    if following is None or following.is_punct:
        return 0.0
    opening = 0.75 if following.tag_ in _OPENS_COMPLEMENT else -0.5
    last = [token for token in doc if token.idx < layout.subject.end][-1]
    split = following.pos_ == "PROPN" and last.pos_ == "PROPN" and last.i > 0
    return opening - (1.5 if split else 0.0)


def _verb_score(verb: Token) -> float:
    return 0.5 if verb.pos_ in {"VERB", "AUX"} else -1.0
