"""Whether one file of a store is whole: what is wrong with it, in words."""

import json
from collections.abc import Callable, Sequence
from enum import StrEnum
from io import BytesIO

import polars as pl
from pydantic import ValidationError

from storage.artifacts import KeyRecord
from storage.builds import written
from storage.care.shelves import Kept, Kind
from storage.digests import file_digest, table_digest
from storage.filesystem import Readable, StorePath, readable
from storage.memo import memo_name
from storage.outcomes import Build
from storage.releases import Release
from storage.store import UNREADABLE, Store

Content = dict[str, object]


class Fault(StrEnum):
    """What can be wrong with a file of a store."""

    MISSING = "missing"
    TRUNCATED = "truncated"
    ALTERED = "altered"


Finding = tuple[Fault, str]


def file_fault(store: Store, kept: Kept) -> Finding | None:
    """What is wrong with a file other than an artifact; nothing with what has no digest to be checked by."""
    if kept.kind is Kind.RESULTS:
        return result_fault(store, kept)
    if kept.kind is Kind.MEMO and kept.name != "identity":
        return part_fault(store, kept)
    return record_fault(store, kept) if kept.kind in NAMED else None


def record_fault(store: Store, kept: Kept) -> Finding | None:
    """What is wrong with a JSON file that the store wrote: its own digest, its shape, or its name."""
    path = store.root / kept.place
    value = store.read_json(path)
    if value is None:
        return _cut(path, b"}") or (Fault.ALTERED, "its content is not what its digest says")
    try:
        fits = NAMED[kept.kind](value, kept)
    except (ValidationError, KeyError, TypeError) as error:
        return Fault.ALTERED, f"it does not read as one of {kept.kind}: {str(error).splitlines()[0]}"
    return None if fits else (Fault.ALTERED, "it is not the one that its name says")


def result_fault(store: Store, kept: Kept) -> Finding | None:
    """What is wrong with a result file of Prefect, which holds JSON but no digest."""
    path = store.root / kept.place
    try:
        json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        return _cut(path, b"}") or (Fault.ALTERED, f"it cannot be read: {error}")
    return None


def part_fault(store: Store, kept: Kept) -> Finding | None:
    """What is wrong with a part of a memo, which is named by the digest of its bytes."""
    content = readable(store.root / kept.place)
    return None if file_digest(content) == kept.name else _parquet_fault(content)


def artifact_fault(store: Store, kept: Kept, records: Sequence[KeyRecord]) -> Finding | None:
    """What is wrong with an artifact: its bytes are in none of its key records, or its rows are not its name."""
    content = readable(store.root / kept.place)
    if records and file_digest(content) not in {record.file_digest for record in records}:
        return _parquet_fault(content)
    try:
        digest = table_digest(pl.read_parquet(content, use_statistics=False))
    except UNREADABLE:
        return _parquet_fault(content)
    return None if digest == kept.name else (Fault.ALTERED, "its rows are not those that its name says")


def _names_record(value: Content, kept: Kept) -> bool:
    record = KeyRecord.model_validate(value)
    return (record.ref.stage, record.key) == (kept.group, kept.name)


def _names_memo(value: Content, kept: Kept) -> bool:
    role = str(value.pop("role"))
    return kept.unit == f"memo/{role}/{memo_name(role, value)}"


NAMED: dict[Kind, Callable[[Content, Kept], bool]] = {
    Kind.BUILDS: lambda value, kept: written(Build.model_validate(value).created) == kept.name,
    Kind.RELEASES: lambda value, kept: Release.model_validate(value).name == kept.name,
    Kind.KEYS: _names_record,
    Kind.CODE: lambda value, _: isinstance(value["symbols"], dict),
    Kind.MEMO: _names_memo,
    Kind.SEEN: lambda value, kept: "versions" in value or value["source"] == kept.name,
}
"""Whether the content of a JSON file is what its name says."""


def _parquet_fault(file: Readable) -> Finding:
    return _cut(file, b"PAR1") or (Fault.ALTERED, "its bytes are not those that were written")


def _cut(file: StorePath | BytesIO, ending: bytes) -> Finding | None:
    """Every file of ours has a known end; one without it was cut short."""
    content = file.getvalue() if isinstance(file, BytesIO) else file.read_bytes()
    return None if content.endswith(ending) else (Fault.TRUNCATED, f"it ends after {len(content):,} bytes")
