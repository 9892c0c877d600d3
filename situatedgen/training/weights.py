"""The model that a training starts from, or that writes: a folder, or a name of the model hub."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import snapshot_download

from situatedgen.errors import ModelError
from situatedgen.models.weights import HUB_NAME, file_digest

BESIDE = ("*.json", "*.txt", "*.model")
# Where there are no safetensors, the other is read for its tensors and nothing else (`weights_only`).
KINDS = ("model*.safetensors", "pytorch_model*.bin")


@dataclass(frozen=True, slots=True)
class Weights:
    """Where weights lie on this machine, and which exactly they are."""

    folder: Path
    revision: str


def weights(model: str, revision: str = "") -> Weights:
    """The weights of a local folder, or of the hub at a revision; without one, at that of today.

    Raises:
        ModelError: there is no such model, or the hub does not give it, or it has no weights.
    """
    local = Path(model).expanduser()
    if local.is_dir():
        return Weights(local, _digest(local))
    if not HUB_NAME.fullmatch(model) or local.exists():
        raise ModelError(f"model {model!r} is neither a folder nor a hub name `owner/name`")
    for kind in KINDS:
        folder = _downloaded(model, revision, (kind, *BESIDE))
        if _files(folder):
            return Weights(folder, folder.name)
    raise ModelError(f"model {model!r} of the hub has no {' and no '.join(KINDS)}")


def _downloaded(model: str, revision: str, patterns: Sequence[str]) -> Path:
    try:
        return Path(snapshot_download(model, revision=revision or None, allow_patterns=list(patterns)))
    except OSError as error:  # what the hub's client raises, offline or refused, are all of these
        raise ModelError(f"model {model!r} cannot be fetched from the hub: {error}") from error


def _digest(folder: Path) -> str:
    found = _files(folder)
    if not found:
        raise ModelError(f"model folder {folder} holds no {' and no '.join(KINDS)}")
    return " ".join(f"sha256:{file_digest(path)}" for path in found)


def _files(folder: Path) -> list[Path]:
    """The files of the first kind of weights that is there."""
    return next((found for kind in KINDS if (found := sorted(folder.glob(kind)))), [])
