"""Leakage of released files in the authors' format, which contain only the examples."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from pydantic import TypeAdapter

from situatedgen.errors import SettingsError
from situatedgen.leakage.certificate import (
    NUMBER,
    TRAIN,
    Certificate,
    Cosines,
    Numbers,
    Sheet,
    SplitLeakage,
    certificate,
    sheet,
    split_leakage,
)
from situatedgen.leakage.comparison import average_certificates
from situatedgen.leakage.neighbours import nearest, nearest_other
from situatedgen.mining.search import Vectors
from situatedgen.models.roles import Encoder
from situatedgen.records import Span
from situatedgen.resources import read_text
from situatedgen.rules.keywords import mask
from situatedgen.rules.splits import straddlers, template
from situatedgen.seeds import order
from situatedgen.vocabulary import Split


@dataclass(frozen=True, slots=True)
class Authors:
    """Leakage of the authors' train split, the only split whose file is available.

    `against_others` compares each of its sentences with all others. `random_cut` is the mean over random splits of its
    pairs into 60, 15 and 25 % that ignore communities, i.e. the leakage of naive splits.
    """

    against_others: SplitLeakage
    random_cut: Certificate


_AUTHORS = TypeAdapter(Authors)


@cache
def authors() -> Authors:
    """Precomputed leakage of the authors' train split."""
    return _AUTHORS.validate_python(tomllib.loads(read_text("authors_leakage.toml")))


MASK = "[UNK]"
CUTS = 5
SHARES = (0.6, 0.15, 0.25)


def masked_texts(examples: pl.DataFrame) -> dict[str, str]:
    """Masked text of each statement, by id; its keywords are those that the example attributes to it."""
    found: dict[str, str] = {}
    columns = ("ids", "statements", "keywords", "keywords_pos")
    for ids, statements, keywords, sides in examples.select(columns).iter_rows():
        for side, (name, text) in enumerate(zip(ids, statements, strict=True)):
            own = [word for word, place in zip(keywords, sides, strict=True) if place == side]
            found.setdefault(name, mask_statement(text, own))
    return found


def mask_statement(text: str, keywords: Sequence[str]) -> str:
    """Replace each keyword of a statement with a mask, longer keywords first.

    Example:
        >>> mask_statement("July is summer in China.", ["China", "July", "summer"])
        '[UNK] is [UNK] in [UNK].'
    """
    spans: list[Span] = []
    for word in sorted(keywords, key=lambda word: (-len(word), word)):
        for place in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text):
            span = Span(*place.span())
            if all(span.end <= other.start or other.end <= span.start for other in spans):
                spans.append(span)
                break
    return mask(text, sorted(spans, key=lambda span: span.start), MASK)


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """Examples as a sheet, with the template (masked text) and the embedding of each sentence."""

    sheet: Sheet
    templates: tuple[str, ...]
    vectors: Vectors


def release(examples: pl.DataFrame, encoder: Encoder) -> Release:
    """Prepare released examples: mask and encode each statement."""
    found, texts = sheet(examples), masked_texts(examples)
    templates = tuple(texts[name] for name in found.names)
    distinct = sorted(set(templates))
    places = {text: place for place, text in enumerate(distinct)}
    vectors = encoder.encode(distinct)
    return Release(found, templates, vectors[[places[text] for text in templates]])


def against_train(release: Release, splits: Numbers) -> Certificate:
    """Certificate of examples with known splits; a sentence that also occurs in train has cosine 1."""
    return certificate(
        release.sheet,
        splits,
        _near(release, splits),
        shares=SHARES,
        shared_templates=_count_shared_templates(release, splits),
    )


def against_itself(release: Release) -> Authors:
    """Leakage measures for a single split: each sentence against the others, and random cuts of its examples."""
    near = nearest_other(release.vectors)
    everything = np.full(len(release.sheet), NUMBER[Split.TRAIN], np.int64)
    alone = split_leakage(replace(release.sheet, words=()), everything, near, Split.TRAIN)
    cuts = [against_train(release, random_cut(len(release.sheet), seed)) for seed in range(CUTS)]
    return Authors(against_others=alone, random_cut=average_certificates(cuts))


