"""Where the subject of an inverted clause may end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from situatedgen.rules.clauses.auxiliaries import Kind, auxiliary
from situatedgen.rules.clauses.lexicon import (
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
from situatedgen.rules.clauses.morphology import is_only_verb, is_verb, may_be_base, may_be_participle

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_ENDS = 8
CLOSED_CLASSES = frozenset({"ADP", "CCONJ", "DET", "NUM", "PRON", "PUNCT", "SCONJ", "SYM"})
NEVER_LAST_TAGS = frozenset({"PRP$", "HYPH", "-LRB-", "``"})


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
        if _may_end(clause, kind, first, last)
        for end in _end(clause, kind, first, last, gapped=gapped)
    ]
    found = [end for end in found if _is_negated(clause, end)] or found
    if kind is not Kind.BE:
        found = [end for end in found if not _overlooks_verb(clause, end, found)]
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


def has_uncalled_verb(clause: Doc, start: int, stop: int) -> bool:
    """A base form that is nothing but a verb stands here, and no word calls for one."""
    return any(_is_uncalled_verb(token) for token in clause[start:stop])


def _is_uncalled_verb(token: Token) -> bool:
    return is_only_verb(token.text) and token.nbor(-1).lower_ not in CALL_FOR_BASE


def _overlooks_verb(clause: Doc, end: End, others: list[End]) -> bool:
    """Another end has a better verb: one that this end leaves in its subject, or after a noun taken for a verb."""
    verbs = [other.verb for other in others if other != end and _is_uncalled_verb(clause[other.verb])]
    own = clause[end.verb]
    if own.nbor(-1).text == "help" and any(other.verb == end.verb - 1 for other in others):
        return True
    weak = own.pos_ != "VERB" and not is_only_verb(own.text) and own.text not in TAKE_BASE
    return any(verb < end.verb or weak for verb in verbs)


def _is_negated(clause: Doc, end: End) -> bool:
    """A "not" that negates the clause stands between the subject and what follows."""
    between = [token.lower_ for token in clause[end.last + 1 : end.verb]]
    if "not" not in between or end.verb == len(clause) or auxiliary(clause[end.last].text) is not None:
        return False
    return clause[end.verb].lower_ not in {"to", "only", "just"}


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
    negated = verb + 1 < len(clause) and clause[verb + 1].lower_ in {"not", "n't"}
    return [End(first, last, verb, verb + 1)] if _fits(clause[verb], kind) and not negated else []


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
    closed = token.pos_ in CLOSED_CLASSES and not is_verb(word)
    named = token.is_title and token.tag_ not in {"VB", "VBP"}
    if word in NOT_VERBS or closed or named:
        return False
    if kind is Kind.HAVE:
        return may_be_participle(word)
    used_to = word == "used" and token.i + 1 < len(token.doc) and token.nbor().lower_ == "to"
    return used_to or may_be_base(word)


def _may_end(clause: Doc, kind: Kind, first: int, last: int) -> bool:
    token = clause[last]
    if token.text in NEVER_LAST or token.tag_ in NEVER_LAST_TAGS or _before_epithet(clause, first, last):
        return False
    if last > first and _is_manner(token):
        return False
    if token.tag_ == "POS" and clause[last - 1].text[0].islower():
        return False
    stranded = not any(child.dep_ in {"pobj", "pcomp"} for child in token.children)
    if kind is not Kind.BE and last + 1 < len(clause):
        stranded = stranded or is_only_verb(clause[last + 1].text)
    return (token.pos_ != "ADP" or stranded) and _balanced(clause[first : last + 1].text)


def _is_manner(token: Token) -> bool:
    return bool(token.is_lower and token.tag_ == "RB" and token.text.endswith("ly"))


def _before_epithet(clause: Doc, first: int, last: int) -> bool:
    """A name ends here that goes on with "the Great" or the like."""
    following = clause[last + 1 : last + 4]
    if len(following) < 2 or not clause[last].text[0].isupper() or following[0].text != "the":
        return False
    alone = last == first or not clause[last - 1].text[0].isupper()
    owns = alone and len(following) == 3 and following[2].tag_ == "POS"
    return bool(following[1].is_title and (owns or following[1].lower_ in EPITHETS))


def _balanced(text: str) -> bool:
    return text.count('"') % 2 == 0 and text.count("(") == text.count(")") and text.count("“") == text.count("”")


def _prior(clause: Doc, end: End) -> int:
    at_subject = subject_last(clause) == end.last
    verbal = end.verb < len(clause) and clause[end.verb].tag_ in {"VB", "VBN", "VBG", "JJ", "DT", "IN"}
    nominal = clause[end.last].pos_ in {"NOUN", "PROPN", "PRON"}
    return 4 * at_subject + 2 * verbal + nominal
