"""Precedents: the splits of an earlier dataset, kept in the store so that a build can follow them."""

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from situatedgen.errors import SettingsError
from situatedgen.rules.leaks import straddlers
from situatedgen.schemas import PRECEDENT
from situatedgen.vocabulary import Split
from storage.artifacts import ArtifactRef
from storage.digests import table_digest
from storage.store import UNREADABLE, Store

STAGE = "precedent"
SHOWN_OFFENDERS = 3
EXPECTED = "expected a JSON object whose `ids` are a list of statement ids"


def keep(store: Store, folder: Path | None) -> ArtifactRef | None:
    """The splits of a dataset folder as an artifact of the store; nothing where there is no folder to follow.

    Raises:
        SettingsError: the folder does not hold the three splits of a dataset.
        StoreError: the store cannot be written.
    """
    if folder is None:
        return None
    return keep_table(store, precedent(folder))


def keep_table(store: Store, table: pl.DataFrame) -> ArtifactRef:
    """Splits to follow as an artifact of the store.

    Raises:
        StoreError: the store cannot be written.
    """
    key = table_digest(table)
    parts: dict[str, object] = {"stage": STAGE, "table": key}
    return store.save(table, stage=STAGE, source="", key=key, parts=parts, seconds=0.0).ref


def precedent(folder: Path) -> pl.DataFrame:
    """The split of each statement of a dataset: a folder of ours, or train, dev and test in one plain folder.

    Raises:
        SettingsError: the folder does not hold the three splits of a dataset.
    """
    placed = sorted({(name, split.value) for split, path in _files(folder).items() for name in _ids(path)})
    offenders = straddlers(placed)
    if offenders:
        shown = ", ".join(offenders[:SHOWN_OFFENDERS])
        more = f" and {len(offenders) - SHOWN_OFFENDERS} more" if len(offenders) > SHOWN_OFFENDERS else ""
        raise SettingsError(f"{folder} cannot be followed: in two of its splits stand {shown}{more}")
    return PRECEDENT.frame(placed)


def _files(folder: Path) -> dict[Split, Path]:
    """The file of each split, in `data` or in the folder itself."""
    if not folder.is_dir():
        raise SettingsError(f"no dataset to follow: there is no folder {folder}")
    found = {split: path for split in Split for path in _choices(folder, split) if path.is_file()}
    if not found:
        raise SettingsError(f"no dataset to follow: {folder} has no train.jsonl, dev.jsonl and test.jsonl")
    missing = [split.value for split in Split if split not in found]
    if missing:
        raise SettingsError(
            f"{folder} cannot be followed: it has no {' and no '.join(missing)};"
            f" if there were none, put an empty {missing[0]}.jsonl there"
        )
    return found


def _choices(folder: Path, split: Split) -> list[Path]:
    """Where a split may lie, the preferred place last."""
    places = (folder, folder / "data")
    return [place / f"{split.value}.{suffix}" for place in places for suffix in ("parquet", "jsonl")]


def _ids(path: Path) -> Iterator[str]:
    """The statement ids of a file of examples."""
    rows = _parquet_ids(path) if path.suffix == ".parquet" else _json_ids(path)
    for place, ids in rows:
        if not isinstance(ids, list) or not all(isinstance(name, str) for name in ids):
            raise SettingsError(f"{path}, {place}: {EXPECTED}")
        yield from ids


def _parquet_ids(path: Path) -> Iterator[tuple[str, object]]:
    try:
        column = pl.read_parquet(path, columns=["ids"])["ids"]
    except UNREADABLE as error:
        raise SettingsError(f"{path} cannot be read as examples: {error}") from error
    for number, ids in enumerate(column.to_list(), start=1):
        yield f"row {number}", ids


def _json_ids(path: Path) -> Iterator[tuple[str, object]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield f"line {number}", _json_row(line).get("ids")


def _json_row(line: bytes) -> dict[str, object]:
    """The object of a line; empty where it is none."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
