"""What a prompted model did and cost, as a file."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from situatedgen.atomic import write
from situatedgen.chat.costs import Prices, Spent


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did, for people and for the record. It holds no key."""

    model: str
    base_url: str
    fields: dict[str, object]
    split: str
    shots: int
    seed: int
    remembered: int
    retries: int
    seconds: float
    this_run: Spent
    in_all: Spent
    prices: Prices
    answered_by: dict[str, int]
    finish_reasons: dict[str, int]
    lost: dict[str, str]
    stopped: str

    def save(self, path: Path) -> None:
        """Write the report as JSON, whole."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, (json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n").encode("utf-8"))
