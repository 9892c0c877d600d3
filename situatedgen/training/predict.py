"""Write sentences for keywords with a trained model, or with any other sequence-to-sequence model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from situatedgen.errors import ModelError
from situatedgen.evaluation.predictions import Example
from situatedgen.models.weights import HUB_NAME, choose, file_digest
from situatedgen.training import checkpoints
from situatedgen.training.params import FORMATS, Machine, TrainingParams, format_input, in_bfloat16, template

EXTRA_FILES = ("*.json", "*.txt", "*.model")
# Without safetensors, the pickle file is loaded with `weights_only`, i.e. for its tensors and nothing else.
KINDS = ("model*.safetensors", "pytorch_model*.bin")


@dataclass(frozen=True, slots=True)
class Weights:
    """The local folder of weights, and their exact revision."""

    folder: Path
    revision: str


def weights(model: str, revision: str = "") -> Weights:
    """The weights of a local folder, or of a hub model at a revision (default: the current one).

    Raises:
        ModelError: there is no such model, it cannot be downloaded, or it has no weights.
    """
    local = Path(model).expanduser()
    if local.is_dir():
        return Weights(local, _weights_digest(local))
    if not HUB_NAME.fullmatch(model) or local.exists():
        raise ModelError(f"model {model!r} is neither a folder nor a hub name `owner/name`")
    for kind in KINDS:
        folder = _download(model, revision, (kind, *EXTRA_FILES))
        if _weight_files(folder):
            return Weights(folder, folder.name)
    raise ModelError(f"hub model {model!r} contains none of: {', '.join(KINDS)}")


def _download(model: str, revision: str, patterns: Sequence[str]) -> Path:
    try:
        return Path(snapshot_download(model, revision=revision or None, allow_patterns=list(patterns)))
    except OSError as error:  # the hub's client raises subclasses of it, whether offline or refused
        raise ModelError(f"model {model!r} cannot be downloaded from the hub: {error}") from error


def _weights_digest(folder: Path) -> str:
    found = _weight_files(folder)
    if not found:
        raise ModelError(f"model folder {folder} contains none of: {', '.join(KINDS)}")
    return " ".join(f"sha256:{file_digest(path)}" for path in found)


def _weight_files(folder: Path) -> list[Path]:
    """The weight files, of the first kind that exists."""
    return next((found for kind in KINDS if (found := sorted(folder.glob(kind)))), [])


@dataclass(frozen=True)
class LoadedModel:
    """A model and its tokeniser, typed by the library."""

    model: Any
    tokenizer: Any

    @property
    def kind(self) -> str:
        """The model family, such as `t5` or `bart`."""
        return str(self.model.config.model_type)


def load_model(weights: Weights) -> LoadedModel:
    """Load a model in full precision.

    Raises:
        ModelError: it is not a sequence-to-sequence model, or has no tokeniser.
    """
    try:
        tokenizer = AutoTokenizer.from_pretrained(weights.folder)  # type: ignore[no-untyped-call]
        model = AutoModelForSeq2SeqLM.from_pretrained(
            weights.folder,
            use_safetensors=any(weights.folder.glob("model*.safetensors")),
            weights_only=True,
            dtype=torch.float32,
        )
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"{weights.folder} is not a sequence-to-sequence model with a tokenizer: {error}") from error
    return LoadedModel(model, tokenizer)


ROWS_AT_ONCE = 32


@dataclass(frozen=True)
class Writer:
    """A model that writes sentences for keywords, with the input template that it was trained on."""

    loaded: LoadedModel
    template: str
    params: TrainingParams
    machine: Machine

    def write(self, examples: Sequence[Example], advance: Callable[[int], None] = lambda _: None) -> dict[str, str]:
        """Generate a text for each example, by example id, in order; `advance` receives the number finished."""
        read = [format_input(self.template, example.keywords) for example in examples]
        written = [""] * len(read)
        for batch in self._batches(read):
            for index, text in zip(batch, self._generate([read[index] for index in batch]), strict=True):
                written[index] = text
            advance(len(batch))
        return {example.example_id: text for example, text in zip(examples, written, strict=True)}

    def _batches(self, read: Sequence[str]) -> Iterator[list[int]]:
        """Batches of indices, sorted by text length to minimise padding."""
        order = sorted(range(len(read)), key=lambda index: (len(read[index]), index))
        size = self.machine.rows_at_once or ROWS_AT_ONCE
        for start in range(0, len(order), size):
            yield order[start : start + size]

    @torch.no_grad()
    def _generate(self, texts: Sequence[str]) -> list[str]:
        device = self.loaded.model.device
        inputs = self.loaded.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.params.max_input_tokens, return_tensors="pt"
        )
        with torch.autocast(device.type, torch.bfloat16, enabled=in_bfloat16(self.machine, device)):
            numbers = self.loaded.model.generate(
                input_ids=inputs["input_ids"].to(device),
                attention_mask=inputs["attention_mask"].to(device),
                num_beams=self.params.beams,
                max_length=self.params.max_output_tokens,
                do_sample=False,
            )
        texts = self.loaded.tokenizer.batch_decode(numbers, skip_special_tokens=True)
        return [" ".join(text.split()) for text in texts]


def writer(
    model: str,
    *,
    revision: str = "",
    params: TrainingParams | None = None,
    machine: Machine = Machine(),  # noqa: B008 (frozen)
) -> Writer:
    """Load the writer of a folder made by `train`, with its settings, or of any other model.

    Raises:
        SettingsError: the device is not available.
        ModelError: there is no such model, or it is not finished.
    """
    known = checkpoints.read_record(Path(model).expanduser())
    folder = str(Path(model).expanduser() / checkpoints.MODEL) if known else model
    found = load_model(weights(folder, revision))
    chosen = params or (known.params if known else TrainingParams())
    if machine.threads:
        torch.set_num_threads(machine.threads)
    found.model.to(choose(machine.device)).eval()
    words = known.template if known else template(chosen.format, FORMATS, model_type=found.kind)
    return Writer(found, words, chosen, machine)
