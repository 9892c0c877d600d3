"""The memo (cache) of model answers, stored as immutable Parquet parts with checksums."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import polars as pl

from situatedgen.errors import ModelError, StoreError
from storage.filesystem import Readable, StorePath, readable
from storage.store import UNREADABLE, Store, file_digest, json_digest

log = logging.getLogger(__name__)
FORMAT = 1
FEW_PARTS = 64
ATTEMPTS = 10


def memo_name(role: str, identity: Mapping[str, object]) -> str:
    """Return the name of a model's memo: a digest of its role and of everything its answers depend on."""
    return json_digest({"format": FORMAT, "role": role, **identity})


@dataclass(frozen=True)
class Memo:
    """The answers of one model in `memo/ROLE/NAME/SHA256.parquet`, each part named by the digest of its bytes."""

    store: Store
    role: str
    identity: Mapping[str, object]

    @property
    def name(self) -> str:
        """The name of this memo, unique to the model."""
        return memo_name(self.role, self.identity)

    @property
    def folder(self) -> StorePath:
        """The folder of the parts."""
        return self.store.root / "memo" / self.role / self.name

    def paths(self) -> list[StorePath]:
        """Return the files of the parts."""
        return sorted(self.folder.glob("*.parquet"))

    def read(self) -> tuple[pl.DataFrame, ...]:
        """Return the intact parts; the answers of damaged parts will be computed again."""
        for _ in range(ATTEMPTS):
            paths = self.paths()
            found = [_read_checked(path) for path in paths]
            # A part that has just disappeared was merged with others.
            if all(content is not None or path.exists() for path, content in zip(paths, found, strict=True)):
                with suppress(*UNREADABLE):
                    return read_parts([content for content in found if content is not None])
        return tuple(part for part in map(_read_part, self.paths()) if part is not None)

    def append(self, rows: pl.DataFrame) -> None:
        """Save more rows as one part.

        Raises:
            StoreError: the store cannot be written.
        """
        about = self.folder / "identity.json"
        if self.store.read_json(about) is None:
            self.store.write_json(about, {"role": self.role, **self.identity})
        self.store.write_part(self.folder, rows)

    def check_schemas(self, parts: Sequence[pl.DataFrame]) -> None:
        """Refuse answers with different schemas, such as vectors of two widths.

        Raises:
            ModelError: the schemas differ.
        """
        for part in parts[1:]:
            if part.schema != parts[0].schema:
                raise ModelError(
                    f"the {self.role} returned {_format_schema(part)}, expected {_format_schema(parts[0])} as before"
                )

    def unanswered(self, questions: pl.DataFrame) -> pl.DataFrame:
        """Return the questions without an answer in the memo, in the same order."""
        parts = self.read()
        if not parts or questions.is_empty():
            return questions
        known = pl.concat([part.select(questions.columns) for part in parts])
        return questions.join(known, on=questions.columns, how="anti", maintain_order="left")

    def compact(self) -> None:
        """Delete damaged parts and merge the others if there are many, without losing rows for concurrent readers."""
        try:
            for path in self.paths():
                if _is_altered(path):
                    _remove(path)
            self._merge()
        except StoreError as error:
            log.warning("cannot compact the memo of the %s: %s", self.role, error)

    def _merge(self) -> None:
        paths = self.paths()
        found = [(path, _read_part(path)) for path in paths] if len(paths) > FEW_PARTS else []
        parts = {path: part for path, part in found if part is not None}
        if parts:
            merged = self.store.write_part(self.folder, pl.concat(parts.values()).unique(maintain_order=True))
            for path in parts.keys() - {merged}:
                _remove(path)


def _format_schema(rows: pl.DataFrame) -> str:
    return ", ".join(f"{name}: {dtype}" for name, dtype in rows.schema.items())


def read_parts(contents: Sequence[Readable], columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, ...]:
    """Read parts into at most one table; reading all at once takes a sixth of the time."""
    files = cast("list[Path]", list(contents))  # or buffers downloaded from a bucket, which are read the same way
    named = list(columns) if columns else None
    return (pl.read_parquet(files, columns=named, use_statistics=False),) if files else ()


def _read_part(path: StorePath) -> pl.DataFrame | None:
    """Return the rows of one part, or None if it cannot be read."""
    content = _read_checked(path)
    try:
        return None if content is None else pl.read_parquet(content)
    except UNREADABLE as error:
        log.warning("memo part %s cannot be read: %s", path, error)
        return None


def _read_checked(path: StorePath) -> Readable | None:
    """Return the content of a part, or None if it is missing or fails its checksum."""
    try:
        content = readable(path)
        if file_digest(content) == path.stem:
            return content
    except FileNotFoundError:
        return None
    except UNREADABLE as error:
        log.warning("memo part %s cannot be read: %s", path, error)
        return None
    log.warning("memo part %s was altered; its answers will be computed again", path)
    return None


def _is_altered(path: StorePath) -> bool:
    """Whether a part fails its checksum."""
    try:
        return file_digest(readable(path)) != path.stem
    except OSError:
        return False


def _remove(path: StorePath) -> None:
    with suppress(OSError):
        path.unlink()


BATCH = 1024
"""Number of questions asked at once and saved as one part, i.e. the most that a killed build can lose."""

Compute = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass
class CallCount:
    """How many questions a model computed, and how many the memo answered."""

    computed: int = 0
    recalled: int = 0


@dataclass(frozen=True)
class CountedMemo:
    """The memo of one model, with a count of memo hits and computed answers."""

    memo: Memo
    calls: CallCount = field(default_factory=CallCount)

    def answer(self, asked: pl.DataFrame, compute: Compute) -> pl.DataFrame:
        """Return the questions with their answers, in the same order; `compute` answers those not in the memo."""
        distinct = asked.unique(maintain_order=True)
        known = self._find_known(distinct)
        self.calls.recalled += known.height
        missing = distinct if known.is_empty() else distinct.join(known, on=asked.columns, how="anti")
        answers = pl.concat(self._compute_missing(missing, [known] if known.height else [], compute) or [known])
        return asked.join(answers, on=asked.columns, how="left", maintain_order="left")

    def _find_known(self, distinct: pl.DataFrame) -> pl.DataFrame:
        """Return the distinct questions found in the memo, with their answers."""
        parts = self.memo.read()
        if not parts:
            return distinct.clear()
        self.memo.check_schemas(parts)
        found = pl.concat(parts).join(distinct, on=distinct.columns, how="semi", maintain_order="left")
        return found.unique(subset=distinct.columns, keep="first", maintain_order=True)

    def _compute_missing(
        self, missing: pl.DataFrame, known: list[pl.DataFrame], compute: Compute
    ) -> list[pl.DataFrame]:
        """Return the known answers plus newly computed ones, saved batch by batch."""
        found = list(known)
        for batch in missing.iter_slices(BATCH):
            found.append(compute(batch))
            self.memo.check_schemas([found[0], found[-1]])
            self.memo.append(found[-1])
            self.calls.computed += batch.height
        return found
