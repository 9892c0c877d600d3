"""What a model said of texts, in Parquet parts that are each written whole and checked whole."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import polars as pl

from situatedgen.errors import ModelError, StoreError
from storage.digests import file_digest, json_digest
from storage.filesystem import Readable, StorePath, readable
from storage.store import UNREADABLE, Store

log = logging.getLogger(__name__)
FORMAT = 1
FEW_PARTS = 64
ATTEMPTS = 10


def memo_name(role: str, identity: Mapping[str, object]) -> str:
    """The name of the memo of a model: the digest of its role and of all that its answers depend on."""
    return json_digest({"format": FORMAT, "role": role, **identity})


@dataclass(frozen=True)
class Memo:
    """The answers of one model: `memo/ROLE/NAME/SHA256.parquet`, a part named by the digest of its bytes."""

    store: Store
    role: str
    identity: Mapping[str, object]

    @property
    def name(self) -> str:
        """The name that tells this memo from those of other models."""
        return memo_name(self.role, self.identity)

    @property
    def folder(self) -> StorePath:
        """Where the parts lie."""
        return self.store.root / "memo" / self.role / self.name

    def paths(self) -> list[StorePath]:
        """The files of the parts."""
        return sorted(self.folder.glob("*.parquet"))

    def read(self) -> tuple[pl.DataFrame, ...]:
        """The parts that are whole; what one held that is not will be asked again."""
        for _ in range(ATTEMPTS):
            paths = self.paths()
            found = [_whole(path) for path in paths]
            # A part that was there a moment ago and is not now was put together with others.
            if all(content is not None or path.exists() for path, content in zip(paths, found, strict=True)):
                with suppress(*UNREADABLE):
                    return together([content for content in found if content is not None])
        return tuple(part for part in map(_part, self.paths()) if part is not None)

    def append(self, rows: pl.DataFrame) -> None:
        """Keep more rows, as one part.

        Raises:
            StoreError: the store cannot be written.
        """
        about = self.folder / "identity.json"
        if self.store.read_json(about) is None:
            self.store.write_json(about, {"role": self.role, **self.identity})
        self.store.write_part(self.folder, rows)

    def check_form(self, parts: Sequence[pl.DataFrame]) -> None:
        """Refuse answers that are not all of one form, such as vectors of two widths.

        Raises:
            ModelError: they are not.
        """
        for part in parts[1:]:
            if part.schema != parts[0].schema:
                raise ModelError(f"the {self.role} answered {_form(part)}, expected {_form(parts[0])} as before")

    def unanswered(self, questions: pl.DataFrame) -> pl.DataFrame:
        """Those of some questions that the model was not asked yet, in the same order."""
        parts = self.read()
        if not parts or questions.is_empty():
            return questions
        known = pl.concat([part.select(questions.columns) for part in parts])
        return questions.join(known, on=questions.columns, how="anti", maintain_order="left")

    def compact(self) -> None:
        """Remove parts that were altered, and put the others together when there are many; nobody misses a row."""
        try:
            for path in self.paths():
                if _is_altered(path):
                    _remove(path)
            self._merge()
        except StoreError as error:
            log.warning("memo %s stays in many parts: %s", self.role, error)

    def _merge(self) -> None:
        paths = self.paths()
        found = [(path, _part(path)) for path in paths] if len(paths) > FEW_PARTS else []
        parts = {path: part for path, part in found if part is not None}
        if parts:
            merged = self.store.write_part(self.folder, pl.concat(parts.values()).unique(maintain_order=True))
            for path in parts.keys() - {merged}:
                _remove(path)


def _form(rows: pl.DataFrame) -> str:
    return ", ".join(f"{name}: {dtype}" for name, dtype in rows.schema.items())


def together(contents: Sequence[Readable], columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, ...]:
    """The rows of parts as one table, where there are any: read at once, which takes a sixth of the time."""
    files = cast("list[Path]", list(contents))  # or what was fetched of a bucket, which is read alike
    named = list(columns) if columns else None
    return (pl.read_parquet(files, columns=named, use_statistics=False),) if files else ()


def _part(path: StorePath) -> pl.DataFrame | None:
    """The rows of one part; nothing when it cannot be read."""
    content = _whole(path)
    try:
        return None if content is None else pl.read_parquet(content)
    except UNREADABLE as error:
        log.warning("memo part %s cannot be read: %s", path, error)
        return None


def _whole(path: StorePath) -> Readable | None:
    """The content of a part; nothing when it is gone, or was altered."""
    try:
        content = readable(path)
        if file_digest(content) == path.stem:
            return content
    except FileNotFoundError:
        return None
    except UNREADABLE as error:
        log.warning("memo part %s cannot be read: %s", path, error)
        return None
    log.warning("memo part %s was altered; what it held is asked again", path)
    return None


def _is_altered(path: StorePath) -> bool:
    """Whether the bytes of a part are not those that it is named by."""
    try:
        return file_digest(readable(path)) != path.stem
    except OSError:
        return False


def _remove(path: StorePath) -> None:
    with suppress(OSError):
        path.unlink()
