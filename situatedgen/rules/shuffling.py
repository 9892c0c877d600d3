"""How the keywords of two statements become the input of one example."""

from collections.abc import Sequence
from random import Random


def merged(left: Sequence[str], right: Sequence[str], *, chance: Random) -> tuple[list[str], list[int]]:
    """The keywords of both statements in one shuffled list, and from which statement (0, 1) each came.

    A statement gives each of its keywords once; a keyword of both statements stands twice (§4.3).
    """
    marked = [(keyword, 0) for keyword in dict.fromkeys(left)]
    marked += [(keyword, 1) for keyword in dict.fromkeys(right)]
    chance.shuffle(marked)
    return [keyword for keyword, _ in marked], [position for _, position in marked]
