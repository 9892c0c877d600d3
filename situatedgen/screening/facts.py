"""Whether two statements are one fact, or what they would say with places or times swapped is stated already."""

from collections.abc import Set
from dataclasses import dataclass
from functools import cache

from situatedgen.rules.naming import name_form
from situatedgen.screening.reading import Reading

OVERLAP = 0.6
"""Two statements that share this much of what they speak of speak of the same."""

Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Content:
    """What a statement speaks of: its keywords, which of them are its places and times, and what it says of whom."""

    words: Words
    places: Words
    times: Words
    said_of: str = ""

    @property
    def others(self) -> Words:
        """The keywords that are neither place nor time."""
        return self.words - self.places - self.times


def content_of(reading: Reading) -> Content:
    """The content of a statement, its words in a common form."""
    named = [(_form(reading.written(each)), each) for each in reading.keywords]
    return Content(
        words=frozenset(form for form, _ in named),
        places=frozenset(form for form, each in named if each.is_place),
        times=frozenset(form for form, each in named if each.is_time),
    )


@cache
def words_of(keywords: tuple[str, ...]) -> Words:
    """Keywords in their common form, each once."""
    return frozenset(map(_form, keywords))


@cache
def _form(name: str) -> str:
    return name_form(name).strip()


def same_fact(left: Content, right: Content) -> bool:
    """The statements speak of the same, so that there is nothing to set against each other."""
    if left.said_of and left.said_of == right.said_of:
        return True
    both = left.others | right.others
    return bool(both) and len(left.others & right.others) >= OVERLAP * len(both)


def stated_swapped(left: Content, right: Content, stated: Set[Words]) -> bool:
    """With a place or time of the other, a statement speaks of what another statement speaks of, too."""
    swaps = ((left.places, right.places), (left.times, right.times))
    return any(
        left.words - {one} | {other} in stated or right.words - {other} | {one} in stated
        for ours, theirs in swaps
        for one in ours
        for other in theirs
    )
