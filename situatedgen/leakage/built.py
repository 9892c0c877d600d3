"""The certificate of a build from its tables, beside what random packings of its communities would have given."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from situatedgen.leakage.certificate import Comparison
from situatedgen.leakage.certifying import Cosines, certificate
from situatedgen.leakage.nearest import nearest_by_group
from situatedgen.leakage.packings import PACKINGS, Communities, random_packings
from situatedgen.leakage.sheets import Sheet, sheet, split_numbers
from situatedgen.params import SplitParams
from situatedgen.rules.splits import straddlers, template

MOST_TEXTS = 4096
"""With more sentences than these, random packings are not tried: their cost grows as the square."""


def comparison(tables: Mapping[str, pl.DataFrame], params: SplitParams) -> Comparison:
    """What is told of the leakage of a build."""
    examples = tables["examples"]
    found = sheet(examples)
    shares = (1 - params.test_share - params.dev_share, params.dev_share, params.test_share)
    built = certificate(
        found,
        split_numbers(examples["split"]),
        _near(found, tables["leakage"], examples),
        shares=shares,
        shared_templates=len(shared_templates(examples, tables["masks"])),
    )
    is_small = 0 < len(found.names) <= MOST_TEXTS
    # Triples, of which nearly all are new however one deals, take longest to count.
    fewer = replace(found, words=tuple(words for words in found.words if words.size < 3))
    random = random_packings(fewer, communities(found, tables), shares) if is_small else None
    return Comparison(built, PACKINGS if random else 0, random)


def shared_templates(examples: pl.DataFrame, masks: pl.DataFrame) -> tuple[str, ...]:
    """The masked texts that stand in two splits, compared as the leak laws do."""
    placed = examples.select("split", pl.col("ids").alias("statement_id")).explode("statement_id").unique()
    texts = placed.join(masks.select("statement_id", "masked_text"), on="statement_id")
    return straddlers((template(text), split) for split, text in texts.select("split", "masked_text").iter_rows())


def vectors(names: tuple[str, ...], masks: pl.DataFrame, embeddings: pl.DataFrame) -> Cosines:
    """The vector of each statement's masked text, in the order of the statements' ids."""
    asked = pl.DataFrame({"statement_id": names}, schema={"statement_id": pl.String})
    texts = asked.join(masks.select("statement_id", "masked_text"), on="statement_id", maintain_order="left")
    places = texts.join(
        embeddings.select("masked_text").with_row_index("place"), on="masked_text", maintain_order="left"
    )
    found: Cosines = embeddings["vector"].to_numpy()[places["place"].to_numpy()]
    return found


def communities(found: Sheet, tables: Mapping[str, pl.DataFrame]) -> Communities:
    """The community of each sentence that has a pair within one, and its nearest in each."""
    kept = (
        tables["splits"].drop_nulls("community").unpivot(["left_id", "right_id"], index="community", value_name="name")
    )
    label = dict(kept.select("name", "community").unique("name", keep="last", maintain_order=True).iter_rows())
    numbers = {each: number for number, each in enumerate(sorted(set(label.values())))}
    of_sentence = np.array([numbers[label[name]] if name in label else -1 for name in found.names], np.int64)
    inside = np.flatnonzero(of_sentence >= 0)
    names = tuple(found.names[place] for place in inside)
    near = np.full((len(found.names), len(numbers)), np.float32(-1))
    every = vectors(names, tables["masks"], tables["embeddings"])
    near[inside] = nearest_by_group(every, of_sentence[inside], len(numbers))
    return Communities(of_sentence, near)


def _near(found: Sheet, leakage: pl.DataFrame, examples: pl.DataFrame) -> Cosines:
    """The cosine of each sentence with its nearest in train, as the stage found it."""
    near = np.full(len(found.names), -1, np.float32)
    places = examples.select("example_id").with_row_index("place")
    rows = leakage.join(places, on="example_id")
    place = rows["place"].to_numpy()
    near[found.left[place]] = rows["left_cosine"].to_numpy()
    near[found.right[place]] = rows["right_cosine"].to_numpy()
    return near
