"""What may be wrong with a pair, and which pairs are let through."""

from collections.abc import Callable, Mapping, Set
from typing import TypeVar

import numpy as np
import polars as pl

from situatedgen.params import ScreeningParams
from situatedgen.records import Token
from situatedgen.schemas import SCREENING, VERDICT
from situatedgen.screening.clauses import clause_of
from situatedgen.screening.degrees import within_degree
from situatedgen.screening.facts import Words, words_of
from situatedgen.screening.judging import Pairs, doubts, failed
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
    read = readings(kept, statements, keywords, parses)
    flagged = _flagged(kept, read, _stated(statements, keywords), frozenset(params.drop))
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


def _flagged(kept: pl.DataFrame, read: Mapping[str, Reading], stated: Set[Words], must_pass: Set[str]) -> pl.DataFrame:
    """The pairs with the names of the checks they fail, and their doubt."""
    numbers = {statement_id: number for number, statement_id in enumerate(read)}
    left, right = (np.array([numbers[each] for each in kept[side]], dtype=np.int64) for side in ("left_id", "right_id"))
    pairs = Pairs([clause_of(reading) for reading in read.values()], left, right)
    found = failed(pairs, stated, must_pass)
    names = pl.DataFrame({check.verdict.value: flags for check, flags in found.items()})
    flags = pl.concat_list(pl.when(pl.col(name)).then(pl.lit(name)) for name in names.columns).list.drop_nulls()
    doubt = doubts(pairs, found, kept["similarity"].to_numpy().astype(np.float64))
    return kept.with_columns(names.select(flags.alias("flags"))["flags"], pl.Series("doubt", doubt))


def _stated(statements: pl.DataFrame, keywords: pl.DataFrame) -> frozenset[Words]:
    """The keywords of each statement, in the form in which contents are compared."""
    kept = keywords.join(statements.filter(pl.col("verdict") == Verdict.KEPT), on="statement_id", how="semi")
    found = kept.group_by("statement_id").agg("text")["text"]
    return frozenset(words_of(each) for each in found)


def _verdict(params: ScreeningParams) -> pl.Expr:
    """The first check that a pair had to pass and failed, or that it is too doubtful all in all."""
    first = pl.col("flags").list.eval(pl.element().filter(pl.element().is_in(params.drop))).list.first()
    doubtful = pl.when(pl.col("doubt") > params.max_doubt).then(pl.lit(Verdict.TOO_DOUBTFUL.value))
    return pl.coalesce(first, doubtful, pl.lit(Verdict.KEPT.value)).cast(VERDICT)


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
