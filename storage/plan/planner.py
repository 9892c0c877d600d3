"""The plan of a build: what will be done with each artifact, and why, from keys and changed rows; no stage is run."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from itertools import islice
from pathlib import Path

import polars as pl
from pydantic import ValidationError

from situatedgen.errors import StoreError
from situatedgen.models.registry import entry
from situatedgen.pipeline import schema_of, stage
from situatedgen.sources.registry import choose_sources
from situatedgen.sources.source import ItemParams
from situatedgen.stages.items import refuse_malformed
from situatedgen.stages.stage import Stage
from storage.batches import ask_questions, model_asked
from storage.builds import Build, Outcome, read_whole
from storage.inputs import read_decisions
from storage.keys import Job, fingerprint, model_identity, parts
from storage.memo import Memo
from storage.plan.reasons import Inputs, Symbols, input_reasons, part_reasons, row_delta, symbols_of
from storage.requests import BuildRequest, items_job, job_of, models_of, params_of
from storage.store import ArtifactRef, KeyRecord, Store, table_digest


class Status(StrEnum):
    """What a build will do with an artifact: find it, make it of much that is known, or make it."""

    CACHED = "cached"
    PARTIAL = "partial"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Step:
    """What a build will do with one artifact, and why.

    `rows` of `of` are to be computed: answers of a model where `asks`, else rows of the table; nothing where
    that is not known before the run. `up_to` says that there may be fewer.
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
        """The rows in words: `up to 12 of 4,012`."""
        if self.status is Status.CACHED or self.rows is None:
            return ""
        whole = "" if self.of in (None, self.rows) else f" of {self.of:,}"
        return f"{'up to ' if self.up_to else ''}{self.rows:,}{whole}"

    def as_json(self) -> dict[str, object]:
        """The step as a JSON value."""
        return {
            "artifact": self.artifact,
            "status": self.status.value,
            "rows": self.rows,
            "of": self.of,
            "up_to": self.up_to,
            "reasons": list(self.reasons),
        }


def summary(steps: Sequence[Step]) -> str:
    """A plan in one line: how many artifacts are to be made, with how many answers of models."""
    made = [step for step in steps if step.status is not Status.CACHED]
    if not made:
        return f"nothing to make: all {len(steps)} artifacts are cached"
    return f"{len(made)} of {len(steps)} artifacts to make, {_answers([step for step in made if step.asks])}"


def _answers(steps: Sequence[Step]) -> str:
    counts = [step.rows for step in steps if step.rows is not None]
    if len(counts) < len(steps):
        return f"at least {sum(counts):,} model answers"
    up_to = "up to " if any(step.up_to for step in steps) else ""
    return f"{up_to}{sum(counts):,} model answers" if sum(counts) else "no model answers"


RECENT = 10
"""How many builds are looked through for one with the same settings."""


class History:
    """The builds of a store that can be read, the newest first."""

    def __init__(self, store: Store) -> None:
        self._read: list[Build] = []
        self._rest = _newest_first(store)

    def __iter__(self) -> Iterator[Build]:
        """Every build; one that was read before is not read again."""
        yield from self._read
        for build in self._rest:
            self._read.append(build)
            yield build

    def outcomes(self, artifact: str) -> Iterator[tuple[Build, Outcome]]:
        """What came of an artifact in every build that had it, the newest first."""
        for build in self:
            yield from ((build, outcome) for outcome in build.outcomes if outcome.ref.name == artifact)

    def last(self, artifact: str, settings: Mapping[str, object] | None = None) -> Outcome | None:
        """What came of an artifact in the newest build that had it, and where there is a recent one, these settings.

        Two presets may take turns in one store; each is then compared with itself.
        """
        recent = (outcome for build in islice(self, RECENT) if build.settings == settings for outcome in build.outcomes)
        alike = (outcome for outcome in recent if outcome.ref.name == artifact)
        return next(alike, None) or next((outcome for _, outcome in self.outcomes(artifact)), None)


def _newest_first(store: Store) -> Iterator[Build]:
    for path in reversed(store.json_files("builds")):
        value = store.read_json(path)
        try:
            if value is not None:
                yield Build.model_validate(value)
        except ValidationError:
            continue


SAME = ("code", "schema", "params", "models")
"""The parts of a key that make a stage work on the changed rows alone, where they are the same."""
IDS = ("item_id", "statement_id")


