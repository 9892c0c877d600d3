"""Settings that change how fast a build runs, never what it makes."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Runtime(BaseModel):
    """Where and how models run. Nothing here may change a row, so nothing here enters a key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="Where neural models run.")
    batch_size: int = Field(64, ge=1, description="Texts per model call.")
    workers: int = Field(
        0, ge=0, description="Processes that share the texts of a model which uses one core; 0 takes one a core."
    )
    threads: int = Field(0, ge=0, description="Threads for numeric libraries; 0 leaves their default.")
