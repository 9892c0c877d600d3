"""Plans a build from cache keys and changed rows, without running a stage: the action for each artifact, and why."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from itertools import islice
from pathlib import Path

import polars as pl

from situatedgen.errors import StoreError
from situatedgen.models.registry import entry
from situatedgen.pipeline import schema_of, stage
from situatedgen.sources.params import ItemParams
from situatedgen.sources.registry import choose_sources
from situatedgen.stages.items import refuse_malformed
from situatedgen.stages.stage import Stage
from storage.batches import model_of_stage, questions_of
from storage.builds import Build, Outcome, newest_first, read_stage
from storage.inputs import read_decisions
from storage.keys import Job, fingerprint, model_identity, symbol_digests
from storage.memo import Memo
from storage.plan.reasons import Inputs, Symbols, input_reasons, part_reasons, row_delta, symbols_of
from storage.requests import BuildRequest, items_job, job_of, models_of, params_of
from storage.store import ArtifactRef, KeyRecord, Store, table_digest


class Status(StrEnum):
    """What a build will do with an artifact: reuse it, compute part of it, or compute it."""

    CACHED = "cached"
    PARTIAL = "partial"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Step:
    """What a build will do with one artifact, and why.

    `rows` of `of` must be computed: model answers if `asks`, otherwise rows of the table; None if that is unknown
    before the run. With `up_to`, the count is an upper bound.
    """

    artifact: str
    status: Status
    rows: int | None = 0
    of: int | None = 0
    reasons: tuple[str, ...] = ()
    up_to: bool = False
    asks: bool = False

    @property
    def amount(self) -> str:
        """The rows in words, such as `up to 12 of 4,012`."""
        if self.status is Status.CACHED or self.rows is None:
            return ""
        whole = "" if self.of in (None, self.rows) else f" of {self.of:,}"
        return f"{'up to ' if self.up_to else ''}{self.rows:,}{whole}"

    def as_json(self) -> dict[str, object]:
        """Return the step as a JSON value."""
        return {
            "artifact": self.artifact,
            "status": self.status.value,
            "rows": self.rows,
            "of": self.of,
            "up_to": self.up_to,
            "reasons": list(self.reasons),
        }


def summary(steps: Sequence[Step]) -> str:
    """Summarize a plan in one line: how many artifacts and model answers must be computed."""
    made = [step for step in steps if step.status is not Status.CACHED]
    if not made:
        return f"nothing to compute: all {len(steps)} artifacts are cached"
    return f"{len(made)} of {len(steps)} artifacts to compute, {_count_answers([step for step in made if step.asks])}"


def _count_answers(steps: Sequence[Step]) -> str:
    counts = [step.rows for step in steps if step.rows is not None]
    if len(counts) < len(steps):
        return f"at least {sum(counts):,} model answers"
    up_to = "up to " if any(step.up_to for step in steps) else ""
    return f"{up_to}{sum(counts):,} model answers" if sum(counts) else "no model answers"


RECENT = 10
"""How many recent builds to search for one with the same settings."""


class History:
    """The readable builds of a store, newest first."""

    def __init__(self, store: Store) -> None:
        self._read: list[Build] = []
        self._rest = newest_first(store)

    def __iter__(self) -> Iterator[Build]:
        """Iterate over the builds, reading each file only once."""
        yield from self._read
        for build in self._rest:
            self._read.append(build)
            yield build

    def outcomes(self, artifact: str) -> Iterator[tuple[Build, Outcome]]:
        """Yield the outcome of an artifact in every build that had it, newest first."""
        for build in self:
            yield from ((build, outcome) for outcome in build.outcomes if outcome.ref.name == artifact)

    def last(self, artifact: str, settings: Mapping[str, object] | None = None) -> Outcome | None:
        """Return the newest outcome of an artifact, preferably of a recent build with the same settings.

        If two presets alternate in one store, each is thus compared with itself.
        """
        recent = (outcome for build in islice(self, RECENT) if build.settings == settings for outcome in build.outcomes)
        alike = (outcome for outcome in recent if outcome.ref.name == artifact)
        return next(alike, None) or next((outcome for _, outcome in self.outcomes(artifact)), None)


SAME = ("code", "schema", "params", "models")
"""The key parts that must be unchanged for a stage to recompute only the changed rows."""
IDS = ("item_id", "statement_id")


@dataclass(frozen=True)
class Expected:
    """A predicted artifact: its reference, with an empty digest if its rows are unknown before the build.

    In that case only the rows of the `changed` ids can differ from those of the last build, or any row if `changed`
    is None.
    """

    ref: ArtifactRef
    changed: frozenset[str] | None = frozenset()
    table: pl.DataFrame | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the rows of the artifact are known."""
        return bool(self.ref.digest)


