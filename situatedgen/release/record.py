"""`release.json`: what was released, from what and with what, so that it can be checked and built again."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from situatedgen.errors import SettingsError
from situatedgen.report.folder import MANIFEST, read_manifest

FILE = "release.json"
FORMAT = "situatedgen release"


class Artifact(BaseModel):
    """An artifact of the release: its content, and every part of the key it was made under."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    digest: str
    rows: int
    parts: dict[str, Any] = {}


class File(BaseModel):
    """A file of the release."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    bytes: int


class Record(BaseModel):
    """What a release is made from; a folder that was only built tells it by its manifest, without the parts of keys."""

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
        """The file's bytes."""
        told = {"format": FORMAT, **self.model_dump(mode="json")}
        return (json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def read(folder: Path) -> Record:
    """The record of a release, or what the manifest of a dataset folder tells.

    Raises:
        SettingsError: the folder holds neither.
    """
    path = folder / FILE
    try:
        if path.is_file():
            return Record.model_validate(json.loads(path.read_bytes()))
        return _of_manifest(folder)
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise SettingsError(f"{folder} is no release or dataset of ours that can be read: {reason}") from error


def _of_manifest(folder: Path) -> Record:
    manifest: Mapping[str, Any] = read_manifest(folder)
    if not manifest:
        raise SettingsError(f"{folder} is no release and no dataset folder: it has no {FILE} and no {MANIFEST} of ours")
    stages = {
        name: {key: entry[key] for key in ("key", "digest", "rows")} for name, entry in manifest["stages"].items()
    }
    files = {
        name: {"sha256": digest, "bytes": size}
        for name, digest in manifest["files"].items()
        if (size := _size(folder / name)) is not None
    }
    told = {name: manifest.get(name) for name in ("settings", "precedent", "decisions", "versions")}
    return Record.model_validate({**told, "build": manifest.get("created", ""), "artifacts": stages, "files": files})


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None
