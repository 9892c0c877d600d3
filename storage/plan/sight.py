"""What is known of every artifact before it is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from situatedgen.errors import StoreError
from situatedgen.pipeline import schema_of
from storage.artifacts import ArtifactRef
from storage.plan.history import History
from storage.store import Store

if TYPE_CHECKING:
    from storage.plan.differing import Difference

Refs = Sequence[ArtifactRef]
Inputs = Mapping[str, Refs]
Tables = Mapping[str, pl.DataFrame]
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Foreseen:
    """An artifact as it will be: its digest, empty where not known; its rows, but for those of `pending` ids."""

    ref: ArtifactRef
    table: pl.DataFrame | None = None
    pending: frozenset[str] = NOTHING


@dataclass(frozen=True)
class Sight:
    """The store as it is, and the artifacts as they will be, by name, of a build with these settings."""

    store: Store
    history: History
    foreseen: dict[str, Foreseen] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    compared: dict[tuple[str, ...], "Difference"] = field(default_factory=dict)
    _read: dict[str, pl.DataFrame | None] = field(default_factory=dict)

    def refs(self) -> list[ArtifactRef]:
        """A reference for every artifact; the digest of one is empty where it is not known."""
        return [found.ref for found in self.foreseen.values()]

    def pending(self, refs: Refs) -> frozenset[str]:
        """The ids of which it is not known what some artifacts will say."""
        return NOTHING.union(*(self.foreseen[ref.name].pending for ref in refs))

    def inputs(self, inputs: Inputs) -> Tables | None:
        """The known rows of inputs, by name; nothing when one is not known at all."""
        known = self.known(inputs)
        return known if len(known) == len(inputs) else None

    def known(self, inputs: Inputs) -> Tables:
        """The known rows of those inputs of which any are known, by name."""
        return _present({name: self.table(name, refs) for name, refs in inputs.items()})

    def table(self, name: str, refs: Refs) -> pl.DataFrame | None:
        """The known rows of artifacts of one stage; nothing when those of one are not known."""
        return _joined(name, [self._known(self.foreseen[ref.name]) for ref in refs])

    def earlier_inputs(self, inputs: Inputs) -> Tables | None:
        """The rows of inputs of an earlier build, by name; nothing when those of one are gone."""
        found = _present({name: self.earlier(name, refs) for name, refs in inputs.items()})
        return found if len(found) == len(inputs) else None

    def earlier(self, name: str, refs: Refs) -> pl.DataFrame | None:
        """The rows of artifacts of an earlier build; nothing when those of one are gone."""
        return _joined(name, [self.read(ref) for ref in refs])

    def read(self, ref: ArtifactRef) -> pl.DataFrame | None:
        """A table of the store; nothing when it cannot be read."""
        place = f"{ref.stage}/{ref.digest}"
        if place not in self._read:
            try:
                self._read[place] = self.store.read(ref)
            except StoreError:
                self._read[place] = None
        return self._read[place]

    def _known(self, found: Foreseen) -> pl.DataFrame | None:
        return found.table if found.table is not None or not found.ref.digest else self.read(found.ref)


def are_settled(inputs: Inputs) -> bool:
    """Whether the digests of all inputs are known, and so the key of what is made of them."""
    return all(ref.digest for refs in inputs.values() for ref in refs)


def _present(tables: Mapping[str, pl.DataFrame | None]) -> Tables:
    return {name: table for name, table in tables.items() if table is not None}


def _joined(name: str, tables: Sequence[pl.DataFrame | None]) -> pl.DataFrame | None:
    known = [table for table in tables if table is not None]
    if len(known) < len(tables):
        return None
    schema = schema_of(name)
    return known[0] if len(known) == 1 else pl.concat(known or [schema.empty]).sort(schema.key)
