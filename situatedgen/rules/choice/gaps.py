"""Where in a declarative the answer belongs: the place that the fronted question phrase left empty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import PREPOSITIONS, verb_lemma, verb_list
from situatedgen.rules.clauses.scoring import token_at

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.rules.clauses.inversion import ScoredDeclarative

_OBJECTS = frozenset({"dobj", "attr", "acomp", "ccomp", "xcomp", "oprd", "dative"})
_TWO_OBJECTS = frozenset("call name consider make give teach tell show ask cost offer label title".split())
_SAYING = frozenset("think believe say expect suggest know predict claim hope feel consider".split())
_EXPECTS = frozenset("expect want allow cause like force ask tell need require enable".split())
_USES = frozenset("use need require study employ buy collect build choose eat perform make do create wear".split())
_NO_OBJECTS = frozenset("most next first day time night morning year week month moment today tomorrow".split())
_NAMED = frozenset({"called", "named", "considered", "termed", "labeled"})


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
    """A gap: half-open offsets that the answer replaces, what it is, and the base of the verb or preposition there."""

    start: int
    end: int
    kind: GapKind
    governor: str
    tag: str


def find_gap(found: ScoredDeclarative) -> Gap:
    """The likeliest gap of a declarative that a nominal question phrase has left."""
    doc = found.doc
    verb = main_verb(doc, found.declarative.verb.start)
    if verb is None:
        return _end(found)
    tokens = [token for token in doc if token.i > verb.i and not (token.is_punct and token.i == len(doc) - 1)]
    finders = (_do_gap, _long_gap, _before_relative, _stranded, _complement, _named, _object)
    for finder in finders:
        gap = next(finder(verb, tokens), None)
        if gap is not None:
            return gap
    return _end(found)


def _end(found: ScoredDeclarative) -> Gap:
    return Gap(len(found.text), len(found.text), GapKind.END, "", "")


def _after(token: Token, kind: GapKind) -> Gap:
    offset = token.idx + len(token.text)
    return Gap(offset, offset, kind, verb_lemma(token.text), token.tag_)


def _do_gap(verb: Token, tokens: list[Token]) -> Iterator[Gap]:
    """The verb "do" without an object, which a verb phrase replaces."""
    for token in [verb, *tokens]:
        if token.lower_ in {"do", "does", "did", "doing", "done"} and not _is_helping(token):
            following = _following(token)
            owned = any(child.dep_ == "dobj" and child.lower_ not in _NO_OBJECTS for child in token.rights)
            if following is None or not (
                owned
                or following.tag_ in {"DT", "PRP", "PRP$", "CD", "EX"}
                and not any(child.lower_ in _NO_OBJECTS for child in token.rights)
            ):
                yield Gap(token.idx, token.idx + len(token.text), GapKind.DO, "do", _do_tag(token))


def _do_tag(token: Token) -> str:
    forms = {"does": "VBZ", "did": "VBD", "doing": "VBG", "done": "VBN"}
    if token.lower_ in forms:
        return forms[token.lower_]
    before = token.nbor(-1) if token.i else token
    finite = token.tag_ == "VBP" and before.tag_ not in {"MD", "TO"} and before.pos_ != "AUX"
    return "VBP" if finite else "VB"


def _is_helping(token: Token) -> bool:
    following = _following(token)
    return following is not None and following.lower_ in {"not", "n't"} and token.dep_ == "aux"


def _long_gap(verb: Token, tokens: list[Token]) -> Iterator[Gap]:
    """After a verb of saying that another finite verb follows at once: the subject of that one."""
    for token in [verb, *tokens]:
        following = _following(token)
        if verb_lemma(token.text) in _SAYING and token.pos_ == "VERB" and following is not None:
            if following.tag_ in {"VBZ", "VBP", "VBD", "MD", "VB"} and following.pos_ in {"VERB", "AUX"}:
                yield _after(token, GapKind.SUBJECT)


def _before_relative(verb: Token, tokens: list[Token]) -> Iterator[Gap]:
    """Between a verb and a relative clause that was left behind: "produces | that helps plants grow"."""
    for token in tokens:
        before, following = token.nbor(-1), _following(token)
        if token.lower_ in {"that", "who", "which"} and before.pos_ == "VERB" and following is not None:
            if following.tag_ in {"VBZ", "VBP", "VBD", "MD"}:
                yield _after(before, GapKind.OBJECT)


def _stranded(verb: Token, tokens: list[Token]) -> Iterator[Gap]:
    """A preposition that nothing follows which could be its object."""
    if tokens and tokens[-1].lower_ in PREPOSITIONS - {"up", "down", "out", "off", "over", "inside", "outside"}:
        yield _after(tokens[-1], GapKind.PREPOSITION)
    for token in tokens:
        if token.lower_ in {"out", "off", "up", "down", "away"} and not _is_final(token):
            continue
        if token.tag_ not in {"IN", "TO", "RP"} or token.dep_ in {"mark", "prt", "neg"} and not _is_final(token):
            continue
        if any(child.dep_ in {"pobj", "pcomp"} and not _is_ago(token, child) for child in token.rights):
            continue
        following = _following(token)
        if (
            following is None
            or any(_is_ago(token, child) for child in token.rights)
            or (following.tag_ in {"IN", "WRB", "TO", ",", "RB"} and token.dep_ in {"prep", "agent", "dative"})
        ):
            if not (token.dep_ == "prt" and verb_lemma(token.head.text) in {"give", "pick", "get", "set", "take"}):
                yield _after(token, GapKind.PREPOSITION)


def _is_ago(preposition: Token, child: Token) -> bool:
    """A time like "twenty years ago", never the object of a preposition but in "millions of years ago"."""
    last = child.doc[child.right_edge.i]
    following = last.nbor().lower_ if last.i + 1 < len(last.doc) else ""
    return preposition.lower_ != "of" and "ago" in {last.lower_, following}


def _is_final(token: Token) -> bool:
    return _following(token) is None


def _complement(verb: Token, tokens: list[Token]) -> Iterator[Gap]:
    """A form of be, become, feel or the like without what it says of its subject."""
    for token in [verb, *tokens]:
        lemma = verb_lemma(token.text) if token.pos_ in {"VERB", "AUX"} else ""
        if lemma not in {"be", "become", "feel"} or token.dep_ in {"aux", "auxpass"}:
            continue
        following = _following(token)
        if following is None or (following.tag_ in {"IN", "WRB", ",", "RB"} and not _has_object(token)):
            yield _after(token, GapKind.COMPLEMENT)


def _named(verb: Token, tokens: list[Token]) -> Iterator[Gap]:
    """After "called" or "named", which say what the subject is."""
    for token in [verb, *tokens]:
        following = _following(token)
        if token.lower_ in _NAMED and (following is None or following.tag_ in {"IN", "WRB", ","}):
            yield _after(token, GapKind.COMPLEMENT)


def _object(verb: Token, tokens: list[Token]) -> Iterator[Gap]:
    """The last verb of the main chain that takes an object and has none, or a second one."""
    chain = list(_chain(verb))
    for token in reversed(chain):
        if _lacks_object(token):
            yield _after(_with_particle(_last_joined(token)), GapKind.OBJECT)
    for token in chain:
        following = _following(token)
        if verb_lemma(token.text) in _EXPECTS and following is not None and following.lower_ == "to":
            yield _after(token, GapKind.SUBJECT)
    for token in reversed(chain):
        target = next((child for child in token.rights if child.dep_ == "dobj"), None)
        if target is not None and verb_lemma(token.text) in _TWO_OBJECTS:
            last = target.doc[target.right_edge.i]
            yield Gap(
                last.idx + len(last.text), last.idx + len(last.text), GapKind.OBJECT, verb_lemma(token.text), token.tag_
            )


def _last_joined(token: Token) -> Token:
    """The last of the verbs joined to one that share its object: "observe and record"."""
    for child in token.rights:
        if child.dep_ == "conj" and child.tag_ == token.tag_ and child.i <= token.i + 2 and _lacks_object(child):
            return child
    return token


def _lacks_object(token: Token) -> bool:
    """A verb that takes an object and has none; an infinitive after it may say what for."""
    lemma = verb_lemma(token.text)
    passive = token.tag_ == "VBN" and not any(verb_lemma(child.text) == "have" for child in token.lefts)
    if token.pos_ == "AUX" or passive or lemma in verb_list("intransitive"):
        return False
    held = [child for child in token.rights if child.dep_ in _OBJECTS and not _is_condition(child)]
    return all(child.dep_ == "xcomp" and child.tag_ == "VB" for child in held) if lemma in _USES else not held


def _chain(verb: Token) -> Iterator[Token]:
    """The verb and the verbs that it, its adjective or its infinitive leads to."""
    yield verb
    for child in verb.rights:
        if child.dep_ in {"xcomp", "ccomp"} and child.pos_ in {"VERB", "AUX"}:
            yield from _chain(child)
        elif child.dep_ in {"acomp", "attr", "xcomp"}:
            for deeper in child.rights:
                if deeper.dep_ == "xcomp":
                    yield from _chain(deeper)


def _with_particle(token: Token) -> Token:
    following = _following(token)
    return following if following is not None and following.dep_ == "prt" else token


def _has_object(token: Token) -> bool:
    return any(child.dep_ in _OBJECTS and not _is_condition(child) for child in token.rights)


def _is_condition(child: Token) -> bool:
    """A clause with "if" or "when", which the parser takes for an object where the object is missing."""
    return child.dep_ in {"ccomp", "advcl"} and child.left_edge.lower_ in {"if", "when", "because", "while", "after"}


def _following(token: Token) -> Token | None:
    if token.i + 1 >= len(token.doc):
        return None
    following = token.nbor()
    return None if following.is_punct and following.i == len(token.doc) - 1 else following


def last_verb(doc: Doc, offset: int) -> Token | None:
    """The last verb of the chain that begins at an offset."""
    verb = main_verb(doc, offset)
    return None if verb is None else list(_chain(verb))[-1]


def main_verb(doc: Doc, offset: int) -> Token | None:
    """The verb at an offset, or the one that it helps."""
    verb = token_at(doc, offset)
    while (
        verb is not None and verb.dep_ in {"aux", "auxpass"} and verb.head.i > verb.i and verb_lemma(verb.text) != "do"
    ):
        verb = verb.head
    return verb
