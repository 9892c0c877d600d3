"""Content-addressed Parquet artifacts, looked up by cache key, on disk or in a bucket; all writes are atomic."""

import hashlib
import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen.atomic import move_into_place
from situatedgen.errors import StoreError
from storage.filesystem import StorePath, locate, readable

if TYPE_CHECKING:
    from hashlib import _Hash


def artifact_name(stage: str, source: str = "") -> str:
    """Return the name of an artifact: `pairs`, or `statements/creak` if each source has its own."""
    return f"{stage}/{source}" if source else stage


class ArtifactRef(BaseModel):
    """Reference to a table in the store by content; small and free of paths, so that tasks can pass it around."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    digest: str
    rows: int
    source: str = ""

    @property
    def name(self) -> str:
        """The name of the artifact: `pairs`, or `statements/creak` if each source has its own."""
        return artifact_name(self.stage, self.source)

    @property
    def place(self) -> str:
        """The path of the table relative to the store root."""
        return f"artifacts/{self.stage}/{self.digest}.parquet"


class KeyRecord(BaseModel):
    """The record of a cache key: its parts, the artifact it led to, and the computing time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    parts: dict[str, object]
    ref: ArtifactRef
    inputs: dict[str, tuple[ArtifactRef, ...]] = {}
    file_digest: str
    seconds: float
    created: str


# Texts to concatenate at a time.
CHUNK = 1 << 16


def table_digest(table: pl.DataFrame) -> str:
    """Return the digest of a table's columns, dtypes and rows, independent of the writer."""
    digest = hashlib.sha256()
    for column in table.get_columns():
        digest.update(f"{column.name}\x1f{column.dtype}\x1e".encode())
        _hash_column(digest, column)
    return digest.hexdigest()


def json_digest(value: object) -> str:
    """Return the digest of a JSON value, independent of key order."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_digest(path: StorePath | BytesIO) -> str:
    """Return the SHA-256 of a file's bytes."""
    if isinstance(path, BytesIO):
        return hashlib.sha256(path.getbuffer()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def stored_digest(place: StorePath) -> str:
    """Return the SHA-256 of a file's bytes; for an object in a bucket, read from its metadata if available."""
    known = None if isinstance(place, Path) else place.read_digest()
    return known or file_digest(place)


def _hash_column(digest: "_Hash", column: pl.Series) -> None:
    """Hash the null mask first, then the non-null values in an encoding that fixes their boundaries."""
    digest.update(_buffer(column.is_null().cast(pl.UInt8)) if column.null_count() else bytes(len(column)))
    values = column.drop_nulls()
    if isinstance(values.dtype, pl.List):
        lengths = values.list.len()
        digest.update(_buffer(lengths.cast(pl.UInt64)))
        _hash_column(digest, values.filter(lengths > 0).explode())
    elif isinstance(values.dtype, pl.Array):
        _hash_column(digest, values.explode())
    elif values.dtype.is_numeric() or values.dtype == pl.Boolean:
        digest.update(_buffer(values.cast(pl.UInt8) if values.dtype == pl.Boolean else values))
    else:
        _hash_texts(digest, values.cast(pl.String))


def _hash_texts(digest: "_Hash", texts: pl.Series) -> None:
    """Hash the lengths of texts, then their bytes, without creating Python strings."""
    digest.update(_buffer(texts.str.len_bytes().cast(pl.UInt64)))
    for start in range(0, len(texts), CHUNK):
        digest.update(texts[start : start + CHUNK].str.join("").cast(pl.Binary).item())


def _buffer(values: pl.Series) -> memoryview:
    """Return the buffer of a numeric column, copied only if it is not contiguous."""
    return np.ascontiguousarray(values.to_numpy()).data


Name = Callable[[str], StorePath]


@dataclass(frozen=True, slots=True)
class Written:
    """The path and the digest of a written file."""

    place: StorePath
    digest: str


def write_atomically(root: StorePath, write: Callable[[Path | BytesIO], object], name: Name) -> Written:
    """Write a file atomically; `name` maps the digest of its bytes to its path.

    Raises:
        StoreError: the store cannot be written.
    """
    with _write_errors(root):
        return _write_to_disk(root, write, name) if isinstance(root, Path) else _write_to_bucket(write, name)


def _write_to_disk(root: Path, write: Callable[[Path], object], name: Name) -> Written:
    """Write to the store's `tmp` folder, which `gc` clears, then move the file into place."""
    temporary = root / "tmp" / uuid.uuid4().hex
    temporary.parent.mkdir(parents=True, exist_ok=True)
    try:
        write(temporary)
        digest = file_digest(temporary)
        path = Path(str(name(digest)))
        path.parent.mkdir(parents=True, exist_ok=True)
        move_into_place(temporary, path)
        return Written(path, digest)
    finally:
        temporary.unlink(missing_ok=True)


def _write_to_bucket(write: Callable[[BytesIO], object], name: Name) -> Written:
    """Write an object; the service makes it visible only once it is complete."""
    stream = BytesIO()
    write(stream)
    content = stream.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    place = name(digest)
    place.write_bytes(content)
    return Written(place, digest)


@contextmanager
def _write_errors(root: StorePath) -> Iterator[None]:
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"store {root} cannot be written: {error}") from error


