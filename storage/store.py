"""A folder of Parquet artifacts, found by key and kept by content; nothing in it is ever half visible."""

import json
import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from pydantic import ValidationError

from situatedgen.errors import StoreError
from storage.artifacts import ArtifactRef, KeyRecord
from storage.digests import file_digest, json_digest, table_digest

# Polars panics, rather than raises, over some altered bytes.
UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True)
class Store:
    """Artifacts under one folder: `artifacts/STAGE/DIGEST.parquet` and `keys/STAGE/KEY.json`."""

    root: Path

    def find(self, stage: str, key: str) -> KeyRecord | None:
        """The record of a key, when there is one and its artifact is whole; nothing otherwise."""
        record = self.record(stage, key)
        return record if record is not None and self.is_whole(record) else None

    def save(
        self,
        table: pl.DataFrame,
        *,
        stage: str,
        source: str,
        key: str,
        parts: dict[str, object],
        seconds: float,
        inputs: Mapping[str, tuple[ArtifactRef, ...]] | None = None,
    ) -> KeyRecord:
        """The record of a table that was just made, once table and record are safely on disk.

        Raises:
            StoreError: the store cannot be written.
        """
        ref = ArtifactRef(stage=stage, digest=table_digest(table), rows=table.height, source=source)
        path = self.path(ref)
        if not self._vouched(ref):
            self._write(table.write_parquet, lambda _: path)
        created = datetime.now(UTC).isoformat(timespec="seconds")
        record = KeyRecord(
            key=key,
            parts=parts,
            ref=ref,
            inputs=dict(inputs or {}),
            file_digest=file_digest(path),
            seconds=seconds,
            created=created,
        )
        self.write_json(self._key_path(stage, key), record.model_dump(mode="json"))
        return record

    def read(self, ref: ArtifactRef) -> pl.DataFrame:
        """The table behind a reference.

        Raises:
            StoreError: the artifact is missing, unreadable, or not the one that was kept.
        """
        altered = StoreError(f"artifact {ref.name} in {self.root} was altered; build again")
        vouched = self._vouched(ref)
        if vouched is False:
            raise altered
        try:
            table = pl.read_parquet(self.path(ref), use_statistics=False)
        except UNREADABLE as error:
            raise StoreError(f"artifact {ref.name} cannot be read from {self.root}: {error}; build again") from error
        if not vouched and table_digest(table) != ref.digest:
            raise altered
        return table

    def path(self, ref: ArtifactRef) -> Path:
        """Where the table behind a reference lies."""
        return self.root / "artifacts" / ref.stage / f"{ref.digest}.parquet"

    def write_json(self, path: Path, value: dict[str, object]) -> None:
        """Write a JSON file whole, with a digest of its own content in it.

        Raises:
            StoreError: the store cannot be written.
        """
        text = json.dumps({**value, "self": json_digest(value)}, indent=1, sort_keys=True, ensure_ascii=False)
        self._write(lambda temporary: temporary.write_text(text, encoding="utf-8"), lambda _: path)

    def write_part(self, folder: Path, table: pl.DataFrame) -> Path:
        """Where a table was written whole into a folder, under the digest of its file's bytes.

        Raises:
            StoreError: the store cannot be written.
        """
        return self._write(table.write_parquet, lambda temporary: folder / f"{file_digest(temporary)}.parquet")

    def read_json(self, path: Path) -> dict[str, object] | None:
        """The content of a JSON file that this store wrote; nothing when it is missing or altered."""
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            is_whole = isinstance(value, dict) and value.pop("self", None) == json_digest(value)
        except (OSError, ValueError, RecursionError):
            return None
        return value if is_whole else None

    def records(self, stage: str) -> list[KeyRecord]:
        """The records of a stage that can be read, the newest first; their artifacts may be gone."""
        keys = (path.stem for path in (self.root / "keys" / stage).glob("*.json"))
        found = (self.record(stage, key) for key in keys)
        return sorted((record for record in found if record), key=lambda each: (each.created, each.key), reverse=True)

    def record(self, stage: str, key: str) -> KeyRecord | None:
        """The record of a key, when there is one that can be read; its artifact may be gone."""
        value = self.read_json(self._key_path(stage, key))
        try:
            record = None if value is None else KeyRecord.model_validate(value)
        except ValidationError:
            return None
        return record if record and (record.ref.stage, record.key) == (stage, key) else None

    def _key_path(self, stage: str, key: str) -> Path:
        return self.root / "keys" / stage / f"{key}.json"

    def is_whole(self, record: KeyRecord) -> bool:
        """Whether the artifact of a record lies in the store, byte for byte as it was written."""
        try:
            return file_digest(self.path(record.ref)) == record.file_digest
        except OSError:
            return False

    def _vouched(self, ref: ArtifactRef) -> bool | None:
        """Whether a key record knows an artifact by the bytes that it has now; nothing when no record names it.

        Bytes that were altered are never parsed: over some, Polars takes the whole process down with it.
        """
        found = list(self._naming(ref))
        return any(map(self.is_whole, found)) if found else None

    def _naming(self, ref: ArtifactRef) -> Iterator[KeyRecord]:
        """The records that name an artifact; most others are told by their bytes alone."""
        for path in (self.root / "keys" / ref.stage).glob("*.json"):
            record = self.record(ref.stage, path.stem) if ref.digest.encode() in _bytes(path) else None
            if record is not None and record.ref.digest == ref.digest:
                yield record

    def _write(self, write: Callable[[Path], object], name: Callable[[Path], Path]) -> Path:
        """Write beside, flush to disk, then rename: a reader sees the old file, the new one, or none."""
        temporary = self.root / "tmp" / uuid.uuid4().hex
        with _clear_errors(self.root):
            temporary.parent.mkdir(parents=True, exist_ok=True)
            try:
                write(temporary)
                with temporary.open("rb") as stream:
                    os.fsync(stream.fileno())
                path = name(temporary)
                path.parent.mkdir(parents=True, exist_ok=True)
                return temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@contextmanager
def _clear_errors(root: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"store {root} cannot be written: {error}") from error
