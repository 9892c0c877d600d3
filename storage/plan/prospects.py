"""What a job that must run will make of what is known, and how much of it is to be computed."""

from dataclasses import dataclass

import polars as pl

from situatedgen.vocabulary import Verdict
from storage.artifacts import KeyRecord
from storage.jobs import Job
from storage.plan.asking import UNITS, Questions, questions, unanswered
from storage.plan.bench import Bench
from storage.plan.memory import Overheard
from storage.plan.rows import Part, changed_ids
from storage.plan.sight import NOTHING, Sight, Tables, are_settled
from storage.runner import asks

QUICK = frozenset({"pairs", "screening", "splits", "judgements"})
"""The stages that ask no model, do not work row by row, and are done in a moment."""
SCREENED = 5_000
"""So many pairs are screened in a moment; with more, only how many there are is told."""


@dataclass(frozen=True)
class Prospect:
    """How much a job will compute, of how much, and the table that it will make, but for `pending` ids.

    `known` counts what is surely not computed again. What is not known before the run is nothing.
    """

    rows: int | None = None
    of: int | None = None
    known: int = 0
    up_to: bool = False
    asks: bool = False
    table: pl.DataFrame | None = None
    pending: frozenset[str] = NOTHING
    note: str = ""


@dataclass(frozen=True)
class Run:
    """An earlier run of the same code, params and models: what went in, and what came out."""

    inputs: Tables
    result: pl.DataFrame


def prospect(bench: Bench, sight: Sight, earlier: KeyRecord | None) -> Prospect:
    """What a job that must run will make, as far as its inputs are known."""
    each = bench.each
    if not each.inputs:
        return _made(bench.read())
    if each.grows_by and each.name not in QUICK:
        return _grown(bench, sight, earlier)
    tables = sight.inputs(bench.job.inputs)
    if tables is None:
        return Prospect(asks=asks(each))
    if each.name in UNITS and not asks(each):
        return _by_row(bench, sight, tables, earlier)
    if each.name in UNITS:
        return _asking(bench, sight, tables, earlier)
    if each.name not in QUICK or not are_settled(bench.job.inputs):
        return Prospect()
    if each.name == "screening" and (rows := _kept(tables["pairs"])) > SCREENED:
        return Prospect(rows, rows)
    return _made(bench.run(tables))


def _kept(table: pl.DataFrame) -> int:
    return table.filter(pl.col("verdict") == Verdict.KEPT).height


def _made(table: pl.DataFrame, waiting: frozenset[str] = NOTHING) -> Prospect:
    rows = table.height + len(waiting)
    return Prospect(rows, rows, up_to=bool(waiting), table=table, pending=waiting)


def _by_row(bench: Bench, sight: Sight, tables: Tables, earlier: KeyRecord | None) -> Prospect:
    """A stage that asks nothing, and whose rows of an id depend on that id alone."""
    waiting = _waiting(bench, sight)
    table, _ = _patched(bench, tables, waiting, _earlier_run(bench.job, earlier, sight))
    return _made(table, waiting)


def _asking(bench: Bench, sight: Sight, tables: Tables, earlier: KeyRecord | None) -> Prospect:
    waiting, unit = _waiting(bench, sight), UNITS[bench.job.stage]
    asked = questions(bench, tables, waiting)
    pending = waiting | unanswered(tables[bench.each.inputs[0]], asked.missing, unit)
    if "statement_id" not in bench.each.schema.columns:
        table = None if pending else _tried(bench, tables)
        return _answered(asked, table, pending)
    run = _earlier_run(bench.job, earlier, sight)
    table, fresh = _patched(bench, tables, pending, run)
    return _answered(asked, table, pending) if asked.of else _stated(table, fresh)


def _answered(asked: Questions, table: pl.DataFrame | None, pending: frozenset[str]) -> Prospect:
    return Prospect(
        asked.rows,
        asked.of,
        known=asked.known,
        up_to=asked.rows > asked.missing_sure,
        asks=True,
        table=table,
        pending=pending,
    )


def _stated(table: pl.DataFrame, fresh: int) -> Prospect:
    """A source of claims alone, of which a model is asked nothing: the rows that are new count."""
    return Prospect(fresh, table.height, known=table.height - fresh, table=table)


def _grown(bench: Bench, sight: Sight, earlier: KeyRecord | None) -> Prospect:
    """A stage that starts from an earlier run, and compares what is new with everything."""
    run, tables = _earlier_run(bench.job, earlier, sight), sight.known(bench.job.inputs)
    if run is None or bench.each.grows_by not in tables:
        return Prospect()
    kept = tables[bench.each.grows_by].filter(pl.col("verdict") == Verdict.KEPT)["statement_id"]
    waiting = _waiting(bench, sight)
    new, total = _changed(tables, run, "statement_id").intersection(kept) | waiting, len({*kept, *waiting})
    rows = f"{'up to ' if waiting else ''}{len(new):,} of {total:,}"
    return Prospect(known=total - len(new), note=f"{rows} statements to compare with all")


def _waiting(bench: Bench, sight: Sight) -> frozenset[str]:
    return sight.pending([ref for refs in bench.job.inputs.values() for ref in refs])


def _tried(bench: Bench, tables: Tables) -> pl.DataFrame | None:
    try:
        return bench.run(tables)
    except Overheard:
        return None


def _earlier_run(job: Job, earlier: KeyRecord | None, sight: Sight) -> Run | None:
    if earlier is None or any(
        earlier.parts.get(part) != job.parts[part] for part in ("code", "schema", "params", "models")
    ):
        return None
    inputs, result = sight.earlier_inputs(earlier.inputs), sight.read(earlier.ref)
    return None if inputs is None or result is None else Run(inputs, result)


def _changed(tables: Tables, run: Run, column: str) -> set[str]:
    """The ids of which some input says something else than in an earlier run."""
    named = [name for name, table in tables.items() if column in table.columns]
    return {each for name in named for each in changed_ids(run.inputs[name], tables[name], column)}


def _patched(bench: Bench, tables: Tables, pending: frozenset[str], run: Run | None) -> tuple[pl.DataFrame, int]:
    """The table that a stage will make but for pending ids, and how many of its rows are not of an earlier run."""
    unit = UNITS[bench.job.stage]
    left_out = Part.of(unit.id, pending)
    if run is None:
        table = bench.run({name: left_out.without(table) for name, table in tables.items()})
        return table, table.height
    changed = _changed(tables, run, unit.id)
    asked = Part.of(unit.id, changed - pending)
    fresh = bench.run({name: asked.within(table) for name, table in tables.items()})
    kept = Part.of("statement_id", changed | pending).without(run.result)
    return pl.concat([kept, fresh]).sort(bench.each.schema.key), fresh.height
