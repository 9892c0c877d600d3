"""Named entities by flair, whose model file is loaded without running any code it contains."""

import io
import logging
import pickle
import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import flair
import spacy
import torch
from flair.data import Dictionary, Sentence
from flair.embeddings import TransformerWordEmbeddings
from flair.models import SequenceTagger

from situatedgen.errors import ModelError
from situatedgen.models.weights import fetch, prepare
from situatedgen.params import ModelParams
from situatedgen.records import Entity, Span
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Label

State = dict[str, Any]  # Any: the pickled state of a flair model, checked by flair


class OldEmbeddings:
    """Placeholder for embeddings that flair pickled as objects: keeps their state and does nothing with it."""

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
ZIP_START = b"PK\x03\x04"
RECORDS = frozenset({"data.pkl", "version", "byteorder", ".format_version", ".storage_alignment"})
RECORD_FOLDERS = ("data/", ".data/")
"""What `torch.save` writes into an archive; TorchScript adds `constants.pkl` and `code/`."""
# Each of these makes flair or transformers run code that the file contains or names.
REFUSED_SETTINGS = frozenset({"auto_map", "trust_remote_code", "weights_only", "jit_model"})
CLASSES = frozenset(
    {"SequenceTagger", "TransformerWordEmbeddings", "StackedEmbeddings", "FlairEmbeddings", "WordEmbeddings"}
)
"""Classes that flair may instantiate from settings; its other embeddings run TorchScript or read more files."""


def read_state(path: Path) -> State:
    """The content of a flair model file, ready for `SequenceTagger.load`.

    Raises:
        ModelError: the file cannot be read, or contains a name or setting that is not allowed.
    """
    _check_archive(path)
    try:
        state: State = torch.load(path, map_location="cpu", pickle_module=_Reader, weights_only=False)
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise ModelError(f"{path} cannot be read as a flair model: {error}") from error
    if not isinstance(state, dict) or "tag_dictionary" not in state:
        raise ModelError(f"{path} is not a flair sequence tagger")
    return _restore(state, path)


def _check_archive(path: Path) -> None:
    """Refuse anything but a `torch.save` archive: `torch.load` runs TorchScript without checking names.

    The records are listed with torch's own reader, because a crafted archive could show a different list to another
    one.
    """
    try:
        with path.open("rb") as stream:
            is_zip = stream.read(len(ZIP_START)) == ZIP_START
        records: list[str] = torch._C.PyTorchFileReader(str(path)).get_all_records() if is_zip else []
    except (OSError, RuntimeError) as error:
        raise ModelError(f"{path} cannot be read as a flair model: {error}") from error
    if not is_zip:
        raise ModelError(f"{path} cannot be read as a flair model: expected a zip archive written by `torch.save`")
    foreign = sorted(name for name in records if name not in RECORDS and not name.startswith(RECORD_FOLDERS))
    if foreign:
        raise ModelError(
            f"{path} is refused: it contains {foreign[0]}, as TorchScript files do; expected a `torch.save` archive"
        )


class _Unpickler(pickle.Unpickler):
    """Resolves only the allowed names, so that reading a file calls nothing else."""

    def find_class(self, module_name: str, global_name: str) -> Any:  # Any: as in the base class
        if (module_name, global_name) not in ALLOWED:
            raise pickle.UnpicklingError(f"it contains {module_name}.{global_name}, which is not allowed")
        return ALLOWED[module_name, global_name]


class _Reader:
    """The part of the `pickle` module's interface that torch uses."""

    Unpickler = _Unpickler

    @staticmethod
    def load(stream: IO[bytes], **options: Any) -> Any:  # Any: as in `pickle.load`
        return _Unpickler(stream, **options).load()


def _restore(state: State, path: Path) -> State:
    refused = sorted({f"{name} {value}" for name, value in _settings(state) if _is_refused(name, value)})
    if refused:
        raise ModelError(f"{path} is refused: it sets {', '.join(refused)}")
    embeddings = state.get("embeddings")
    if isinstance(embeddings, OldEmbeddings):
        return {**state, "embeddings": _restore_embeddings(embeddings.state)}
    return state


