"""What a model answered, and the folder that remembers it."""

import json
import uuid
from dataclasses import asdict, dataclass, field
from pathlib import Path

from situatedgen.errors import StoreError


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model wrote, why it stopped, its name as the server gives it, and the tokens where they are told."""

    text: str
    finish_reason: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True, slots=True)
class Memory:
    """A folder of answers, one file for each: a run that is cut short pays for none of them twice."""

    folder: Path

    def find(self, digest: str) -> Answer | None:
        """The answer to a request; nothing where there is none, or its file is damaged."""
        try:
            return Answer(**json.loads(self._path(digest).read_bytes())["answer"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, digest: str, prompt: str, answer: Answer) -> None:
        """Remember an answer; its file is whole or not there.

        Raises:
            StoreError: it cannot be written.
        """
        path = self._path(digest)
        partial = path.with_name(f".{uuid.uuid4().hex}.partial")
        told = json.dumps({"prompt": prompt, "answer": asdict(answer)}, ensure_ascii=False, indent=1) + "\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(told, encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise StoreError(f"cannot remember an answer in {path}: {error}") from error

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / f"{digest}.json"


@dataclass(slots=True)
class Outcome:
    """What came of the prompts, by example id: answers, those that were asked for now, and why others failed.

    `passing` are those of the `lost` that may be answered another time: the server was busy, away or broken.
    """

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)
    passing: set[str] = field(default_factory=set)
    stopped: str = ""
    retries: int = 0
