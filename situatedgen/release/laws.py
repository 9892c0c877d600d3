"""Whether the data of a dataset folder obeys its own laws: counts as told, the same rows twice, no leaks."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen.release.checking import Fault, Kind
from situatedgen.report.folder import MANIFEST, read_manifest
from situatedgen.rules.splits import fold_case, straddlers
from situatedgen.vocabulary import Split

STATISTICS = "stats.json"
UNREADABLE = (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
SHOWN = 3
Parts = dict[Split, pl.DataFrame]


def law_faults(folder: Path) -> list[Fault]:
    """Every law that the data breaks; what cannot be read is a fault itself."""
    parts: Parts = {}
    faults: list[Fault] = []
    for split in Split:
        name = f"data/{split.value}.parquet"
        try:
            parts[split] = pl.read_parquet(folder / name, use_statistics=False)
        except UNREADABLE as error:
            faults.append(_broken(name, f"it cannot be read: {str(error).splitlines()[0]}"))
    return faults or [fault for law in LAWS for fault in _kept(law, folder, parts)]


def _kept(law: Callable[[Path, Parts], Iterator[Fault]], folder: Path, parts: Parts) -> list[Fault]:
    """What a law finds; data without what it looks at breaks it."""
    try:
        return list(law(folder, parts))
    except (*UNREADABLE, KeyError, TypeError) as error:
        return [_broken("data", f"it is not as a dataset of ours is: {str(error).splitlines()[0]}")]


def _same_rows(folder: Path, parts: Parts) -> Iterator[Fault]:
    """JSON lines and Parquet hold the same rows in the same order."""
    for split, rows in parts.items():
        name = f"data/{split.value}.jsonl"
        lines = (folder / name).read_bytes().splitlines()
        if [json.loads(line) for line in lines] != rows.to_dicts():
            yield _broken(name, f"its {len(lines):,} rows are not the {rows.height:,} of data/{split.value}.parquet")


def _counts(folder: Path, parts: Parts) -> Iterator[Fault]:
    """There are as many rows as the statistics and the manifest say."""
    told = {each["split"]: each["pairs"] for each in _json(folder / STATISTICS)["splits"]}
    found = {split.value: rows.height for split, rows in parts.items()}
    if told != found:
        yield _broken(STATISTICS, f"it tells of {told} pairs, and there are {found}")
    rows = read_manifest(folder)["stages"]["examples"]["rows"]
    if rows != sum(found.values()):
        yield _broken(MANIFEST, f"it tells of {rows:,} examples, and there are {sum(found.values()):,}")


def _shape(_: Path, parts: Parts) -> Iterator[Fault]:
    """An example has an id of its own, two statements with their ids, and a side for each keyword."""
    for split, rows in parts.items():
        name = f"data/{split.value}.parquet"
        two = (pl.col("ids").list.len() == 2) & (pl.col("statements").list.len() == 2)
        sided = pl.col("keywords").list.len() == pl.col("keywords_pos").list.len()
        wrong = rows.filter(~(two & sided).fill_null(value=False))
        if wrong.height:
            yield _broken(name, f"{wrong.height:,} examples lack a statement or the side of a keyword")
    ids = pl.concat([rows["example_id"] for rows in parts.values()])
    repeated = ids.filter(ids.is_duplicated()).unique().sort().to_list()
    if repeated:
        yield _broken("data", f"{len(repeated):,} example ids stand more than once: {_some(repeated)}")


def _apart(_: Path, parts: Parts) -> Iterator[Fault]:
    """No statement stands in two splits, by its id or by its text without case and punctuation."""
    for what, column, fold in (("ids", "ids", str), ("texts", "statements", fold_case)):
        placed = [
            (fold(thing), split.value)
            for split, rows in parts.items()
            for thing in rows[column].explode(empty_as_null=False).unique().sort()
        ]
        offenders = straddlers(placed)
        if offenders:
            yield _broken("data", f"{len(offenders):,} statement {what} stand in two splits: {_some(offenders)}")


LAWS = (_counts, _shape, _same_rows, _apart)


def _json(path: Path) -> Any:  # Any: parsed JSON
    return json.loads(path.read_bytes())


def _broken(name: str, detail: str) -> Fault:
    return Fault(Kind.UNLAWFUL, name, detail)


def _some(things: list[str] | tuple[str, ...]) -> str:
    return ", ".join(things[:SHOWN]) + (" …" if len(things) > SHOWN else "")
