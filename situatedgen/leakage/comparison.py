"""The leakage of a build compared with that of random packings of the same communities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
import polars as pl

from situatedgen.leakage.certificate import (
    NUMBER,
    OUT,
    TRAIN,
    Certificate,
    Comparison,
    Cosines,
    Numbers,
    Sheet,
    certificate,
    round_number,
    sheet,
    split_numbers,
)
from situatedgen.leakage.neighbours import nearest_by_group
from situatedgen.params import SplitParams
from situatedgen.rules.assignment import pack
from situatedgen.rules.splits import straddlers, template
from situatedgen.vocabulary import Split

T = TypeVar("T")


def average_certificates(found: Sequence[T]) -> T:
    """Average values of the same structure: numbers are averaged, everything else is taken from the first.

    Example:
        >>> average_certificates([(1, "a"), (2, "a")])
        (1.5, 'a')
    """
    mean: T = _mean(list(found))
    return mean


def _mean(found: list[Any]) -> Any:  # Any: a certificate or any part of one
    first = found[0]
    if is_dataclass(first) and not isinstance(first, type):
        return type(first)(**{each.name: _mean([getattr(one, each.name) for one in found]) for each in fields(first)})
    if isinstance(first, tuple):
        return tuple(_mean(list(parts)) for parts in zip(*found, strict=True))
    is_number = isinstance(first, int | float) and any(one != first for one in found)
    return round_number(sum(found) / len(found)) if is_number else first


PACKINGS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Communities:
    """Community of each sentence (-1: none), and its cosine with the nearest sentence of every community."""

    of_sentence: Numbers
    near: Cosines

    def __len__(self) -> int:
        """Number of communities."""
        return int(self.near.shape[1])


def random_packings(
    sheet: Sheet, communities: Communities, shares: tuple[float, float, float], packings: int = PACKINGS
) -> Certificate | None:
    """Mean certificate of random assignments of communities with the same shares; None if there are no communities."""
    if not len(communities) or not packings:
        return None
    sizes, anchors = _sizes(sheet, communities), _anchors(sheet, communities)
    dealings = [pack(sizes, anchors, seed=seed, dev_share=shares[1], test_share=shares[2]) for seed in range(packings)]
    return average_certificates([_packing_certificate(sheet, communities, shares, assigned) for assigned in dealings])


def _packing_certificate(
    sheet: Sheet, communities: Communities, shares: tuple[float, float, float], assigned: Mapping[int, Split]
) -> Certificate:
    split = np.full(len(communities), OUT, np.int64)
    for label, name in assigned.items():
        split[label] = NUMBER[name]
    sides = [communities.of_sentence[side] for side in (sheet.left, sheet.right)]
    # The last element, index -1, is for sentences without a community.
    left, right = (np.append(split, OUT)[side] for side in sides)
    in_train = np.flatnonzero(split == TRAIN)
    near = communities.near[:, in_train].max(axis=1, initial=np.float32(-1))
    return certificate(sheet, np.where(left == right, left, OUT), near, shares=shares)


def _sizes(sheet: Sheet, communities: Communities) -> dict[int, int]:
    """Number of pairs in each community that has any."""
    left, right = communities.of_sentence[sheet.left], communities.of_sentence[sheet.right]
    sizes = np.bincount(left[(left == right) & (left >= 0)], minlength=len(communities))
    return {label: size for label, size in enumerate(sizes.tolist()) if size}


def _anchors(sheet: Sheet, communities: Communities) -> dict[int, str]:
    """The first sentence of each community."""
    labels, firsts = np.unique(communities.of_sentence, return_index=True)
    return {label: sheet.names[first] for label, first in zip(labels.tolist(), firsts.tolist(), strict=True)}


MOST_TEXTS = 4096
"""With more sentences than this, random packings are skipped, because their cost is quadratic."""


def comparison(tables: Mapping[str, pl.DataFrame], params: SplitParams) -> Comparison:
    """Compute the certificate of a build, and that of random packings if the build is small enough."""
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
    # Skip triples: they take longest to count, and nearly all are unseen in any assignment.
    fewer = replace(found, words=tuple(words for words in found.words if words.size < 3))
    random = random_packings(fewer, communities(found, tables), shares) if is_small else None
    return Comparison(built, PACKINGS if random else 0, random)


def shared_templates(examples: pl.DataFrame, masks: pl.DataFrame) -> tuple[str, ...]:
    """Masked texts that occur in two splits, compared as in the leak checks of the splits."""
    placed = examples.select("split", pl.col("ids").alias("statement_id")).explode("statement_id").unique()
    texts = placed.join(masks.select("statement_id", "masked_text"), on="statement_id")
    return straddlers((template(text), split) for split, text in texts.select("split", "masked_text").iter_rows())


def vectors(names: tuple[str, ...], masks: pl.DataFrame, embeddings: pl.DataFrame) -> Cosines:
    """Embedding of each statement's masked text, in the order of the given ids."""
    asked = pl.DataFrame({"statement_id": names}, schema={"statement_id": pl.String})
    texts = asked.join(masks.select("statement_id", "masked_text"), on="statement_id", maintain_order="left")
    places = texts.join(
        embeddings.select("masked_text").with_row_index("place"), on="masked_text", maintain_order="left"
    )
    found: Cosines = embeddings["vector"].to_numpy()[places["place"].to_numpy()]
    return found


def communities(found: Sheet, tables: Mapping[str, pl.DataFrame]) -> Communities:
    """Community of each sentence that has a pair within one, and its nearest sentence in each community."""
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
    """Cosine of each sentence with its nearest in train, from the table of the `leakage` stage."""
    near = np.full(len(found.names), -1, np.float32)
    places = examples.select("example_id").with_row_index("place")
    rows = leakage.join(places, on="example_id")
    place = rows["place"].to_numpy()
    near[found.left[place]] = rows["left_cosine"].to_numpy()
    near[found.right[place]] = rows["right_cosine"].to_numpy()
    return near
