"""Parquet artifacts, found by key and kept by content, on disk or in a bucket; nothing is ever half visible."""

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
    """What an artifact is called: `pairs`, or `statements/creak` where each source has its own."""
    return f"{stage}/{source}" if source else stage


class ArtifactRef(BaseModel):
    """A table in the store, by content. Small, and free of paths, so that it can go between tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    digest: str
    rows: int
    source: str = ""

    @property
    def name(self) -> str:
        """What the artifact is called: `pairs`, or `statements/creak` where each source has its own."""
        return artifact_name(self.stage, self.source)

    @property
    def place(self) -> str:
        """Where the table lies below the store's own place."""
        return f"artifacts/{self.stage}/{self.digest}.parquet"


class KeyRecord(BaseModel):
    """What is known of a key: its parts, the artifact it gave, and what that cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    parts: dict[str, object]
    ref: ArtifactRef
    inputs: dict[str, tuple[ArtifactRef, ...]] = {}
    file_digest: str
    seconds: float
    created: str


# Texts at a time that are put together.
CHUNK = 1 << 16


def table_digest(table: pl.DataFrame) -> str:
    """The digest of a table's columns, types and rows; equal for equal tables, whatever wrote them."""
    digest = hashlib.sha256()
    for column in table.get_columns():
        digest.update(f"{column.name}\x1f{column.dtype}\x1e".encode())
        _feed(digest, column)
    return digest.hexdigest()


def json_digest(value: object) -> str:
    """The digest of a JSON value, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_digest(path: StorePath | BytesIO) -> str:
    """The sha256 of a file's bytes."""
    if isinstance(path, BytesIO):
        return hashlib.sha256(path.getbuffer()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def stored_digest(place: StorePath) -> str:
    """The sha256 of a file's bytes; of an object in a bucket as it was written with it, unfetched, where it was."""
    known = None if isinstance(place, Path) else place.read_digest()
    return known or file_digest(place)


def _feed(digest: "_Hash", column: pl.Series) -> None:
    """Feed nulls first, then the values that are there in a form that fixes their borders."""
    digest.update(_raw(column.is_null().cast(pl.UInt8)) if column.null_count() else bytes(len(column)))
    values = column.drop_nulls()
    if isinstance(values.dtype, pl.List):
        lengths = values.list.len()
        digest.update(_raw(lengths.cast(pl.UInt64)))
        _feed(digest, values.filter(lengths > 0).explode())
    elif isinstance(values.dtype, pl.Array):
        _feed(digest, values.explode())
    elif values.dtype.is_numeric() or values.dtype == pl.Boolean:
        digest.update(_raw(values.cast(pl.UInt8) if values.dtype == pl.Boolean else values))
    else:
        _feed_texts(digest, values.cast(pl.String))


def _feed_texts(digest: "_Hash", texts: pl.Series) -> None:
    """Feed how long texts are, then their bytes, which need not become Python's texts for it."""
    digest.update(_raw(texts.str.len_bytes().cast(pl.UInt64)))
    for start in range(0, len(texts), CHUNK):
        digest.update(texts[start : start + CHUNK].str.join("").cast(pl.Binary).item())


def _raw(values: pl.Series) -> memoryview:
    """The numbers of a column as they lie in memory, not copied where they lie in one piece."""
    return np.ascontiguousarray(values.to_numpy()).data


Name = Callable[[str], StorePath]


@dataclass(frozen=True, slots=True)
class Written:
    """Where a file was written, and the digest of its bytes."""

    place: StorePath
    digest: str


def write_whole(root: StorePath, write: Callable[[Path | BytesIO], object], name: Name) -> Written:
    """What was written: `name` tells its place from the digest of its bytes.

    Raises:
        StoreError: the store cannot be written.
    """
    with _clear_errors(root):
        return _on_disk(root, write, name) if isinstance(root, Path) else _in_bucket(write, name)


def _on_disk(root: Path, write: Callable[[Path], object], name: Name) -> Written:
    """Write into the store's folder for temporary files, which `gc` clears, then move into place."""
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


def _in_bucket(write: Callable[[BytesIO], object], name: Name) -> Written:
    """The service shows an object whole or not at all."""
    stream = BytesIO()
    write(stream)
    content = stream.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    place = name(digest)
    place.write_bytes(content)
    return Written(place, digest)


@contextmanager
def _clear_errors(root: StorePath) -> Iterator[None]:
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"store {root} cannot be written: {error}") from error


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
