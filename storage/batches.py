"""Splits unanswered model questions into batches and mining into tiles, and computes and stores each part."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache, lru_cache
from threading import RLock
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from situatedgen.errors import ModelError
from situatedgen.mining.search import Tile
from situatedgen.models import registry
from situatedgen.models.batches import ROW_FUNCTIONS, WORDS
from situatedgen.params import CandidateParams, ModelParams
from situatedgen.pipeline import stage
from situatedgen.records import Token
from situatedgen.runtime import Runtime
from situatedgen.stages.candidates import candidate_tiles, tile_hits
from situatedgen.stages.stage import Stage
from storage.builds import read_stage
from storage.keys import Job, model_identity
from storage.memo import CallCount, CountedMemo, Memo
from storage.previous_run import find_previous_run
from storage.requests import BuildContext, BuildRequest, Outcomes, models_of
from storage.store import Store, artifact_name

SIZE, SIZES = 1024, {"judge": 8192}
"""Texts per batch, and pairs per batch of a judge, i.e. the work that is repeated if a worker is lost."""
MODELS = 8
"""How many models a process keeps loaded."""

Hold = Callable[[str, ModelParams, Runtime], AbstractContextManager[None]]
"""Returns a context manager to hold while a model runs, such as a GPU slot."""


class Batch(BaseModel):
    """A slice of a file of questions for a model, small enough to pass between tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    source: str
    role: str
    params: ModelParams
    identity: str
    file: str
    start: int = 0
    rows: int = 0
    number: int = 1
    count: int = 1

    @property
    def artifact(self) -> str:
        """The name of the artifact that the answers are for."""
        return artifact_name(self.stage, self.source)

    @property
    def name(self) -> str:
        """The batch's position within its stage, such as `entities 3 of 62`."""
        return f"{self.artifact} {self.number} of {self.count}"


class Answers(BaseModel):
    """A batch whose answers are in the memo, and how many seconds they took."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    batch: Batch
    seconds: float


def model_of_stage(each: Stage, request: BuildRequest) -> tuple[str, ModelParams] | None:
    """Return the role and params of the model that answers a stage's questions, or None if there is none."""
    return next(iter(models_of(each, request).items()), None) if each.questions else None


