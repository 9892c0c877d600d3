"""The stage `judgements`: removes the pairs that annotators judged invalid, matched by content rather than by id."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from situatedgen.params import JudgementParams
from situatedgen.review.active_decisions import Judgement, judgement, votes
from situatedgen.review.decisions import Content, plain
from situatedgen.schemas import JUDGEMENTS, SPLIT, VERDICT
from situatedgen.vocabulary import Mode, Verdict

JUDGED = {
    "pair_id": pl.String(),
    "is_valid": pl.Boolean(),
    "faults": pl.List(pl.String),
    "people": pl.UInt32(),
    "is_tied": pl.Boolean(),
}


@dataclass(frozen=True, slots=True)
class Voice:
    """One current annotation, reduced to the fields that the vote uses."""

    pair: str
    annotator: str
    mode: Mode
    faults: tuple[str, ...]
    at: str


def judgements(
    statements: pl.DataFrame,
    selected: pl.DataFrame,
    splits: pl.DataFrame,
    decisions: pl.DataFrame,
    *,
    params: JudgementParams,
) -> pl.DataFrame:
    """Remove the pairs that annotators judged invalid from the splits; pairs without annotations stay."""
    assigned = splits.drop_nulls("split")
    rows = list(_judged_rows(_in_splits(assigned, params), statements, selected, decisions, params))
    found = pl.DataFrame(rows, schema=JUDGED, orient="row")
    table = assigned.join(found, on="pair_id", how="left", maintain_order="left").with_columns(
        pl.col("faults").fill_null([]), pl.col("people").fill_null(0), pl.col("is_tied").fill_null(value=False)
    )
    out = pl.col("is_valid").not_().fill_null(value=False)
    return table.with_columns(
        split=pl.when(out).then(None).otherwise("split").cast(SPLIT),
        verdict=pl.when(out).then(pl.lit(Verdict.JUDGED_INVALID.value)).otherwise("verdict").cast(VERDICT),
    ).select(list(JUDGEMENTS.columns))


def _in_splits(assigned: pl.DataFrame, params: JudgementParams) -> pl.DataFrame:
    return assigned.filter(pl.col("split").cast(pl.String).is_in([split.value for split in params.splits]))


def _judged_rows(
    assigned: pl.DataFrame,
    statements: pl.DataFrame,
    selected: pl.DataFrame,
    decisions: pl.DataFrame,
    params: JudgementParams,
) -> Iterator[tuple[object, ...]]:
    """The annotators' verdict on each pair that they judged."""
    if decisions.is_empty():
        return
    judged = judge_pairs(decisions, params.modes)
    for pair_id, content in contents(assigned, statements, selected, decisions):
        found = judged.get(content.key)
        if found is not None:
            yield pair_id, found.is_valid, list(found.faults), found.people, found.is_tied


def judge_pairs(decisions: pl.DataFrame, modes: Iterable[Mode]) -> Mapping[str, Judgement]:
    """The verdict on each pair, by pair key, from the annotations made in the given modes."""
    columns = ("pair", "annotator", "mode", "faults", "at")
    rows = decisions.sort("number", "annotator").select(columns).iter_rows()
    voices = [Voice(pair, annotator, Mode(mode), tuple(faults), at) for pair, annotator, mode, faults, at in rows]
    return {pair: judgement(found) for pair, found in votes(voices, modes).items()}


def contents(
    assigned: pl.DataFrame, statements: pl.DataFrame, selected: pl.DataFrame, decisions: pl.DataFrame
) -> Iterator[tuple[str, Content]]:
    """The pairs both of whose sentences were annotated, with their content.

    Filters by sentence first, because only few of possibly a million pairs were annotated.
    """
    known = {*decisions["first"], *decisions["second"]}
    ids = pl.concat([assigned["left_id"], assigned["right_id"]]).unique().to_frame("statement_id")
    rows = statements.join(ids, on="statement_id", how="semi").select("statement_id", "text").iter_rows()
    texts = {statement_id: text for statement_id, text in rows if plain(text) in known}
    sides = [pl.col(side).is_in(list(texts)) for side in ("left_id", "right_id")]
    asked = assigned.filter(*sides).select("pair_id").join(selected, on="pair_id")
    for pair_id, left, right, context in asked.select("pair_id", "left_id", "right_id", "context").iter_rows():
        yield pair_id, Content((texts[left], texts[right]), context)
