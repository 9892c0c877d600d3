"""What is to be ranked or compared, in an order that is the same for everyone, texts in an order of each one's own."""

from collections.abc import Iterable
from dataclasses import dataclass

from situatedgen.review.ballots.ballots import Candidates
from situatedgen.seeds import generator, order


@dataclass(frozen=True, slots=True)
class Item:
    """Candidates, and what whoever judges them does not see: where they come from, and which text is right.

    `right` is a place in the list of texts; none, where no text is right.
    """

    item_id: str
    split: str
    content: Candidates
    right: int | None = None

    @property
    def key(self) -> str:
        """The key that ballots about it are known by."""
        return self.content.key


def dealt(items: Iterable[Item], *, seed: int, size: int = 0) -> list[Item]:
    """Items once each, in a random order that others do not change; the first ones alone where a size is given.

    Example:
        >>> one, two = (Item(name, "test", Candidates(name, (), ("a", "b"))) for name in ("one", "two"))
        >>> dealt([one, two, one], seed=0) == dealt([two, one], seed=0)
        True
    """
    distinct = {item.key: item for item in sorted(items, key=lambda item: item.item_id, reverse=True)}
    drawn = sorted(distinct.values(), key=lambda item: (generator(seed, "ballots", item.key).random(), item.key))
    return drawn[:size] if size else drawn


def shown_order(content: Candidates, annotator: str, *, seed: int) -> tuple[int, ...]:
    """The numbers of the texts, from 1, as a person sees them: each person in an order of their own."""
    drawn = order(seed, f"texts\x1f{annotator}\x1f{content.key}", len(content.texts))
    return tuple(number + 1 for number in drawn)
