"""Finds the possible ends of the subject of an inverted question, and scores each reading."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from situatedgen.conversion.lexicon import (
    BE_ADVERBS,
    CALL_FOR_BASE,
    EPITHETS,
    LEADING_ADVERBS,
    NEVER_LAST,
    NEVER_NEXT,
    NOT_VERBS,
    TAKE_BASE,
    WHOLE_SUBJECTS,
)
from situatedgen.conversion.morphology import (
    Auxiliary,
    AuxiliaryKind,
    agrees,
    auxiliary,
    is_only_verb,
    is_verb,
    may_be_base,
    may_be_participle,
)
from situatedgen.records import Span
from situatedgen.resources import read_text

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_ENDS = 8
CLOSED_CLASSES = frozenset({"ADP", "CCONJ", "DET", "NUM", "PRON", "PUNCT", "SCONJ", "SYM"})
NEVER_LAST_TAGS = frozenset({"PRP$", "HYPH", "-LRB-", "``"})


@dataclass(frozen=True, slots=True)
class End:
    """A plausible subject end: tokens `first` to `last` are the subject, adverbs follow up to `verb`.

    The remaining words begin at `rest`: after the verb, or at it if the moved "be" is itself the verb.
    """

    first: int
    last: int
    verb: int
    rest: int


def ends(clause: Doc, *, kind: AuxiliaryKind, first: int, gapped: bool) -> list[End]:
    """The plausible ends of the subject that begins at a token, in order; at most `MOST_ENDS`, the likeliest ones."""
    if clause[first].lower_ in WHOLE_SUBJECTS and not _continues(clause, first):
        return _end(clause, kind, first, first, gapped=gapped)
    found = [
        end
        for last in range(first, len(clause))
        if _may_end(clause, kind, first, last)
        for end in _end(clause, kind, first, last, gapped=gapped)
    ]
    found = [end for end in found if _is_negated(clause, end)] or found
    if kind is not AuxiliaryKind.BE:
        found = [end for end in found if not _overlooks_verb(clause, end, found)]
    if len(found) > MOST_ENDS:
        likely = sorted(found, key=lambda end: (-_prior(clause, end), end.last))[:MOST_ENDS]
        found = sorted(likely, key=lambda end: end.last)
    return found


def subject_last(clause: Doc) -> int | None:
    """The last token of the subject in the parse of the clause itself; None if it has none."""
    for token in clause:
        if token.dep_ in {"nsubj", "nsubjpass", "csubj", "expl"} and token.head.dep_ == "ROOT":
            return int(token.right_edge.i)
    return None


def has_uncalled_verb(clause: Doc, start: int, stop: int) -> bool:
    """Whether a base form that can only be a verb occurs here without a word that calls for one."""
    return any(_is_uncalled_verb(token) for token in clause[start:stop])


def _is_uncalled_verb(token: Token) -> bool:
    return is_only_verb(token.text) and token.nbor(-1).lower_ not in CALL_FOR_BASE


def _overlooks_verb(clause: Doc, end: End, others: list[End]) -> bool:
    """Whether another end has a better verb than this one.

    This end leaves that verb in its subject, or takes a noun before it for a verb.
    """
    verbs = [other.verb for other in others if other != end and _is_uncalled_verb(clause[other.verb])]
    own = clause[end.verb]
    if own.nbor(-1).text == "help" and any(other.verb == end.verb - 1 for other in others):
        return True
    weak = own.pos_ != "VERB" and not is_only_verb(own.text) and own.text not in TAKE_BASE
    return any(verb < end.verb or weak for verb in verbs)


def _is_negated(clause: Doc, end: End) -> bool:
    """Whether a "not" between the subject and the following words negates the clause."""
    between = [token.lower_ for token in clause[end.last + 1 : end.verb]]
    if "not" not in between or end.verb == len(clause) or auxiliary(clause[end.last].text) is not None:
        return False
    return clause[end.verb].lower_ not in {"to", "only", "just"}


def _continues(clause: Doc, first: int) -> bool:
    following = clause[first + 1].lower_ if first + 1 < len(clause) else ""
    return following in {"and", "or", "who", "guys", "'s", "’s"}


def _end(clause: Doc, kind: AuxiliaryKind, first: int, last: int, *, gapped: bool) -> list[End]:
    verb = _verb(clause, kind, last + 1)
    if verb == len(clause):
        return [End(first, last, verb, verb)] if gapped and kind is AuxiliaryKind.BE else []
    following = clause[last + 1].lower_
    if following in NEVER_NEXT and not (following == "that" and clause[first].lower_ == "it"):
        return []
    if kind is AuxiliaryKind.BE:
        return [End(first, last, verb, verb)]
    negated = verb + 1 < len(clause) and clause[verb + 1].lower_ in {"not", "n't"}
    return [End(first, last, verb, verb + 1)] if _fits(clause[verb], kind) and not negated else []


def _verb(clause: Doc, kind: AuxiliaryKind, place: int) -> int:
    adverbs = BE_ADVERBS if kind is AuxiliaryKind.BE else None
    while place < len(clause) and _is_leading_adverb(clause[place], adverbs):
        place += 1
    return place


def _is_leading_adverb(token: Token, only: frozenset[str] | None) -> bool:
    if only is not None:
        return token.lower_ in only
    return token.lower_ in LEADING_ADVERBS or (
        token.tag_ in {"RB", "RBR", "RBS"} and token.lower_.endswith("ly") and token.is_lower
    )


def _fits(token: Token, kind: AuxiliaryKind) -> bool:
    word = token.lower_
    closed = token.pos_ in CLOSED_CLASSES and not is_verb(word)
    named = token.is_title and token.tag_ not in {"VB", "VBP"}
    if word in NOT_VERBS or closed or named:
        return False
    if kind is AuxiliaryKind.HAVE:
        return may_be_participle(word)
    used_to = word == "used" and token.i + 1 < len(token.doc) and token.nbor().lower_ == "to"
    return used_to or may_be_base(word)


def _may_end(clause: Doc, kind: AuxiliaryKind, first: int, last: int) -> bool:
    token = clause[last]
    if token.text in NEVER_LAST or token.tag_ in NEVER_LAST_TAGS or _before_epithet(clause, first, last):
        return False
    if last > first and _is_manner(token):
        return False
    if token.tag_ == "POS" and clause[last - 1].text[0].islower():
        return False
    stranded = not any(child.dep_ in {"pobj", "pcomp"} for child in token.children)
    if kind is not AuxiliaryKind.BE and last + 1 < len(clause):
        stranded = stranded or is_only_verb(clause[last + 1].text)
    return (token.pos_ != "ADP" or stranded) and _is_balanced(clause[first : last + 1].text)


def _is_manner(token: Token) -> bool:
    return bool(token.is_lower and token.tag_ == "RB" and token.text.endswith("ly"))


def _before_epithet(clause: Doc, first: int, last: int) -> bool:
    """Whether a name ends here that continues with "the Great" or the like."""
    following = clause[last + 1 : last + 4]
    if len(following) < 2 or not clause[last].text[0].isupper() or following[0].text != "the":
        return False
    alone = last == first or not clause[last - 1].text[0].isupper()
    owns = alone and len(following) == 3 and following[2].tag_ == "POS"
    return bool(following[1].is_title and (owns or following[1].lower_ in EPITHETS))


def _is_balanced(text: str) -> bool:
    return text.count('"') % 2 == 0 and text.count("(") == text.count(")") and text.count("“") == text.count("”")


def _prior(clause: Doc, end: End) -> int:
    at_subject = subject_last(clause) == end.last
    verbal = end.verb < len(clause) and clause[end.verb].tag_ in {"VB", "VBN", "VBG", "JJ", "DT", "IN"}
    nominal = clause[end.last].pos_ in {"NOUN", "PROPN", "PRON"}
    return 4 * at_subject + 2 * verbal + nominal


SUBJECT_LABELS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_AUXILIARY_LABELS = frozenset({"aux", "auxpass"})
_ODD_LABELS = frozenset({"dep", "appos", "npadvmod", "oprd", "parataxis", "ccomp", "nmod", "meta", "intj"})
_COMPLEMENTS = frozenset({"attr", "acomp", "prep", "advmod", "xcomp", "ccomp", "agent", "dobj", "oprd"})


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of a declarative's subject and verbs, its auxiliary, and hints from the inverted clause."""

    subject: Span
    finite: Span
    verb: Span
    auxiliary: Auxiliary
    hints: tuple[str, ...]


