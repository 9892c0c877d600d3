"""The pinned encoder by PyTorch alone: importing sentence-transformers takes longer than a whole small build.

The same operations in the same order as in transformers and sentence-transformers, and so the same bits; only BERT
with mean pooling is known, which is what all-MiniLM-L6-v2 is.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn.functional import gelu, layer_norm, linear, normalize, scaled_dot_product_attention

FEWEST = 1e-9
"""No text has fewer tokens than this."""


class Bert:
    """The tokens of texts, and the mean of what BERT makes of them."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.device = device
        self.longest: int = json.loads((folder / "sentence_bert_config.json").read_text("utf-8"))["max_seq_length"]
        self.dimension: int = config["hidden_size"]
        self.padding: int = config["pad_token_id"]
        self._layers, self._heads = config["num_hidden_layers"], config["num_attention_heads"]
        self._epsilon: float = config["layer_norm_eps"]
        self._weights = load_file(folder / "model.safetensors", device=str(device))
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.longest)

    def tokens(self, texts: Sequence[str]) -> list[torch.Tensor]:
        """The tokens of each text, without padding."""
        return [torch.tensor(found.ids) for found in self._tokenizer.encode_batch([text.strip() for text in texts])]

    def vectors(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The mean over the tokens of each row that are no padding, of unit length."""
        hidden, seen = self._embedded(ids), None if mask.all() else mask[:, None, None, :].bool()
        for layer in range(self._layers):
            hidden = self._layer(f"encoder.layer.{layer}", hidden, seen)
        counted = mask.unsqueeze(-1).expand(hidden.size()).to(hidden.dtype)
        return normalize(torch.sum(hidden * counted, 1) / torch.clamp(counted.sum(1), min=FEWEST), dim=1)

    def _embedded(self, ids: torch.Tensor) -> torch.Tensor:
        words, kinds, places = (
            self._weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "token_type", "position")
        )
        return self._normed("embeddings", words[ids] + kinds[0] + places[: ids.shape[1]])

    def _layer(self, name: str, hidden: torch.Tensor, seen: torch.Tensor | None) -> torch.Tensor:
        """What a layer makes of what it is given: first the tokens look at each other, then each for itself."""
        query, key, value = (self._split(f"{name}.attention.self.{part}", hidden) for part in ("query", "key", "value"))
        looked = scaled_dot_product_attention(query, key, value, attn_mask=seen).transpose(1, 2)
        attended = self._dense(f"{name}.attention.output.dense", looked.reshape(hidden.shape)) + hidden
        hidden = self._normed(f"{name}.attention.output", attended)
        wide = gelu(self._dense(f"{name}.intermediate.dense", hidden))
        return self._normed(f"{name}.output", self._dense(f"{name}.output.dense", wide) + hidden)

    def _split(self, name: str, hidden: torch.Tensor) -> torch.Tensor:
        rows, width, size = hidden.shape
        return self._dense(name, hidden).view(rows, width, self._heads, size // self._heads).transpose(1, 2)

    def _dense(self, name: str, hidden: torch.Tensor) -> torch.Tensor:
        return linear(hidden, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _normed(self, name: str, hidden: torch.Tensor) -> torch.Tensor:
        weight, bias = (self._weights[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
        return layer_norm(hidden, (self.dimension,), weight, bias, self._epsilon)
