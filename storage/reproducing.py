"""Builds a release again from the sources, and says whether it is the same, or since when it is not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from situatedgen.errors import SettingsError
from situatedgen.release import record, sums
from situatedgen.release.record import Record
from situatedgen.release.trust import require_trust
from situatedgen.report.folder import MANIFEST
from situatedgen.runtime import Runtime
from situatedgen.settings import validated
from storage import deciding
from storage.artifacts import ArtifactRef
from storage.observers import Observer
from storage.outcomes import Build
from storage.plain import build_dataset
from storage.plan.reasons import part_reasons, symbols_of
from storage.planning import Order
from storage.precedents import keep_table
from storage.releasing import PRECEDENT
from storage.store import UNREADABLE, Store

OF_THE_DAY = frozenset({MANIFEST, record.FILE, sums.FILE, PRECEDENT})
"""Files that tell when and by whom something was built, or that only a release has."""


@dataclass(frozen=True, slots=True)
class Step:
    """An artifact that came out otherwise, or was made otherwise, and why; no reasons where it only followed others."""

    artifact: str
    same_rows: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How a release and what was built anew compare: files, the artifacts behind them, versions, what was given."""

    files: int
    differing: tuple[str, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]
    artifacts: int
    steps: tuple[Step, ...]
    versions: tuple[str, ...]
    given: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether every file is the same to the byte."""
        return not (self.differing or self.missing or self.added)

    @property
    def first(self) -> Step | None:
        """The first artifact with other rows: since when it differs."""
        return next((step for step in self.steps if not step.same_rows), None)


def reproduced(
    folder: Path,
    *,
    sources: Path,
    store: Store,
    out: Path,
    runtime: Runtime,
    decisions: Path | None = None,
    observer: Observer | None = None,
    trust: bool = False,
) -> Reproduction:
    """A release built again in a store, from sources and decisions of people, into a folder, and compared.

    Readers, models and weights that do not ship with situatedgen are used only where the release is trusted.

    Raises:
        SettingsError: the folder is no release of ours, its settings mean nothing to this program, or they name
            code or weights that are not built in, and it is not trusted.
        SituatedGenError: it cannot be built.
    """
    told = record.read(folder)
    settings = validated(told.settings)
    require_trust(settings, trust=trust)
    order = Order(
        settings,
        sources,
        precedent=_precedent(told, folder, store),
        decisions=_decisions(told, decisions, store),
    )
    build = build_dataset(order, store=store, out=out, runtime=runtime, observer=observer)
    return compared(told, record.read(out), build, store)


def compared(told: Record, made: Record, build: Build, store: Store) -> Reproduction:
    """How a release and a build of the same settings compare."""
    before, now = (
        {name: file.sha256 for name, file in each.files.items() if name not in OF_THE_DAY} for each in (told, made)
    )
    return Reproduction(
        files=len(before),
        differing=tuple(sorted(name for name in before if name in now and before[name] != now[name])),
        missing=tuple(sorted(before.keys() - now.keys())),
        added=tuple(sorted(now.keys() - before.keys())),
        artifacts=len(told.artifacts),
        steps=tuple(_steps(told, build, store)),
        versions=tuple(_versions(told.versions, made.versions)),
        given=() if told.decisions == made.decisions else ("the decisions are not those that were released with",),
    )


def _steps(told: Record, build: Build, store: Store) -> Iterator[Step]:
    """Each artifact that was made under another key or has other rows, in the order of the pipeline."""
    made = {outcome.ref.name: outcome for outcome in build.outcomes}
    for name in dict.fromkeys([*made, *told.artifacts]):
        before, now = told.artifacts.get(name), made.get(name)
        if before is None or now is None:
            yield Step(name, same_rows=False, reasons=("only in what was built now" if now else "not built any more",))
        elif (before.key, before.digest) != (now.key, now.ref.digest):
            kept = store.record(now.ref.stage, now.key)
            reasons = (
                part_reasons(before.parts, kept.parts, partial(symbols_of, store, {})) if kept and before.parts else []
            )
            yield Step(name, before.digest == now.ref.digest, tuple(reasons))


def _versions(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(before.keys() & now.keys()):
        if before[name] != now[name]:
            yield f"{name} {before[name]} → {now[name]}"


def _precedent(told: Record, folder: Path, store: Store) -> ArtifactRef | None:
    """The splits that a release followed, from the file it brings along."""
    if told.precedent is None:
        return None
    try:
        kept = keep_table(store, pl.read_parquet(folder / PRECEDENT, use_statistics=False))
    except UNREADABLE as error:
        raise SettingsError(
            f"{folder} follows the splits of an earlier dataset, and its {PRECEDENT} cannot be read: {error};"
            " reproduce a release, which brings them along"
        ) from error
    if kept.digest != told.precedent.get("digest"):
        raise SettingsError(f"{folder / PRECEDENT} is not the one that was followed; verify the release first")
    return kept


def _decisions(told: Record, folder: Path | None, store: Store) -> ArtifactRef | None:
    """The decisions of people that a release was built with, from the folder where they lie."""
    if told.decisions and folder is None:
        raise SettingsError(
            "the release was built with decisions of people, which it does not bring along because they name their"
            " annotators; name their folder by --decisions DIR"
        )
    return deciding.keep(store, folder)