@dataclass(frozen=True)
class Expected:
    """An artifact as it will be: its reference, without a digest where its rows are not known before the build.

    Only the rows of the `changed` ids can then differ from those of the last build; where that is not known either,
    any may.
    """

    ref: ArtifactRef
    changed: frozenset[str] | None = frozenset()
    table: pl.DataFrame | None = None

    @property
    def is_settled(self) -> bool:
        """Whether it is known which rows the artifact will have."""
        return bool(self.ref.digest)


def plan(request: BuildRequest, store: Store, given: Sequence[Expected] = ()) -> tuple[Step, ...]:
    """What a build will do with each artifact, and why; nothing is written and no model is loaded.

    Sources whose files changed are read, to tell which of their records are new.

    Raises:
        SituatedGenError: the build would refuse its sources or settings.
    """
    found = Planner(request, store)
    found.expected.update((each.ref.name, each) for each in (*map(Expected, request.given), *given))
    steps = tuple(found.step(each, source) for each in request.pipeline for source in found.sources(each))
    if request.strict:
        found.refuse_malformed_items()
    return steps


def given(precedent: pl.DataFrame, decisions: Path | None, *, strict: bool = False) -> tuple[Expected, ...]:
    """What no stage makes, as a build would keep it: the splits of an earlier dataset, and what people decided.

    Raises:
        SettingsError: there is no such folder.
        DecisionError: a line of the decisions is torn or altered, and the build is strict.
    """
    tables = {} if precedent.is_empty() else {"precedent": precedent}
    tables |= {"decisions": read_decisions(decisions, strict=strict)} if decisions else {}
    return tuple(
        Expected(ArtifactRef(stage=name, digest=table_digest(table), rows=table.height), table=table)
        for name, table in tables.items()
    )


