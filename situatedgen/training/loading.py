"""A sequence-to-sequence model with its tokeniser, as they are read from a folder."""

from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from situatedgen.errors import ModelError
from situatedgen.training.weights import Weights


@dataclass(frozen=True)
class Loaded:
    """A model and its tokeniser; what they are is the library's affair."""

    model: Any
    tokenizer: Any

    @property
    def kind(self) -> str:
        """The family that the model belongs to, such as `t5` or `bart`."""
        return str(self.model.config.model_type)


def loaded(weights: Weights) -> Loaded:
    """The model of weights, in full precision.

    Raises:
        ModelError: they are of no sequence-to-sequence model, or have no tokeniser.
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
        raise ModelError(f"{weights.folder} holds no sequence-to-sequence model with a tokeniser: {error}") from error
    return Loaded(model, tokenizer)
