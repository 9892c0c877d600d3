"""Runtime settings: they affect how fast a build runs, never its output."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Runner = Literal["threads", "processes", "dask"]


class Runtime(BaseModel):
    """Where and how models run. No setting here may change the data, so none enters a cache key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="Where neural models run.")
    batch_size: int = Field(64, ge=1, description="Texts per batch of a flair or sequence-to-sequence model.")
    workers: int = Field(0, ge=0, description="Worker processes on this machine; 0: one per core.")
    threads: int = Field(0, ge=0, description="Threads for numeric libraries; 0: their default.")
    runner: Runner = Field(
        "threads",
        description="Where work runs: threads of this process, processes on this machine, or a Dask cluster.",
    )
    scheduler: str = Field(
        "", description="Address of a Dask scheduler, such as tcp://10.0.0.5:8786; empty: start local workers."
    )

    @model_validator(mode="after")
    def _check_scheduler(self) -> Self:
        if self.scheduler and self.runner != "dask":
            raise ValueError(f"the runner {self.runner!r} does not use a scheduler; choose the runner dask")
        return self
