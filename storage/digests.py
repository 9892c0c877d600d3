"""Digests of tables by content: schema and rows, never file bytes."""

import hashlib
import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from storage.filesystem import StorePath

if TYPE_CHECKING:
    from hashlib import _Hash

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
