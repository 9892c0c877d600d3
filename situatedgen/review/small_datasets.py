"""Small datasets for tests of reviewing."""

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from situatedgen.report.folder import FORMAT, MANIFEST
from situatedgen.vocabulary import Context, Split

PLACES = (
    *("Japan", "Brazil", "Norway", "Kenya", "Peru", "Italy", "Nepal", "Chile", "Spain", "Egypt"),
    *("Canada", "Mexico", "Greece", "Cuba", "Iran", "Ghana", "Poland", "Fiji", "Oman", "Laos"),
)
COLUMNS = {
    "example_id": pl.String(),
    "keywords": pl.List(pl.String),
    "keywords_pos": pl.List(pl.Int64),
    "ids": pl.List(pl.String),
    "statements": pl.List(pl.String),
    "context": pl.String(),
    "flags": pl.List(pl.String),
    "doubt": pl.Float32(),
}


def place_pairs(count: int) -> list[tuple[str, str]]:
    """So many pairs of sentences, each of two places."""
    couples = zip(PLACES, (*PLACES[1:], PLACES[0]), strict=True)
    pairs = [(f"It is summer in {left} in July.", f"It is winter in {right} in July.") for left, right in couples]
    return pairs[:count]


def write_dataset(folder: Path, pairs: Sequence[tuple[str, str]], *, split: Split = Split.TEST) -> Path:
    """A dataset folder whose one split holds some pairs, as far as whoever judges them needs it."""
    (folder / "data").mkdir(parents=True)
    (folder / MANIFEST).write_text(json.dumps({"format": FORMAT}), encoding="utf-8")
    for each in Split:
        rows = [_row(number, pair) for number, pair in enumerate(pairs)] if each is split else []
        table = pl.DataFrame(rows, schema=COLUMNS, orient="row")
        table.write_parquet(folder / "data" / f"{each.value}.parquet")
    return folder


def _row(number: int, pair: tuple[str, str]) -> tuple[object, ...]:
    ids = [f"own::train::{2 * number + side}" for side in (0, 1)]
    words = [(word.strip("."), side) for side in (1, 0) for word in pair[side].split() if word[0].isupper()]
    places = {word: side for word, side in words if word != "It"}
    keywords = sorted(places, key=lambda word: (places[word], pair[places[word]].find(word)))
    told = list(keywords), [places[word] for word in keywords], ids, list(pair)
    return "|".join(ids), *told, Context.GEO.value, ["contained"], 0.5
