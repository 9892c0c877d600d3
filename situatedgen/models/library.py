"""Any sentence-transformers model, by the library itself."""

from collections.abc import Sequence
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer

from situatedgen.errors import ModelError
from situatedgen.models.hub import fetch
from situatedgen.params import ModelParams

WEIGHTS_FILES = ("model.safetensors",)
BESIDE = ("*.json", "*.txt", "*.model", "*/model.safetensors")


class Library:
    """The tokens of texts, and what a sentence-transformers model makes of them."""

    def __init__(self, params: ModelParams, device: torch.device) -> None:
        """Loads the weights of a folder, or of a hub name with its revision.

        Raises:
            SettingsError: the revision is missing or not exact.
            ModelError: they cannot be had or read, or the model wants a prompt before each text.
        """
        self._model = _load(fetch(params, files=WEIGHTS_FILES, beside=BESIDE).parent, device)
        self._model.tokenizer.padding_side = "right"
        self.device = self._model.device
        self.longest = self._model.max_seq_length
        self.dimension = self._model.get_embedding_dimension() or 0
        self.padding: int = self._model.tokenizer.pad_token_id or 0

    def tokens(self, texts: Sequence[str]) -> list[torch.Tensor]:
        """The tokens of each text, without padding."""
        features = self._model.preprocess(list(texts))
        lengths = features["attention_mask"].sum(dim=1).tolist()
        return [ids[:length] for ids, length in zip(features["input_ids"], lengths, strict=True)]

    def vectors(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The vector of each row."""
        found: torch.Tensor = self._model({"input_ids": ids, "attention_mask": mask})["sentence_embedding"]
        return found


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
    model.eval()
    return model
