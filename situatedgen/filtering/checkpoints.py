"""The iterations of a filtering on disk: one Parquet file each, written whole, so that any can be gone on from."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from situatedgen.atomic import write
from situatedgen.errors import SettingsError
from situatedgen.filtering.assigning import State
from situatedgen.filtering.history import Iteration
from situatedgen.filtering.pool import Pool

RECORD, FOLDER, KEY = "filtering.json", "iterations", "iteration"
COLUMNS = pl.Schema({"item_id": pl.String(), "wrong": pl.List(pl.UInt32()), "opinions": pl.List(pl.Float32())})


@dataclass(frozen=True)
class Checkpoints:
    """The folder of a filtering: what is filtered and how, and the state after each iteration."""

    root: Path
    pool: Pool

    def claim(self, asked: dict[str, object]) -> None:
        """Take the folder for a filtering, be it new there or begun before.

        Raises:
            SettingsError: the folder holds another filtering, or something else.
        """
        told = json.dumps({**asked, "pool": self.pool.digest}, indent=2, sort_keys=True) + "\n"
        path = self.root / RECORD
        if not path.is_file() and self.root.exists() and (not self.root.is_dir() or any(self.root.iterdir())):
            raise SettingsError(f"{self.root} holds something that is no filtering of ours; choose another folder")
        if path.is_file() and path.read_text(encoding="utf-8") != told:
            raise SettingsError(f"{self.root} holds a filtering of other items or settings; choose another folder")
        (self.root / FOLDER).mkdir(parents=True, exist_ok=True)
        write(path, told.encode("utf-8"))

    def keep(self, iteration: Iteration, state: State) -> None:
        """Write the state after an iteration, whole."""
        write_table(self._path(iteration.number), self._table(state), {KEY: json.dumps(asdict(iteration))})

    def read(self, *, upto: int | None = None) -> Iterator[tuple[Iteration, State]]:
        """The states after the iterations that are there whole, from the first on; what follows them is removed."""
        number = 0
        while (upto is None or number <= upto) and (state := self._state(number)) is not None:
            yield state
            number += 1
        for path in (self.root / FOLDER).glob("*.parquet"):
            if int(path.stem) >= number:
                path.unlink()

    def _path(self, number: int) -> Path:
        return self.root / FOLDER / f"{number:05d}.parquet"

    def _table(self, state: State) -> pl.DataFrame:
        own = (state.assignment - self.pool.truths[:, None]).tolist()
        opinions = [each.tolist() for each in np.split(state.opinions, self.pool.starts[1:-1])]
        return pl.DataFrame({"item_id": self.pool.item_ids, "wrong": own, "opinions": opinions}, schema=COLUMNS)

    def _state(self, number: int) -> tuple[Iteration, State] | None:
        path = self._path(number)
        try:
            told = pl.read_parquet_metadata(path)[KEY]
            table = pl.read_parquet(path)
            own = np.asarray(table["wrong"].to_list(), dtype=np.int64)
            opinions = table["opinions"].explode(empty_as_null=False).to_numpy().astype(np.float32)
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException, KeyError):
            return None
        return Iteration(**json.loads(told)), State(own + self.pool.truths[:, None], opinions)


def write_table(path: Path, table: pl.DataFrame, about: dict[str, str]) -> None:
    """Write a table whole, with what is told about it in the same file."""
    content = BytesIO()
    table.write_parquet(content, metadata=about)
    write(path, content.getvalue())
