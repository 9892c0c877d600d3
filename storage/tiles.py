"""The search for similar texts in tiles, where there is more than one: each is searched by itself, and kept."""

from collections.abc import Mapping, Sequence

import polars as pl
from pydantic import BaseModel, ConfigDict

from situatedgen.mining.tiles import Tile
from situatedgen.params import CandidateParams
from situatedgen.pipeline import stage
from situatedgen.stages.candidates import candidate_tiles, tile_hits
from storage.builds import whole
from storage.earlier import earlier_run
from storage.jobs import Job
from storage.planning import BuildContext, Outcomes
from storage.store import Store

STAGE = "candidates"


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
    store, job = context.store, context.job(STAGE, inputs)
    found = candidate_tiles(whole(store, job.inputs["embeddings"], "embeddings"))
    if len(found) < 2 or store.find(job.stage, job.key) or earlier_run(job, stage(STAGE), store):
        return []
    return [TileJob(job=job, tile=tile) for tile in found]


def search(pending: TileJob, store: Store) -> TileHits:
    """Search a tile, and keep what was found."""
    each, job = stage(STAGE), pending.job
    inputs = (whole(store, job.inputs[name], name) for name in each.inputs)
    params = CandidateParams.model_validate(job.params)
    return TileHits(file=store.write_temporary(tile_hits(*inputs, params=params, tile=pending.tile)))


def read_hits(tiles: Sequence[TileHits], store: Store) -> dict[str, pl.DataFrame]:
    """What was found in all tiles, as the stage takes it; nothing where there are none."""
    return {"hits": pl.concat([store.read_temporary(tile.file) for tile in tiles])} if tiles else {}
