"""Model work in batches and mining in tiles: what has no answer yet is cut up, computed part by part, and kept."""

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
from situatedgen.models.batches import ANSWERING, WORDS
from situatedgen.params import CandidateParams, ModelParams
from situatedgen.pipeline import stage
from situatedgen.records import Token
from situatedgen.runtime import Runtime
from situatedgen.stages.candidates import candidate_tiles, tile_hits
from situatedgen.stages.stage import Stage
from storage.builds import read_whole
from storage.keys import Job, model_identity
from storage.memo import CallCount, Memo, MemoizedModel
from storage.previous_run import find_previous_run
from storage.requests import BuildContext, BuildRequest, Outcomes, models_of
from storage.store import Store, artifact_name

SIZE, SIZES = 1024, {"judge": 8192}
"""Texts in a batch, and pairs in one of a judge: what is asked again where a worker is lost."""
MODELS = 8
"""How many models a process keeps loaded."""

Hold = Callable[[str, ModelParams, Runtime], AbstractContextManager[None]]
"""What must be held while a model is asked, such as a slot of a GPU."""


class Batch(BaseModel):
    """Questions to a model: rows of a file in the store, by their numbers. Small enough to go between tasks."""

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
        """The batch among those of its stage: `entities 3 of 62`."""
        return f"{self.artifact} {self.number} of {self.count}"


class Answers(BaseModel):
    """A batch whose answers are remembered, and how many seconds that took."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    batch: Batch
    seconds: float


def model_asked(each: Stage, request: BuildRequest) -> tuple[str, ModelParams] | None:
    """The model that is asked the questions of a stage, and its role; nothing where nobody is asked."""
    return next(iter(models_of(each, request).items()), None) if each.questions else None


def ask_questions(each: Stage, tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The distinct questions that a stage asks its model about the tables that go in; none where it asks nothing."""
    return each.questions(*tables).unique(maintain_order=True) if each.questions else pl.DataFrame()


def pending(context: BuildContext, name: str, inputs: Mapping[str, Outcomes]) -> list[Batch]:
    """The batches of what nobody has answered yet of the questions of a stage; none where its table is in the store."""
    each, store = stage(name), context.store
    asked = model_asked(each, context.request)
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
            ask_questions(each, [read_whole(store, job.inputs[name], name) for name in each.inputs])
        )
        for others in before:
            questions = questions.join(others, on=others.columns, how="anti", maintain_order="left")
        before.append(questions)
        found += _cut(questions, job, role, params, memo, store)
    return [batch.model_copy(update={"number": n + 1, "count": len(found)}) for n, batch in enumerate(found)]


def _cut(questions: pl.DataFrame, job: Job, role: str, params: ModelParams, memo: Memo, store: Store) -> list[Batch]:
    """The batches of questions, which are written into the store; none where there are no questions."""
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
    """Ask a model the questions of a batch, and remember what it answers.

    Where the questions are gone, the stage that needed the answers is made: a cluster that lost a worker may run again
    what was done already.

    Raises:
        ModelError: the model of this process is not the one that was meant, or it does not answer as it should.
    """
    began = time.perf_counter()
    memo = Memo(store, batch.role, model_identity(batch.role, batch.params))
    if memo.name != batch.identity:
        raise ModelError(
            f"{batch.role} {batch.params.name!r} has other code, packages or weights in this process than where the"
            " build was started; install the same lock, and put the same weights, wherever work is done"
        )
    if not (store.root / batch.file).exists():
        return Answers(batch=batch, seconds=0.0)
    questions = store.read_temporary(batch.file)[batch.start : batch.start + batch.rows]
    with model_lock(batch.role, batch.params.name), (hold or hold_nothing)(batch.role, batch.params, runtime):
        model = load_model(batch.role, batch.params, runtime, batch.identity)
        memo.append(ANSWERING[batch.role](model, questions))
    return Answers(batch=batch, seconds=time.perf_counter() - began)


def hold_nothing(role: str, params: ModelParams, runtime: Runtime) -> AbstractContextManager[None]:  # noqa: ARG001
    """Hold nothing while a model is asked."""
    return nullcontext()


