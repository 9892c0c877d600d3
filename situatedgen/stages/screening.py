"""What may be wrong with a pair, and which pairs are let through."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
import polars as pl

from situatedgen.params import ScreeningParams
from situatedgen.records import Token
from situatedgen.schemas import SCREENING, VERDICT
from situatedgen.screening.degrees import within_degree
from situatedgen.screening.judging import doubts, failed
from situatedgen.screening.reading import Named, Reading
from situatedgen.vocabulary import Label, Verdict

T = TypeVar("T")


def screening(
    statements: pl.DataFrame,
    keywords: pl.DataFrame,
    parses: pl.DataFrame,
    pairs: pl.DataFrame,
    *,
    params: ScreeningParams,
) -> pl.DataFrame:
    """Flag what seems wrong with each pair, say how doubtful it is, and drop what fails a check that it must pass."""
    kept = pairs.filter(pl.col("verdict") == Verdict.KEPT)
    flagged = _flagged(kept, readings(kept, statements, keywords, parses))
    judged = flagged.with_columns(verdict=_verdict(params))
    return _capped(judged, params.max_degree).select(list(SCREENING.columns)).sort(SCREENING.key)


def readings(
    kept: pl.DataFrame, statements: pl.DataFrame, keywords: pl.DataFrame, parses: pl.DataFrame
) -> dict[str, Reading]:
    """The statements that stand in pairs, as the checks read them."""
    ids = pl.concat([kept["left_id"], kept["right_id"]]).unique().sort().alias("statement_id").to_frame()
    words = _grouped(parses, ids, Token)
    named = _grouped(keywords.select("statement_id", "start", "end", "label"), ids, _named)
    texts = ids.join(statements.select("statement_id", "text"), on="statement_id", how="left", maintain_order="left")
    return {each: Reading(text, words.get(each, ()), named.get(each, ())) for each, text in texts.iter_rows()}


def _grouped(table: pl.DataFrame, ids: pl.DataFrame, make: Callable[..., T]) -> dict[str, tuple[T, ...]]:
    """The rows of a table by statement, in order, each made into something."""
    found: dict[str, list[T]] = {}
    for statement_id, *values in table.join(ids, on="statement_id", how="semi").sort("statement_id", "start").rows():
        found.setdefault(statement_id, []).append(make(*values))
    return {statement_id: tuple(made) for statement_id, made in found.items()}


def _named(start: int, end: int, label: str | None) -> Named:
    return Named(start, end, Label(label) if label else None)


def _flagged(kept: pl.DataFrame, read: Mapping[str, Reading]) -> pl.DataFrame:
    """The pairs with the names of the checks they fail, and their doubt."""
    numbers = {statement_id: number for number, statement_id in enumerate(read)}
    sides = [np.array([numbers[each] for each in kept[side]], dtype=np.int64) for side in ("left_id", "right_id")]
    found = failed(list(read.values()), *sides)
    names = pl.DataFrame({check.verdict.value: flags for check, flags in found.items()})
    flags = pl.concat_list(pl.when(pl.col(name)).then(pl.lit(name)) for name in names.columns).list.drop_nulls()
    return kept.with_columns(
        names.select(flags.alias("flags"))["flags"], pl.Series("doubt", doubts(found, kept.height))
    )


def _verdict(params: ScreeningParams) -> pl.Expr:
    """The first check that a pair had to pass and failed."""
    first = pl.col("flags").list.eval(pl.element().filter(pl.element().is_in(params.drop))).list.first()
    return first.fill_null(Verdict.KEPT.value).cast(VERDICT)


def _capped(judged: pl.DataFrame, most: int) -> pl.DataFrame:
    """The pairs, of which those are out that would bring a statement into more than so many; 0 lets all be.

    The least doubtful pair comes first, then the most alike.
    """
    if not most:
        return judged
    kept = judged.filter(pl.col("verdict") == Verdict.KEPT)
    best = kept.sort("doubt", -pl.col("similarity"), "left_id", "right_id").select("left_id", "right_id", "pair_id")
    fits = within_degree(best.select("left_id", "right_id").rows(), most)
    over = best.filter(~pl.Series(fits, dtype=pl.Boolean))["pair_id"]
    is_over = pl.col("pair_id").is_in(over.implode())
    return judged.with_columns(
        verdict=pl.when(is_over).then(pl.lit(Verdict.TOO_FREQUENT.value, VERDICT)).otherwise("verdict")
    )
