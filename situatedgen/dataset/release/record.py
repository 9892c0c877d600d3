"""`release.json`: what a release was built from, and whether its models and readers may run here."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen.dataset.folder import MANIFEST, read_manifest
from situatedgen.errors import SettingsError
from situatedgen.models.registry import REGISTRY
from situatedgen.models.weights import pinned_packages
from situatedgen.params import ModelParams
from situatedgen.preset_files import names
from situatedgen.presets import load
from situatedgen.settings import Settings

FILE = "release.json"
FORMAT = "situatedgen release"


class Artifact(BaseModel):
    """An artifact of the release: its cache key, content digest, number of rows and the parts of the key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    digest: str
    rows: int
    parts: dict[str, Any] = {}


class File(BaseModel):
    """Checksum and size of a file in the release."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    bytes: int


class Record(BaseModel):
    """What a release is made from; for an unreleased folder it comes from the manifest, without the parts of keys."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = ""
    note: str = ""
    released: str = ""
    build: str = ""
    settings: dict[str, Any]
    precedent: dict[str, Any] | None = None
    decisions: dict[str, Any] | None = None
    artifacts: dict[str, Artifact]
    versions: dict[str, str] = {}
    files: dict[str, File]

    def text(self) -> bytes:
        """The content of `release.json`."""
        values = {"format": FORMAT, **self.model_dump(mode="json")}
        return (json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def read_record(folder: Path) -> Record:
    """Read the record of a release, or derive it from the manifest of a dataset folder.

    Raises:
        SettingsError: the folder contains neither.
    """
    path = folder / FILE
    try:
        if path.is_file():
            return Record.model_validate(json.loads(path.read_bytes()))
        return _record_from_manifest(folder)
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise SettingsError(f"{folder} is not a readable release or situatedgen dataset: {reason}") from error


def _record_from_manifest(folder: Path) -> Record:
    manifest: Mapping[str, Any] = read_manifest(folder)
    if not manifest:
        raise SettingsError(f"{folder} is neither a release nor a situatedgen dataset (no {FILE}, no {MANIFEST})")
    stages = {
        name: {key: entry[key] for key in ("key", "digest", "rows")} for name, entry in manifest["stages"].items()
    }
    files = {
        name: {"sha256": digest, "bytes": size}
        for name, digest in manifest["files"].items()
        if (size := _size(folder / name)) is not None
    }
    values = {name: manifest.get(name) for name in ("settings", "precedent", "decisions", "versions")}
    return Record.model_validate({**values, "build": manifest.get("created", ""), "artifacts": stages, "files": files})


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def foreign_parts(settings: Settings) -> tuple[str, ...]:
    """Describe the readers, models and weights in the settings that are not built in."""
    readers = (f"reader {source.reader!r} of source {source.name!r}" for source in settings.sources if source.reader)
    models = (part for _, role, model in settings.models() for part in _foreign_model(role, model))
    return (*readers, *models)


def is_built_in(role: str, model: ModelParams) -> bool:
    """Whether a model is in the registry and its weights come from a pinned package or a shipped preset."""
    return not any(_foreign_model(role, model))


def require_trust(settings: Settings, *, trust: bool) -> None:
    """Reject third-party settings that refer to their own code or weights, unless they are trusted.

    Raises:
        SettingsError: something is not built in and not trusted; the message lists all such parts.
    """
    parts = foreign_parts(settings)
    if parts and not trust:
        raise SettingsError(
            f"the release would run code or load weights that situatedgen does not ship: {'; '.join(parts)};"
            " nothing was run; inspect them, and pass --trust if you trust them"
        )


def _foreign_model(role: str, model: ModelParams) -> Iterator[str]:
    if model.name not in REGISTRY[role]:
        yield f"{role} {model.name!r}"
    weights = (model.weights, model.revision)
    if model.weights and model.weights not in pinned_packages() and weights not in _shipped_weights():
        revision = f" at {model.revision!r}" if model.revision else ""
        yield f"weights {model.weights!r}{revision} of {role} {model.name!r}"


@cache
def _shipped_weights() -> frozenset[tuple[str, str]]:
    """Weights and revisions used by the shipped presets."""
    return frozenset((model.weights, model.revision) for name in names() for _, _, model in load(name).models())
