"""Weights that no package brings: from a local path, or from the model hub at an exact revision."""

import re
from collections.abc import Sequence
from pathlib import Path

from huggingface_hub import snapshot_download

from situatedgen.errors import ModelError, SettingsError
from situatedgen.models.weights import file_digest
from situatedgen.params import ModelParams

HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
COMMIT = re.compile(r"[0-9a-f]{40}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def fetch(params: ModelParams, *, files: Sequence[str], beside: Sequence[str] = ()) -> Path:
    """The weights file on this machine, with the files that match `beside` in the same folder.

    `params.weights` is a file, a folder that holds one of `files`, or a hub name; of several files the
    first that is there is taken. `params.revision` is a commit of the hub, or `sha256:…` of the weights
    file, which is then checked; a local path may go without.

    Raises:
        SettingsError: no weights are named, or a revision that is missing or not exact.
        ModelError: there is no such file, the hub does not give it, or its digest differs.
    """
    path = next((path for file in files if (path := _locate(params, file, beside)).is_file()), None)
    if path is None:
        raise ModelError(f"weights {params.weights!r} hold no {' and no '.join(files)}")
    if DIGEST.fullmatch(params.revision):
        _check_digest(path, params)
    return path


def _locate(params: ModelParams, file: str, beside: Sequence[str]) -> Path:
    if not params.weights:
        raise SettingsError(f"model {params.name!r} needs weights: a hub name or a local path")
    local = Path(params.weights).expanduser()
    if not local.exists():
        return _download(params, [file, *beside]) / file
    if params.revision and not DIGEST.fullmatch(params.revision):
        raise SettingsError(
            f"weights {params.weights!r} are local: revision {params.revision!r} should be"
            " `sha256:…` of the weights file, or empty"
        )
    return local / file if local.is_dir() else local


def _download(params: ModelParams, patterns: Sequence[str]) -> Path:
    if not HUB_NAME.fullmatch(params.weights):
        raise ModelError(f"weights {params.weights!r} are neither a file nor a folder nor a hub name `owner/name`")
    if not (COMMIT.fullmatch(params.revision) or DIGEST.fullmatch(params.revision)):
        raise SettingsError(
            f"weights {params.weights!r} are on the hub: revision {params.revision!r} should be"
            " a commit of 40 hexadecimal digits, or `sha256:…` of the weights file"
        )
    commit = params.revision if COMMIT.fullmatch(params.revision) else None
    try:
        return Path(snapshot_download(params.weights, revision=commit, allow_patterns=list(patterns)))
    except OSError as error:  # what the hub's client raises, offline or refused, are all of these
        raise ModelError(f"weights {params.weights!r} cannot be fetched from the hub: {error}") from error


def _check_digest(path: Path, params: ModelParams) -> None:
    found = f"sha256:{file_digest(path)}"
    if found != params.revision:
        raise ModelError(f"weights {params.weights}/{path.name} have {found}, expected {params.revision}")
