"""The key of an artifact: its stage's code, params and models, and the content of its inputs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from situatedgen.models.registry import entry, package_versions
from situatedgen.params import ModelParams, Params
from situatedgen.pipeline import Stage
from storage.fingerprint import fingerprint
from storage.store import ArtifactRef, artifact_name, file_digest, json_digest

Inputs = Mapping[str, Sequence[ArtifactRef]]


class Job(BaseModel):
    """One artifact to be made. All JSON, so that it can be sent to another process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    source: str = ""
    parts: dict[str, object]
    params: dict[str, object]
    inputs: dict[str, tuple[ArtifactRef, ...]] = {}
    root: str = ""

    @property
    def key(self) -> str:
        """The digest of everything that the artifact depends on."""
        return json_digest(self.parts)

    @property
    def name(self) -> str:
        """The name of the artifact that the job makes."""
        return artifact_name(self.stage, self.source)

    @property
    def rows(self) -> int:
        """How many rows go through the stage: those of its first input."""
        return next((sum(ref.rows for ref in refs) for refs in self.inputs.values()), 0)


def key_parts(each: Stage, params: Params, inputs: Inputs, files: Mapping[str, str]) -> dict[str, object]:
    """What a stage's artifact depends on: its name, code, schema, params, models, and input contents."""
    found: dict[str, object] = {
        "stage": each.name,
        "code": fingerprint(each.target),
        "schema": {name: str(dtype) for name, dtype in each.schema.columns.items()},
        "params": params.model_dump(mode="json"),
        "models": {role: model_identity(role, model) for role, model in each.models_of(params).items()},
        "inputs": {name: [ref.digest for ref in refs] for name, refs in inputs.items()},
    }
    return {**found, "files": dict(files)} if files else found


def model_identity(role: str, params: ModelParams) -> dict[str, object]:
    """What a model's answers depend on: its code, its weights and revision, the packages below it."""
    found = entry(role, params.name)
    identity: dict[str, object] = {
        **params.model_dump(mode="json"),
        "code": fingerprint(found.target),
        "packages": package_versions(found),
    }
    local = Path(params.weights)
    return {**identity, "files": folder_digests(local)} if params.weights and local.exists() else identity


def folder_digests(path: Path) -> dict[str, str]:
    """The digest of each file below a folder (or of the one file), by its relative name."""
    if path.is_file():
        return {path.name: file_digest(path)}
    files = sorted(found for found in path.rglob("*") if found.is_file())
    return {found.relative_to(path).as_posix(): file_digest(found) for found in files}
