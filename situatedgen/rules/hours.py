"""Finding times of the day: "9PM", "noon", "the morning", "at night"."""

import re
from collections.abc import Iterator

from situatedgen.records import Entity
from situatedgen.rules.phrases import follows, one_of
from situatedgen.vocabulary import Label

PARTS_OF_DAY = (
    "morning mornings afternoon afternoons evening evenings night nights midnight noon midday nighttime daytime"
    " dawn dusk tonight"
)
_CLOCK = re.compile(
    r"\b(?:\d{1,2}(?::\d\d)? ?(?:[ap]\.m\.|[ap]m\b)(?: in the (?:morning|afternoon|evening))?"
    r"|\d{1,2}:\d\d\b|\w+ o['’]clock|\d{1,2} at night\b)",
    re.IGNORECASE,
)
_POINTING = one_of("[Tt]he [Oo]ne [Aa]ll [Ee]very [Ee]ach [Tt]his [Tt]hat [Ll]ast [Nn]ext [Tt]omorrow [Yy]esterday")
_PART_OF_DAY = re.compile(
    rf"(?:\b{_POINTING} )?"
    rf"(?:{one_of('early late next following previous same')} )?"
    rf"\b(?P<part>{one_of(PARTS_OF_DAY)})\b(?!-)"
)
_OPENING = re.compile(rf"{one_of(PARTS_OF_DAY.title())}\b(?!-)")
# What makes a part of the day the name of a thing: "night sky", "morning glory", "evening gown".
_THING = re.compile(
    " "
    + one_of(
        "air bird blindness blooming breath club coffee court crawler cream cycle dew dress fever flight fog football"
        " game glory gown guard heron job light live market meal monkey news owl paper people person primrose rain"
        " ride routine school shift show sickness skies sky stand star sun table terror time vision walk watch"
        " watchman wear worker"
    )
    + r"s?\b",
    re.IGNORECASE,
)
_BEFORE_NIGHT = re.compile(
    rf"\b{one_of('at by during of and or to into late per a until than day from over is last')} $"
)
_NEEDS_CONTEXT = ("night", "nights", "dawn", "dusk")


def find_hours(text: str) -> Iterator[Entity]:
    """Times of the clock and parts of the day."""
    for match in _CLOCK.finditer(text):
        yield Entity(match.start(), match.end(), Label.TIME)
    opening = _OPENING.match(text)
    if opening and not _THING.match(text, opening.end()):
        yield Entity(opening.start(), opening.end(), Label.TIME)
    for match in _PART_OF_DAY.finditer(text):
        if _is_time(text, match):
            yield Entity(match.start(), match.end(), Label.TIME)


def _is_time(text: str, match: re.Match[str]) -> bool:
    if _THING.match(text, match.end()) or text.startswith("dawn of", match.start("part")):
        return False
    bare = match["part"] == match.group()
    if bare and match["part"] in _NEEDS_CONTEXT:
        return bool(follows(_BEFORE_NIGHT, text, match.start()))
    return True
