"""Where in a declarative the answer belongs: the place that the fronted question phrase left empty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from situatedgen.rules.choice.chains import chain, has_object, lacks_object, main_verb, next_word
from situatedgen.rules.choice.lexicon import PREPOSITIONS, verb_lemma, verb_list
from situatedgen.rules.choice.stranding import stranded
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

    from situatedgen.rules.clauses.inversion import ScoredDeclarative

_NO_OBJECTS = words("most next first day time night morning year week month moment today tomorrow")
_NAMED = words("called named considered termed labeled")
_DO_TAGS = {"does": "VBZ", "did": "VBD", "doing": "VBG", "done": "VBN"}
_OPENS_OBJECT = frozenset({"DT", "PRP", "PRP$", "CD", "EX"})
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_PARTICLES = words("up down out off over inside outside")


class GapKind(StrEnum):
    """What the answer is where it belongs."""

    DO = "do"
    PREPOSITION = "preposition"
    COMPLEMENT = "complement"
    OBJECT = "object"
    SUBJECT = "subject"
    END = "end"


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap: half-open offsets that the answer replaces, what it is there, and the verb or preposition before it."""

    start: int
    end: int
    kind: GapKind
    governor: str
    tag: str


def find_gap(found: ScoredDeclarative) -> Gap:
    """The likeliest gap of a declarative that a nominal question phrase has left."""
    end = Gap(len(found.text), len(found.text), GapKind.END, "", "")
    doc = found.doc
    verb = main_verb(doc, found.declarative.verb.start)
    if verb is None:
        return end
    tokens = [verb, *(token for token in doc[verb.i + 1 :] if not (token.is_punct and token.i == len(doc) - 1))]
    finders = (_do_gap, _after_saying, _before_relative, _after_use, _after_preposition, _complement, _object)
    return next((gap for finder in finders for gap in finder(tokens)), end)


def _after(token: Token, kind: GapKind) -> Gap:
    offset = token.idx + len(token.text)
    return Gap(offset, offset, kind, verb_lemma(token.text), token.tag_)


def _do_gap(tokens: list[Token]) -> Iterator[Gap]:
    """The verb "do" without an object, which a verb phrase replaces."""
    for token in tokens:
        if verb_lemma(token.text) == "do" and not _is_helping(token) and not _has_own_object(token):
            yield Gap(token.idx, token.idx + len(token.text), GapKind.DO, "do", _do_tag(token))


def _has_own_object(token: Token) -> bool:
    following = next_word(token)
    times = any(child.lower_ in _NO_OBJECTS for child in token.rights)
    if following is not None and following.tag_ in _OPENS_OBJECT and not times:
        return True
    return any(child.dep_ == "dobj" and child.lower_ not in _NO_OBJECTS for child in token.rights)


def _do_tag(token: Token) -> str:
    if token.lower_ in _DO_TAGS:
        return _DO_TAGS[token.lower_]
    before = token.nbor(-1) if token.i else token
    finite = token.tag_ == "VBP" and before.tag_ not in {"MD", "TO"} and before.pos_ != "AUX"
    return "VBP" if finite else "VB"


def _is_helping(token: Token) -> bool:
    following = next_word(token)
    return following is not None and following.lower_ in {"not", "n't"} and token.dep_ == "aux"


def _after_saying(tokens: list[Token]) -> Iterator[Gap]:
    """After a verb of saying that another finite verb follows at once: the subject of that one."""
    for token in tokens:
        following = next_word(token)
        if following is None or token.pos_ != "VERB" or verb_lemma(token.text) not in verb_list("saying"):
            continue
        if following.tag_ in _FINITE | {"VB"} and following.pos_ in {"VERB", "AUX"}:
            yield _after(token, GapKind.SUBJECT)