def questions_of(each: Stage, tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the distinct questions that a stage asks its model about its input tables; empty if it asks none."""
    return each.questions(*tables).unique(maintain_order=True) if each.questions else pl.DataFrame()


def pending(context: BuildContext, name: str, inputs: Mapping[str, Outcomes]) -> list[Batch]:
    """Return batches of a stage's unanswered questions; none if its table is already in the store."""
    each, store = stage(name), context.store
    asked = model_of_stage(each, context.request)
    if asked is None:
        return []
    role, params = asked
    memo = Memo(store, role, model_identity(role, params))
    found: list[Batch] = []
    before: list[pl.DataFrame] = []
    memo.compact()
    for job in context.jobs(each.name, inputs):
        if store.find(job.stage, job.key):
            continue
        questions = memo.unanswered(
            questions_of(each, [read_stage(store, job.inputs[name], name) for name in each.inputs])
        )
        for others in before:
            questions = questions.join(others, on=others.columns, how="anti", maintain_order="left")
        before.append(questions)
        found += _split_into_batches(questions, job, role, params, memo, store)
    return [batch.model_copy(update={"number": n + 1, "count": len(found)}) for n, batch in enumerate(found)]


def _split_into_batches(
    questions: pl.DataFrame, job: Job, role: str, params: ModelParams, memo: Memo, store: Store
) -> list[Batch]:
    """Write questions into the store and split them into batches; none if there are no questions."""
    if questions.is_empty():
        return []
    file = store.write_temporary(questions)
    batch = Batch(
        stage=job.stage,
        source=job.source,
        role=role,
        params=params,
        identity=memo.name,
        file=file,
    )
    size = SIZES.get(role, SIZE)
    starts = range(0, questions.height, size)
    return [batch.model_copy(update={"start": start, "rows": min(size, questions.height - start)}) for start in starts]


def ask(batch: Batch, store: Store, runtime: Runtime, hold: Hold | None = None) -> Answers:
    """Run a model on a batch of questions and save the answers in the memo.

    If the question file is gone, the stage is already finished: a cluster that lost a worker may rerun completed
    batches.

    Raises:
        ModelError: this process has a different version of the model, or the model returns malformed answers.
    """
    began = time.perf_counter()
    memo = Memo(store, batch.role, model_identity(batch.role, batch.params))
    if memo.name != batch.identity:
        raise ModelError(
            f"the code, packages or weights of {batch.role} {batch.params.name!r} differ from those of the process that"
            " started the build; install the same requirements.lock and the same weights on every worker"
        )
    if not (store.root / batch.file).exists():
        return Answers(batch=batch, seconds=0.0)
    questions = store.read_temporary(batch.file)[batch.start : batch.start + batch.rows]
    with model_lock(batch.role, batch.params.name), (hold or hold_nothing)(batch.role, batch.params, runtime):
        model = load_model(batch.role, batch.params, runtime, batch.identity)
        memo.append(ROW_FUNCTIONS[batch.role](model, questions))
    return Answers(batch=batch, seconds=time.perf_counter() - began)


def hold_nothing(role: str, params: ModelParams, runtime: Runtime) -> AbstractContextManager[None]:  # noqa: ARG001
    """Return a context manager that holds nothing while a model runs."""
    return nullcontext()


@lru_cache(maxsize=MODELS)
def load_model(role: str, params: ModelParams, runtime: Runtime, identity: str) -> Any:  # noqa: ARG001
    """Load a model once per process and identity.

    Any: a Protocol of `roles`, by role.
    """
    return registry.load(role, params, runtime)


def model_lock(role: str, name: str) -> RLock:
    """Return the lock of a model's library: models of one library share memory, so only one thread may use them."""
    packages = registry.entry(role, name).packages
    return _library_lock(packages[0] if packages else name)


@cache
def _library_lock(library: str) -> RLock:  # noqa: ARG001  # one lock for each name
    return RLock()


@dataclass(frozen=True)
class MemoizedModel:
    """A model of any role, queried by rows and loaded only when a question is not in the memo."""

    role: str
    params: ModelParams
    runtime: Runtime
    cache: CountedMemo

    def rows(self, asked: pl.DataFrame) -> pl.DataFrame:
        """Return questions with their answers, from the memo or computed."""
        if asked.is_empty():
            return self._compute(asked)  # only the model knows the schema of its answers
        return self.cache.answer(asked, self._compute)

    def _compute(self, asked: pl.DataFrame) -> pl.DataFrame:
        with model_lock(self.role, self.params.name):
            model = load_model(self.role, self.params, self.runtime, self.cache.memo.name)
            return ROW_FUNCTIONS[self.role](model, asked)


@dataclass(frozen=True)
class MemoizedParser(MemoizedModel):
    """A parser with a memo."""

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """Return the tokens of each text."""
        words = self.rows(_texts_table(texts)).select(list(WORDS))
        return [tuple(map(Token._make, zip(*lists, strict=True))) for lists in words.iter_rows()]


@dataclass(frozen=True)
class MemoizedEncoder(MemoizedModel):
    """An encoder with a memo."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the embeddings of the texts, one row per text."""
        return self.rows(_texts_table(texts))["vector"].to_numpy()


MEMOIZED = {"parser": MemoizedParser, "encoder": MemoizedEncoder}


@dataclass(frozen=True)
class ModelLoader:
    """Loads models, memoized in a store, and counts their calls."""

    store: Store
    runtime: Runtime
    calls: CallCount = field(default_factory=CallCount)

    def model(self, role: str, params: ModelParams) -> object:
        """Return the model of a role, loaded lazily and memoized if its answers can be stored."""
        if role not in ROW_FUNCTIONS:
            return registry.load(role, params, self.runtime)
        counted = CountedMemo(Memo(self.store, role, model_identity(role, params)), self.calls)
        return MEMOIZED.get(role, MemoizedModel)(role, params, self.runtime, counted)


def _texts_table(texts: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame({"text": texts}, schema={"text": pl.String})


TILED_STAGE = "candidates"


class TileJob(BaseModel):
    """A tile to search, and the candidates job it is part of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    job: Job
    tile: Tile


class TileHits(BaseModel):
    """The store file with the hits of a tile."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str


def pending_tiles(context: BuildContext, inputs: Mapping[str, Outcomes]) -> list[TileJob]:
    """Return the candidate tiles to search; none if there is one tile, a cached table, or a usable previous run."""
    store, job = context.store, context.job(TILED_STAGE, inputs)
    found = candidate_tiles(read_stage(store, job.inputs["embeddings"], "embeddings"))
    if len(found) < 2 or store.find(job.stage, job.key) or find_previous_run(job, stage(TILED_STAGE), store):
        return []
    return [TileJob(job=job, tile=tile) for tile in found]


def search(pending: TileJob, store: Store) -> TileHits:
    """Search a tile and store its hits."""
    each, job = stage(TILED_STAGE), pending.job
    inputs = (read_stage(store, job.inputs[name], name) for name in each.inputs)
    params = CandidateParams.model_validate(job.params)
    return TileHits(file=store.write_temporary(tile_hits(*inputs, params=params, tile=pending.tile)))


def read_hits(tiles: Sequence[TileHits], store: Store) -> dict[str, pl.DataFrame]:
    """Return the hits of all tiles as a keyword argument for the stage; {} if there are no tiles."""
    return {"hits": pl.concat([store.read_temporary(tile.file) for tile in tiles])} if tiles else {}
