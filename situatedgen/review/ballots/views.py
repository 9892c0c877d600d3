"""What a person sees of candidates: the context or keywords, and the texts in the order that is theirs."""

import re
from dataclasses import dataclass

from situatedgen.review.ballots.ballots import Candidates
from situatedgen.review.marks import found_marks
from situatedgen.review.view import Chip
from situatedgen.review.wording import Marked, Part, parts

KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as it is shown: its number in the log, and where it stands on the page, from 1."""

    number: int
    place: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class BallotView:
    """Candidates as they are shown; nothing in it tells which text is right, or whose it is."""

    context: str
    chips: tuple[Chip, ...]
    texts: tuple[Shown, ...]


def ballot_view(content: Candidates, order: tuple[int, ...]) -> BallotView:
    """Candidates as they are shown in an order; places and times among the keywords are marked."""
    marked = {number: _marked(content.texts[number - 1], content.keywords) for number in order}
    shown = tuple(
        Shown(number, place, _keyed(parts(marked[number]), content.keywords))
        for place, number in enumerate(order, start=1)
    )
    return BallotView(content.context, tuple(_chip(word, tuple(marked.values())) for word in content.keywords), shown)


def _marked(text: str, keywords: tuple[str, ...]) -> Marked:
    return Marked(text, found_marks(text, keywords) if keywords else ())


def _keyed(found: tuple[Part, ...], keywords: tuple[str, ...]) -> tuple[Part, ...]:
    """The parts of a text, in which keywords that are no place and no time are parts of their own."""
    if not keywords:
        return found
    words = "|".join(re.escape(word) for word in sorted(keywords, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)({words})(?!\w)", re.IGNORECASE)
    return tuple(piece for part in found for piece in ([part] if part.kind else _pieces(part.text, pattern)))


def _pieces(text: str, pattern: "re.Pattern[str]") -> list[Part]:
    split = pattern.split(text)
    return [Part(piece, KEYWORD if number % 2 else "") for number, piece in enumerate(split) if piece]


def _chip(keyword: str, texts: tuple[Marked, ...]) -> Chip:
    kinds = [mark.kind.value for each in texts for mark in each.marks if each.text[mark.start : mark.end] == keyword]
    return Chip(keyword, kinds[0] if kinds else "", is_held=True)