def score(doc: Doc, layout: Layout) -> float:
    """The log-odds of a layout against the other layouts of the same clause."""
    weights = _weights()["be" if layout.auxiliary.kind is AuxiliaryKind.BE else "verb"]
    return sum(weights.get(feature, 0.0) for feature in features(doc, layout))


def features(doc: Doc, layout: Layout) -> list[str]:
    """The features of a layout in the parse of its declarative."""
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
    """The features of a subject end in the parse of the inverted clause."""
    return tuple(_hints(clause, first, last, verb))


def token_at(doc: Doc, offset: int) -> Token | None:
    """The token that begins at a character offset; None if there is none."""
    return next((token for token in doc if token.idx == offset), None)


def subject_of(verb: Token) -> Token | None:
    """The head of the first subject of a verb; None if it has none."""
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
    """Whether a modifier is attached to the preceding name as if that were a common noun."""
    return token.i > 0 and token.dep_ in {"acl", "amod"} and token.head.i == token.i - 1 and token.head.pos_ == "PROPN"


def _is_bare(noun: Token) -> bool:
    return not any(child.dep_ in {"det", "poss", "nummod", "predet"} for child in noun.lefts)


def _tag(token: Token) -> str:
    tag = str(token.tag_)
    return "NNP" if tag == "NNPS" else "RB" if tag in {"RBR", "RBS"} else tag


@cache
def _weights() -> dict[str, dict[str, float]]:
    return tomllib.loads(read_text("inversion_weights.toml"))
