"""Concepts in a parsed sentence: which are there, and how they depend on each other (CommonGen, version 1, § 5.1)."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from situatedgen.records import Token

NOUNS, VERBS = frozenset({"NOUN", "PROPN"}), frozenset({"VERB", "AUX"})
PARTS = {"N": NOUNS, "V": VERBS}
OTHER = "*"
"""Stands on a path for a word that is no concept: who does it and where may differ."""

Parse = Sequence[Token]
Path = tuple[str, ...]


def places(concept: str, text: str, parse: Parse, *, by_part: bool) -> list[int]:
    """The words of a sentence that are a concept (`pick_V`), by lemma or as they stand; of its part only, if asked."""
    word, _, part = concept.rpartition("_")
    return [
        number
        for number, token in enumerate(parse)
        if word in (token.lemma, text[token.start : token.end].lower())
        and (not by_part or token.part in PARTS.get(part, NOUNS | VERBS))
    ]


def coverage(concepts: Sequence[str], text: str, parse: Parse, *, by_part: bool) -> float:
    """The share of the concepts that a sentence has: LemCov, or PosCov when by part of speech."""
    found = [bool(places(concept, text, parse, by_part=by_part)) for concept in concepts]
    return sum(found) / len(found) if found else 0.0


def pivots(concepts: Sequence[str], text: str, parse: Parse) -> frozenset[Path]:
    """The shortest path of dependencies between each two concepts of a sentence.

    A path goes from the concept that is first in the alphabet, up (`<nsubj`) and down (`>dobj`), and names the concepts
    that it passes: `apple_N <dobj pick_V >prep * >pobj tree_N`. Where a concept stands more than once, each counts.
    """
    where = {concept: places(concept, text, parse, by_part=False) for concept in concepts}
    named = {number: concept for concept, numbers in where.items() for number in numbers}
    return frozenset(
        (left, *_path(start, end, parse, named), right)
        for left, right in combinations(sorted(where), 2)
        for start in where[left]
        for end in where[right]
        if start != end
    )


def recall(predicted: frozenset[Path], known: Sequence[frozenset[Path]]) -> float:
    """The share of the paths of a reference that a prediction has, of the reference that fits best."""
    return max((len(predicted & paths) / len(paths) for paths in known if paths), default=0.0)


def _path(start: int, end: int, parse: Parse, named: dict[int, str]) -> Iterator[str]:
    """The steps between two words, by way of the lowest word above both; nothing joins two sentences."""
    up, down = _above(start, parse), _above(end, parse)
    shared = next((number for number in up if number in down), None)
    if shared is None:
        yield OTHER
        return
    rising, falling = up[: up.index(shared)], down[: down.index(shared)]
    for number in rising:
        yield f"<{parse[number].role}"
        if parse[number].head != end:
            yield named.get(parse[number].head, OTHER)
    for number in reversed(falling):
        yield f">{parse[number].role}"
        if number != end:
            yield named.get(number, OTHER)


def _above(number: int, parse: Parse) -> list[int]:
    """A word and those that it depends on, up to the root."""
    found = [number]
    while parse[found[-1]].head not in found:
        found.append(parse[found[-1]].head)
    return found