# On some corrupt bytes, Polars panics instead of raising.
UNREADABLE = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True)
class Store:
    """Artifacts below one root: `artifacts/STAGE/DIGEST.parquet` and `keys/STAGE/KEY.json`.

    `checksums` caches the file digests, by path, of artifacts written or found through this object, so that reading
    them does not search the key records again.
    """

    root: StorePath
    checksums: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def at(cls, address: str | Path) -> "Store":
        """Return the store at an address: a folder, or a bucket prefix such as `s3://bucket/prefix`.

        Raises:
            SettingsError: the address has an unknown scheme.
        """
        return cls(locate(address))

    def find(self, stage: str, key: str) -> KeyRecord | None:
        """Return the record of a key if its artifact is intact, otherwise None."""
        record = self.record(stage, key)
        return record if record is not None and self.is_intact(record) else None

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
        """Save a table and its key record, and return the record.

        Raises:
            StoreError: the store cannot be written.
        """
        ref = ArtifactRef(stage=stage, digest=table_digest(table), rows=table.height, source=source)
        path = self.path(ref)
        digest = (
            self._confirmed_digest(ref)
            or write_atomically(self.root, partial(_write_parquet, table), lambda _: path).digest
        )
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
        """Return the table of a reference.

        Raises:
            StoreError: the artifact is missing, unreadable, or fails its checksum.
        """
        altered = StoreError(f"artifact {ref.name} in {self.root} was altered; build again")
        try:
            content = readable(self.path(ref))
            digest = file_digest(content)
            is_confirmed = self._matches_record(ref, digest)
            if is_confirmed is False:
                raise altered
            table = pl.read_parquet(content, use_statistics=False)
        except UNREADABLE as error:
            raise StoreError(f"artifact {ref.name} cannot be read from {self.root}: {error}; build again") from error
        if not is_confirmed and table_digest(table) != ref.digest:
            raise altered
        return table

    def path(self, ref: ArtifactRef) -> StorePath:
        """Return the path of a reference's table."""
        return self.root / ref.place

    def write_json(self, path: StorePath, value: dict[str, object]) -> None:
        """Write a JSON file atomically, including a digest of its own content.

        Raises:
            StoreError: the store cannot be written.
        """
        text = json.dumps({**value, "self": json_digest(value)}, indent=1, sort_keys=True, ensure_ascii=False)
        write_atomically(self.root, partial(_write_bytes, text.encode("utf-8")), lambda _: path)

    def write_part(self, folder: StorePath, table: pl.DataFrame) -> StorePath:
        """Write a table into a folder, named by the digest of its file, and return its path.

        Raises:
            StoreError: the store cannot be written.
        """
        return write_atomically(
            self.root, partial(_write_parquet, table), lambda digest: folder / f"{digest}.parquet"
        ).place

    def write_temporary(self, table: pl.DataFrame) -> str:
        """Write a temporary table that the steps of a build pass on, and return its path relative to the store root.

        Raises:
            StoreError: the store cannot be written.
        """
        name = f"{uuid.uuid4().hex}-{{}}.parquet"
        path = write_atomically(
            self.root, partial(_write_parquet, table), lambda digest: self.root / "tmp" / name.format(digest)
        )
        return f"tmp/{path.place.name}"

    def remove_temporary(self, place: str) -> None:
        """Delete a temporary table; if that fails, `cache gc` deletes it later."""
        with suppress(OSError):
            (self.root / place).unlink()

    def read_temporary(self, place: str) -> pl.DataFrame:
        """Return the table written by `write_temporary`.

        Raises:
            StoreError: the table is missing or was altered.
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
        """Return the content of a JSON file written by this store, or None if it is missing or altered."""
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            is_intact = isinstance(value, dict) and value.pop("self", None) == json_digest(value)
        except (OSError, ValueError, RecursionError):
            return None
        return value if is_intact else None

    def json_files(self, folder: str) -> list[StorePath]:
        """Return the JSON files of a folder relative to the store root, sorted by name."""
        found: list[StorePath] = list((self.root / folder).glob("*.json"))
        return sorted(found, key=lambda path: path.name)

    def records(self, stage: str) -> list[KeyRecord]:
        """Return the readable key records of a stage, newest first; their artifacts may be gone."""
        found = (self.record(stage, path.stem) for path in self.json_files(f"keys/{stage}"))
        return sorted((record for record in found if record), key=lambda each: (each.created, each.key), reverse=True)

    def record(self, stage: str, key: str) -> KeyRecord | None:
        """Return the record of a key, or None if it is missing or unreadable; its artifact may be gone."""
        value = self.read_json(self._key_path(stage, key))
        try:
            record = None if value is None else KeyRecord.model_validate(value)
        except ValidationError:
            return None
        return record if record and (record.ref.stage, record.key) == (stage, key) else None

    def _key_path(self, stage: str, key: str) -> StorePath:
        return self.root / "keys" / stage / f"{key}.json"

    def is_intact(self, record: KeyRecord) -> bool:
        """Whether the artifact of a record is in the store, byte for byte as written."""
        try:
            is_same = stored_digest(self.path(record.ref)) == record.file_digest
        except OSError:
            return False
        if is_same:
            self.checksums[record.ref.place] = record.file_digest
        return is_same

    def _confirmed_digest(self, ref: ArtifactRef) -> str | None:
        """Return the file digest of an artifact if a key record confirms it, otherwise None."""
        try:
            digest = stored_digest(self.path(ref))
        except OSError:
            return None
        return digest if self._matches_record(ref, digest) else None

    def _matches_record(self, ref: ArtifactRef, digest: str) -> bool | None:
        """Whether a key record has this file digest for an artifact; None if no record names the artifact.

        Altered bytes are never parsed, because some of them crash Polars and the whole process.
        """
        if self.checksums.get(ref.place) == digest:
            return True
        found = {record.file_digest for record in self._records_of(ref)}
        return digest in found if found else None

    def _records_of(self, ref: ArtifactRef) -> Iterator[KeyRecord]:
        """Yield the key records of an artifact; most others are skipped by a byte search, without parsing."""
        for path in self.json_files(f"keys/{ref.stage}"):
            record = self.record(ref.stage, path.stem) if ref.digest.encode() in _read_bytes(path) else None
            if record is not None and record.ref.digest == ref.digest:
                yield record


def _write_parquet(table: pl.DataFrame, file: Path | BytesIO) -> None:
    """Write a table for whole reads: fast compression, and no statistics for skipping rows."""
    table.write_parquet(file, compression="zstd", compression_level=1, statistics=False)


def _write_bytes(content: bytes, file: Path | BytesIO) -> None:
    if isinstance(file, Path):
        file.write_bytes(content)
    else:
        file.write(content)


def _read_bytes(path: StorePath) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
