"""All examples of a dataset as one compact JSON value, for a page that carries them along."""

import json
from collections.abc import Sequence

import polars as pl

from situatedgen.vocabulary import Context, Split

PARTS = 10_000
"""Similarity and probability are told in ten thousandths."""
SEPARATOR = "::"


def embedded(examples: pl.DataFrame) -> str:
    """The JSON text of all examples: each text stands once, and examples are numbers that point at texts.

    It can stand in a page as it is: no tag can begin in it.
    """
    ids, keywords = _unique(examples["ids"]), _unique(examples["keywords"])
    texts = _texts(examples)
    told: dict[str, pl.Series | list[str]] = {
        "ids": ids,
        "texts": [texts[each] for each in ids],
        "keywords": keywords,
        "splits": [split.value for split in Split],
        "contexts": [context.value for context in Context],
        **_columns(examples, ids, keywords),
        **_judged(examples),
    }
    return "{" + ",".join(f'"{name}":{_json(values)}' for name, values in told.items()) + "}"


def _json(values: pl.Series | list[str]) -> str:
    """Texts or whole numbers as JSON; of these there are many, and a column writes them much faster."""
    if isinstance(values, pl.Series):
        return f"[{values.cast(pl.String).fill_null('null').str.join(',').item()}]"
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _columns(examples: pl.DataFrame, ids: Sequence[str], keywords: Sequence[str]) -> dict[str, pl.Series]:
    """The examples column by column; `words` are twice the keyword's number and which statement it is of."""
    sides = [_numbers(examples["ids"].list.get(side), ids) for side in (0, 1)]
    words = _numbers(examples["keywords"].explode(empty_as_null=False), keywords)
    sides_of_words = examples["keywords_pos"].explode(empty_as_null=False).cast(pl.Int64)
    return {
        "left": sides[0],
        "right": sides[1],
        "split": _numbers(examples["split"], list(Split)),
        "context": _numbers(examples["context"], list(Context)),
        "similarity": _parts(examples["similarity"]),
        "counts": examples["keywords"].list.len(),
        "words": 2 * words + sides_of_words,
    }


def _judged(examples: pl.DataFrame) -> dict[str, pl.Series | list[str]]:
    """How probably each example is valid, where a judge was asked."""
    if "probability" not in examples.columns or examples["probability"].is_null().all():
        return {}
    return {"probability": _parts(examples["probability"])}


def _texts(examples: pl.DataFrame) -> dict[str, str]:
    pairs = examples.select("ids", "statements").explode("ids", "statements", empty_as_null=False)
    return dict(pairs.unique("ids").iter_rows())


def _unique(lists: pl.Series) -> list[str]:
    return lists.explode(empty_as_null=False).cast(pl.String).unique().sort().to_list()


def _numbers(values: pl.Series, known: Sequence[str]) -> pl.Series:
    """Where each value stands among those that are known."""
    places = {str(value): number for number, value in enumerate(known)}
    texts = values.cast(pl.String)
    return texts.replace_strict(places, return_dtype=pl.Int64) if places else texts.cast(pl.Int64)


def _parts(values: pl.Series) -> pl.Series:
    return (values.cast(pl.Float64) * PARTS).round().cast(pl.Int64)
