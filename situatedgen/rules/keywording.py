"""Which stretches of a statement are its keywords."""

from collections.abc import Iterable
from dataclasses import dataclass

from situatedgen.records import Entity, Span
from situatedgen.vocabulary import KeywordKind, Label


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of a text: half-open character offsets, where it comes from, and its label if it has one."""

    start: int
    end: int
    kind: KeywordKind
    label: Label | None


def keywords_of(entities: Iterable[Entity], nouns: Iterable[Span]) -> tuple[Keyword, ...]:
    """The entities, whatever their label, and the nouns that overlap none of them, in order (§A.2).

    Where an entity and a noun overlap the entity stands: "a lunar month", not "month". The released keywords
    show that entities of every label stand whole, names of people and numbers too.
    """
    named = tuple(entities)
    apart = (noun for noun in nouns if not any(_overlap(noun, entity) for entity in named))
    found = [
        *(Keyword(entity.start, entity.end, KeywordKind.ENTITY, entity.label) for entity in named),
        *(Keyword(noun.start, noun.end, KeywordKind.NOUN, None) for noun in apart),
    ]
    return tuple(sorted(found, key=lambda keyword: keyword.start))


def _overlap(noun: Span, entity: Entity) -> bool:
    return noun.start < entity.end and entity.start < noun.end
