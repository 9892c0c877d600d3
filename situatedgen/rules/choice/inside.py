"""Question words that stand in the answer's place: "he is where?", "weren't done until when?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.extents import kind_end
from situatedgen.rules.choice.inside_what import state_inside_what
from situatedgen.rules.choice.lexicon import PREPOSITIONS, noun_list, verb_lemma
from situatedgen.rules.choice.neighbours import opens_determined
from situatedgen.rules.choice.places import place_phrase, time_phrase
from situatedgen.rules.choice.splices import put
from situatedgen.rules.choice.why import reason
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.rules.choice.answers import Answer
    from situatedgen.rules.choice.asking import Asked

_ARTICLES = words("a an the this that some any no each every another")
_ADVERBS = words("up down out over off")
_DEGREES = words("long many much far often")


def state_inside(doc: Doc, asked: Asked, answer: Answer) -> Draft:
    """The sentence with the answer in place of its question phrase.

    Example:
        "…when large amounts of people moved where?" + "suburbs" gives "…moved to the suburbs".
    """
    token = doc[asked.word]
    rules = {"where": _where, "when": _when, "why": _why, "how": _how}
    return rules.get(token.lower_, state_inside_what)(token, answer)


def _where(token: Token, answer: Answer) -> Draft:
    before = token.nbor(-1) if token.i else token
    last = token.i + 1 == len(token.doc) or token.nbor().is_punct
    shape = "inside_where_end" if last else "inside_where"
    if _is_inside_noun(before):
        phrase = answer.text
    elif before.lower_ in PREPOSITIONS - _ADVERBS:
        phrase = answer.noun
    else:
        phrase = place_phrase(answer, _verb_before(token))
    return Draft(put(token.doc, token.i, token.i + 1, phrase), shape)


def _is_inside_noun(before: Token) -> bool:
    """The question word goes on with a noun phrase that has begun: "the where", "in rural where"."""
    if (
        before.lower_ in _ARTICLES
        or before.tag_ == "PRP$"
        or (before.pos_ in {"ADJ", "ADV"} and opens_determined(before))
    ):
        return True
    return bool(before.pos_ == "ADJ" and before.i and before.nbor(-1).pos_ == "ADP")


def _verb_before(token: Token) -> str:
    """The verb whose place is asked for, when nothing stands between them but a particle."""
    before = token.nbor(-1) if token.i else token
    if before.tag_ == "RP" and before.i:
        before = before.nbor(-1)
    if before.pos_ in {"VERB", "AUX"}:
        return verb_lemma(before.text)
    if before.lower_ in noun_list("taken"):
        return ""
    lemma = verb_lemma(token.head.text) if token.head.pos_ == "VERB" and token.head.i < token.i else ""
    return "" if lemma == "get" and any(child.dep_ == "dobj" for child in token.head.rights) else lemma


def _when(token: Token, answer: Answer) -> Draft:
    after_preposition = token.i and token.nbor(-1).lower_ in PREPOSITIONS
    phrase = answer.noun if after_preposition else time_phrase(answer)
    return Draft(put(token.doc, token.i, token.i + 1, phrase), "inside_when")


def _why(token: Token, answer: Answer) -> Draft:
    return Draft(put(token.doc, token.i, token.i + 1, reason(answer)), "inside_why")


def _how(token: Token, answer: Answer) -> Draft:
    end = kind_end(token)
    degree = token.i + 1 < len(token.doc) and token.nbor().lower_ in _DEGREES
    if end > token.i + 1 or degree:
        return Draft(put(token.doc, token.i, max(end, token.i + 2), answer.text), "inside_amount")
    return Draft(put(token.doc, token.i, token.i + 1, answer.text), "inside_how")
