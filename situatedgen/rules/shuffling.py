"""How the keywords of two statements become the input of one example."""

from collections.abc import Callable, Sequence

Order = Callable[[int], Sequence[int]]


def merged(left: Sequence[str], right: Sequence[str], *, order: Order) -> tuple[list[str], list[int]]:
    """The keywords of both statements in one shuffled list, and from which statement (0, 1) each came.

    A statement gives each of its keywords once; a keyword of both statements stands twice (§4.3).
    """
    first, second = dict.fromkeys(left), dict.fromkeys(right)
    keywords = [*first, *second]
    places = order(len(keywords))
    return [keywords[place] for place in places], [int(place >= len(first)) for place in places]
