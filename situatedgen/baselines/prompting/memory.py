"""Answers on disk, a file each, so that no question is paid for twice."""

import json
import os
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

from situatedgen.baselines.prompting.endpoint import Answer
from situatedgen.errors import StoreError


@dataclass(frozen=True, slots=True)
class Memory:
    """A folder of answers by digest. A file is there whole or not at all, so a run may be killed at any moment."""

    folder: Path

    def find(self, digest: str) -> Answer | None:
        """The remembered answer; nothing where there is none, or none that can be read."""
        try:
            return Answer(**json.loads(self._path(digest).read_text(encoding="utf-8"))["answer"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, digest: str, prompt: str, answer: Answer) -> None:
        """Remember an answer, with its prompt for people to read.

        Raises:
            StoreError: it cannot be written.
        """
        path = self._path(digest)
        told = json.dumps({"prompt": prompt, "answer": asdict(answer)}, ensure_ascii=False, indent=1) + "\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, told.encode("utf-8"))
        except OSError as error:
            raise StoreError(f"cannot remember an answer in {path}: {error}") from error

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / f"{digest}.json"


def _write_whole(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{uuid.uuid4().hex}.partial")
    try:
        with partial.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
