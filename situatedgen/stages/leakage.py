"""The stage `leakage`: the similarity of each dev and test example to its nearest train statements."""

import numpy as np
import polars as pl

from situatedgen.leakage.certificate import hubs, sheet
from situatedgen.leakage.comparison import shared_templates
from situatedgen.leakage.limits import check
from situatedgen.leakage.neighbours import nearest
from situatedgen.params import LeakageParams
from situatedgen.schemas import LEAKAGE
from situatedgen.vocabulary import Split


def leakage(
    examples: pl.DataFrame, masks: pl.DataFrame, embeddings: pl.DataFrame, *, params: LeakageParams
) -> pl.DataFrame:
    """Find the nearest train statements of each dev and test example; fail if a leakage limit is exceeded.

    Raises:
        LeakError: the dataset exceeds a limit of the params.
    """
    placed = _split_statements(examples, masks)
    known = placed.filter(pl.col("split") == Split.TRAIN.value)
    asked = placed.filter(pl.col("split") != Split.TRAIN.value)
    found = _example_rows(examples, _nearest_train(asked, known, embeddings))
    numbers = sheet(examples, sizes=())
    check(found, shared_templates(examples, masks), hubs(numbers, np.ones(len(numbers), np.bool_)), params)
    return found


def _split_statements(examples: pl.DataFrame, masks: pl.DataFrame) -> pl.DataFrame:
    """Every statement of the examples with its split and masked text."""
    placed = examples.select("split", pl.col("ids").alias("statement_id")).explode("statement_id").unique()
    return placed.join(masks.select("statement_id", "masked_text"), on="statement_id").sort("statement_id")


def _nearest_train(asked: pl.DataFrame, known: pl.DataFrame, embeddings: pl.DataFrame) -> pl.DataFrame:
    """The nearest known statement of each statement asked for.

    Known statements with the same template are represented by the one with the smallest id.
    """
    texts = known.group_by("masked_text").agg(pl.col("statement_id").min()).sort("statement_id")
    places = embeddings.select("masked_text").with_row_index("place")
    vectors = embeddings["vector"].to_numpy()
    own = asked.select("masked_text").unique().sort("masked_text")
    rows, columns = (
        vectors[table.join(places, on="masked_text", maintain_order="left")["place"].to_numpy()]
        for table in (own, texts)
    )
    numbers, cosines = nearest(rows, columns)
    named = texts["statement_id"].gather(pl.Series(numbers).replace(-1, None)) if texts.height else None
    near = own.with_columns(neighbour=named, cosine=pl.Series(cosines))
    return asked.select("statement_id", "masked_text").join(near, on="masked_text").drop("masked_text")


def _example_rows(examples: pl.DataFrame, near: pl.DataFrame) -> pl.DataFrame:
    """One row per dev and test example; no rows if there is no train split to compare with."""
    rows = examples.filter(pl.col("split") != Split.TRAIN.value).select("example_id", "split", "ids")
    for place, side in enumerate(("left", "right")):
        own = near.rename({"statement_id": "id", "neighbour": f"{side}_neighbour", "cosine": f"{side}_cosine"})
        rows = rows.with_columns(id=pl.col("ids").list.get(place)).join(own, on="id").drop("id")
    found = rows.drop_nulls("left_neighbour").select(pl.col(name).cast(kind) for name, kind in LEAKAGE.columns.items())
    return found.sort(LEAKAGE.key)
