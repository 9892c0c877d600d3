"""Gets a committee ready for a pool: what takes long is kept in a folder, and found there the next time."""

import hashlib
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.filtering.checkpoints import write_table
from situatedgen.filtering.committee.committee import Committee
from situatedgen.filtering.committee.features import FEATURES, features
from situatedgen.filtering.committee.params import CommitteeParams
from situatedgen.filtering.committee.words import Analysis, analyses, tag_sequences, word_sequences
from situatedgen.filtering.pool import Pool
from situatedgen.models.weights import prepare
from situatedgen.runtime import Runtime

WORDS, MEASURES, KEY = "words.parquet", "perplexities.parquet", "made from"


def prepared(pool: Pool, params: CommitteeParams, *, folder: Path, runtime: Runtime) -> Committee:
    """The committee of a pool."""
    device = prepare(runtime)
    found = _analysed(pool, folder)
    language, longest, both = params.language, params.max_tokens, params.reads == "both"

    def measures() -> NDArray[np.float32]:
        texts = word_sequences(pool, found, size=language.vocabulary, longest=longest, both=True)
        return features(pool, texts, language, device=device)

    known = _read(folder / MEASURES, made := _key(pool, language.model_dump_json(), str(longest)))
    told = measures() if known is None else np.ascontiguousarray(known.to_numpy(), dtype=np.float32)
    if known is None:
        write_table(folder / MEASURES, pl.DataFrame(told, schema=list(FEATURES)), {KEY: made})
    return Committee(
        pool=pool,
        words=word_sequences(pool, found, size=params.vocabulary, longest=longest, both=both),
        tags=tag_sequences(pool, found, common=params.common_words, longest=longest, both=both),
        features=np.asarray((told - told.mean(axis=0)) / np.maximum(told.std(axis=0), 1e-6), dtype=np.float32),
        params=params,
        device=device,
    )


def _analysed(pool: Pool, folder: Path) -> dict[str, Analysis]:
    known = _read(folder / WORDS, made := _key(pool))
    if known is not None:
        return {text: Analysis(tuple(words), tuple(tags)) for text, words, tags in known.iter_rows()}
    found = analyses([*pool.first, *pool.second])
    rows = [(text, list(one.words), list(one.tags)) for text, one in found.items()]
    texts = pl.List(pl.String)
    table = pl.DataFrame(rows, schema={"text": pl.String, "words": texts, "tags": texts}, orient="row")
    write_table(folder / WORDS, table, {KEY: made})
    return found


def _key(pool: Pool, *parts: str) -> str:
    return hashlib.sha256("\x1f".join((pool.digest, *parts)).encode("utf-8")).hexdigest()


def _read(path: Path, made: str) -> pl.DataFrame | None:
    """A table that was made from just this; nothing where there is none."""
    try:
        return pl.read_parquet(path) if pl.read_parquet_metadata(path).get(KEY) == made else None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
