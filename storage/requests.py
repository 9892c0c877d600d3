"""Build requests, the context of a running build, and the job behind each artifact."""

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from situatedgen.commongen.params import ConceptSettings
from situatedgen.errors import SettingsError, StoreError
from situatedgen.models.registry import entry
from situatedgen.params import ModelParams, Params
from situatedgen.pipeline import PIPELINE, stage
from situatedgen.runtime import Runtime
from situatedgen.settings import Settings
from situatedgen.sources import sample_folder
from situatedgen.sources.params import ItemParams
from situatedgen.sources.registry import choose_sources, source_digests
from situatedgen.stages.stage import Stage
from storage import inputs
from storage.builds import Observer, Outcome, SilentObserver
from storage.filesystem import StorePath
from storage.inputs import PRECEDENT_STAGE as PRECEDENT
from storage.inputs import PreviousSplits
from storage.keys import Job, fingerprint, key_parts, model_identity, symbol_digests
from storage.store import ArtifactRef, Store, json_digest

Outcomes = Outcome | Sequence[Outcome]
"""The outcome of a stage, or one outcome per source."""


@dataclass(frozen=True)
class BuildRequest:
    """What to build: settings, source folder, and whether a malformed record aborts the build.

    With a `precedent`, the splits stay consistent with an earlier dataset. Pairs that annotators marked invalid in
    `decisions` are excluded. The settings provide the params of every stage of the pipeline. `replaced_splits` is the
    cache key of the splits in the output folder, which are reused as long as none of their dependencies change.
    """

    settings: Settings | ConceptSettings
    sources: Path
    strict: bool = False
    precedent: ArtifactRef | None = None
    decisions: ArtifactRef | None = None
    pipeline: tuple[Stage, ...] = PIPELINE
    replaced_splits: str = ""

    @property
    def given(self) -> tuple[ArtifactRef, ...]:
        """The artifacts that no stage computes."""
        return tuple(ref for ref in (self.precedent, self.decisions) if ref)


@dataclass(frozen=True)
class BuildContext:
    """The context shared by all steps of a build; it can be pickled, but loses its observer.

    `code` holds the digest of each stage's code and models in the process that started the build. A worker whose
    digest differs refuses to run, because the cache key would then be wrong.
    """

    request: BuildRequest
    store: Store
    runtime: Runtime
    chosen: tuple[ItemParams, ...]
    code: Mapping[str, str]
    started_by: str
    observer: Observer = field(default_factory=SilentObserver)

    @classmethod
    def start(
        cls, request: BuildRequest, store: Store, runtime: Runtime, observer: Observer | None = None
    ) -> "BuildContext":
        """Create the context of a new build, validating settings and sources.

        Raises:
            SituatedGenError: a source, model or module named in the settings is not available.
        """
        chosen = tuple(choose_sources(request.settings, request.sources))
        code = {each.name: code_digest(each, request) for each in request.pipeline}
        write_code(request, store)
        return cls(request, store, runtime, chosen, code, this_process(), observer or SilentObserver())

    def __getstate__(self) -> dict[str, object]:
        """Return the state to pickle, with the observer replaced by a silent one."""
        return {**self.__dict__, "observer": SilentObserver()}

    @property
    def sources(self) -> list[str]:
        """The names of the sources."""
        return [params.source.name for params in self.chosen]

    def jobs(self, name: str, inputs: Mapping[str, Outcomes]) -> list[Job]:
        """Return the jobs of a stage: one, or one per source."""
        sources = self.sources if stage(name).per_source else [""]
        return [self.job(name, inputs, source=source) for source in sources]

    def job(self, name: str, inputs: Mapping[str, Outcomes], *, source: str = "") -> Job:
        """Return the job that computes a stage's table, for one source or for all.

        Raises:
            SettingsError: this process has different code or models than the process that started the build.
            StoreError: this process cannot see the store of the build.
        """
        each = stage(name)
        self._check_worker(each)
        if not each.inputs:
            params = next(params for params in self.chosen if params.source.name == source)
            return items_job(each, self.request, params)
        refs = [outcome.ref for given in inputs.values() for outcome in as_list(given)]
        return job_of(each, self.request, [*refs, *self.request.given], self.store, source=source)

    def _check_worker(self, each: Stage) -> None:
        if self.started_by == this_process():
            return
        if code_digest(each, self.request) != self.code[each.name]:
            raise SettingsError(
                f"the worker on {socket.gethostname()} has different code or models for {each.name} than the process"
                " that started the build; install the same situatedgen and weights there, and restart it"
            )
        if self.store.read_json(code_path(self.store, fingerprint(each.target))) is None:
            raise StoreError(
                f"the worker on {socket.gethostname()} cannot see the store {self.store.root}; with several machines,"
                " the store must be a bucket or a shared folder"
            )


