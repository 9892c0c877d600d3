"""Build inputs other than sources: the splits of an earlier dataset and the decisions of annotators."""

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

import polars as pl

from situatedgen import atomic
from situatedgen.dataset.folder import read_manifest
from situatedgen.errors import DecisionError, SettingsError
from situatedgen.review.active_decisions import decision_table
from situatedgen.rules.splits import straddlers
from situatedgen.schemas import PRECEDENT
from situatedgen.vocabulary import Split
from storage.annotation.log import open_log
from storage.store import UNREADABLE, ArtifactRef, Store, table_digest

PRECEDENT_STAGE = "precedent"
FRESH = "--fresh-splits"
SHOWN_OFFENDERS = 3
EXPECTED = "expected a JSON object whose `ids` is a list of statement ids"


@dataclass(frozen=True, slots=True, eq=False)
class PreviousSplits:
    """The splits that a build follows, with their cache key if they come from the output folder."""

    table: pl.DataFrame
    key: str = ""

    def save(self, store: Store) -> ArtifactRef | None:
        """Save the splits as an artifact of the store, or return None if there are none.

        Raises:
            StoreError: the store cannot be written.
        """
        return None if self.table.is_empty() else save_splits(store, self.table)


def find_splits(out: Path, stable_with: Path | None = None, *, fresh: bool = False) -> PreviousSplits:
    """Return the splits that a build follows: those of the `stable_with` dataset, otherwise of the output folder.

    Raises:
        SettingsError: the dataset cannot be followed, or both `stable_with` and `fresh` are given.
    """
    if fresh and stable_with is not None:
        raise SettingsError(f"--stable-with keeps splits and {FRESH} assigns new ones; choose one of the two")
    if stable_with is not None:
        return PreviousSplits(read_splits(stable_with))
    # A build that was killed while replacing the folder left the old dataset beside it.
    folder = out if out.exists() else atomic.replaced_folder(out)
    manifest = {} if fresh else read_manifest(folder)
    if not manifest:
        return PreviousSplits(PRECEDENT.empty)
    try:
        return PreviousSplits(read_splits(folder), key=_key(manifest))
    except SettingsError as error:
        raise SettingsError(
            f"cannot keep the splits in {out}: {error}; to assign new ones, build with {FRESH}"
        ) from error


def _key(manifest: Mapping[str, Any]) -> str:  # Any: parsed JSON
    """Return the cache key of the splits in a manifest, or an empty string."""
    return str(manifest.get("stages", {}).get("splits", {}).get("key", ""))


def save_splits(store: Store, table: pl.DataFrame) -> ArtifactRef:
    """Save the splits to follow as an artifact of the store.

    Raises:
        StoreError: the store cannot be written.
    """
    key = table_digest(table)
    parts: dict[str, object] = {"stage": PRECEDENT_STAGE, "table": key}
    return store.save(table, stage=PRECEDENT_STAGE, source="", key=key, parts=parts, seconds=0.0).ref


def read_splits(folder: Path) -> pl.DataFrame:
    """Return the split of each statement of a dataset folder, or of a plain folder with train, dev and test files.

    Raises:
        SettingsError: the folder does not contain the three splits of a dataset.
    """
    placed = {(name, split.value): text for split, path in _files(folder).items() for name, text in _statements(path)}
    offenders = straddlers(placed)
    if offenders:
        shown = ", ".join(offenders[:SHOWN_OFFENDERS])
        more = f" and {len(offenders) - SHOWN_OFFENDERS} more" if len(offenders) > SHOWN_OFFENDERS else ""
        raise SettingsError(f"{folder} has statements in more than one split: {shown}{more}")
    return PRECEDENT.frame([(name, text, split) for (name, split), text in sorted(placed.items())])


def _files(folder: Path) -> dict[Split, Path]:
    """Return the file of each split, in `data` or in the folder itself."""
    if not folder.is_dir():
        raise SettingsError(f"cannot keep splits: there is no folder {folder}")
    found = {split: path for split in Split for path in _choices(folder, split) if path.is_file()}
    if not found:
        raise SettingsError(f"cannot keep splits: {folder} has no train.jsonl, dev.jsonl and test.jsonl")
    missing = [split.value for split in Split if split not in found]
    if missing:
        raise SettingsError(
            f"{folder} has no {' and no '.join(missing)} split to keep; if it is meant to be empty,"
            f" create an empty {missing[0]}.jsonl"
        )
    return found


def _choices(folder: Path, split: Split) -> list[Path]:
    """Return the possible files of a split, the preferred one last."""
    places = (folder, folder / "data")
    return [place / f"{split.value}.{suffix}" for place in places for suffix in ("parquet", "jsonl")]


def _statements(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the id and text of each statement in a file of examples; the text is empty if the file lacks it."""
    rows = _parquet_rows(path) if path.suffix == ".parquet" else _json_rows(path)
    for place, row in rows:
        ids, texts = row.get("ids"), row.get("statements")
        if not _is_texts(ids):
            raise SettingsError(f"{path}, {place}: {EXPECTED}")
        yield from zip(ids, texts if _is_texts(texts) and len(texts) == len(ids) else [""] * len(ids), strict=True)


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _parquet_rows(path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    try:
        table = pl.scan_parquet(path, glob=False).select(pl.col("ids"), pl.col("^statements$")).collect()
    except UNREADABLE as error:
        raise SettingsError(f"{path} cannot be read as examples: {error}") from error
    for number, row in enumerate(table.iter_rows(named=True), start=1):
        yield f"row {number}", row


def _json_rows(path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield f"line {number}", _json_row(line)


def _json_row(line: bytes) -> dict[str, object]:
    """Parse a line as a JSON object; return {} if it is not one."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


log = logging.getLogger(__name__)
DECISIONS_STAGE = "decisions"
SHOWN_FAULTS = 3


def save_decisions(store: Store, folder: Path | None, *, strict: bool = False) -> ArtifactRef | None:
    """Save the decisions of a folder as an artifact of the store, or return None if no folder is given.

    Raises:
        SettingsError: the folder does not exist.
        DecisionError: a line is truncated or altered, and the build is strict.
        StoreError: the folder cannot be read, or the store cannot be written.
    """
    if folder is None:
        return None
    table = read_decisions(folder, strict=strict)
    key = table_digest(table)
    parts: dict[str, object] = {"stage": DECISIONS_STAGE, "table": key}
    return store.save(table, stage=DECISIONS_STAGE, source="", key=key, parts=parts, seconds=0.0).ref


def read_decisions(folder: Path, *, strict: bool = False) -> pl.DataFrame:
    """Return the active decisions of a folder; malformed lines are skipped with a warning, or refused if strict.

    Raises:
        SettingsError: the folder does not exist.
        DecisionError: a line is truncated or altered, and the build is strict.
    """
    content = open_log(folder).read()
    if content.faults:
        shown = "; ".join(str(fault) for fault in content.faults[:SHOWN_FAULTS])
        more = f" and {len(content.faults) - SHOWN_FAULTS} more" if len(content.faults) > SHOWN_FAULTS else ""
        if strict:
            raise DecisionError(f"{shown}{more}; without --strict such lines are ignored")
        log.warning("ignored malformed lines of decisions: %s%s", shown, more)
    return decision_table(content.decisions)
