"""Trace an id through all tables, from its line in the source file to the examples that contain it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from situatedgen.errors import SettingsError
from situatedgen.review.criteria import CRITERIA
from situatedgen.schemas import PROBABILITIES
from situatedgen.vocabulary import Verdict

Tables = Mapping[str, pl.DataFrame]
FATES = ("shortlist", "judged", "selected", "splits", "judgements")
"""The stages that keep or reject a pair, in order."""


@dataclass(frozen=True)
class Step:
    """A node in the trace of an id, with facts and child steps."""

    title: str
    facts: tuple[str, ...] = ()
    below: tuple["Step", ...] = field(default=())


def history(tables: Tables, any_id: str) -> Step:
    """Trace an item, statement, pair or example, both upstream and downstream.

    Raises:
        SettingsError: no table contains the id.
    """
    pair = _row(tables["pairs"], "pair_id", any_id)
    if pair is not None:
        return _pair_history(tables, pair)
    if _row(tables["items"], "item_id", any_id) is None:
        raise SettingsError(f"no item, statement, pair or example has the id {any_id!r}")
    return _statement_history(tables, any_id, with_pairs=True)


def _pair_history(tables: Tables, pair: dict[str, object]) -> Step:
    facts = [f"context {pair['context']}, similarity {pair['similarity']:.4f}, {pair['verdict']}"]
    facts += _judge_facts(tables, pair["pair_id"])
    split = _row(tables["splits"], "pair_id", pair["pair_id"])
    if split is not None:
        facts.append(f"community {split['community']}, split {split['split']}, {split['verdict']}")
    facts += _judgement_facts(tables, pair["pair_id"])
    example = _row(tables["examples"], "example_id", pair["pair_id"])
    if example is not None:
        facts += [f"keywords {', '.join(_words(example['keywords']))}", f"statement {example['statement']}"]
    sides = (_statement_history(tables, str(pair[side]), with_pairs=False) for side in ("left_id", "right_id"))
    return Step(f"{'example' if example else 'pair'} {pair['pair_id']}", tuple(facts), tuple(sides))


def _judge_facts(tables: Tables, pair_id: object) -> list[str]:
    """The probabilities and the verdict of a pair from the last judging stage that contains it."""
    rows = [_row(tables[stage], "pair_id", pair_id) for stage in ("shortlist", "judged", "selected")]
    last = next((row for row in reversed(rows) if row is not None), None)
    if last is None:
        return []
    if last["probability"] is None:
        return [f"not judged, {last['verdict']}"]
    parts = ", ".join(f"{name} {last[name]:.2f}" for name in PROBABILITIES)
    return [f"{parts}, {last['verdict']}"]


def _judgement_facts(tables: Tables, pair_id: object) -> list[str]:
    """Annotators' verdict on a pair and the criteria it fails; empty if nobody annotated it."""
    row = _row(tables["judgements"], "pair_id", pair_id)
    if row is None or not row["people"]:
        return []
    faults = _words(row["faults"])
    why = f": {', '.join(CRITERIA[name].fault if name in CRITERIA else name for name in faults)}" if faults else ""
    tied = ", annotators are tied" if row["is_tied"] else ""
    return [f"annotators {row['people']}, {row['verdict']}{why}{tied}"]


def _statement_history(tables: Tables, statement_id: str, *, with_pairs: bool) -> Step:
    steps = [
        _statement_step(tables, statement_id),
        _spans_step(tables, "entities", "label", statement_id),
        _spans_step(tables, "keywords", "kind", statement_id),
        _mask_step(tables, statement_id),
    ]
    if with_pairs:
        steps += [_candidates_step(tables, statement_id), _pairs_step(tables, statement_id)]
    below = (_item_step(tables, statement_id), *(step for step in steps if step is not None))
    return Step(f"statement {statement_id}", below=below)


def _item_step(tables: Tables, item_id: str) -> Step:
    item = tables["items"].row(by_predicate=pl.col("item_id") == item_id, named=True)
    parts = {name: item[name] for name in ("question", "answer", "statement", "reason") if item[name] is not None}
    facts = [f"{name} {value}" for name, value in parts.items()]
    return Step(f"item {item['verdict']}: {item['file']}, line {item['line']}", (*facts, f"licence {item['licence']}"))


def _statement_step(tables: Tables, statement_id: str) -> Step | None:
    row = _row(tables["statements"], "statement_id", statement_id)
    if row is None:
        return None
    return Step(
        f"statements {row['verdict']}: {row['text']}",
        (f"shape {row['shape']}, confidence {row['confidence']:.2f}",),
    )


def _spans_step(tables: Tables, stage: str, kind: str, statement_id: str) -> Step | None:
    rows = tables[stage].filter(pl.col("statement_id") == statement_id)
    if rows.is_empty():
        return None
    return Step(f"{stage}: " + ", ".join(f"{row['text']} ({row[kind]})" for row in rows.iter_rows(named=True)))


def _mask_step(tables: Tables, statement_id: str) -> Step | None:
    row = _row(tables["masks"], "statement_id", statement_id)
    if row is None:
        return None
    return Step(f"masks {row['verdict']}: {row['masked_text']}", (f"context {row['context']}",))


def _candidates_step(tables: Tables, statement_id: str) -> Step | None:
    counts = _pairs_with(tables["candidates"], statement_id).group_by("verdict").len().sort("verdict")
    if counts.is_empty():
        return None
    return Step("candidates: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.iter_rows()))


def _pairs_step(tables: Tables, statement_id: str) -> Step | None:
    """The statement's kept pairs, each with its outcome; the others are only counted."""
    pairs = _pairs_with(tables["pairs"], statement_id)
    if pairs.is_empty():
        return None
    fates = [tables[stage].select("pair_id", pl.col("verdict").cast(pl.String).alias(stage)) for stage in FATES]
    kept = pairs.filter(pl.col("verdict") == Verdict.KEPT.value).sort("pair_id")
    for fate in fates:
        kept = kept.join(fate, on="pair_id", how="left", maintain_order="left")
    kept = kept.join(tables["judgements"].select("pair_id", "split"), on="pair_id", how="left", maintain_order="left")
    below = tuple(
        Step(f"{row['pair_id']}: {row['context']}, {row['similarity']:.4f}, {_outcome(row)}")
        for row in kept.iter_rows(named=True)
    )
    return Step(f"pairs: {kept.height} kept, {pairs.height - kept.height} too dissimilar", below=below)


def _outcome(row: Mapping[str, object]) -> object:
    """The split of a pair, or else the verdict that excluded it."""
    return row["split"] or next(row[stage] for stage in reversed(FATES) if row[stage])


def _pairs_with(table: pl.DataFrame, statement_id: str) -> pl.DataFrame:
    return table.filter((pl.col("left_id") == statement_id) | (pl.col("right_id") == statement_id))


def _row(table: pl.DataFrame, column: str, value: object) -> dict[str, object] | None:
    found = table.filter(pl.col(column) == value)
    return found.row(0, named=True) if found.height else None


def _words(value: object) -> list[str]:
    return [str(word) for word in value] if isinstance(value, list) else []
