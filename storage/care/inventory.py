"""What is in a store: artifacts by stage, memos by model, builds with what only they need."""

from collections import defaultdict
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from situatedgen.pipeline import STAGES
from storage.care.collecting import NEVER
from storage.care.naming import model_name, settings_name
from storage.care.shelves import Kept, Kind
from storage.care.survey import Survey
from storage.digests import json_digest
from storage.outcomes import Build
from storage.releases import lost_artifacts
from storage.store import Store

FOOTER = 1 << 20
"""Bytes at the end of an object that are fetched for the number of its rows."""
SHOWN = (Kind.ARTIFACTS, Kind.MEMO, *(kind for kind in Kind if kind not in (Kind.ARTIFACTS, Kind.MEMO)))


@dataclass(frozen=True, slots=True)
class Shelf:
    """Files that belong together: how many, how big, how old, and who needs them.

    A shelf is a stage's artifacts, a model's memo, or all files of another kind. `unused` counts the files
    that no build needs; `rows` is nothing where there are no tables.
    """

    kind: str
    name: str
    model: str
    files: int
    unused: int
    size: int
    rows: int | None
    oldest: float
    newest: float
    builds: int
    latest: bool
    releases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A build: what was asked, who pins it, how much it needs, how much only it needs, and what it has lost."""

    created: str
    settings: str
    digest: str
    sources: str
    releases: tuple[str, ...]
    size: int
    own_size: int
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything that is in a store."""

    root: str
    files: int
    size: int
    shelves: tuple[Shelf, ...]
    builds: tuple[Line, ...]
    unknown: tuple[str, ...]


def inventory(store: Store) -> Inventory:
    """Everything that is in a store, and which builds and releases need it."""
    survey = Survey(store)
    return Inventory(
        root=str(store.root),
        files=len(survey.listed),
        size=sum(kept.size for kept in survey.listed),
        shelves=tuple(_shelf(survey, *key, kept) for key, kept in _grouped(survey)),
        builds=tuple(_line(survey, build) for build in survey.builds.values()),
        unknown=tuple(kept.place for kept in survey.listed if kept.kind is Kind.UNKNOWN),
    )


def _grouped(survey: Survey) -> list[tuple[tuple[Kind, str], list[Kept]]]:
    """The files shelf by shelf: the stages in the order of the pipeline, then the memos, then the rest."""
    found = defaultdict[tuple[Kind, str], list[Kept]](list)
    for kept in survey.listed:
        found[kept.kind, _shelf_name(kept)].append(kept)
    return sorted(found.items(), key=lambda item: _position(*item[0]))


def _shelf(survey: Survey, kind: Kind, name: str, members: list[Kept]) -> Shelf:
    """The files of a shelf, counted."""
    users = set[str]().union(*(survey.users_of(kept) for kept in members))
    tables = [kept for kept in members if kept.place.endswith(".parquet") and kind is not Kind.LEFTOVERS]
    return Shelf(
        kind=kind.value,
        name=name,
        model=model_name(survey.store, members[0].unit) if kind is Kind.MEMO else "",
        files=len(members),
        unused=sum(not survey.users_of(kept) for kept in members) if kind not in NEVER else 0,
        size=sum(kept.size for kept in members),
        rows=sum(_rows(survey.store, kept) for kept in tables) if tables else None,
        oldest=min(kept.modified for kept in members),
        newest=max(kept.modified for kept in members),
        builds=len(users),
        latest=bool(survey.builds) and max(survey.builds) in users,
        releases=survey.pins(users),
    )


def _line(survey: Survey, build: Build) -> Line:
    """A build, with the bytes that it needs, and those that would be free without it."""
    needed = [kept for kept in survey.listed if build.created in survey.users_of(kept)]
    return Line(
        created=build.created,
        settings=settings_name(build.settings),
        digest=json_digest(build.settings),
        sources=build.sources,
        releases=survey.pins({build.created}),
        size=sum(kept.size for kept in needed),
        own_size=sum(kept.size for kept in needed if len(survey.users_of(kept)) == 1),
        lost=lost_artifacts(survey.store, build),
    )


def _rows(store: Store, kept: Kept) -> int:
    """The rows of a table as its footer says; none when it cannot be read."""
    try:
        place = store.root / kept.place
        file = place if isinstance(place, Path) else BytesIO(place.read_range(max(0, kept.size - FOOTER), kept.size))
        return int(pq.read_metadata(file).num_rows)
    except (OSError, pa.ArrowException):
        return 0


def _shelf_name(kept: Kept) -> str:
    if kept.kind is Kind.MEMO:
        return kept.unit.removeprefix("memo/")
    return kept.group if kept.kind is Kind.ARTIFACTS else ""


def _position(kind: Kind, name: str) -> tuple[int, int, str]:
    stages = [*STAGES, name]
    return SHOWN.index(kind), stages.index(name), name
