"""Questions after a lead-in: the lead kept in place, a full clause joined by a conjunction or given its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.lexicon import SUBJECT_PRONOUNS, SUBORDINATORS
from situatedgen.rules.choice.places import place_phrase
from situatedgen.rules.choice.sentences import root_of
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Span

    from situatedgen.rules.choice.answers import Answer

_CONJUNCTION = re.compile(r"[\s,;]*\b(?P<word>so|but|and|then|yet)$", re.I)
_LEAD_WORDS = SUBORDINATORS | words(
    "in on at during of by with from to for under until upon within among despite compared based given instead due"
    " according without besides like"
)
_ENDS_IN_LEAD = re.compile(
    r"(?:,\s*|\b(?:but|and|so)\s+)(?:when|if|after|while|once|as|because|since|to)\b[^,]*$", re.I
)
_WHERE_IS = re.compile(
    r"^(?:where|(?P<noun>(?:in )?(?:what|which) (?:state|country|city|place|town|region|continent)))\s+"
    r"(?:is|are|was|were|am)\s+"
    r"(?:most )?(?P<hedge>likely |probably )?"
    r"(?P<who>i|you|he|she|it|we|they|this|that|(?:the|this|that|a|an) \w+|[A-Z]\w+)"
    r"(?P<after> most likely| likely| probably)?(?P<verb> located| found| at| in| situated| \w+(?:ed|t|n))?\??$",
    re.I,
)


def join_lead(lead: Span, draft: Draft) -> Draft:
    """The lead-in and the sentence made of the question after it.

    Example:
        "The king needed to feel safe" + "he went to a castle" gives "The king needed to feel safe, and he went to a
        castle".
    """
    text = lead.text.rstrip(" ,;:-")
    conjunction = _CONJUNCTION.search(text)
    if conjunction:
        start = text[: conjunction.start()].rstrip(" ,;")
        return _led(f"{start}, {conjunction['word'].lower()} {draft.text}", "late_joined", draft)
    if is_full(lead):
        return _led(f"{text}, and {draft.text}", "late_clause", draft)
    return _led(f"{text}, {draft.text}", "late_lead", draft)


def place_lead(lead: Span, clause: str, answer: Answer) -> Draft | None:
    """The lead with the answer as its place, when the question only asks where its subject is.

    Example:
        "The ranch house was built outside of Butte", "where was it located?", "Montana" gives "The ranch house was
        built outside of Butte in Montana".
    """
    found = _WHERE_IS.match(clause)
    if found is None or not is_full(lead) or _CONJUNCTION.search(lead.text):
        return None
    if found["noun"] and not (found["noun"].lower().startswith("in ") or (found["verb"] or "").strip() in {"in", "at"}):
        return None
    if not _is_of_lead(found["who"], lead) or not _repeats_verb(found["verb"] or "", lead):
        return None
    hedge = (found["hedge"] or found["after"] or "").strip()
    glue = f", {hedge} " if hedge else " "
    shape = "late_place" if answer.place[:1].isupper() else "late_place_odd"
    return Draft(f"{lead.text.rstrip(' ,;:-')}{glue}{place_phrase(answer)}", shape)


def _repeats_verb(verb: str, lead: Span) -> bool:
    """The question's verb says no more than that something is there, or what the lead says already."""
    word = verb.strip().lower()
    return word in {"", "located", "found", "at", "in", "situated"} or word in {token.lower_ for token in lead}


def _is_of_lead(who: str, lead: Span) -> bool:
    """The subject asked about is a pronoun, or a noun of the lead."""
    last = who.lower().split()[-1]
    return last in SUBJECT_PRONOUNS | {"this", "that"} or last in {token.lower_ for token in lead}


def _led(text: str, lead: str, draft: Draft) -> Draft:
    return Draft(text, f"{lead}.{draft.shape}", draft.doubt)


def is_full(lead: Span) -> bool:
    """The lead is a clause of its own: a finite verb with its subject, and no subordinator first."""
    root, first = root_of(lead), lead[0]
    subject = next((child for child in root.lefts if child.dep_ in {"nsubj", "nsubjpass", "expl", "csubj"}), None)
    subordinate = any(child.dep_ == "mark" or child.tag_ == "WRB" for child in root.lefts)
    if len(lead) == 1 or subject is None or subordinate or _ENDS_IN_LEAD.search(lead.text):
        return False
    if first.pos_ == "ADP" and first.dep_ == "prep" and first.head.i == root.i:
        return True
    participle = first.tag_ == "VBG" and first.dep_ not in {"csubj", "amod", "compound"}
    after_comma = any(token.lower_ == "," and token.i < subject.left_edge.i for token in lead)
    return after_comma or not (participle or first.lower_ in _LEAD_WORDS)
