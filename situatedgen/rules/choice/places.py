"""Answers about places and times, with the preposition they need."""

import re

from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.lexicon import PREPOSITIONS, noun_list, verb_list

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAY = re.compile(
    rf"\b(?:{_MONTHS}) \d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:day|holiday|weekend|eve)s?$", re.I
)
_PERIOD = re.compile(
    rf"\b(?:{_MONTHS}|spring|summer|autumn|fall|winter|morning|afternoon|evening|year|month|century|season|decade"
    r"|\d{4}s?)\b",
    re.I,
)
_CLOCK = re.compile(
    r"\b(?:noon|midnight|night|dawn|dusk|sunrise|sunset|sundown|nightfall|daybreak|midday|bedtime|lunchtime|dinnertime|time|moment|\d+(?::\d\d)? ?(?:a\.?m|p\.?m)\.?|o'clock)$",
    re.I,
)
_LENGTH = re.compile(r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|centuries|decades)$", re.I)


def place_phrase(answer: Answer, verb: str = "") -> str:
    """The answer as a place: with the preposition that its noun and the verb before it ask for.

    Example:
        "bank" becomes "at a bank", "Venice" "in Venice", and after "go" "to a bank".
    """
    if answer.form is not Form.NOUN or answer.text.split(" ", 1)[0].lower() in PREPOSITIONS - {"past", "down", "up"}:
        return answer.text
    if answer.text.lower() in noun_list("adverbs") or verb in verb_list("place_objects"):
        return answer.text if answer.text.lower() in noun_list("adverbs") else answer.place
    if answer.text.lower() == "country":
        return f"{place_preposition(answer, verb)} the country"
    return f"{place_preposition(answer, verb)} {answer.place}"


def place_preposition(answer: Answer, verb: str = "") -> str:
    """The preposition that a place takes after a verb."""
    head = answer.head
    if verb in verb_list("motion"):
        return "in" if head in noun_list("containers") and verb in {"go", "move", "return"} else "to"
    parts = answer.text.lower().split()
    pair = "-".join(parts[-2:])
    if head == "house" and len(parts) == 1:
        return "in"
    for preposition in ("at", "on"):
        if len(parts) > 1 and pair in noun_list(preposition):
            return preposition
    if answer.place[:1].isupper():
        return (
            "on"
            if answer.text.lower() != "rhode island" and head in {"island", "islands", "earth", "mars", "moon", "coast"}
            else "in"
        )
    forms = {head, head.removesuffix("s") if head not in {"mountains", "lands", "woods"} else head}
    return next((name for name in ("at", "on") if forms & noun_list(name)), "in")


def time_phrase(answer: Answer) -> str:
    """The answer as a time: "on June 30", "in summer", "at noon", "during a storm"."""
    text = answer.text
    if answer.form is not Form.NOUN or text.split(" ", 1)[0].lower() in PREPOSITIONS | {
        "every",
        "once",
        "twice",
        "last",
        "next",
    }:
        return text
    for pattern, preposition in ((_DAY, "on"), (_CLOCK, "at"), (_PERIOD, "in")):
        if pattern.search(text):
            return f"{preposition} {_plain(answer, pattern)}"
    return f"during {answer.noun}"


def _plain(answer: Answer, pattern: re.Pattern[str]) -> str:
    return answer.text if pattern is not _PERIOD and answer.is_name else answer.noun


def is_length(text: str) -> bool:
    """The text names a length of time."""
    return bool(_LENGTH.search(text))
