"""How well the parse of a declarative bears out the places its words were put in."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from situatedgen.records import Span
from situatedgen.resources import read_text
from situatedgen.rules.clauses.auxiliaries import Auxiliary, Kind
from situatedgen.rules.clauses.ends import has_uncalled_verb
from situatedgen.rules.clauses.morphology import agrees, is_only_verb

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

SUBJECT_LABELS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_AUXILIARY_LABELS = frozenset({"aux", "auxpass"})
_ODD_LABELS = frozenset({"dep", "appos", "npadvmod", "oprd", "parataxis", "ccomp", "nmod", "meta", "intj"})
_COMPLEMENTS = frozenset({"attr", "acomp", "prep", "advmod", "xcomp", "ccomp", "agent", "dobj", "oprd"})


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a declarative has its subject and verbs, what was moved, and what the inverted clause said."""

    subject: Span
    finite: Span
    verb: Span
    auxiliary: Auxiliary
    hints: tuple[str, ...]


def score(doc: Doc, layout: Layout) -> float:
    """The log-odds of a layout, against the other layouts of the same clause."""
    weights = _weights()["be" if layout.auxiliary.kind is Kind.BE else "verb"]
    return sum(weights.get(feature, 0.0) for feature in features(doc, layout))


def features(doc: Doc, layout: Layout) -> list[str]:
    """What is seen of a layout in the parse of its declarative."""
    finite, verb = token_at(doc, layout.finite.start), token_at(doc, layout.verb.start)
    if finite is None or verb is None:
        return ["unplaced"]
    root = finite.head if finite.dep_ in _AUXILIARY_LABELS else finite
    last = [token for token in doc if token.idx < layout.subject.end][-1]
    return [
        *layout.hints,
        *_root_features(doc, root, verb),
        *_subject_features(doc, root, last, layout),
        *_rest_features(doc, root, last, layout),
    ]


def hints(clause: Doc, first: int, last: int, verb: int) -> tuple[str, ...]:
    """What the parse of the inverted clause says of a subject end."""
    return tuple(_hints(clause, first, last, verb))


def token_at(doc: Doc, offset: int) -> Token | None:
    """The token that begins at a character offset."""
    return next((token for token in doc if token.idx == offset), None)


def subject_of(verb: Token) -> Token | None:
    """The head of the first subject of a verb."""
    return next((child for child in verb.lefts if child.dep_ in SUBJECT_LABELS), None)


def _hints(clause: Doc, first: int, last: int, verb: int) -> Iterator[str]:
    end = clause[last]
    if any(t.dep_ in SUBJECT_LABELS and t.head.dep_ == "ROOT" and t.right_edge.i == last for t in clause):
        yield "as parsed"
    yield f"ended {_tag(end)}"
    if end.head.i > last:
        yield f"cuts {end.dep_}"
    if last + 1 < len(clause):
        yield from _border_hints(end, clause[last + 1], first)
    if verb < len(clause):
        yield from _verb_hints(clause[verb])
    if verb + 1 < len(clause):
        yield f"then {_tag(clause[verb + 1])}"
    if has_uncalled_verb(clause, first + 1, last + 1):
        yield "holds verb"
    if has_uncalled_verb(clause, verb + 1, len(clause)):
        yield "leaves verb"


def _verb_hints(verb: Token) -> Iterator[str]:
    yield f"was {_tag(verb)}"
    if verb.dep_ == "ROOT":
        yield "was root"
    if is_only_verb(verb.lower_):
        yield "verb only"


def _border_hints(end: Token, following: Token, first: int) -> Iterator[str]:
    yield f"next word {following.lower_}"
    if first <= following.head.i <= end.i:
        yield f"loosens {following.dep_}"
    if end.text[0].isupper() and following.text[0].isupper():
        yield "splits capitals"
        yield f"splits capitals {_tag(end)} {_tag(following)}"


def _root_features(doc: Doc, root: Token, verb: Token) -> Iterator[str]:
    yield "root" if root.dep_ == "ROOT" else "not root"
    if sum(token.dep_ == "ROOT" for token in doc) > 1:
        yield "many roots"
    if verb.i != root.i and not (verb.dep_ in _AUXILIARY_LABELS and verb.head.i == root.i):
        yield "verb apart"
    yield f"verb {_tag(verb)}"


def _subject_features(doc: Doc, root: Token, last: Token, layout: Layout) -> Iterator[str]:
    subject = subject_of(root)
    if subject is None:
        yield "no subject"
        return
    exact = (subject.left_edge.i, subject.right_edge.i) == (0, last.i)
    inside = all(token.head.i <= last.i or token.head.i == root.i for token in doc[: last.i + 1])
    yield "subject exact" if exact else "subject inside" if inside else "subject apart"
    yield f"subject head {_tag(subject)}"
    if not agrees(subject, layout.auxiliary.form):
        yield "disagrees"
    if subject.tag_ == "NN" and _is_bare(subject):
        yield "subject bare"


def _rest_features(doc: Doc, root: Token, last: Token, layout: Layout) -> Iterator[str]:
    yield f"last {_tag(last)}"
    yield f"last {_tag(last)} {last.dep_}"
    if last.tag_ == "NN" and _is_bare(last):
        yield "last bare"
    yield f"subject length {min(last.i + 1, 8)}"
    after = [token for token in doc if token.idx >= layout.finite.end and token.dep_ != "neg"]
    following = after[0] if after else None
    if following is None or following.is_punct:
        return
    yield f"next {_tag(following)}"
    yield f"next {_tag(following)} {following.dep_}"
    yield f"meets {_tag(last)} {_tag(following)}"
    yield from sorted({f"odd {token.dep_}" for token in after if token.dep_ in _ODD_LABELS})
    complements = [child for child in root.rights if child.dep_ in _COMPLEMENTS]
    yield f"first {complements[0].dep_}" if complements else "first none"
    yield f"root {_tag(root)}"
    if len(complements) > 1:
        yield f"then {complements[1].dep_}"
    if any(child.dep_ == "attr" and child.tag_ == "NN" and _is_bare(child) for child in complements):
        yield "complement bare"
    if any(_is_stray(token) for token in after):
        yield "stray"


def _is_stray(token: Token) -> bool:
    """A modifier that hangs on the name before it, as if the name were a common noun."""
    return token.i > 0 and token.dep_ in {"acl", "amod"} and token.head.i == token.i - 1 and token.head.pos_ == "PROPN"


def _is_bare(noun: Token) -> bool:
    return not any(child.dep_ in {"det", "poss", "nummod", "predet"} for child in noun.lefts)


def _tag(token: Token) -> str:
    tag = str(token.tag_)
    return "NNP" if tag == "NNPS" else "RB" if tag in {"RBR", "RBS"} else tag


@cache
def _weights() -> dict[str, dict[str, float]]:
    return tomllib.loads(read_text("inversion_weights.toml"))
