"""Outcomes of jobs and builds, the observers notified of them, and the build history of a store."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

import polars as pl
from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen.errors import StoreError
from situatedgen.pipeline import PIPELINE, schema_of
from storage.store import ArtifactRef, Store


class Outcome(BaseModel):
    """Result of a job: the artifact, its cache key, and whether it was computed or reused.

    `computed` and `recalled` count the questions sent to a model and those answered from the memo. For a stage
    without a model they count the rows computed and the rows reused from a previous run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: ArtifactRef
    key: str
    seconds: float
    reused: bool
    computed: int = 0
    recalled: int = 0


class Build(BaseModel):
    """A finished build: its settings and the outcome of every job, in pipeline order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    created: str
    settings: dict[str, object]
    sources: str
    outcomes: tuple[Outcome, ...]
    precedent: ArtifactRef | None = None
    decisions: ArtifactRef | None = None

    @property
    def given(self) -> tuple[ArtifactRef, ...]:
        """The artifacts that no stage produced."""
        return tuple(ref for ref in (self.precedent, self.decisions) if ref)

    def refs(self, stage: str) -> tuple[ArtifactRef, ...]:
        """Return the artifacts of a stage (one, or one per source), or the given artifact of that name."""
        return tuple(ref for ref in (*(outcome.ref for outcome in self.outcomes), *self.given) if ref.stage == stage)


def now() -> str:
    """Return the current UTC time in a format that sorts as text."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def record_build(store: Store, build: Build) -> None:
    """Record a build in its store."""
    path = store.root / "builds" / f"{build_file(build.created)}.json"
    store.write_json(path, build.model_dump(mode="json"))


def build_file(created: str) -> str:
    """Return the file name for a build's creation time, without characters that some file systems reject."""
    return created.replace(":", "").replace(".", "-")


def latest(store: Store) -> Build:
    """Return the newest build of a store.

    Raises:
        StoreError: the store has no builds yet.
    """
    for build in newest_first(store):
        return build
    raise no_builds(store)


def no_builds(store: Store) -> StoreError:
    """Return the error of a store without builds."""
    return StoreError(f"no builds in {store.root} yet; run `situatedgen build` first")


def all_builds(store: Store) -> list[Build]:
    """Return the readable builds of a store, oldest first."""
    return list(newest_first(store))[::-1]


def newest_first(store: Store) -> Iterator[Build]:
    """Yield the readable builds of a store, reading each file only when it is reached."""
    for path in reversed(store.json_files("builds")):
        with suppress(ValidationError):
            yield Build.model_validate(store.read_json(path))


def read_build_table(store: Store, build: Build, name: str) -> pl.DataFrame:
    """Return a build's table for a stage."""
    return read_stage(store, build.refs(name), name)


@dataclass(frozen=True)
class Tables(Mapping[str, pl.DataFrame]):
    """All tables of a build by stage name, each read lazily and only once."""

    store: Store
    build: Build
    _read: dict[str, pl.DataFrame] = field(default_factory=dict)

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Return the table of a stage."""
        if name not in self._read:
            self._read[name] = read_build_table(self.store, self.build, name)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the stage names in pipeline order."""
        return iter(each.name for each in PIPELINE)

    def __len__(self) -> int:
        """Return the number of stages."""
        return len(PIPELINE)


def read_stage(store: Store, refs: Sequence[ArtifactRef], name: str) -> pl.DataFrame:
    """Return the table of a stage, concatenated over its sources; empty if there are no artifacts."""
    parts = [store.read(ref) for ref in refs]
    schema = schema_of(name)
    return parts[0] if len(parts) == 1 else pl.concat(parts or [schema.empty]).sort(schema.key)


def try_read_stage(store: Store, name: str, refs: Sequence[ArtifactRef]) -> pl.DataFrame | None:
    """Return the table of a stage, or None if one of its artifacts is missing or unreadable."""
    try:
        return read_stage(store, refs, name)
    except StoreError:
        return None


class Observer(Protocol):
    """Receives a callback when an artifact is started, when a batch of rows is done, and when it is finished."""

    def start(self, name: str, rows: int) -> None:
        """An artifact is being computed from this many rows (0: unknown)."""

    def advance(self, name: str, rows: int) -> None:
        """This many more rows are done."""

    def finish(self, outcome: Outcome) -> None:
        """An artifact is available."""


class SilentObserver:
    """An observer that does nothing."""

    def start(self, name: str, rows: int) -> None:
        """Do nothing."""

    def advance(self, name: str, rows: int) -> None:
        """Do nothing."""

    def finish(self, outcome: Outcome) -> None:
        """Do nothing."""
