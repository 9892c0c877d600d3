"""Where the subject of an inverted clause may end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from situatedgen.rules.clauses.auxiliaries import Kind
from situatedgen.rules.clauses.lexicon import (
    BE_ADVERBS,
    EPITHETS,
    LEADING_ADVERBS,
    NEVER_LAST,
    NEVER_NEXT,
    NOT_VERBS,
    WHOLE_SUBJECTS,
)
from situatedgen.rules.clauses.morphology import may_be_base, may_be_participle

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_ENDS = 8


@dataclass(frozen=True, slots=True)
class End:
    """A plausible subject end: tokens `first` to `last` are the subject, adverbs follow up to `verb`.

    What is left begins at `rest`: after the verb, or at it where the moved "be" is itself the verb.
    """

    first: int
    last: int
    verb: int
    rest: int


def ends(clause: Doc, *, kind: Kind, first: int, gapped: bool) -> list[End]:
    """The plausible ends of the subject that begins at a token, in order, the likeliest where too many."""
    if clause[first].lower_ in WHOLE_SUBJECTS and not _continues(clause, first):
        return _end(clause, kind, first, first, gapped=gapped)
    found = [
        end
        for last in range(first, len(clause))
        if _may_end(clause, first, last)
        for end in _end(clause, kind, first, last, gapped=gapped)
    ]
    if len(found) > MOST_ENDS:
        likely = sorted(found, key=lambda end: (-_prior(clause, end), end.last))[:MOST_ENDS]
        found = sorted(likely, key=lambda end: end.last)
    return found


def subject_last(clause: Doc) -> int | None:
    """The last token of the subject as the parse of the clause itself has it."""
    for token in clause:
        if token.dep_ in {"nsubj", "nsubjpass", "csubj", "expl"} and token.head.dep_ == "ROOT":
            return int(token.right_edge.i)
    return None


def _continues(clause: Doc, first: int) -> bool:
    following = clause[first + 1].lower_ if first + 1 < len(clause) else ""
    return following in {"and", "or", "who", "guys", "'s", "’s"}


def _end(clause: Doc, kind: Kind, first: int, last: int, *, gapped: bool) -> list[End]:
    verb = _verb(clause, kind, last + 1)
    if verb == len(clause):
        return [End(first, last, verb, verb)] if gapped and kind is Kind.BE else []
    following = clause[last + 1].lower_
    if following in NEVER_NEXT and not (following == "that" and clause[first].lower_ == "it"):
        return []
    if kind is Kind.BE:
        return [End(first, last, verb, verb)]
    return [End(first, last, verb, verb + 1)] if _fits(clause[verb], kind) else []


def _verb(clause: Doc, kind: Kind, place: int) -> int:
    adverbs = BE_ADVERBS if kind is Kind.BE else None
    while place < len(clause) and _is_leading_adverb(clause[place], adverbs):
        place += 1
    return place


def _is_leading_adverb(token: Token, only: frozenset[str] | None) -> bool:
    if only is not None:
        return token.lower_ in only
    return token.lower_ in LEADING_ADVERBS or (
        token.tag_ in {"RB", "RBR", "RBS"} and token.lower_.endswith("ly") and token.is_lower
    )


def _fits(token: Token, kind: Kind) -> bool:
    word = token.lower_
    if word in NOT_VERBS or not word[0].isalpha() or (token.is_title and token.tag_ not in {"VB", "VBP"}):
        return False
    return may_be_participle(word) if kind is Kind.HAVE else may_be_base(word)


def _may_end(clause: Doc, first: int, last: int) -> bool:
    token = clause[last]
    if token.lower_ in NEVER_LAST or token.tag_ in {"PRP$", "HYPH", "-LRB-", "``"}:
        return False
    if token.tag_ == "POS" and not clause[last - 1].text[0].isupper():
        return False
    if _before_epithet(clause, last):
        return False
    if token.tag_ == "," or token.is_quote or token.tag_ == "-RRB-":
        return _balanced(clause[first : last + 1].text) and last > first
    if token.pos_ == "ADP" and any(child.dep_ in {"pobj", "pcomp"} for child in token.children):
        return False
    return _balanced(clause[first : last + 1].text)


def _before_epithet(clause: Doc, last: int) -> bool:
    """A name ends here that goes on with "the Great" or the like."""
    following = clause[last + 1 : last + 3]
    if len(following) < 2 or not clause[last].text[0].isupper():
        return False
    return bool(following[0].text == "the" and following[1].is_title and following[1].lower_ in EPITHETS)


def _balanced(text: str) -> bool:
    return (
        text.count('"') % 2 == 0 and text.count("(") == text.count(")") and text.count("“") == text.count("”")
    )


def _prior(clause: Doc, end: End) -> int:
    at_subject = subject_last(clause) == end.last
    verbal = end.verb < len(clause) and clause[end.verb].tag_ in {"VB", "VBN", "VBG", "JJ", "DT", "IN"}
    nominal = clause[end.last].pos_ in {"NOUN", "PROPN", "PRON"}
    return 4 * at_subject + 2 * verbal + nominal