def plan(request: BuildRequest, store: Store, given: Sequence[Expected] = ()) -> tuple[Step, ...]:
    """Predict what a build will do with each artifact, and why, without writing anything or loading a model.

    Sources whose files changed are read, to find out which of their records are new.

    Raises:
        SituatedGenError: the build would reject its sources or settings.
    """
    found = Planner(request, store)
    found.expected.update((each.ref.name, each) for each in (*map(Expected, request.given), *given))
    steps = tuple(found.step(each, source) for each in request.pipeline for source in found.sources(each))
    if request.strict:
        found.refuse_malformed_items()
    return steps


def external_inputs(precedent: pl.DataFrame, decisions: Path | None, *, strict: bool = False) -> tuple[Expected, ...]:
    """Return the inputs that no stage computes: the splits of an earlier dataset and the annotators' decisions.

    Raises:
        SettingsError: the folder does not exist.
        DecisionError: a line of the decisions is truncated or altered, and the build is strict.
    """
    tables = {} if precedent.is_empty() else {"precedent": precedent}
    tables |= {"decisions": read_decisions(decisions, strict=strict)} if decisions else {}
    return tuple(
        Expected(ArtifactRef(stage=name, digest=table_digest(table), rows=table.height), table=table)
        for name, table in tables.items()
    )


