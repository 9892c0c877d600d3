"""What a person sees of a pair: keywords, both sentences with places and times marked, joined, and changed over."""

from collections.abc import Collection
from dataclasses import dataclass

from situatedgen.review.marks import SHARED, Kind
from situatedgen.review.wording import Marked, Part, joined, parts, swapped
from situatedgen.vocabulary import Context


@dataclass(frozen=True, slots=True)
class Chip:
    """A keyword: what kind it is, and whether the sentences hold it."""

    text: str
    kind: str
    is_held: bool


@dataclass(frozen=True, slots=True)
class Swap:
    """Both sentences after their places, or their times, were changed over."""

    kind: Kind
    sentences: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, slots=True)
class View:
    """A pair as it is shown."""

    chips: tuple[Chip, ...]
    sentences: tuple[tuple[Part, ...], tuple[Part, ...]]
    joined: tuple[Part, ...]
    swaps: tuple[Swap, ...]


def view(keywords: Collection[str], pair: tuple[Marked, Marked], context: Context, common: Collection[str]) -> View:
    """A pair as it is shown; only what both sentences share, places or times or both, is changed over."""
    first, second = pair
    swaps = (Swap(kind, swapped(first, second, kind, common)) for kind in SHARED[context])
    return View(
        chips=tuple(_chip(keyword, pair) for keyword in keywords),
        sentences=(parts(first), parts(second)),
        joined=joined(first, second, common),
        swaps=tuple(swap for swap in swaps if swap.sentences),
    )


def _chip(keyword: str, pair: tuple[Marked, Marked]) -> Chip:
    kinds = [kind for sentence in pair for kind in _kinds(keyword, sentence)]
    is_held = any(keyword.casefold() in sentence.text.casefold() for sentence in pair)
    return Chip(keyword, kinds[0] if kinds else "", is_held)


def _kinds(keyword: str, sentence: Marked) -> list[str]:
    """The kinds of the marks that say just this keyword."""
    return [mark.kind.value for mark in sentence.marks if sentence.text[mark.start : mark.end] == keyword]
