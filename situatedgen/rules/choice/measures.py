"""Questions about how many, how much, how long, how far, how often."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import splice_adverbial
from situatedgen.rules.choice.agreement import agreeing
from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.drafts import Draft, splice
from situatedgen.rules.choice.gaps import find_gap
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from situatedgen.rules.clauses.inversion import ScoredDeclarative

MEASURE = re.compile(
    r"^(?P<degree>many|much|long|far|often|old|tall|large|big|fast|hot|cold|deep|wide|high|heavy|frequently)\b"
    r"\s*(?P<noun>.*)$",
    re.I,
)
_TAKES = re.compile(r"\b(?:takes?|took|taken|taking)\b(?P<whom>(?: (?!for\b|to\b)\S+)*?)(?= for\b| to\b|$)")
_THERE = re.compile(r"^(?P<be>is|are|was|were) (?P<where>(?:in|on|at|inside)\b.*)$")
_UNIT = re.compile(r"\b(?:years?|feet|foot|meters?|km|cm|m|miles?|inches|days?|hours?|minutes?|months?|weeks?)$", re.I)
_PLAIN_NOUNS = words("time money longer")
_SAID_AFTER = words("long old tall deep wide high")


def amount(degree: str, noun: str, answer: Answer, hedge: str) -> str:
    """The answer as an amount of a noun: "27 Earth days", "15 grams of salt water"; `hedge` is an "about"."""
    text = f"{hedge} {answer.text}".strip()
    if not noun or noun.lower() in _PLAIN_NOUNS or _has_noun(noun, answer) or answer.text.lower() in {"once", "twice"}:
        return text
    counted = degree == "much" and re.search(r"[a-zA-Z]", answer.text)
    return f"{text} of {noun}" if counted else f"{text} {noun}"


def state_amount_subject(rest: str, degree: str, phrase: str, answer: Answer) -> Draft:
    """An amount as the subject of its clause; "are in" is said with "there are"."""
    if there := _THERE.match(rest):
        return Draft(f"there {there['be']} {phrase} {there['where']}", "amount_there")
    plural = answer.text.strip().lower() not in {"1", "one"}
    clause = rest if degree == "much" else agreeing(rest, plural=plural, was_plural=True)
    return Draft(f"{phrase} {clause}", "amount_subject")


def state_amount(found: ScoredDeclarative, degree: str, noun: str, phrase: str) -> Draft:
    """An amount in its place in a declarative.

    Example:
        "It takes for Earth to rotate" + "one week" gives "It takes one week for Earth to rotate".
    """
    takes = _TAKES.search(found.text)
    if takes and (found.text.lower().startswith("it ") or found.text.startswith(" to ", takes.end())):
        return Draft(splice(found.text, takes.end("whom"), takes.end("whom"), phrase), "amount_takes")
    if degree in {"many", "much"} and not noun.lower().startswith("time"):
        gap = find_gap(found)
        return Draft(splice(found.text, gap.start, gap.end, phrase), "amount_object")
    if found.declarative.verb == found.declarative.finite and found.declarative.auxiliary.kind == "be":
        return Draft(splice_adverbial(found, _predicate(degree, phrase)), "amount_be")
    return Draft(splice_adverbial(found, phrase, early=True), "amount_adverb")


def _predicate(degree: str, phrase: str) -> str:
    """An amount as what something is: "28 days long", "93 million miles from the Sun"."""
    suffix = f" {degree}" if degree in _SAID_AFTER and _UNIT.search(phrase) else ""
    return f"{phrase}{suffix}"


def _has_noun(noun: str, answer: Answer) -> bool:
    last = noun.lower().split()[-1].rstrip("s")
    return any(word.rstrip("s") == last for word in answer.text.lower().split())
