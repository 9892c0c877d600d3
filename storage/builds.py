"""The results of jobs and builds, who is told of them, and the builds that a store remembers, newest last."""

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
    """What came of a job: the artifact, its key, and whether it had to be made.

    `computed` and `recalled` count what a model was asked and what was remembered of earlier runs; where no
    model is asked, the rows that were made and those that were kept of an earlier run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: ArtifactRef
    key: str
    seconds: float
    reused: bool
    computed: int = 0
    recalled: int = 0


class Build(BaseModel):
    """A finished build: its settings, and the outcome of every job in the order of the pipeline."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    created: str
    settings: dict[str, object]
    sources: str
    outcomes: tuple[Outcome, ...]
    precedent: ArtifactRef | None = None
    decisions: ArtifactRef | None = None

    @property
    def given(self) -> tuple[ArtifactRef, ...]:
        """The artifacts that no stage made."""
        return tuple(ref for ref in (self.precedent, self.decisions) if ref)

    def refs(self, stage: str) -> tuple[ArtifactRef, ...]:
        """The artifacts of a stage: one, or one a source; or what was given under that name."""
        return tuple(ref for ref in (*(outcome.ref for outcome in self.outcomes), *self.given) if ref.stage == stage)


def now() -> str:
    """The time in a form that sorts as text."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def remember(store: Store, build: Build) -> None:
    """Write a build down in its store."""
    path = store.root / "builds" / f"{build_file(build.created)}.json"
    store.write_json(path, build.model_dump(mode="json"))


def build_file(created: str) -> str:
    """The time of a build as its file is named: without what some file systems refuse."""
    return created.replace(":", "").replace(".", "-")


def latest(store: Store) -> Build:
    """The newest build of a store.

    Raises:
        StoreError: nothing was built there yet.
    """
    for build in _newest_first(store):
        return build
    raise StoreError(f"nothing was built in {store.root} yet; run `situatedgen build` first")


def all_builds(store: Store) -> list[Build]:
    """The builds of a store that can be read, oldest first."""
    return list(_newest_first(store))[::-1]


def _newest_first(store: Store) -> Iterator[Build]:
    for path in reversed(store.json_files("builds")):
        with suppress(ValidationError):
            yield Build.model_validate(store.read_json(path))


def read_build_table(store: Store, build: Build, name: str) -> pl.DataFrame:
    """The table of a stage as a build left it."""
    return read_whole(store, build.refs(name), name)


@dataclass(frozen=True)
class Tables(Mapping[str, pl.DataFrame]):
    """All tables of a build, by stage; each is read when it is asked for, once."""

    store: Store
    build: Build
    _read: dict[str, pl.DataFrame] = field(default_factory=dict)

    def __getitem__(self, name: str) -> pl.DataFrame:
        """The table of a stage."""
        if name not in self._read:
            self._read[name] = read_build_table(self.store, self.build, name)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the stages, in the order of the pipeline."""
        return iter(each.name for each in PIPELINE)

    def __len__(self) -> int:
        """How many stages there are."""
        return len(PIPELINE)


def read_whole(store: Store, refs: Sequence[ArtifactRef], name: str) -> pl.DataFrame:
    """The table of a stage, put together where each source has its own; empty where there is none."""
    parts = [store.read(ref) for ref in refs]
    schema = schema_of(name)
    return parts[0] if len(parts) == 1 else pl.concat(parts or [schema.empty]).sort(schema.key)


def read_table(store: Store, name: str, refs: Sequence[ArtifactRef]) -> pl.DataFrame | None:
    """The table of a stage; nothing where one of its artifacts is gone."""
    try:
        return read_whole(store, refs, name)
    except StoreError:
        return None


class Observer(Protocol):
    """Told when an artifact is begun, when a batch of rows is done, and when it is there."""

    def started(self, name: str, rows: int) -> None:
        """An artifact is being made, from so many rows (0: not known)."""

    def advanced(self, name: str, rows: int) -> None:
        """So many more rows are done."""

    def finished(self, outcome: Outcome) -> None:
        """An artifact is there."""


class SilentObserver:
    """The observer that does nothing."""

    def started(self, name: str, rows: int) -> None:
        """Do nothing."""

    def advanced(self, name: str, rows: int) -> None:
        """Do nothing."""

    def finished(self, outcome: Outcome) -> None:
        """Do nothing."""