@dataclass(frozen=True)
class Planner:
    """Walks through a build from start to end, collecting the predicted artifacts by name."""

    request: BuildRequest
    store: Store
    expected: dict[str, Expected] = field(default_factory=dict)

    @cached_property
    def history(self) -> History:
        """The builds recorded in the store."""
        return History(self.store)

    @cached_property
    def chosen(self) -> dict[str, ItemParams]:
        """The params of every source to build, by name."""
        return {params.source.name: params for params in choose_sources(self.request.settings, self.request.sources)}

    def sources(self, each: Stage) -> list[str]:
        """Return the sources that a stage runs for; one empty name if it runs once for all."""
        return list(self.chosen) if each.per_source else [""]

    def step(self, each: Stage, source: str) -> Step:
        """Plan one artifact and record its prediction."""
        job = self._job(each, source)
        record = self.store.record(job.stage, job.key) if self._is_settled(job) else None
        if record is not None and self.store.is_intact(record):
            self.expected[job.name] = Expected(record.ref)
            return Step(job.name, Status.CACHED)
        last = self.history.last(job.name, self.request.settings.model_dump(mode="json"))
        before = None if last is None else self.store.record(last.ref.stage, last.key)
        reasons = [*self._reasons(job, record, last, before), self._expect(job, each, record, last, before)]
        step = self._amount(job, each, before)
        return replace(step, reasons=tuple(filter(None, [*reasons, *step.reasons])))

    def refuse_malformed_items(self) -> None:
        """Refuse a malformed record, as a strict build would."""
        refs = [expected.ref for expected in self.expected.values() if expected.ref.stage == "items"]
        items = self._table("items", refs)
        if items is not None:
            refuse_malformed(items)

    def _job(self, each: Stage, source: str) -> Job:
        if not each.inputs:
            return items_job(each, self.request, self.chosen[source])
        refs = [expected.ref for expected in self.expected.values()]
        return job_of(each, self.request, refs, self.store, source=source)

    def _is_settled(self, job: Job) -> bool:
        return all(self.expected[ref.name].is_settled for refs in job.inputs.values() for ref in refs)

    def _reasons(
        self, job: Job, record: KeyRecord | None, last: Outcome | None, before: KeyRecord | None
    ) -> Iterator[str]:
        """Yield the reasons why a job must run."""
        if record is not None:
            yield "artifact altered" if self.store.path(record.ref).exists() else "artifact missing"
        elif last is None:
            yield "first build"
        elif before is None:
            yield "record of the last build missing"
        else:
            yield from part_reasons(
                before.parts, job.parts, partial(symbols_of, self.store, _symbols(job, self.request))
            )
            yield from input_reasons(before.inputs, job.inputs, self._table)

    def _expect(
        self, job: Job, each: Stage, record: KeyRecord | None, last: Outcome | None, before: KeyRecord | None
    ) -> str:
        """Record the predicted artifact of a job that must run; return a note if its rows are known."""
        same = record or (last if last is not None and last.key == job.key else None)
        if same is not None:
            self.expected[job.name] = Expected(same.ref)
            return "gives the same rows"
        if not each.inputs:
            return self._read_source(job, each, last)
        changed = self._changed(job, before)
        rows = last.ref.rows + len(changed or ()) if last else job.rows
        ref = ArtifactRef(stage=job.stage, digest="", rows=rows, source=job.source)
        self.expected[job.name] = Expected(ref, changed)
        return ""

    def _read_source(self, job: Job, each: Stage, last: Outcome | None) -> str:
        """Read the records of a source and describe how they differ from those of the last build."""
        table = each.function(Path(job.root), params=each.params.model_validate(job.params))
        ref = ArtifactRef(stage=job.stage, digest=table_digest(table), rows=table.height, source=job.source)
        self.expected[job.name] = Expected(ref, table=table)
        if last is None:
            return ""
        is_same = last.ref.digest == ref.digest
        return "gives the same rows" if is_same else row_delta(job.stage, [last.ref], [ref], self._table)

    def _changed(self, job: Job, before: KeyRecord | None) -> frozenset[str] | None:
        """Return the ids whose rows may differ from the last build's, or None if all may."""
        if before is None or any(before.parts.get(part) != job.parts.get(part) for part in SAME):
            return None
        found: set[str] = set()
        for name, refs in job.inputs.items():
            earlier = {ref.name: ref for ref in before.inputs.get(name, ())}
            now = {ref.name: ref for ref in refs}
            for artifact in {*earlier, *now}:
                ids = self._changed_ids(name, earlier.get(artifact), now.get(artifact))
                if ids is None:
                    return None
                found |= ids
        return frozenset(found)

    def _changed_ids(self, name: str, before: ArtifactRef | None, now: ArtifactRef | None) -> Set[str] | None:
        """Return the ids whose rows differ between two artifacts of the same name, or None if unknown."""
        if now is not None and not now.digest:
            return self.expected[now.name].changed
        if before is not None and now is not None and before.digest == now.digest:
            return frozenset()
        column = next((column for column in IDS if column in schema_of(name).columns), None)
        old, new = (self._table(name, [ref] if ref else []) for ref in (before, now))
        return None if column is None or old is None or new is None else ids_that_differ(old, new, column)

    def _table(self, name: str, refs: Sequence[ArtifactRef]) -> pl.DataFrame | None:
        """Return the table of a stage's artifacts, predicted or stored; None if one is unreadable."""
        read = {ref.digest: expected.table for expected in self.expected.values() if (ref := expected.ref).digest}
        tables = [read.get(ref.digest) for ref in refs]
        try:
            parts = [
                read_stage(self.store, [ref], name) if table is None else table
                for ref, table in zip(refs, tables, strict=True)
            ]
        except StoreError:
            return None
        schema = schema_of(name)
        return parts[0] if len(parts) == 1 else pl.concat(parts or [schema.empty]).sort(schema.key)

    def _amount(self, job: Job, each: Stage, before: KeyRecord | None) -> Step:
        """Return a step that says how much of an artifact must be computed."""
        if not each.inputs:
            rows = self.expected[job.name].ref.rows
            return Step(job.name, Status.RUN, rows, rows)
        if model_of_stage(each, self.request):
            return self._questions(job, each, before)
        changed = self.expected[job.name].changed
        if changed and before and self._grows(each, before):
            note = f"up to {len(changed):,} statements to compare with all"
            return Step(job.name, Status.PARTIAL, None, None, (note,))
        return Step(job.name, Status.RUN, None, None)

    def _grows(self, each: Stage, before: KeyRecord) -> bool:
        """Whether a stage would reuse rows of its previous run."""
        table = self._table(each.incremental_on, before.inputs[each.incremental_on]) if each.incremental_on else None
        params = params_of(each, self.request)
        return (
            table is not None
            and each.count_reusable is not None
            and each.count_reusable(table, params, table, params) > 0
        )

    def _questions(self, job: Job, each: Stage, before: KeyRecord | None) -> Step:
        """Count the questions for a model: exactly if all inputs are known, otherwise at most."""
        if self._is_settled(job) and (found := self._count_questions(job.inputs, each)):
            left, asked = found
            status = Status.PARTIAL if left < asked else Status.RUN
            return Step(job.name, status, left if asked else None, asked, self._cost(each, left), asks=bool(asked))
        changed = self.expected[job.name].changed
        if "left_id" in each.schema.columns:  # the number of pairs per new statement is unknown
            return Step(job.name, Status.RUN, None, None, asks=True)
        found = self._count_questions(before.inputs, each) if before and changed is not None else None
        if found is None or changed is None:
            return Step(job.name, Status.RUN, job.rows, None, up_to=True, asks=True)
        left, asked = (count + len(changed) for count in found)
        return Step(job.name, Status.PARTIAL, left, asked, up_to=True, asks=True)

    def _cost(self, each: Stage, questions: int) -> tuple[str, ...]:
        """Describe the requests and the cost of so many questions to a remote model; empty for a local one."""
        model = model_of_stage(each, self.request)
        if not questions or model is None or not entry(model[0], model[1].name).remote:
            return ()
        # Imported here because most plans involve no remote model.
        from situatedgen.models.llm_judge import estimate  # noqa: PLC0415

        return (f"makes {estimate(questions, model[1])}",)

    def _count_questions(self, inputs: Inputs, each: Stage) -> tuple[int, int] | None:
        """Return the numbers of unanswered and of all questions, or None if an input is missing."""
        tables = [self._table(name, inputs[name]) for name in each.inputs]
        known = [table for table in tables if table is not None]
        model = model_of_stage(each, self.request)
        if len(known) < len(tables) or model is None:
            return None
        asked, (role, params) = questions_of(each, known), model
        return Memo(self.store, role, model_identity(role, params)).unanswered(asked).height, asked.height


def ids_that_differ(before: pl.DataFrame, now: pl.DataFrame, column: str) -> set[str]:
    """Return the ids of all rows that occur in only one of two tables."""
    if before.schema != now.schema:
        return {*before[column], *now[column]}
    only_now = now.join(before, on=now.columns, how="anti", nulls_equal=True)
    only_before = before.join(now, on=now.columns, how="anti", nulls_equal=True)
    return {*only_now[column], *only_before[column]}


def _symbols(job: Job, request: BuildRequest) -> dict[str, Symbols]:
    """Return the symbols behind the code of a job's stage and models, by fingerprint."""
    each = stage(job.stage)
    models = [entry(role, params.name).target for role, params in models_of(each, request).items()]
    return {
        fingerprint(target): {f"{module}:{name}": digest for (module, name), digest in symbol_digests(target).items()}
        for target in (each.target, *models)
    }
