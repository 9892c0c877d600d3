"""Reads a flair model file, which is a pickle, through a list of the few names it may hold."""

import io
import pickle
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import torch
from flair.data import Dictionary
from flair.embeddings import TransformerWordEmbeddings

from situatedgen.errors import ModelError

State = dict[str, Any]  # Any: what a flair model remembers of itself, checked by flair


class OldEmbeddings:
    """Stands for embeddings that flair pickled whole: keeps what they remember and does nothing with it."""

    state: State

    def __setstate__(self, state: State) -> None:
        self.state = state


ALLOWED: dict[tuple[str, str], object] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("collections", "defaultdict"): defaultdict,
    ("_io", "BytesIO"): io.BytesIO,
    ("flair.data", "Dictionary"): Dictionary,
    ("flair.embeddings.token", "TransformerWordEmbeddings"): OldEmbeddings,
    ("torch", "Size"): torch.Size,
    ("torch", "device"): torch.device,
    ("torch", "float16"): torch.float16,
    ("torch", "float32"): torch.float32,
    ("torch._utils", "_rebuild_parameter"): torch._utils._rebuild_parameter,
    ("torch._utils", "_rebuild_tensor_v2"): torch._utils._rebuild_tensor_v2,
}
# Either would let a model file have code fetched and run when its embeddings are made.
REFUSED_SETTINGS = frozenset({"auto_map", "trust_remote_code"})


def read_state(path: Path) -> State:
    """What a flair model file holds, ready for `SequenceTagger.load`.

    Raises:
        ModelError: the file cannot be read, or holds a name or setting that is not allowed.
    """
    try:
        state: State = torch.load(path, map_location="cpu", pickle_module=_Reader, weights_only=False)
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise ModelError(f"{path} cannot be read as a flair model: {error}") from error
    if not isinstance(state, dict) or "tag_dictionary" not in state:
        raise ModelError(f"{path} holds no flair sequence tagger")
    return _revived(state, path)


class _Unpickler(pickle.Unpickler):
    """Finds the allowed names and nothing else, so that reading a file calls nothing else."""

    def find_class(self, module_name: str, global_name: str) -> Any:  # Any: as in the class it narrows
        if (module_name, global_name) not in ALLOWED:
            raise pickle.UnpicklingError(f"it holds {module_name}.{global_name}, which is not allowed")
        return ALLOWED[module_name, global_name]


class _Reader:
    """What torch asks of a pickle module."""

    Unpickler = _Unpickler

    @staticmethod
    def load(stream: IO[bytes], **options: Any) -> Any:  # Any: as in `pickle.load`
        return _Unpickler(stream, **options).load()


def _revived(state: State, path: Path) -> State:
    refused = sorted(REFUSED_SETTINGS & set(_setting_names(state)))
    if refused:
        raise ModelError(f"{path} is refused: it sets {', '.join(refused)}")
    embeddings = state.get("embeddings")
    if isinstance(embeddings, OldEmbeddings):
        return {**state, "embeddings": _embeddings(embeddings.state)}
    return state


def _embeddings(state: State) -> TransformerWordEmbeddings:
    embeddings = TransformerWordEmbeddings.__new__(TransformerWordEmbeddings)
    embeddings.__setstate__(state)  # type: ignore[no-untyped-call]
    return embeddings


def _setting_names(value: object) -> Iterator[str]:
    """Every key of every dictionary in a value, however deep."""
    if isinstance(value, OldEmbeddings):
        yield from _setting_names(value.state)
    elif isinstance(value, dict):
        yield from map(str, value)
        for inner in value.values():
            yield from _setting_names(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _setting_names(inner)