def _is_refused(name: str, value: object) -> bool:
    if name == "__cls__":
        return value not in CLASSES
    if name.endswith("attn_implementation"):
        return "/" in str(value)  # code from the hub
    return name in REFUSED_SETTINGS


def _restore_embeddings(state: State) -> TransformerWordEmbeddings:
    embeddings = TransformerWordEmbeddings.__new__(TransformerWordEmbeddings)
    embeddings.__setstate__(state)  # type: ignore[no-untyped-call]
    return embeddings


def _settings(value: object) -> Iterator[tuple[str, object]]:
    """Every key and value of every dictionary in a value, at any depth."""
    if isinstance(value, OldEmbeddings):
        yield from _settings(value.state)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield str(name), inner
            yield from _settings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _settings(inner)


WEIGHTS_FILES = ("pytorch_model.bin",)
TAG_PREFIX = re.compile(r"^[BIES]-")
NO_ENTITY = frozenset({"O", "<unk>", "<START>", "<STOP>"})


class FlairTagger:
    """Tags each text by itself with a flair sequence tagger."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        """Load the weights from the hub (name and revision), a folder or a model file.

        Raises:
            SettingsError: the weights or their revision are missing or not exact, or the device is not available.
            ModelError: the weights cannot be loaded or read, or have labels that OntoNotes does not have.
        """
        # flair writes to standard output as soon as it is imported.
        logging.getLogger("flair").setLevel(logging.WARNING)
        flair.device = prepare(runtime)
        self._tagger = SequenceTagger.load(read_state(fetch(params, files=WEIGHTS_FILES)))
        _check_labels(self._tagger, params.weights)
        self._tokenizer = spacy.blank("en").tokenizer
        self._batch_size = runtime.batch_size

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text."""
        tokens = [self._tokens(text) for text in texts]
        found: list[tuple[Entity, ...]] = [() for _ in texts]
        for batch in self._batches(tokens):
            for index, entities in zip(batch, self._ask(texts, tokens, batch), strict=True):
                found[index] = entities
        return found

    def _tokens(self, text: str) -> tuple[Span, ...]:
        words = (token for token in self._tokenizer(text) if not token.is_space)
        return tuple(Span(word.idx, word.idx + len(word)) for word in words)

    def _batches(self, tokens: Sequence[tuple[Span, ...]]) -> Iterator[list[int]]:
        """Batches of the numbers of the texts that have words, sorted by length to reduce padding."""
        worded = (index for index, words in enumerate(tokens) if words)
        order = sorted(worded, key=lambda index: (len(tokens[index]), index))
        for start in range(0, len(order), self._batch_size):
            yield order[start : start + self._batch_size]

    def _ask(
        self, texts: Sequence[str], tokens: Sequence[tuple[Span, ...]], batch: Sequence[int]
    ) -> list[tuple[Entity, ...]]:
        sentences = [
            _isolated_sentence([texts[index][token.start : token.end] for token in tokens[index]]) for index in batch
        ]
        self._tagger.predict(sentences, mini_batch_size=self._batch_size, embedding_storage_mode="none")
        return [
            _entities(sentence, tokens[index], self._tagger.tag_type)
            for sentence, index in zip(sentences, batch, strict=True)
        ]


def _isolated_sentence(words: list[str]) -> Sentence:
    sentence = Sentence(words)
    # A FLERT model uses the neighbouring sentences as context unless a sentence already has its own.
    sentence._has_context = True
    return sentence


def _entities(sentence: Sentence, tokens: Sequence[Span], tag_type: str) -> tuple[Entity, ...]:
    found = [
        Entity(tokens[span[0].idx - 1].start, tokens[span[-1].idx - 1].end, Label(span.get_label(tag_type).value))
        for span in sentence.get_spans(tag_type)
    ]
    return tuple(sorted(found))


def _check_labels(tagger: SequenceTagger, weights: str) -> None:
    known = {TAG_PREFIX.sub("", tag) for tag in tagger.label_dictionary.get_items()} - NO_ENTITY
    foreign = sorted(known - {label.value for label in Label})
    if foreign:
        raise ModelError(f"tagger {weights!r} has labels that are not in OntoNotes: {', '.join(foreign)}")