@dataclass(frozen=True)
class Planner:
    """A build looked at from its beginning to its end: what is expected of the artifacts so far, by name."""

    request: BuildRequest
    store: Store
    expected: dict[str, Expected] = field(default_factory=dict)

    @cached_property
    def history(self) -> History:
        """The builds that the store remembers."""
        return History(self.store)

    @cached_property
    def chosen(self) -> dict[str, ItemParams]:
        """The params of every source that is built, by its name."""
        return {params.source.name: params for params in choose_sources(self.request.settings, self.request.sources)}

    def sources(self, each: Stage) -> list[str]:
        """The sources that a stage is run for; one without a name where it is run once."""
        return list(self.chosen) if each.per_source else [""]

    def step(self, each: Stage, source: str) -> Step:
        """What will be done about one artifact; what is expected of it is remembered."""
        job = self._job(each, source)
        record = self.store.record(job.stage, job.key) if self._is_settled(job) else None
        if record is not None and self.store.is_whole(record):
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
        """Why a job must run."""
        if record is not None:
            yield "artifact altered" if self.store.path(record.ref).exists() else "artifact missing"
        elif last is None:
            yield "first build here"
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
        """Write down what a job that must run will give, and say so where it is known."""
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
        """Read the records of a source, and say how they differ from those of the last build."""
        table = each.function(Path(job.root), params=each.params.model_validate(job.params))
        ref = ArtifactRef(stage=job.stage, digest=table_digest(table), rows=table.height, source=job.source)
        self.expected[job.name] = Expected(ref, table=table)
        if last is None:
            return ""
        is_same = last.ref.digest == ref.digest
        return "gives the same rows" if is_same else row_delta(job.stage, [last.ref], [ref], self._table)

    def _changed(self, job: Job, before: KeyRecord | None) -> frozenset[str] | None:
        """The ids whose rows may differ from those of the last build; nothing where all may."""
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
        """The ids whose rows differ between two artifacts of one name; nothing where that is not known."""
        if now is not None and not now.digest:
            return self.expected[now.name].changed
        if before is not None and now is not None and before.digest == now.digest:
            return frozenset()
        column = next((column for column in IDS if column in schema_of(name).columns), None)
        old, new = (self._table(name, [ref] if ref else []) for ref in (before, now))
        return None if column is None or old is None or new is None else ids_that_differ(old, new, column)

    def _table(self, name: str, refs: Sequence[ArtifactRef]) -> pl.DataFrame | None:
        """The table of artifacts of one stage, expected or in the store; nothing when one cannot be read."""
        read = {ref.digest: expected.table for expected in self.expected.values() if (ref := expected.ref).digest}
        tables = [read.get(ref.digest) for ref in refs]
        try:
            parts = [
                read_whole(self.store, [ref], name) if table is None else table
                for ref, table in zip(refs, tables, strict=True)
            ]
        except StoreError:
            return None
        schema = schema_of(name)
        return parts[0] if len(parts) == 1 else pl.concat(parts or [schema.empty]).sort(schema.key)

    def _amount(self, job: Job, each: Stage, before: KeyRecord | None) -> Step:
        """How much of an artifact is to be computed."""
        if not each.inputs:
            rows = self.expected[job.name].ref.rows
            return Step(job.name, Status.RUN, rows, rows)
        if model_asked(each, self.request):
            return self._questions(job, each, before)
        changed = self.expected[job.name].changed
        if changed and before and self._grows(each, before):
            note = f"up to {len(changed):,} statements to compare with all"
            return Step(job.name, Status.PARTIAL, None, None, (note,))
        return Step(job.name, Status.RUN, None, None)

    def _grows(self, each: Stage, before: KeyRecord) -> bool:
        """Whether a stage would take rows over from its last run."""
        table = self._table(each.grows_by, before.inputs[each.grows_by]) if each.grows_by else None
        params = params_of(each, self.request)
        return table is not None and each.spared is not None and each.spared(table, params, table, params) > 0

    def _questions(self, job: Job, each: Stage, before: KeyRecord | None) -> Step:
        """How many questions a model will be asked: exactly, where all inputs are known; else at most."""
        if self._is_settled(job) and (found := self._count_questions(job.inputs, each)):
            left, asked = found
            status = Status.PARTIAL if left < asked else Status.RUN
            return Step(job.name, status, left if asked else None, asked, self._cost(each, left), asks=bool(asked))
        changed = self.expected[job.name].changed
        if "left_id" in each.schema.columns:  # how many pairs a statement more makes is not known
            return Step(job.name, Status.RUN, None, None, asks=True)
        found = self._count_questions(before.inputs, each) if before and changed is not None else None
        if found is None or changed is None:
            return Step(job.name, Status.RUN, job.rows, None, up_to=True, asks=True)
        left, asked = (count + len(changed) for count in found)
        return Step(job.name, Status.PARTIAL, left, asked, up_to=True, asks=True)

    def _cost(self, each: Stage, questions: int) -> tuple[str, ...]:
        """What a model behind an address will be asked for so many questions, and what that may cost."""
        model = model_asked(each, self.request)
        if not questions or model is None or not entry(model[0], model[1].name).remote:
            return ()
        # Imported here, as most plans ask no such model.
        from situatedgen.models.llm_judge import estimate  # noqa: PLC0415

        return (f"asks {estimate(questions, model[1])}",)

    def _count_questions(self, inputs: Inputs, each: Stage) -> tuple[int, int] | None:
        """How many questions nobody has answered yet, of how many; nothing where an input is gone."""
        tables = [self._table(name, inputs[name]) for name in each.inputs]
        known = [table for table in tables if table is not None]
        model = model_asked(each, self.request)
        if len(known) < len(tables) or model is None:
            return None
        asked, (role, params) = ask_questions(each, known), model
        return Memo(self.store, role, model_identity(role, params)).unanswered(asked).height, asked.height


def ids_that_differ(before: pl.DataFrame, now: pl.DataFrame, column: str) -> set[str]:
    """The ids of all rows that stand in only one of two tables."""
    if before.schema != now.schema:
        return {*before[column], *now[column]}
    only_now = now.join(before, on=now.columns, how="anti", nulls_equal=True)
    only_before = before.join(now, on=now.columns, how="anti", nulls_equal=True)
    return {*only_now[column], *only_before[column]}


def _symbols(job: Job, request: BuildRequest) -> dict[str, Symbols]:
    """The symbols behind the code of a job's stage and models, by fingerprint."""
    each = stage(job.stage)
    models = [entry(role, params.name).target for role, params in models_of(each, request).items()]
    return {
        fingerprint(target): {f"{module}:{name}": digest for (module, name), digest in parts(target).items()}
        for target in (each.target, *models)
    }
