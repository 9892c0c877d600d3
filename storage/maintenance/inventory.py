"""Inventory of a store: artifacts by stage, memos by model, builds, and what only one build needs."""

from collections import defaultdict
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
from storage.plan.reasons import flatten
from storage.releases import Release, lost_artifacts, readable_releases
from storage.store import Store, json_digest

FEW = 2
"""How many changed params to name before only counting them."""
CONCEPT_SETS = "concept sets"

Leaves = dict[str, object]


def settings_name(settings: dict[str, object]) -> str:
    """Return the closest built-in preset and the differences from it: `tiny, pairs.min_similarity=0.95`.

    Settings for concept sets have no preset.
    """
    if settings.keys() == ConceptSettings.model_fields.keys():
        return CONCEPT_SETS
    mine = dict(flatten(settings))
    changed = {name: _changed_params(mine, preset) for name, preset in _presets()}
    nearest = min(changed, key=lambda name: (len(changed[name]), name))
    params = changed[nearest]
    if len(params) > FEW:
        return f"{nearest}, {len(params)} params changed"
    return ", ".join([nearest, *(f"{param}={mine.get(param)}" for param in params)])


def model_name(store: Store, unit: str) -> str:
    """Return the model of a memo, from its `identity.json`: `minilm-l6-v2 0.1.0`."""
    card = store.read_json(store.root / unit / "identity.json")
    if card is None:
        return "?"
    return " ".join(str(card[field]) for field in ("name", "weights", "revision") if card.get(field))


@cache
def _presets() -> tuple[tuple[str, Leaves], ...]:
    shipped = ((name, presets.load(name).model_dump(mode="json")) for name in presets.names())
    return tuple((name, dict(flatten(settings))) for name, settings in shipped)


def _changed_params(mine: Leaves, preset: Leaves) -> list[str]:
    return [param for param in sorted({*mine, *preset}) if mine.get(param) != preset.get(param)]


@dataclass(frozen=True)
class Survey:
    """A snapshot of a store: its files, its builds, and which builds need which files."""

    store: Store

    @cached_property
    def listed(self) -> list[StoredFile]:
        """All files."""
        return list_files(self.store.root)

    @cached_property
    def builds(self) -> dict[str, Build]:
        """All builds by creation time, oldest first, including those that only a release records."""
        found = [*all_builds(self.store), *(release.build for release in self.releases)]
        return {build.created: build for build in sorted(found, key=lambda build: build.created)}

    @cached_property
    def releases(self) -> list[Release]:
        """All readable releases, oldest first."""
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
        """Return the creation times of the builds that need a file."""
        return self.users.get(kept.unit, set())

    def pins(self, builds: set[str]) -> tuple[str, ...]:
        """Return the releases that pin any of these builds."""
        return tuple(release.name for release in self.releases if release.build.created in builds)


FOOTER = 1 << 20
"""Bytes to fetch from the end of an object to read its row count."""
SHOWN = (Kind.ARTIFACTS, Kind.MEMO, *(kind for kind in Kind if kind not in (Kind.ARTIFACTS, Kind.MEMO)))


@dataclass(frozen=True, slots=True)
class InventoryGroup:
    """Related files: how many, how large, how old, and who needs them.

    A group is a stage's artifacts, a model's memo, or all files of another kind. `unused` counts the files that no
    build needs; `rows` is None if there are no tables.
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
    """A build: its settings, its releases, the bytes it needs, those only it needs, and its lost artifacts."""

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
    """Everything in a store."""

    root: str
    files: int
    size: int
    shelves: tuple[InventoryGroup, ...]
    builds: tuple[InventoryBuild, ...]
    unknown: tuple[str, ...]


def inventory(store: Store) -> Inventory:
    """Return everything in a store, and which builds and releases need it."""
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
    """Return the files by group: stages in pipeline order, then memos, then the rest."""
    found = defaultdict[tuple[Kind, str], list[StoredFile]](list)
    for kept in survey.listed:
        found[kept.kind, _group_name(kept)].append(kept)
    return sorted(found.items(), key=lambda item: _position(*item[0]))


def _describe_group(survey: Survey, kind: Kind, name: str, members: list[StoredFile]) -> InventoryGroup:
    """Summarize a group of files."""
    users = set[str]().union(*(survey.users_of(kept) for kept in members))
    tables = [kept for kept in members if kept.place.endswith(".parquet") and kind is not Kind.LEFTOVERS]
    return InventoryGroup(
        kind=kind.value,
        name=name,
        model=model_name(survey.store, members[0].unit) if kind is Kind.MEMO else "",
        files=len(members),
        unused=sum(not survey.users_of(kept) for kept in members) if kind not in NEVER else 0,
        size=sum(kept.size for kept in members),
        rows=sum(_count_rows(survey.store, kept) for kept in tables) if tables else None,
        oldest=min(kept.modified for kept in members),
        newest=max(kept.modified for kept in members),
        builds=len(users),
        latest=bool(survey.builds) and max(survey.builds) in users,
        releases=survey.pins(users),
    )


def _describe_build(survey: Survey, build: Build) -> InventoryBuild:
    """Summarize a build, with the bytes that it needs and those that deleting it would free."""
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


def _count_rows(store: Store, kept: StoredFile) -> int:
    """Return the row count in a table's footer, or 0 if it cannot be read."""
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
