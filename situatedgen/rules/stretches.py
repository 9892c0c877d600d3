"""Choosing among stretches of a text that overlap."""

from collections.abc import Iterable

from situatedgen.records import Entity


def longest_apart(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Of entities that overlap the longest, of equal ones the first; what is left is sorted and apart."""
    kept: list[Entity] = []
    for entity in sorted(entities, key=lambda found: (found.start - found.end, found.start, found.label)):
        if not any(overlap(entity, other) for other in kept):
            kept.append(entity)
    return tuple(sorted(kept))


def overlap(left: Entity, right: Entity) -> bool:
    """Whether two entities have a character in common."""
    return left.start < right.end and right.start < left.end
