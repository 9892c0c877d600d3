"""Data files of a dataset folder: every configuration as Parquet, and the examples also as JSON lines."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from situatedgen.atomic import write
from situatedgen.dataset.boolqa import BOOLQA
from situatedgen.dataset.configuration import CHOICE, KEYWORD2TEXT, PAIRS, Configuration, Tables, keyword2text_rows
from situatedgen.errors import unknown
from situatedgen.vocabulary import Split

CONFIGURATIONS: tuple[Configuration, ...] = (PAIRS, KEYWORD2TEXT, BOOLQA)


def configuration(name: str) -> Configuration:
    """Look up a configuration by name.

    Raises:
        SettingsError: there is no such configuration.
    """
    known = {each.name: each for each in CONFIGURATIONS}
    if name not in known:
        raise unknown("configuration", name, known)
    return known[name]


@dataclass(frozen=True)
class Published:
    """A configuration with the published rows of each split."""

    configuration: Configuration
    parts: Mapping[Split, pl.DataFrame]

    @property
    def rows(self) -> int:
        """Number of rows in all splits."""
        return sum(part.height for part in self.parts.values())

    @property
    def filled(self) -> dict[Split, pl.DataFrame]:
        """The non-empty splits."""
        return {split: part for split, part in self.parts.items() if part.height}


def data_files(tables: Tables) -> dict[str, bytes]:
    """Data files of every configuration, including `choice` if it has questions, keyed by path in the folder."""
    asked = (CHOICE,) if CHOICE.name in list(tables) else ()
    return dict(file for each in (*CONFIGURATIONS, *asked) for file in _files(each, tables))


def read_published(files: Mapping[str, bytes]) -> tuple[Published, ...]:
    """Read every configuration that has data files, with its rows."""
    return tuple(
        Published(each, {split: pl.read_parquet(files[each.file(split)]) for split in Split})
        for each in (*CONFIGURATIONS, CHOICE)
        if each.file(Split.TRAIN) in files
    )


def _files(configuration: Configuration, tables: Tables) -> Iterator[tuple[str, bytes]]:
    for split, rows in configuration.parts(tables).items():
        if configuration is PAIRS:
            yield configuration.file(split, "jsonl"), _json_lines(rows)
        yield configuration.file(split), _parquet(rows)


def _json_lines(rows: pl.DataFrame) -> bytes:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows.iter_rows(named=True))
    return "".join(lines).encode("utf-8")


def _parquet(rows: pl.DataFrame) -> bytes:
    file = BytesIO()
    rows.write_parquet(file)
    return file.getvalue()


WRITTEN = ("example_id", "source", "target")


def export(examples: pl.DataFrame, out: Path) -> dict[Split, int]:
    """Write OUT/{train,dev,test}.jsonl, train in both orders, and return the number of rows per split."""
    out.mkdir(parents=True, exist_ok=True)
    table = keyword2text_rows({"examples": examples})
    counts = {}
    for split in Split:
        part = table.filter(pl.col("split") == split.value).select(WRITTEN)
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in part.iter_rows(named=True)]
        write(out / f"{split.value}.jsonl", "".join(lines).encode("utf-8"))
        counts[split] = part.height
    return counts