def random_cut(count: int, seed: int) -> Numbers:
    """Assign examples to train, dev and test at random, ignoring what they share."""
    shuffled = order(seed, "random cut", count)
    train, dev = round(SHARES[0] * count), round(SHARES[1] * count)
    found = np.full(count, NUMBER[Split.TEST], np.int64)
    found[shuffled[:train]] = NUMBER[Split.TRAIN]
    found[shuffled[train : train + dev]] = NUMBER[Split.DEV]
    return found


def _near(release: Release, splits: Numbers) -> Cosines:
    in_train = splits == TRAIN
    known = np.unique(np.concatenate([release.sheet.left[in_train], release.sheet.right[in_train]]))
    return nearest(release.vectors, release.vectors[known])[1]


def _count_shared_templates(release: Release, splits: Numbers) -> int:
    """Number of templates that occur in two splits."""
    ends = np.concatenate([release.sheet.left, release.sheet.right])
    placed = {*zip(ends.tolist(), np.concatenate([splits, splits]).tolist(), strict=True)}
    return len(straddlers((template(release.templates[end]), str(split)) for end, split in sorted(placed)))


FIELDS = {
    "ids": pl.List(pl.String),
    "statements": pl.List(pl.String),
    "keywords": pl.List(pl.String),
    "keywords_pos": pl.List(pl.Int64),
}
UNREADABLE = (OSError, pl.exceptions.PolarsError)


def read_examples(path: Path) -> pl.DataFrame:
    """Read the examples of a file, with `context` if present.

    Raises:
        SettingsError: the file cannot be read or lacks a field, or an example does not have two statements.
    """
    try:
        rows = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ndjson(path)
        missing = [name for name in FIELDS if name not in rows.columns]
        if missing:
            raise SettingsError(f"{path} contains no examples: it has no field {', '.join(missing)}")
        known = rows.select(pl.col(name).cast(kind) for name, kind in FIELDS.items())
    except UNREADABLE as error:
        raise SettingsError(f"{path} cannot be read as JSON lines or Parquet: {error}") from error
    _check(known, path)
    return known.with_columns(rows["context"].cast(pl.String)) if "context" in rows.columns else known


def _check(rows: pl.DataFrame, path: Path) -> None:
    two = rows.select(pl.all_horizontal(pl.col(name).list.len() == 2 for name in ("ids", "statements")))
    even = rows.select(pl.col("keywords").list.len() == pl.col("keywords_pos").list.len())
    whole = (two.to_series() & even.to_series()).fill_null(value=False)
    if not whole.all():
        raise SettingsError(
            f"{path}, example {(whole.arg_min() or 0) + 1}: expected two ids, two statements,"
            " and as many keywords_pos as keywords"
        )


def read_placed(held_back: Sequence[Path], train: Sequence[Path]) -> pl.DataFrame:
    """Read examples of files and folders with their split: train from `train`, dev from files named dev, else test.

    Raises:
        SettingsError: a file cannot be read, or contains no examples.
    """
    placed = [(path, Split.TRAIN) for path in _files(train, (Split.TRAIN,))]
    placed += [(path, _split_from_name(path)) for path in _files(held_back, (Split.DEV, Split.TEST))]
    parts = [read_examples(path).with_columns(split=pl.lit(split.value)) for path, split in placed]
    return pl.concat(parts, how="diagonal")


def _files(paths: Sequence[Path], splits: tuple[Split, ...]) -> list[Path]:
    """Expand dataset folders to the files of the given splits; other paths are kept."""
    return [
        file
        for path in paths
        for file in ([path / "data" / f"{split.value}.parquet" for split in splits] if path.is_dir() else [path])
    ]


def _split_from_name(path: Path) -> Split:
    return Split.DEV if path.stem.lower().startswith(("dev", "val")) else Split.TEST
