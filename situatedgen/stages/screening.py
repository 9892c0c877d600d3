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
from situatedgen.screening.delta import ENDS, Stating, still_known
from situatedgen.screening.facts import Words
from situatedgen.screening.judging import Pairs, doubts, failed
from situatedgen.screening.reading import Named, Reading
from situatedgen.stages.earlier import Earlier
from situatedgen.vocabulary import Label, Verdict

T = TypeVar("T")
_WORDING = pl.col("text").str.to_lowercase().str.replace_all(r"\W+", " ").str.strip_chars()


def screening(
    statements: pl.DataFrame,
    keywords: pl.DataFrame,
    parses: pl.DataFrame,
    pairs: pl.DataFrame,
    *,
    params: ScreeningParams,
    earlier: Earlier | None = None,
) -> pl.DataFrame:
    """Flag what seems wrong with each pair, say how doubtful it is, and drop what fails a check that it must pass.

    Of an `earlier` run the flags of pairs that nothing has touched are taken over; the result is the same without it.
    """
    kept = pairs.filter(pl.col("verdict") == Verdict.KEPT)
    now = Stating(statements, keywords, parses)
    known = _known(kept, now, params, earlier)
    fresh = kept.join(known, on=ENDS, how="anti")
    flagged = _flagged(fresh, readings(fresh, statements, keywords, parses), now.stated, frozenset(params.drop))
    judged = pl.concat([known, flagged]).with_columns(verdict=_verdict(params))
    return _capped(judged, statements, params.max_degree).select(list(SCREENING.columns)).sort(SCREENING.key)


def shared_keywords(
    before: pl.DataFrame, earlier: ScreeningParams, keywords: pl.DataFrame, params: ScreeningParams
) -> int:
    """How many keywords an earlier run may spare a new one: none where pairs had to pass other checks.

    `before` and `earlier` are the keywords and the params of that run.
    """
    same = keywords.join(before, on=["statement_id", "start", "end", "text"], how="semi")
    return same.height if set(earlier.drop) == set(params.drop) else 0


def _known(kept: pl.DataFrame, now: Stating, params: ScreeningParams, earlier: Earlier | None) -> pl.DataFrame:
    """The pairs of which an earlier run has said all there is to say."""
    if earlier is None or not _is_usable(earlier, params):
        return kept.clear().with_columns(flags=pl.lit(None, pl.List(pl.String)), doubt=pl.lit(None, pl.Float32))
    before = Stating(*(earlier.inputs[name] for name in ("statements", "keywords", "parses")))
    known = still_known(kept, now, before, earlier.result)
    earlier.reused_rows = known.height
    return known


def _is_usable(earlier: Earlier, params: ScreeningParams) -> bool:
    """Whether pairs had to pass the same checks; one that failed them was not looked at any further."""
    return isinstance(earlier.params, ScreeningParams) and set(earlier.params.drop) == set(params.drop)


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


def _verdict(params: ScreeningParams) -> pl.Expr:
    """The first check that a pair had to pass and failed, or that it is too doubtful all in all."""
    first = pl.col("flags").list.eval(pl.element().filter(pl.element().is_in(params.drop))).list.first()
    doubtful = pl.when(pl.col("doubt") > params.max_doubt).then(pl.lit(Verdict.TOO_DOUBTFUL.value))
    return pl.coalesce(first, doubtful, pl.lit(Verdict.KEPT.value)).cast(VERDICT)


def _capped(judged: pl.DataFrame, statements: pl.DataFrame, most: int) -> pl.DataFrame:
    """The pairs, of which those are out that would bring a sentence into more than so many; 0 lets all be.

    The least doubtful pair comes first, then the most alike. Statements of the same words are one sentence.
    """
    if not most:
        return judged
    kept = judged.filter(pl.col("verdict") == Verdict.KEPT)
    best = kept.sort("doubt", -pl.col("similarity"), "left_id", "right_id").select("left_id", "right_id", "pair_id")
    wording = dict(statements.select("statement_id", _WORDING).iter_rows())
    fits = within_degree([(wording[left], wording[right]) for left, right, _ in best.iter_rows()], most)
    over = best.filter(~pl.Series(fits, dtype=pl.Boolean))["pair_id"]
    is_over = pl.col("pair_id").is_in(over.implode())
    return judged.with_columns(
        verdict=pl.when(is_over).then(pl.lit(Verdict.TOO_FREQUENT.value, VERDICT)).otherwise("verdict")
    )
