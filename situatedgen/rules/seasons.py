"""Finding the seasons, and telling spring and fall from springs and falls."""

import re
from collections.abc import Iterator

from situatedgen.records import Entity
from situatedgen.rules.phrases import follows, one_of
from situatedgen.vocabulary import Label

SEASONS = "winter winters summer summers autumn autumns spring fall wintertime summertime springtime vernal autumnal"
_ANY = "winter|summer|autumn|spring|fall"
_SEASON = re.compile(
    rf"\b(?:{one_of('The the this that every each last next all one')} )?"
    rf"(?:{one_of('early late mid following previous whole entire')}[ -])?"
    r"(?P<season>winters?|summers?|autumns?|spring|fall|vernal|autumnal)(?P<more>-?time| solstice| equinox)?\b"
    r"(?: (?:season|months?|days)\b)?",
    re.IGNORECASE,
)
# "winter coat", "Summer Olympics", "spring water": the season of no year.
_THING = re.compile(
    " "
    + one_of(
        "olympics? games war palace festival coats? clothes clothing jackets? boots camps? sports? squash tires? home"
        " dress dresses party storms? triangle wheat wonderland hunt smith tides? scales? rolls? water forth reforms"
    )
    + r"\b",
    re.IGNORECASE,
)
_BEFORE_SPRING = re.compile(
    rf"\b(?:{one_of('in during every each this last next early late until by of is as called')}"
    rf"|(?:{_ANY}),?(?: and| or| to| than)?)(?: the)? $",
    re.IGNORECASE,
)
_AFTER_SPRING = re.compile(
    rf" (?:seasons?|months?|(?:and|or|to) (?:{_ANY})|{one_of('is comes begins starts follows arrives ends')})\b"
)


def find_seasons(text: str) -> Iterator[Entity]:
    """Seasons of the year: "winter", "the summer months", "in the fall", "the winter solstice"."""
    for match in _SEASON.finditer(text):
        if _is_season(text, match):
            yield Entity(match.start(), match.end(), Label.DATE)


def _is_season(text: str, match: re.Match[str]) -> bool:
    season = match["season"].lower()
    if season in ("vernal", "autumnal"):
        return match["more"] == " equinox"
    if _THING.match(text, match.end()):
        return False
    if match["more"] or season not in ("spring", "fall"):
        return True
    before = follows(_BEFORE_SPRING, text, match.start("season"))
    return bool(before or _AFTER_SPRING.match(text, match.end("season")))
