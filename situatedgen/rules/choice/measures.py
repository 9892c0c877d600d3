"""Questions about how many, how much, how long, how far, how often."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import splice_adverbial
from situatedgen.rules.choice.agreement import agreeing
from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.drafts import Draft, splice
from situatedgen.rules.choice.gaps import find_gap

if TYPE_CHECKING:
    from situatedgen.rules.clauses.inversion import ScoredDeclarative

MEASURE = re.compile(
    r"^(?P<degree>many|much|long|far|often|old|tall|large|big|fast|hot|cold|deep|wide|high|heavy|frequently)\b\s*(?P<noun>.*)$",
    re.I,
)
_TAKES = re.compile(r"\b(?P<verb>takes?|took|taken|taking)\b(?P<whom>(?: (?!for\b|to\b)\S+)*?)(?= for\b| to\b|$)")
_PLAIN_NOUNS = frozenset({"time", "money", "longer"})
_LASTS = frozenset("last take be wait require spend cost stay".split())


def amount(degree: str, noun: str, answer: Answer, hedge: str) -> str:
    """The answer as an amount of a noun: "27 Earth days", "15 grams of salt water"."""
    text = f"{hedge} {answer.text}".strip()
    if not noun or noun.lower() in _PLAIN_NOUNS or _has_noun(noun, answer) or answer.text.lower() in {"once", "twice"}:
        return text
    if degree == "much" and re.search(r"[a-zA-Z]", answer.text):
        return f"{text} of {noun}"
    return f"{text} {noun}"


def state_amount_subject(rest: str, degree: str, words: str, answer: Answer) -> Draft:
    """An amount as the subject of its clause; "are in" is said with "there are"."""
    plural = answer.text.strip().lower() not in {"1", "one"}
    there = re.match(r"^(?P<be>is|are|was|were) (?P<where>(?:in|on|at|inside)\b.*)$", rest)
    if there:
        return Draft(f"there {there['be']} {words} {there['where']}", "choice.amount_there", 0.8)
    clause = rest if degree == "much" else agreeing(rest, plural=plural, was_plural=True)
    return Draft(f"{words} {clause}", "choice.amount_subject", 0.75)


def state_amount(found: ScoredDeclarative, degree: str, noun: str, words: str) -> Draft:
    """An amount in its place in a declarative.

    Example:
        "It takes for Earth to rotate" + "one week" gives "It takes one week for Earth to rotate".
    """
    takes = _TAKES.search(found.text)
    if takes and found.text.lower().startswith("it "):
        end = takes.end("whom")
        return Draft(splice(found.text, end, end, words), "choice.amount_takes", 0.9)
    if degree in {"many", "much"} and not noun.lower().startswith("time"):
        gap = find_gap(found)
        return Draft(splice(found.text, gap.start, gap.end, words), "choice.amount_object", 0.6)
    if found.declarative.verb == found.declarative.finite and found.declarative.auxiliary.kind == "be":
        return _being(found, degree, noun, words)
    return Draft(splice_adverbial(found, words), "choice.amount_adverb", 0.7)


def _being(found: ScoredDeclarative, degree: str, noun: str, words: str) -> Draft:
    unit = re.search(
        r"\b(?:years?|feet|foot|meters?|km|cm|m|miles?|inches|days?|hours?|minutes?|months?|weeks?)$", words
    )
    suffix = f" {degree}" if degree in {"long", "old", "tall", "deep", "wide", "high"} and unit else ""
    tail = f" {noun}" if noun and degree == "far" else ""
    return Draft(splice_adverbial(found, f"{words}{suffix}{tail}"), "choice.amount_be", 0.65)


def _has_noun(noun: str, answer: Answer) -> bool:
    last = noun.lower().split()[-1]
    return any(word.rstrip("s") == last.rstrip("s") for word in answer.text.lower().split())
