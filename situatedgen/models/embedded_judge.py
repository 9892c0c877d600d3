"""The embedded judge: how valid a pair is, by a small network on sentence embeddings."""

from collections.abc import Mapping, Sequence, Set

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load as load_tensors
from torch import Tensor, nn

from situatedgen.models.sentence_encoder import SentenceEncoder
from situatedgen.models.spacy_models import EmbeddedTagger
from situatedgen.models.weights import SPACY_MODEL
from situatedgen.params import ModelParams
from situatedgen.records import Entity, Judgement
from situatedgen.resources import read_bytes
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Label

OUTPUTS = ("valid", "fluent", "antithesis", "dependent", "common", "true")
"""What the network was trained to tell; `true` only helps to train the others."""
TYPE_WORDS = {
    Label.GPE: "someplace",
    Label.LOC: "someplace",
    Label.DATE: "some time",
    Label.TIME: "some hour",
    Label.EVENT: "some event",
    Label.PERSON: "somebody",
    Label.NORP: "some people",
    Label.ORG: "some group",
    Label.FAC: "some building",
    Label.CARDINAL: "some",
    Label.ORDINAL: "some",
    Label.WORK_OF_ART: "some work",
    Label.LANGUAGE: "some language",
}
DIGITS = 4
KNOWN = 50_000
"""Sentences whose vectors are held: most stand in pairs of several batches."""
TAGGER = ModelParams(name="embedded", weights=SPACY_MODEL, revision="3.8.0")


class PairNetwork(nn.Module):
    """Tells the properties of a pair from the vectors of its sentences, whichever comes first."""

    def __init__(self, dimensions: int, hidden: int = 64, dropout: float = 0.1) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(5 * dimensions + 2, hidden),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, len(OUTPUTS)),
        )

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """The log-odds of each output; a sentence is two vectors of unit length: its own, and that of its types."""
        scale = left.shape[-1] ** 0.5
        products, differences = left * right, (left - right).abs()
        parts = [products.flatten(1) * scale, differences.flatten(1) * scale**0.5]
        whole = (left[:, 0] + right[:, 0]) * scale**0.5
        odds: Tensor = self.layers(torch.cat([*parts, whole, products.sum(dim=2)], dim=1))
        return odds


class EmbeddedJudge:
    """Judges pairs of sentences by the weights that ship with the package."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        tensors = load_tensors(read_bytes("judge.safetensors"))
        self._tagger = EmbeddedTagger(TAGGER, runtime)
        self._encoder = SentenceEncoder(params, runtime)
        add_low_rank(self._encoder.model, tensors)
        # In double precision, so that what is rounded afterwards does not depend on which pairs are asked together.
        self._network = PairNetwork(self._encoder.model.get_embedding_dimension() or 0).double()
        self._network.load_state_dict({name: tensors[name].double() for name in self._network.state_dict()})
        self._network.eval()
        self._scale, self._shift = tensors["calibration"].tolist()
        self._known: dict[str, NDArray[np.float32]] = {}

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
        """How probable it is that each pair is valid, and its parts."""
        if not pairs:
            return []
        self._learn({text for pair in pairs for text in pair})
        left, right = (torch.from_numpy(np.stack([self._known[pair[side]] for pair in pairs])) for side in (0, 1))
        with torch.inference_mode():
            odds = self._network(left.double(), right.double())
            odds[:, 0] = odds[:, 0] * self._scale + self._shift
            found = torch.sigmoid(odds).numpy().round(DIGITS)
        return [Judgement(*map(float, row[:5])) for row in found]

    def _learn(self, texts: Set[str]) -> None:
        """Make sure that both vectors of each text are known."""
        if len(self._known.keys() | texts) > KNOWN:
            self._known.clear()
        new = sorted(texts - self._known.keys())
        typed = [replace_entities(text, found) for text, found in zip(new, self._tagger.tag(new), strict=True)]
        vectors = np.stack([self._encoder.encode(new), self._encoder.encode(typed)], axis=1)
        self._known.update(zip(new, vectors, strict=True))


def replace_entities(text: str, entities: Sequence[Entity]) -> str:
    """A text with each entity replaced by a word for its type.

    Example: "Paris is in France." becomes "someplace is in someplace."
    """
    parts, end = [], 0
    for each in entities:
        parts += [text[end : each.start], TYPE_WORDS.get(each.label, "something")]
        end = each.end
    return "".join([*parts, text[end:]])


def add_low_rank(model: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Add what was learned to the weights of an encoder: to each matrix the product of two thin ones."""
    with torch.no_grad():
        for name in sorted(name.removesuffix(".down") for name in tensors if name.endswith(".down")):
            change = tensors[f"{name}.up"].float() @ tensors[f"{name}.down"].float()
            weight = model.get_submodule(name).get_parameter("weight")
            weight.add_(change.to(weight.device))