def _before_relative(tokens: list[Token]) -> Iterator[Gap]:
    """Between a verb and a relative clause that was left behind: "produces | that helps plants grow"."""
    for before, token in pairwise(tokens):
        following = next_word(token)
        relative = token.lower_ in {"that", "who", "which"} and before.pos_ == "VERB"
        says = verb_lemma(before.text) in verb_list("saying")
        if relative and following is not None and (following.tag_ in _FINITE or not says):
            yield _after(before, GapKind.OBJECT)


def _after_use(tokens: list[Token]) -> Iterator[Gap]:
    """After "use" that an infinitive follows at once: "use | to see the patterns"."""
    for token in chain(tokens[0]):
        following = next_word(token)
        active = verb_lemma(token.text) == "use" and token.tag_ != "VBN" and lacks_object(token)
        if active and following is not None and following.lower_ in {"to", "when", "for", "in"}:
            yield _after(token, GapKind.OBJECT)


def _after_preposition(tokens: list[Token]) -> Iterator[Gap]:
    """After a preposition that nothing follows which could be its object."""
    if (
        tokens[-1].lower_ in PREPOSITIONS - _PARTICLES - {"before", "after", "since"}
        and len(tokens) > 1
        and not is_in_relative(tokens[-1])
    ):
        yield _after(tokens[-1], GapKind.PREPOSITION)
    for token in tokens[1:]:
        if stranded(token) and not is_in_relative(token):
            yield _after(token, GapKind.PREPOSITION)


def is_in_relative(token: Token) -> bool:
    """The preposition belongs to a relative or conditional clause: "something you have knowledge in"."""
    return any(one.dep_ == "relcl" or (one.dep_ == "advcl" and _is_conditional(one)) for one in token.ancestors)


def _is_conditional(clause: Token) -> bool:
    """A clause with "when" or "if", in which nothing is asked for."""
    return any(child.tag_ == "WRB" or (child.dep_ == "mark" and child.lower_ != "to") for child in clause.lefts)


def _complement(tokens: list[Token]) -> Iterator[Gap]:
    """After a form of be, become or feel that says nothing of its subject yet, or after "called"."""
    for token in tokens:
        following = next_word(token)
        open_end = following is None or following.tag_ in {"IN", "WRB", ",", "RB"}
        if open_end and _is_bare_link(token, following):
            yield _after(token, GapKind.COMPLEMENT)
    for token in tokens:
        following = next_word(token)
        if token.lower_ in _NAMED and (following is None or following.tag_ in {"IN", "WRB", ","}):
            yield _after(token, GapKind.COMPLEMENT)


def _is_bare_link(token: Token, following: Token | None) -> bool:
    lemma = verb_lemma(token.text) if token.pos_ in {"VERB", "AUX"} else ""
    if lemma not in {"be", "become", "feel"} or token.dep_ in {"aux", "auxpass"}:
        return False
    return following is None or not has_object(token)


def _object(tokens: list[Token]) -> Iterator[Gap]:
    """After the last verb of the chain that takes an object and has none, or that takes a second one."""
    verbs = list(chain(tokens[0]))
    for token in reversed(verbs):
        if lacks_object(token):
            yield _after(_with_particle(_last_joined(token)), GapKind.OBJECT)
    for token in verbs:
        following = next_word(token)
        if verb_lemma(token.text) in verb_list("expecting") and following is not None and following.lower_ == "to":
            yield _after(token, GapKind.SUBJECT)
    for token in reversed(verbs):
        first = next((child for child in token.rights if child.dep_ == "dobj"), None)
        if first is not None and verb_lemma(token.text) in verb_list("two_objects"):
            last = first.doc[first.right_edge.i]
            offset = last.idx + len(last.text)
            yield Gap(offset, offset, GapKind.OBJECT, verb_lemma(token.text), token.tag_)


def _last_joined(token: Token) -> Token:
    """The last of the verbs joined to one that share its object: "observe and record"."""
    for child in token.rights:
        if child.dep_ == "conj" and child.tag_ == token.tag_ and child.i <= token.i + 2 and lacks_object(child):
            return child
    return token


def _with_particle(token: Token) -> Token:
    following = next_word(token)
    return following if following is not None and following.dep_ == "prt" else token
