"""What came of a job, and of a whole build."""

from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict

from storage.artifacts import ArtifactRef


class Outcome(BaseModel):
    """What came of a job: the artifact, its key, and whether it had to be made.

    `computed` and `recalled` count what a model was asked and what was remembered of earlier runs; where no
    model is asked, the rows that were made and those that were kept of an earlier run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: ArtifactRef
    key: str
    seconds: float
    reused: bool
    computed: int = 0
    recalled: int = 0


class Build(BaseModel):
    """A finished build: its settings, and the outcome of every job in the order of the pipeline."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    created: str
    settings: dict[str, object]
    sources: str
    outcomes: tuple[Outcome, ...]
    precedent: ArtifactRef | None = None
    decisions: ArtifactRef | None = None

    @property
    def given(self) -> tuple[ArtifactRef, ...]:
        """The artifacts that no stage made."""
        return tuple(ref for ref in (self.precedent, self.decisions) if ref)

    def refs(self, stage: str) -> tuple[ArtifactRef, ...]:
        """The artifacts of a stage: one, or one a source; or what was given under that name."""
        return tuple(ref for ref in (*(outcome.ref for outcome in self.outcomes), *self.given) if ref.stage == stage)


def now() -> str:
    """The time in a form that sorts as text."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
