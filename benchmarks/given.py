"""Our later stages on statements that somebody else made."""

from collections.abc import Mapping

import polars as pl

from situatedgen import params
from situatedgen.models.registry import load
from situatedgen.runtime import Runtime
from situatedgen.schemas import STATEMENTS
from situatedgen.stages.candidates import candidates
from situatedgen.stages.embeddings import embeddings
from situatedgen.stages.entities import entities
from situatedgen.stages.keywords import keywords
from situatedgen.stages.masks import masks
from situatedgen.vocabulary import Verdict


def found_pairs(texts: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """The pairs, smaller id first, that the default models and rules find among statements by id."""
    kept = later_tables(texts)["candidates"].filter(
        pl.col("verdict") == Verdict.KEPT, pl.col("similarity") >= params.PairParams().min_similarity
    )
    return frozenset(kept.select("left_id", "right_id").iter_rows())


def later_tables(texts: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """The tables from statements to candidates, made with default params."""
    runtime = Runtime()
    stated = STATEMENTS.frame(
        [(id_, id_.partition("::")[0], text, "released", 1.0, Verdict.KEPT) for id_, text in texts.items()]
    )
    tagger = load("tagger", params.EntityParams().tagger, runtime)
    named = entities(stated, params=params.EntityParams(), tagger=tagger)
    nouns = load("nouns", params.KeywordParams().nouns, runtime)
    words = keywords(stated, named, params=params.KeywordParams(), nouns=nouns)
    masked = masks(stated, named, words, params=params.MaskParams())
    encoder = load("encoder", params.EmbeddingParams().encoder, runtime)
    vectors = embeddings(masked, params=params.EmbeddingParams(), encoder=encoder)
    looked_at = candidates(stated, named, masked, vectors, params=params.CandidateParams())
    return {"statements": stated, "entities": named, "keywords": words, "masks": masked,
            "embeddings": vectors, "candidates": looked_at}  # fmt: skip
