"""What the store keeps of a stage: a reference to its table, and the record of how it was made."""

from pydantic import BaseModel, ConfigDict


def artifact_name(stage: str, source: str = "") -> str:
    """What an artifact is called: `pairs`, or `statements/creak` where each source has its own."""
    return f"{stage}/{source}" if source else stage


class ArtifactRef(BaseModel):
    """A table in the store, by content. Small, and free of paths, so that it can go between tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    digest: str
    rows: int
    source: str = ""

    @property
    def name(self) -> str:
        """What the artifact is called: `pairs`, or `statements/creak` where each source has its own."""
        return artifact_name(self.stage, self.source)

    @property
    def place(self) -> str:
        """Where the table lies below the store's own place."""
        return f"artifacts/{self.stage}/{self.digest}.parquet"


class KeyRecord(BaseModel):
    """What is known of a key: its parts, the artifact it gave, and what that cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    parts: dict[str, object]
    ref: ArtifactRef
    inputs: dict[str, tuple[ArtifactRef, ...]] = {}
    file_digest: str
    seconds: float
    created: str
