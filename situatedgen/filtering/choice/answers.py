"""Questions as they are published: four answers in a random order, and which of them is right."""

import polars as pl

from situatedgen.dataset.configuration import CHOICE_FIELDS, TEXTS
from situatedgen.filtering.assigning import questions
from situatedgen.filtering.pool import Pool, Rows, texts
from situatedgen.seeds import order


def answers(pool: Pool, assignment: Rows, examples: pl.DataFrame, *, seed: int) -> pl.DataFrame:
    """A row a question, with its split: the right pair of sentences among wrong ones, in an order drawn by its id."""
    rows = [
        (item_id, *_shuffled(texts(pool, own), order(seed, f"answers\x1f{item_id}", len(own))))
        for item_id, own in zip(pool.item_ids, questions(pool, assignment).tolist(), strict=True)
    ]
    asked = pl.DataFrame(rows, schema={"example_id": pl.String, "choices": TEXTS, "label": pl.Int64}, orient="row")
    about = examples.select("example_id", "split", "keywords", "context", "ids", "licences")
    whole = asked.join(about, on="example_id", how="left").sort("example_id")
    typed = [pl.col(name).cast(field.dtype) for name, field in CHOICE_FIELDS.items()]
    return whole.select(*typed, pl.col("split").cast(pl.String))


def _shuffled(found: list[str], places: list[int]) -> tuple[list[str], int]:
    return [found[place] for place in places], places.index(0)
