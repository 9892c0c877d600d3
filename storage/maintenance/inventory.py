"""What a store holds: artifacts by stage, memos by model, builds and what only they need."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from situatedgen import presets
from situatedgen.commongen.params import ConceptSettings
from situatedgen.pipeline import STAGES
from storage.builds import Build, all_builds
from storage.maintenance.files import Kind, StoredFile, list_files, needs
from storage.maintenance.gc import NEVER
from storage.releases import Release, lost_artifacts, readable_releases
from storage.store import Store, json_digest

FEW = 2
"""So many params are named; more are counted."""
CONCEPT_SETS = "concept sets"

Leaves = dict[str, object]


def settings_name(settings: dict[str, object]) -> str:
    """The shipped preset that settings are nearest to, and where they differ: `tiny, pairs.min_similarity=0.95`.

    Settings of concept sets have no preset.
    """
    if settings.keys() == ConceptSettings.model_fields.keys():
        return CONCEPT_SETS
    mine = dict(_leaves(settings, ""))
    changed = {name: _changed(mine, preset) for name, preset in _presets()}
    nearest = min(changed, key=lambda name: (len(changed[name]), name))
    params = changed[nearest]
    if len(params) > FEW:
        return f"{nearest}, {len(params)} params changed"
    return ", ".join([nearest, *(f"{param}={mine.get(param)}" for param in params)])


def model_name(store: Store, unit: str) -> str:
    """The model that a memo is of, as its name card says: `minilm-l6-v2 0.1.0`."""
    card = store.read_json(store.root / unit / "identity.json")
    if card is None:
        return "?"
    return " ".join(str(card[field]) for field in ("name", "weights", "revision") if card.get(field))


@cache
def _presets() -> tuple[tuple[str, Leaves], ...]:
    shipped = ((name, presets.load(name).model_dump(mode="json")) for name in presets.names())
    return tuple((name, dict(_leaves(settings, ""))) for name, settings in shipped)


def _changed(mine: Leaves, preset: Leaves) -> list[str]:
    return [param for param in sorted({*mine, *preset}) if mine.get(param) != preset.get(param)]


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    if not isinstance(value, dict) or not value:
        yield path, value
        return
    for name, below in value.items():
        yield from _leaves(below, f"{path}.{name}" if path else name)


@dataclass(frozen=True)
class Survey:
    """One look at a store: its files, its builds, and which of these need which of those."""

    store: Store

    @cached_property
    def listed(self) -> list[StoredFile]:
        """Every file."""
        return list_files(self.store.root)

    @cached_property
    def builds(self) -> dict[str, Build]:
        """Every build by its time, oldest first, those that only a release remembers among them."""
        found = [*all_builds(self.store), *(release.build for release in self.releases)]
        return {build.created: build for build in sorted(found, key=lambda build: build.created)}

    @cached_property
    def releases(self) -> list[Release]:
        """Every release that can be read, oldest first."""
        return readable_releases(self.store)

    @cached_property
    def users(self) -> dict[str, set[str]]:
        """The builds that need each unit."""
        found, record_of = defaultdict[str, set[str]](set), cache(self.store.record)
        for created, build in self.builds.items():
            for unit in needs(build, record_of).units:
                found[unit].add(created)
        return dict(found)

    def users_of(self, kept: StoredFile) -> set[str]:
        """The builds that need a file, by their times."""
        return self.users.get(kept.unit, set())

    def pins(self, builds: set[str]) -> tuple[str, ...]:
        """The releases that pin any of some builds."""
        return tuple(release.name for release in self.releases if release.build.created in builds)


FOOTER = 1 << 20
"""Bytes at the end of an object that are fetched for the number of its rows."""
SHOWN = (Kind.ARTIFACTS, Kind.MEMO, *(kind for kind in Kind if kind not in (Kind.ARTIFACTS, Kind.MEMO)))


@dataclass(frozen=True, slots=True)
class InventoryGroup:
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
class InventoryBuild:
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
    shelves: tuple[InventoryGroup, ...]
    builds: tuple[InventoryBuild, ...]
    unknown: tuple[str, ...]


def inventory(store: Store) -> Inventory:
    """Everything that is in a store, and which builds and releases need it."""
    survey = Survey(store)
    return Inventory(
        root=str(store.root),
        files=len(survey.listed),
        size=sum(kept.size for kept in survey.listed),
        shelves=tuple(_describe_group(survey, *key, kept) for key, kept in _group_files(survey)),
        builds=tuple(_describe_build(survey, build) for build in survey.builds.values()),
        unknown=tuple(kept.place for kept in survey.listed if kept.kind is Kind.UNKNOWN),
    )


def _group_files(survey: Survey) -> list[tuple[tuple[Kind, str], list[StoredFile]]]:
    """The files shelf by shelf: the stages in the order of the pipeline, then the memos, then the rest."""
    found = defaultdict[tuple[Kind, str], list[StoredFile]](list)
    for kept in survey.listed:
        found[kept.kind, _group_name(kept)].append(kept)
    return sorted(found.items(), key=lambda item: _position(*item[0]))


def _describe_group(survey: Survey, kind: Kind, name: str, members: list[StoredFile]) -> InventoryGroup:
    """The files of a shelf, counted."""
    users = set[str]().union(*(survey.users_of(kept) for kept in members))
    tables = [kept for kept in members if kept.place.endswith(".parquet") and kind is not Kind.LEFTOVERS]
    return InventoryGroup(
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


def _describe_build(survey: Survey, build: Build) -> InventoryBuild:
    """A build, with the bytes that it needs, and those that would be free without it."""
    needed = [kept for kept in survey.listed if build.created in survey.users_of(kept)]
    return InventoryBuild(
        created=build.created,
        settings=settings_name(build.settings),
        digest=json_digest(build.settings),
        sources=build.sources,
        releases=survey.pins({build.created}),
        size=sum(kept.size for kept in needed),
        own_size=sum(kept.size for kept in needed if len(survey.users_of(kept)) == 1),
        lost=lost_artifacts(survey.store, build),
    )


def _rows(store: Store, kept: StoredFile) -> int:
    """The rows of a table as its footer says; none when it cannot be read."""
    try:
        place = store.root / kept.place
        file = place if isinstance(place, Path) else BytesIO(place.read_range(max(0, kept.size - FOOTER), kept.size))
        return int(pq.read_metadata(file).num_rows)
    except (OSError, pa.ArrowException):
        return 0


def _group_name(kept: StoredFile) -> str:
    if kept.kind is Kind.MEMO:
        return kept.unit.removeprefix("memo/")
    return kept.group if kept.kind is Kind.ARTIFACTS else ""


def _position(kind: Kind, name: str) -> tuple[int, int, str]:
    stages = [*STAGES, name]
    return SHOWN.index(kind), stages.index(name), name
