"""Which statements are similar enough to look at, and what the rules say of each pair."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.errors import SchemaError
from situatedgen.mining.expansion import expanded
from situatedgen.mining.kinds import within_kinds
from situatedgen.mining.search import Hits
from situatedgen.params import CandidateParams
from situatedgen.rules.pairing import KINDS, PairSide, judge, pair_side
from situatedgen.schemas import CANDIDATES, VERDICT
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context, Verdict

CHUNK = 1 << 18


def candidates(
    statements: pl.DataFrame,
    entities: pl.DataFrame,
    masks: pl.DataFrame,
    embeddings: pl.DataFrame,
    *,
    params: CandidateParams,
) -> pl.DataFrame:
    """Judge every pair of statements whose masked texts are at least as similar as the floor."""
    masked = _masked(masks, embeddings)
    pairs = expanded(_hits(masked, embeddings, params.floor), masked["text"])
    sides = _sides(masked, statements, entities)
    ids = masked["statement_id"]
    columns = (
        ids.gather(pairs["left"]),
        ids.gather(pairs["right"]),
        pairs["similarity"],
        _verdicts(pairs, sides),
    )
    return pl.DataFrame(dict(zip(CANDIDATES.columns, columns, strict=True)), schema=dict(CANDIDATES.columns))


def _masked(masks: pl.DataFrame, embeddings: pl.DataFrame) -> pl.DataFrame:
    """The statements that may be paired, in order of their ids: id, context, and the number of their text."""
    texts = embeddings.select("masked_text").with_row_index("text")
    masked = (
        masks.filter(pl.col("verdict") == Verdict.KEPT).join(texts, on="masked_text", how="left").sort("statement_id")
    )
    if masked["text"].null_count():
        missing = masked.filter(pl.col("text").is_null())["masked_text"][0]
        raise SchemaError(f"embeddings: the masked text {missing!r} has no vector")
    return masked.select("statement_id", "context", "text")


def _hits(masked: pl.DataFrame, embeddings: pl.DataFrame, floor: float) -> Hits:
    """The pairs of texts that share a kind of context and are similar; a text has the kinds of all its statements."""
    vectors = embeddings["vector"].to_numpy()
    geo, temp = (_texts_with(masked, kind, len(vectors)) for kind in (Context.GEO, Context.TEMP))
    return within_kinds(vectors, geo, temp, floor=floor)


def _texts_with(masked: pl.DataFrame, kind: Context, count: int) -> NDArray[np.bool_]:
    contexts = [context for context, kinds in KINDS.items() if kind in kinds]
    flags = np.zeros(count, dtype=np.bool_)
    flags[masked.filter(pl.col("context").is_in(contexts))["text"].to_numpy()] = True
    return flags


def _sides(masked: pl.DataFrame, statements: pl.DataFrame, entities: pl.DataFrame) -> list[PairSide]:
    """What the rules look at in each statement, in the same order."""
    situating = entities.filter(pl.col("label").is_in(sorted(GEO_LABELS | TEMP_LABELS)))
    names = situating.group_by("statement_id").agg(pl.col("text").alias("names"))
    texts = statements.select("statement_id", pl.col("text").alias("statement"))
    rows = (
        masked.join(texts, on="statement_id", how="left", maintain_order="left")
        .join(names, on="statement_id", how="left", maintain_order="left")
        .select("statement", "names", "context")
    )
    return [pair_side(text, named or (), Context(context)) for text, named, context in rows.iter_rows()]


def _verdicts(pairs: pl.DataFrame, sides: list[PairSide]) -> pl.Series:
    """The verdict on each pair; some at a time, for Python's numbers and strings take more room than a table's."""
    parts = [
        pl.Series(
            [judge(sides[left], sides[right]) for left, right in part.select("left", "right").iter_rows()],
            dtype=VERDICT,
        )
        for part in pairs.iter_slices(CHUNK)
    ]
    return pl.concat([pl.Series(dtype=VERDICT), *parts])
