"""Answers about places and times, with the preposition they need."""

import re

from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.lexicon import PREPOSITIONS, noun_list, verb_list
from situatedgen.rules.clauses.lexicon import words

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
    r"\b(?:noon|midnight|night|dawn|dusk|sunrise|sunset|sundown|nightfall|daybreak|midday|bedtime|lunchtime|dinnertime"
    r"|time|moment|\d+(?::\d\d)? ?(?:a\.?m|p\.?m)\.?|o'clock)$",
    re.I,
)
_PLACING = words("put place set lay leave store keep")
_ON_NAMES = words("island islands earth mars moon coast")
_AT_NAMES = frozenset({"walmart", "mit", "wimbledon", "burger king", "sears", "ymca", "disneyland", "harvard"})
_HOUSES = words("steak opera movie public guard white coffee")
_LOOKED_IN = words("store mall museum shop library cafeteria market supermarket")
_THE_PLACES = frozenset({"country", "mountains"})
_SPOKEN_TIMES = words("every once twice last next")
_PLURALS_APART = words("mountains lands woods")


def place_phrase(answer: Answer, verb: str = "") -> str:
    """The answer as a place: with the preposition that its noun and the verb before it ask for.

    Example:
        "bank" becomes "at a bank", "Venice" "in Venice", and after "go" "to a bank".
    """
    text = answer.text.lower()
    placed = text.split(" ", 1)[0] in PREPOSITIONS - {"past", "down", "up"}
    if text == "home" and verb not in verb_list("motion"):
        return "at home"
    if answer.form is not Form.NOUN or placed or text in noun_list("adverbs"):
        return answer.text
    if verb in verb_list("place_objects"):
        return answer.place
    return f"{place_preposition(answer, verb)} {f'the {text}' if text in _THE_PLACES else answer.place}"


def place_preposition(answer: Answer, verb: str = "") -> str:
    """The preposition that a place takes after a verb."""
    parts = answer.text.lower().split()
    if verb in verb_list("motion"):
        if verb not in {"go", "move", "return"}:
            return "to"
        return (
            "in" if answer.head in noun_list("containers") else "on" if answer.head in noun_list("surfaces") else "to"
        )
    if _is_dwelling(parts) or parts == ["piggy", "bank"]:
        return "in"
    if verb in _PLACING and answer.head in noun_list("surfaces"):
        return "on"
    if verb == "look" and answer.head in _LOOKED_IN:
        return "in"
    pair = "-".join(parts[-2:])
    for preposition in ("at", "on"):
        if len(parts) > 1 and pair in noun_list(preposition):
            return preposition
    return _by_name(answer) if answer.place[:1].isupper() else _by_noun(answer.head)


def _is_dwelling(parts: list[str]) -> bool:
    """A house or home of nobody in particular: "in a big house", but "at a friend's house"."""
    described = len(parts) > 1 and not parts[0].endswith(("'s", "s'", "’s")) and parts[-2] not in _HOUSES
    return parts == ["house"] or (described and parts[-1] in {"house", "houses", "home", "homes"})


def _by_name(answer: Answer) -> str:
    if answer.text.lower() in _AT_NAMES:
        return "at"
    return "on" if answer.head in _ON_NAMES and answer.text != "Rhode Island" else "in"


def _by_noun(head: str) -> str:
    forms = {head} if head in _PLURALS_APART else {head, head.removesuffix("s")}
    return next((name for name in ("at", "on") if forms & noun_list(name)), "in")


def time_phrase(answer: Answer) -> str:
    """The answer as a time: "on June 30", "in summer", "at noon", "during a storm"."""
    text = answer.text
    if answer.form is not Form.NOUN or text.split(" ", 1)[0].lower() in PREPOSITIONS | _SPOKEN_TIMES:
        return text
    if _DAY.search(text):
        return f"on {text if answer.is_name else answer.noun}"
    if _CLOCK.search(text):
        return f"at {text}"
    return f"in {answer.noun}" if _PERIOD.search(text) else f"during {answer.noun}"