@lru_cache(maxsize=MODELS)
def load_model(role: str, params: ModelParams, runtime: Runtime, identity: str) -> Any:  # noqa: ARG001
    """The model of this process, loaded when it is first asked for, and again where its identity is another.

    Any: a Protocol of `roles`, by role.
    """
    return registry.load(role, params, runtime)


def model_lock(role: str, name: str) -> RLock:
    """The lock of a model: those of one library share their memory, so that one thread at a time may ask them."""
    packages = registry.entry(role, name).packages
    return _lock(packages[0] if packages else name)


@cache
def _lock(library: str) -> RLock:  # noqa: ARG001  # one lock for each name
    return RLock()


@dataclass(frozen=True)
class RememberedModel:
    """A model of any role that is asked in rows, and loaded when it is first asked something new."""

    role: str
    params: ModelParams
    runtime: Runtime
    recall: MemoizedModel

    def rows(self, asked: pl.DataFrame) -> pl.DataFrame:
        """Questions with their answers, remembered or asked for."""
        if asked.is_empty():
            return self._compute(asked)  # the model alone knows how its answers look
        return self.recall.answered(asked, self._compute)

    def _compute(self, asked: pl.DataFrame) -> pl.DataFrame:
        with model_lock(self.role, self.params.name):
            model = load_model(self.role, self.params, self.runtime, self.recall.memo.name)
            return ANSWERING[self.role](model, asked)


@dataclass(frozen=True)
class RememberedParser(RememberedModel):
    """A parser that remembers."""

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """The words of each text."""
        words = self.rows(_texts_table(texts)).select(list(WORDS))
        return [tuple(map(Token._make, zip(*lists, strict=True))) for lists in words.iter_rows()]


@dataclass(frozen=True)
class RememberedEncoder(RememberedModel):
    """An encoder that remembers."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vector of each text, a row a text."""
        return self.rows(_texts_table(texts))["vector"].to_numpy()


REMEMBERED = {"parser": RememberedParser, "encoder": RememberedEncoder}


@dataclass(frozen=True)
class Asking:
    """What a job needs to ask models: the store that remembers, how they run, and who counts."""

    store: Store
    runtime: Runtime
    tally: CallCount = field(default_factory=CallCount)

    def model(self, role: str, params: ModelParams) -> object:
        """The model of a role: loaded when first asked something new, where its answers can be remembered."""
        if role not in ANSWERING:
            return registry.load(role, params, self.runtime)
        recall = MemoizedModel(Memo(self.store, role, model_identity(role, params)), self.tally)
        return REMEMBERED.get(role, RememberedModel)(role, params, self.runtime, recall)


def _texts_table(texts: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame({"text": texts}, schema={"text": pl.String})


TILED_STAGE = "candidates"


class TileJob(BaseModel):
    """A tile to be searched, for the job whose candidates it is a part of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    job: Job
    tile: Tile


class TileHits(BaseModel):
    """Where the store keeps what was found in a tile."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str


def pending_tiles(context: BuildContext, inputs: Mapping[str, Outcomes]) -> list[TileJob]:
    """The tiles of the candidates, where there are several, and no earlier run leaves only a part to be searched."""
    store, job = context.store, context.job(TILED_STAGE, inputs)
    found = candidate_tiles(read_whole(store, job.inputs["embeddings"], "embeddings"))
    if len(found) < 2 or store.find(job.stage, job.key) or find_previous_run(job, stage(TILED_STAGE), store):
        return []
    return [TileJob(job=job, tile=tile) for tile in found]


def search(pending: TileJob, store: Store) -> TileHits:
    """Search a tile, and keep what was found."""
    each, job = stage(TILED_STAGE), pending.job
    inputs = (read_whole(store, job.inputs[name], name) for name in each.inputs)
    params = CandidateParams.model_validate(job.params)
    return TileHits(file=store.write_temporary(tile_hits(*inputs, params=params, tile=pending.tile)))


def read_hits(tiles: Sequence[TileHits], store: Store) -> dict[str, pl.DataFrame]:
    """What was found in all tiles, as the stage takes it; nothing where there are none."""
    return {"hits": pl.concat([store.read_temporary(tile.file) for tile in tiles])} if tiles else {}
