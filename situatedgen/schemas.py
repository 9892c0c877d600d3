"""Table schemas: columns, types, key and sort order of every artifact."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from situatedgen.errors import SchemaError
from situatedgen.vocabulary import Context, ItemKind, KeywordKind, Label, Mode, Split, Verdict


def _enum(vocabulary: type[StrEnum]) -> pl.Enum:
    return pl.Enum([member.value for member in vocabulary])


VERDICT, KIND, LABEL, KEYWORD_KIND = _enum(Verdict), _enum(ItemKind), _enum(Label), _enum(KeywordKind)
CONTEXT, SPLIT, MODE = _enum(Context), _enum(Split), _enum(Mode)
TEXT = pl.String()
PROBABILITIES = ("probability", "fluent", "antithesis", "dependent", "common")
# A vector of any width; the encoder determines the width, which is constant within a table.
VECTOR = pl.Array(pl.Float32, 0)

Column = pl.DataType


@dataclass(frozen=True)
class Schema:
    """The columns of a table in order, and its unique key, by which rows are sorted."""

    columns: Mapping[str, Column]
    key: tuple[str, ...]

    @property
    def empty(self) -> pl.DataFrame:
        """An empty table of this schema."""
        return pl.DataFrame(schema=dict(self.columns))

    def frame(self, rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
        """Build a table from rows, sorted by key; building it column by column takes a third of the time."""
        if not rows:
            return self.empty
        columns = zip(self.columns.items(), zip(*rows, strict=True), strict=True)
        return pl.DataFrame([pl.Series(name, values, dtype) for (name, dtype), values in columns]).sort(self.key)

    def select(self, table: pl.DataFrame, columns: Iterable[str | pl.Expr]) -> pl.DataFrame:
        """Build a table from columns of another one, given in the order of this schema; sorted by key."""
        given = (pl.col(each) if isinstance(each, str) else each for each in columns)
        typed = [each.cast(dtype).alias(name) for each, (name, dtype) in zip(given, self.columns.items(), strict=True)]
        return table.select(typed).sort(self.key)


ITEMS = Schema(
    {
        "item_id": TEXT,
        "source": TEXT,
        "split": TEXT,
        "file": TEXT,
        "line": pl.UInt32(),
        "kind": KIND,
        "question": TEXT,
        "answer": TEXT,
        "statement": TEXT,
        "licence": TEXT,
        "citation": TEXT,
        "verdict": VERDICT,
        "reason": TEXT,
    },
    key=("item_id",),
)
TERMS = Schema({"statement_id": TEXT, "licence": TEXT}, key=("statement_id",))
STATEMENTS = Schema(
    {
        "statement_id": TEXT,
        "source": TEXT,
        "text": TEXT,
        "shape": TEXT,
        "confidence": pl.Float32(),
        "verdict": VERDICT,
    },
    key=("statement_id",),
)
ENTITIES = Schema(
    {"statement_id": TEXT, "start": pl.UInt32(), "end": pl.UInt32(), "text": TEXT, "label": LABEL},
    key=("statement_id", "start"),
)
KEYWORDS = Schema(
    {
        "statement_id": TEXT,
        "start": pl.UInt32(),
        "end": pl.UInt32(),
        "text": TEXT,
        "kind": KEYWORD_KIND,
        "label": LABEL,
    },
    key=("statement_id", "start"),
)
MASKS = Schema(
    {
        "statement_id": TEXT,
        "masked_text": TEXT,
        "mask_count": pl.UInt32(),
        "context": CONTEXT,
        "verdict": VERDICT,
    },
    key=("statement_id",),
)
EMBEDDINGS = Schema({"masked_text": TEXT, "vector": VECTOR}, key=("masked_text",))
CANDIDATES = Schema(
    {"left_id": TEXT, "right_id": TEXT, "similarity": pl.Float32(), "verdict": VERDICT},
    key=("left_id", "right_id"),
)
PAIRS = Schema(
    {
        "pair_id": TEXT,
        "left_id": TEXT,
        "right_id": TEXT,
        "similarity": pl.Float32(),
        "context": CONTEXT,
        "verdict": VERDICT,
    },
    key=("left_id", "right_id"),
)
PARSES = Schema(
    {
        "statement_id": TEXT,
        "start": pl.UInt32(),
        "end": pl.UInt32(),
        "lemma": TEXT,
        "tag": TEXT,
        "part": TEXT,
        "role": TEXT,
        "head": pl.UInt32(),
    },
    key=("statement_id", "start"),
)
# Pairs with their judgement, used by the stages shortlist, judged and selected.
JUDGED = Schema({**PAIRS.columns, **dict.fromkeys(PROBABILITIES, pl.Float32())}, key=PAIRS.key)
COMMUNITIES = Schema({"statement_id": TEXT, "community": pl.UInt32()}, key=("statement_id",))
# `text` is empty if the earlier dataset does not contain the statement's text.
PRECEDENT = Schema({"statement_id": TEXT, "text": TEXT, "split": SPLIT}, key=("statement_id",))
SPLITS = Schema(
    {
        "pair_id": TEXT,
        "left_id": TEXT,
        "right_id": TEXT,
        "community": pl.UInt32(),
        "split": SPLIT,
        "verdict": VERDICT,
    },
    key=("left_id", "right_id"),
)
DECISIONS = Schema(
    {
        "pair": TEXT,
        "annotator": TEXT,
        "mode": MODE,
        "asked": MODE,
        "first": TEXT,
        "second": TEXT,
        "context": CONTEXT,
        "faults": pl.List(pl.String),
        "number": pl.UInt32(),
        "at": TEXT,
    },
    key=("pair", "annotator", "mode", "asked"),
)
JUDGEMENTS = Schema(
    {
        **SPLITS.columns,
        "faults": pl.List(pl.String),
        "people": pl.UInt32(),
        "is_tied": pl.Boolean(),
    },
    key=SPLITS.key,
)
EXAMPLES = Schema(
    {
        "example_id": TEXT,
        "split": SPLIT,
        "keywords": pl.List(pl.String),
        "statement": TEXT,
        "ids": pl.List(pl.String),
        "keywords_pos": pl.List(pl.UInt32),
        "statements": pl.List(pl.String),
        "context": CONTEXT,
        "similarity": pl.Float32(),
        "probability": pl.Float32(),
        "licences": pl.List(pl.String),
    },
    key=("example_id",),
)
LEAKAGE = Schema(
    {
        "example_id": TEXT,
        "split": SPLIT,
        "left_neighbour": TEXT,
        "left_cosine": pl.Float32(),
        "right_neighbour": TEXT,
        "right_cosine": pl.Float32(),
    },
    key=("example_id",),
)


def check(table: pl.DataFrame, schema: Schema, *, name: str) -> pl.DataFrame:
    """Check a table against its schema and return it unchanged.

    Raises:
        SchemaError: columns or types differ, rows are not sorted by the key, or the key is not unique.
    """
    _check_columns(table, schema, name)
    keys = table.select(schema.key)
    if _is_ascending(keys):
        return table
    if keys.is_duplicated().any():
        repeated = keys.filter(keys.is_duplicated()).row(0)
        raise SchemaError(f"{name}: key {dict(zip(schema.key, repeated, strict=True))} occurs more than once")
    if not keys.equals(keys.sort(schema.key)):
        raise SchemaError(f"{name}: rows are not sorted by {', '.join(schema.key)}")
    return table


def _is_ascending(keys: pl.DataFrame) -> bool:
    """Whether each row is greater than the previous one, i.e. rows are sorted and unique."""
    is_greater, is_equal = pl.lit(value=False), pl.lit(value=True)
    for name in keys.columns:
        after, before = pl.col(name).slice(1), pl.col(name).slice(0, pl.len() - 1)
        is_greater |= is_equal & (after > before)
        is_equal &= after == before
    return keys.height < 2 or bool(keys.select(is_greater.fill_null(value=False).all()).item())


def _check_columns(table: pl.DataFrame, schema: Schema, name: str) -> None:
    found, wanted = dict(table.schema), dict(schema.columns)
    differing = [
        f"{column}: found {found.get(column, 'nothing')}, expected {wanted.get(column, 'nothing')}"
        for column in dict.fromkeys([*wanted, *found])
        if not _same_type(found.get(column), wanted.get(column))
    ]
    if differing:
        raise SchemaError(f"{name}: {'; '.join(differing)}")
    if list(found) != list(wanted):
        raise SchemaError(f"{name}: columns are in the order {list(found)}, expected {list(wanted)}")


def _same_type(found: Column | None, wanted: Column | None) -> bool:
    if wanted == VECTOR and isinstance(found, pl.Array):
        return found.inner == VECTOR.inner
    return found == wanted
