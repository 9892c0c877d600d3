"""What a build needs of its store: its artifacts, and all that lets the next build take them over."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from storage.artifacts import KeyRecord
from storage.builds import written
from storage.memo import memo_name
from storage.outcomes import Build
from storage.releases import artifacts_of


@dataclass(frozen=True, slots=True)
class Needs:
    """The units that a build needs; `certain` when all of its key records could be read."""

    units: frozenset[str]
    certain: bool


def needs(build: Build, record_of: Callable[[str, str], KeyRecord | None]) -> Needs:
    """What a build needs. Which code and memos, only its key records know: `record_of` a stage and a key."""
    records = [record_of(outcome.ref.stage, outcome.key) for outcome in build.outcomes]
    units = {build_place(build), *(ref.place for ref in artifacts_of(build))}
    units.update(f"keys/{ref.stage}/{ref.digest}.json" for ref in build.given)
    for outcome, record in zip(build.outcomes, records, strict=True):
        units.add(f"keys/{outcome.ref.stage}/{outcome.key}.json")
        units.update(record_units(record) if record else ())
    return Needs(frozenset(units), certain=None not in records)


def build_place(build: Build) -> str:
    """Where the record of a build lies below the store's folder."""
    return f"builds/{written(build.created)}.json"


def key_place(record: KeyRecord) -> str:
    """Where a key record lies below the store's folder."""
    return f"keys/{record.ref.stage}/{record.key}.json"


def record_units(record: KeyRecord) -> Iterator[str]:
    """What a key record names: its artifact, that artifact's inputs, the code, and the memos of its models."""
    yield record.ref.place
    yield f"code/{record.parts.get('code')}.json"
    yield from (ref.place for refs in record.inputs.values() for ref in refs)
    models = record.parts.get("models")
    for role, identity in models.items() if isinstance(models, Mapping) else ():
        yield f"memo/{role}/{memo_name(role, identity)}"
        yield f"code/{identity.get('code')}.json"