def as_list(given: Outcomes) -> list[Outcome]:
    """Return one or several outcomes as a list."""
    return [given] if isinstance(given, Outcome) else list(given)


def this_process() -> str:
    """Return an identifier of this process that is unique across machines."""
    return f"{socket.gethostname()}:{os.getpid()}"


def params_of(each: Stage, request: BuildRequest) -> Params:
    """Return the params of a stage other than `items`, which has separate params for each source."""
    found: Params = getattr(request.settings, each.name) if each.has_params else Params()
    return found


def models_of(each: Stage, request: BuildRequest) -> dict[str, ModelParams]:
    """Return the model params of a stage, by role."""
    return each.models_of(params_of(each, request)) if each.models else {}


def code_digest(each: Stage, request: BuildRequest) -> str:
    """Return a digest of a stage's code and of the identity of its models."""
    models = {role: model_identity(role, params) for role, params in models_of(each, request).items()}
    return json_digest({"code": fingerprint(each.target), "models": models})


def write_code(request: BuildRequest, store: Store) -> None:
    """Store the digest of every symbol used by stages and models, for `plan` and `explain`."""
    models = {(role, params.name) for each in request.pipeline for role, params in models_of(each, request).items()}
    targets = [
        *(each.target for each in request.pipeline),
        *(entry(role, name).target for role, name in sorted(models)),
    ]
    for target in targets:
        path = code_path(store, fingerprint(target))
        if store.read_json(path) is None:
            symbols = {f"{module}:{name}": digest for (module, name), digest in symbol_digests(target).items()}
            store.write_json(path, {"symbols": symbols})


def code_path(store: Store, code: str) -> StorePath:
    """Return the path of the symbol digests behind a fingerprint."""
    return store.root / "code" / f"{code}.json"


def items_job(each: Stage, request: BuildRequest, params: ItemParams) -> Job:
    """Return the job that reads one source; its key covers the content of the source's files, not their location."""
    parts = key_parts(each, params, {}, source_digests(params.source, request.sources))
    root = str(request.sources.resolve())
    return Job(
        stage=each.name,
        source=params.source.name,
        parts=parts,
        params=params.model_dump(mode="json", exclude_unset=True),
        root=root,
    )


def job_of(each: Stage, request: BuildRequest, refs: Sequence[ArtifactRef], store: Store, *, source: str) -> Job:
    """Return the job that computes a stage's table, or the job of the replaced splits if only the precedent differs.

    Following a dataset built from the same tables yields that dataset's own splits, so they need not be recomputed.
    """
    params = params_of(each, request)
    replaced = (
        store.find(each.name, request.replaced_splits) if each.name == "splits" and request.replaced_splits else None
    )
    if replaced:
        tables, followed = [ref for ref in refs if ref.stage != PRECEDENT], replaced.inputs.get(PRECEDENT, ())
        same = stage_job(each, params, [*tables, *followed], source=source)
        if same.key == replaced.key and all(store.path(ref).exists() for ref in followed):
            return same
    return stage_job(each, params, refs, source=source)


def stage_job(each: Stage, params: Params, refs: Sequence[ArtifactRef], *, source: str) -> Job:
    """Return the job that computes a stage's table from its input tables, for one source or for all."""
    inputs = {
        name: tuple(ref for ref in refs if ref.stage == name and source in ("", ref.source)) for name in each.inputs
    }
    return Job(
        stage=each.name,
        source=source,
        parts=key_parts(each, params, inputs, {}),
        params=params.model_dump(mode="json"),
        inputs=inputs,
    )


def make_request(
    settings: Settings,
    sources: Path | None,
    store: Store,
    earlier: PreviousSplits,
    decisions: Path | None = None,
    *,
    strict: bool = False,
) -> BuildRequest:
    """Create a build request and store its previous splits and decisions; sources default to the bundled sample.

    Raises:
        SettingsError: the decisions cannot be used.
        StoreError: the store cannot be written.
    """
    return BuildRequest(
        settings,
        sources or sample_folder(),
        strict=strict,
        precedent=earlier.save(store),
        decisions=inputs.save_decisions(store, decisions, strict=strict),
        replaced_splits=earlier.key,
    )
