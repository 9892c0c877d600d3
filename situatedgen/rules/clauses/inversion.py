"""Subject-auxiliary inversion undone: every plausible declarative of a clause, and the best of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from situatedgen.records import Span
from situatedgen.rules.clauses.auxiliaries import Auxiliary, Kind, auxiliary
from situatedgen.rules.clauses.ends import End, ends
from situatedgen.rules.clauses.morphology import inflect
from situatedgen.rules.clauses.predicates import Predicate, predicate
from situatedgen.rules.clauses.scoring import Layout, hints, score
from situatedgen.rules.clauses.tidying import raised, spaced, unmarked

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from situatedgen.rules.clauses.work import Parsing

ALONE = 10.0
"""The margin of a declarative that has no rival."""


@dataclass(frozen=True, slots=True)
class Declarative:
    """A clause in the order of a statement, without a final mark; spans are offsets into `text`.

    `finite` is where the auxiliary went: it covers the auxiliary with its negation or, where do-support fell
    away, the inflected verb. `verb` is the main verb (where "be" is the main verb: the form of be).
    `turned` says that the polarity was turned against the words of the clause, `hints` are what the parse of
    the inverted clause says of this subject end.
    """

    text: str
    subject: Span
    finite: Span
    verb: Span
    auxiliary: Auxiliary
    end: End
    negative: bool
    turned: bool
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoredDeclarative:
    """A declarative with the parse of it as a sentence, its score, and its lead over the next best.

    `clause` is the parse of the inverted clause it comes from.
    `probability` is its share among all the plausible ones, 1 when there was no other. Offsets into
    `declarative.text` hold in `doc` too: there the first letter is raised and a period added.
    """

    declarative: Declarative
    clause: Doc
    doc: Doc
    score: float
    margin: float
    probability: float

    @property
    def text(self) -> str:
        """The declarative's text."""
        return self.declarative.text

    def opposite(self) -> Declarative:
        """The same declarative with the other polarity; the parse is not of it."""
        found = self.declarative
        return _declarative(self.clause, found.auxiliary, found.end, turned=not found.turned)


def declare(clause_text: str, *, negative: bool = False, gapped: bool = False) -> Parsing[ScoredDeclarative | None]:
    """The best declarative of an inverted clause, or None when it has none.

    A clause is `gapped` when a wh-phrase has left it ("is the capital of France"), so that nothing need
    follow the subject.

    Example:
        declare("Does Guam have a state capital?", negative=True) makes "Guam does not have a state capital".
    """
    bare = unmarked(spaced(clause_text))
    if not bare:
        return None
    (clause,) = yield [bare]
    found = declaratives(clause, negative=negative, gapped=gapped)
    if not found:
        return None
    docs = yield [as_sentence(declarative.text) for declarative in found]
    return best(clause, found, docs)


def as_sentence(text: str) -> str:
    """The text as it is parsed: first letter raised, a period added, every offset kept."""
    return raised(text) + ("" if text.endswith(".") else ".")


def declaratives(clause: Doc, *, negative: bool = False, gapped: bool = False) -> list[Declarative]:
    """Every plausible declarative of an inverted clause, one for each plausible end of its subject."""
    if len(clause) < 2 or (moved := auxiliary(clause[0].text)) is None:
        return []
    contracted = clause[1].lower_ in {"n't", "n’t", "not"}
    first = 2 if contracted else 1
    return [
        _declarative(clause, moved, end, turned=negative != contracted)
        for end in ends(clause, kind=moved.kind, first=first, gapped=gapped)
    ]


def best(clause: Doc, found: Sequence[Declarative], docs: Sequence[Doc]) -> ScoredDeclarative:
    """The declarative whose own parse fits it best, the earliest subject end among equals."""
    scores = [score(doc, layout(declarative)) for declarative, doc in zip(found, docs, strict=True)]
    index = max(range(len(found)), key=lambda place: (scores[place], -place))
    others = [value for place, value in enumerate(scores) if place != index]
    margin = scores[index] - max(others) if others else ALONE
    probability = 1 / (1 + sum(math.exp(value - scores[index]) for value in others))
    return ScoredDeclarative(found[index], clause, docs[index], scores[index], margin, probability)


def layout(declarative: Declarative) -> Layout:
    """Where a declarative put its words, as its score looks at them."""
    return Layout(
        declarative.subject,
        declarative.finite,
        declarative.verb,
        declarative.auxiliary,
        declarative.hints,
    )


def _declarative(clause: Doc, moved: Auxiliary, end: End, *, turned: bool) -> Declarative:
    adverbs = [token.text for token in clause[end.last + 1 : end.verb]]
    verb = "" if end.verb == end.rest else clause[end.verb].text
    words = predicate(moved, adverbs, verb, negative=turned)
    tensed = moved.tag if moved.kind is Kind.DO and not words.verb else None
    return _joined(clause, moved, end, words, _rest(clause, end, tensed), turned=turned)


def _rest(clause: Doc, end: End, tensed: str | None) -> str:
    """What follows the verb; verbs coordinated with one that took its tense take it too."""
    tokens = clause[end.rest :]
    follow = _coordinated(clause, end) if tensed else set()
    words = (
        inflect(token.lower_, tensed) + token.whitespace_ if tensed and token.i in follow else token.text_with_ws
        for token in tokens
    )
    before = clause[end.rest - 1].whitespace_ if end.rest < len(clause) else ""
    return (before + "".join(words)).rstrip()


def _coordinated(clause: Doc, end: End) -> set[int]:
    verbs = {end.verb}
    for token in clause[end.rest :]:
        own = any(child.dep_ in {"nsubj", "nsubjpass", "aux", "auxpass"} for child in token.children)
        if token.dep_ == "conj" and token.head.i in verbs and token.tag_ in {"VB", "VBP"} and not own:
            verbs.add(token.i)
    return verbs - {end.verb}


def _joined(clause: Doc, moved: Auxiliary, end: End, words: Predicate, rest: str, *, turned: bool) -> Declarative:
    subject = clause[end.first : end.last + 1].text
    head = f"{subject} {words.before} " if words.before else f"{subject} "
    finite = Span(len(head), len(head) + len(words.finite))
    text = head + words.finite + (f" {words.between}" if words.between else "")
    verb = Span(len(text) + 1, len(text) + 1 + len(words.verb)) if words.verb else finite
    text += (f" {words.verb}" if words.verb else "") + rest
    seen = hints(clause, end.first, end.last, end.verb)
    subject_span = Span(0, len(subject))
    return Declarative(text, subject_span, finite, verb, moved, end, words.negative, turned, seen)
