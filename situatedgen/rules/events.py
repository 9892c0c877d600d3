"""Finding happenings with a name: feasts, wars, games, storms."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from situatedgen.records import Entity
from situatedgen.resources import read_lines
from situatedgen.rules.gazetteer import common_words
from situatedgen.rules.phrases import PhraseBook, find_phrases, one_of, phrase_book
from situatedgen.vocabulary import Label

EVENT_WORDS = (
    "war wars revolution rebellion uprising massacre crisis crusade crusades genocide riot riots conflict conquest"
    " famine olympics games festival festivals cup prix marathon championship championships depression earthquake"
    " blockade offensive bombing expedition blitz pandemic purchase battle siege treaty peace surrender fall partition"
    " invasion liberation attack fire bowl operation hurricane typhoon storm cyclone wrestlemania"
)
_NAME = r"(?:St\.|(?!The\b)[A-Z0-9](?:[\w’'–-]*\w)?)"
_KINDS = (
    r"(?:[Cc]ivil [Ww]ar|[Ww]ars?|[Rr]evolution|[Rr]ebellion|[Uu]prising|[Mm]assacre|[Cc]risis|[Cc]rusades?"
    r"|[Gg]enocide|Riots?|[Cc]onflict|Conquest|Famine|Olympics|Olympic Games|Games|Festivals?|World Cup|Grand Prix"
    r"|Marathon|Championships?|Depression|Earthquake|Blockade|Offensive|Bombing|Expedition|Blitz|[Pp]andemic|Purchase)"
)
_OF = one_of(
    "[Bb]attle [Ss]iege [Tt]reaty Peace Surrender Wars? Fall Partition Massacre Invasion Liberation [Aa]ttack"
    " [Bb]ombing"
)
_HEAD = re.compile(r"(?:[Tt]he )?(?:[Bb]attle|[Ss]iege|[Tt]reaty|[Aa]ttack|[Bb]ombing) (?:of|on) (?:the )?")
_NAMED = re.compile(
    rf"\b(?:[Tt]he )?(?:(?:{_NAME} )+(?:and {_NAME} )?{_KINDS}\b"
    rf"|{_OF} (?:of|on) (?:the )?{_NAME}(?: {_NAME})*"
    rf"|(?:Super Bowl|World War|Operation|Hurricane|Typhoon|Tropical Storm|Cyclone|WrestleMania)(?: {_NAME})+)"
)
# Films, games and books that sound like happenings, and things that are called after feasts.
_TITLE = re.compile(
    rf"\b{one_of('Star Clone Storage Infinity Guild Robot Price Whisker Trade Cola Console Total')} Wars?\b"
    rf"|\b{one_of('God Gears Art Prisoners? Man Men Dogs Lord Department Secretary')} of |War of the Worlds"
    rf"|\b{one_of('Hunger Squid Video Board Card Computer Mind Epic Reindeer Riot Big')} Games?\b"
)
_THING = re.compile(rf" {one_of('Bunny Bunnies Island Lily Lilies Carol carol Vacation')}\b")
_OPENING = re.compile(
    one_of(
        "During After Before In Since Was Were Did Does Do Is Are Can Could Would Will Has Have If When While Every"
        " A An Many Most Some All Both"
    )
    + " "
)
_TAKES_ARTICLE = frozenset(
    {"World Cup", "Super Bowl", "Summer Olympics", "Winter Olympics", "US Open", "First World War"}
    | {"Second World War"}
)


def find_named_events(text: str) -> Iterator[Entity]:
    """Happenings by the pattern of their name: "the Boxer Rebellion", "Super Bowl XLIV", "Hurricane Maria"."""
    for match in _NAMED.finditer(text):
        opening = _OPENING.match(text) if match.start() == 0 else None
        if not _TITLE.search(match.group()):
            yield Entity(opening.end() if opening else match.start(), match.end(), Label.EVENT)


def narrowed(text: str, event: Entity, others: Iterable[Entity]) -> Entity:
    """The name alone of a battle, siege or treaty, unless another find holds the word for it, too.

    Example:
        >>> narrowed("The Battle of Hastings", Entity(0, 22, Label.EVENT), [])
        Entity(start=14, end=22, label=<Label.EVENT: 'EVENT'>)
    """
    head = _HEAD.match(text, event.start, event.end) if event.label is Label.EVENT else None
    if head is None or any(other.start < head.end() and event.start < other.end for other in others):
        return event
    return Entity(head.end(), event.end, event.label)


def find_listed_events(text: str) -> Iterator[Entity]:
    """Happenings and feasts from our lists: "Holi", "New Year's Eve", "the World Cup", "9/11"."""
    for phrase in find_phrases(text, _book()):
        written = text[phrase.start : phrase.end]
        if not written.islower() and not _THING.match(text, phrase.end):
            article = phrase.form in _TAKES_ARTICLE and text[: phrase.start].lower().endswith("the ")
            yield Entity(phrase.start - len("the ") * article, phrase.end, Label.EVENT)


@cache
def _book() -> PhraseBook:
    names = (*read_lines("festivals.txt"), *read_lines("events.txt"))
    return phrase_book(name for name in names if name.lower() not in common_words())
