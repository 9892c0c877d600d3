"""Parquet artifacts, found by key and kept by content, on disk or in a bucket; nothing is ever half visible."""

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path

import polars as pl
from pydantic import ValidationError

from situatedgen.errors import StoreError
from storage.artifacts import ArtifactRef, KeyRecord
from storage.digests import file_digest, json_digest, stored_digest, table_digest
from storage.filesystem import StorePath, locate, readable
from storage.writing import write_whole

# Polars panics, rather than raises, over some altered bytes.
UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True)
class Store:
    """Artifacts below one place: `artifacts/STAGE/DIGEST.parquet` and `keys/STAGE/KEY.json`.

    `checksums` holds what key records said of the artifacts that were written or found through this object, by path,
    so that reading one does not search the records again.
    """

    root: StorePath
    checksums: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def at(cls, address: str | Path) -> "Store":
        """The store at an address: a folder, or a prefix of a bucket such as `s3://bucket/prefix`.

        Raises:
            SettingsError: the address is of no known kind.
        """
        return cls(locate(address))

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
        digest = self._kept(ref) or write_whole(self.root, partial(_write, table), lambda _: path).digest
        created = datetime.now(UTC).isoformat(timespec="seconds")
        record = KeyRecord(
            key=key,
            parts=parts,
            ref=ref,
            inputs=dict(inputs or {}),
            file_digest=digest,
            seconds=seconds,
            created=created,
        )
        self.write_json(self._key_path(stage, key), record.model_dump(mode="json"))
        self.checksums[ref.place] = digest
        return record

    def read(self, ref: ArtifactRef) -> pl.DataFrame:
        """The table behind a reference.

        Raises:
            StoreError: the artifact is missing, unreadable, or not the one that was kept.
        """
        altered = StoreError(f"artifact {ref.name} in {self.root} was altered; build again")
        try:
            content = readable(self.path(ref))
            digest = file_digest(content)
            vouched = self._vouches(ref, digest)
            if vouched is False:
                raise altered
            table = pl.read_parquet(content, use_statistics=False)
        except UNREADABLE as error:
            raise StoreError(f"artifact {ref.name} cannot be read from {self.root}: {error}; build again") from error
        if not vouched and table_digest(table) != ref.digest:
            raise altered
        return table

    def path(self, ref: ArtifactRef) -> StorePath:
        """Where the table behind a reference lies."""
        return self.root / ref.place

    def write_json(self, path: StorePath, value: dict[str, object]) -> None:
        """Write a JSON file whole, with a digest of its own content in it.

        Raises:
            StoreError: the store cannot be written.
        """
        text = json.dumps({**value, "self": json_digest(value)}, indent=1, sort_keys=True, ensure_ascii=False)
        write_whole(self.root, partial(_fill, text.encode("utf-8")), lambda _: path)

    def write_part(self, folder: StorePath, table: pl.DataFrame) -> StorePath:
        """Where a table was written whole into a folder, under the digest of its file's bytes.

        Raises:
            StoreError: the store cannot be written.
        """
        return write_whole(self.root, partial(_write, table), lambda digest: folder / f"{digest}.parquet").place

    def write_temporary(self, table: pl.DataFrame) -> str:
        """The place, below the store's own, of a table that the steps of one build hand on to each other.

        Raises:
            StoreError: the store cannot be written.
        """
        name = f"{uuid.uuid4().hex}-{{}}.parquet"
        path = write_whole(self.root, partial(_write, table), lambda digest: self.root / "tmp" / name.format(digest))
        return f"tmp/{path.place.name}"

    def remove_temporary(self, place: str) -> None:
        """Remove a table that no step needs any more; where that fails, `cache gc` removes it later."""
        with suppress(OSError):
            (self.root / place).unlink()

    def read_temporary(self, place: str) -> pl.DataFrame:
        """The table that `write_temporary` wrote.

        Raises:
            StoreError: it is missing, or was altered.
        """
        path = self.root / place
        try:
            content = readable(path)
            if file_digest(content) != path.stem.rpartition("-")[2]:
                raise StoreError(f"{path} was altered; build again")
            return pl.read_parquet(content, use_statistics=False)
        except UNREADABLE as error:
            raise StoreError(f"{path} cannot be read: {error}; build again") from error

    def read_json(self, path: StorePath) -> dict[str, object] | None:
        """The content of a JSON file that this store wrote; nothing when it is missing or altered."""
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            is_whole = isinstance(value, dict) and value.pop("self", None) == json_digest(value)
        except (OSError, ValueError, RecursionError):
            return None
        return value if is_whole else None

    def json_files(self, folder: str) -> list[StorePath]:
        """The JSON files of a folder below the store's own place, by name."""
        found: list[StorePath] = list((self.root / folder).glob("*.json"))
        return sorted(found, key=lambda path: path.name)

    def records(self, stage: str) -> list[KeyRecord]:
        """The records of a stage that can be read, the newest first; their artifacts may be gone."""
        found = (self.record(stage, path.stem) for path in self.json_files(f"keys/{stage}"))
        return sorted((record for record in found if record), key=lambda each: (each.created, each.key), reverse=True)

    def record(self, stage: str, key: str) -> KeyRecord | None:
        """The record of a key, when there is one that can be read; its artifact may be gone."""
        value = self.read_json(self._key_path(stage, key))
        try:
            record = None if value is None else KeyRecord.model_validate(value)
        except ValidationError:
            return None
        return record if record and (record.ref.stage, record.key) == (stage, key) else None

    def _key_path(self, stage: str, key: str) -> StorePath:
        return self.root / "keys" / stage / f"{key}.json"

    def is_whole(self, record: KeyRecord) -> bool:
        """Whether the artifact of a record lies in the store, byte for byte as it was written."""
        try:
            is_same = stored_digest(self.path(record.ref)) == record.file_digest
        except OSError:
            return False
        if is_same:
            self.checksums[record.ref.place] = record.file_digest
        return is_same

    def _kept(self, ref: ArtifactRef) -> str | None:
        """The digest of an artifact's bytes, where it is there and a key record knows it by them."""
        try:
            digest = stored_digest(self.path(ref))
        except OSError:
            return None
        return digest if self._vouches(ref, digest) else None

    def _vouches(self, ref: ArtifactRef, digest: str) -> bool | None:
        """Whether a key record knows an artifact by the digest of its bytes; nothing when no record names it.

        Bytes that were altered are never parsed: over some, Polars takes the whole process down with it.
        """
        if self.checksums.get(ref.place) == digest:
            return True
        found = {record.file_digest for record in self._naming(ref)}
        return digest in found if found else None

    def _naming(self, ref: ArtifactRef) -> Iterator[KeyRecord]:
        """The records that name an artifact; most others are told by their bytes alone."""
        for path in self.json_files(f"keys/{ref.stage}"):
            record = self.record(ref.stage, path.stem) if ref.digest.encode() in _bytes(path) else None
            if record is not None and record.ref.digest == ref.digest:
                yield record


def _write(table: pl.DataFrame, file: Path | BytesIO) -> None:
    """Write a table as what is read whole and soon: packed quickly, without figures that tell which rows to skip."""
    table.write_parquet(file, compression="zstd", compression_level=1, statistics=False)


def _fill(content: bytes, file: Path | BytesIO) -> None:
    """Make this the content of a file."""
    if isinstance(file, Path):
        file.write_bytes(content)
    else:
        file.write(content)


def _bytes(path: StorePath) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
