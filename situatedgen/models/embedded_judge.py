"""The embedded judge: how valid a pair is, by the vectors of its sentences, and where that leaves hope by reading both.

A network on sentence embeddings is cheap, for a sentence is encoded once whatever the number of its pairs. What it does
not rule out is read again by an encoder that sees both sentences at once and tells good pairs from near misses better.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load as load_tensors
from torch import Tensor, nn
from transformers import PreTrainedTokenizerBase

from situatedgen.models.sentence_encoder import Pass, SentenceEncoder, count_workers, cut_passes, single_threaded
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
READ_FROM = 0.3
"""Pairs of no less probability by their vectors are read; of others there is no hope."""
LONGEST = 128
"""Tokens of a pair that are read."""
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


class PairReader(nn.Module):
    """Tells the properties of a pair from both sentences, which an encoder reads as one text."""

    def __init__(self, encoder: nn.Module, dimensions: int, hidden: int = 128, dropout: float = 0.2) -> None:
        super().__init__()
        self.encoder = encoder
        self.layers = nn.Sequential(
            nn.Linear(2 * dimensions, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, len(OUTPUTS))
        )

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """The log-odds of each output, from the first token and the mean of all."""
        tokens = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
        weights = mask[:, :, None].to(tokens.dtype)
        mean = (tokens * weights).sum(dim=1) / weights.sum(dim=1)
        odds: Tensor = self.layers(torch.cat([tokens[:, 0], mean], dim=1))
        return odds


class ReaderModel:
    """Reads pairs in passes of a fixed shape, so that an answer does not depend on its batch."""

    def __init__(self, params: ModelParams, runtime: Runtime, tensors: Mapping[str, Tensor]) -> None:
        model = SentenceEncoder(params, runtime).model
        self._tokenizer, self._device = model.tokenizer, model.device
        encoder: Any = model[0].auto_model  # Any: a BERT, as transformers types none
        encoder.embeddings.token_type_embeddings.load_state_dict({"weight": tensors["token_types"].float()})
        add_low_rank(encoder, tensors)
        self._reader = PairReader(encoder, model.get_embedding_dimension() or 0)
        self._reader.layers.load_state_dict(
            {name: tensors[f"layers.{name}"].float() for name in self._reader.layers.state_dict()}
        )
        self._reader.to(self._device).eval()

    def odds(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """The log-odds of each output for each pair, whose sentences are read in the order of the alphabet."""
        tokens = [token_ids(self._tokenizer, (min(pair), max(pair))) for pair in pairs]
        found = np.empty((len(pairs), len(OUTPUTS)))
        passes = cut_passes([len(ids) for ids in tokens], longest=LONGEST, device=self._device)
        with single_threaded(count_workers(self._device)) as pool:
            for one, answer in zip(passes, pool.map(lambda one: self._ask(one, tokens), passes), strict=True):
                found[one.texts] = answer[: len(one.texts)]
        return found

    def _ask(self, one: Pass, tokens: Sequence[Tensor]) -> NDArray[np.float64]:
        batch = pad_pairs([tokens[number] for number in one.filled], self._tokenizer, width=one.width)
        with torch.inference_mode():
            odds: NDArray[np.float64] = self._reader(*(each.to(self._device) for each in batch)).double().cpu().numpy()
        return odds


def token_ids(tokenizer: PreTrainedTokenizerBase, pair: tuple[str, str]) -> Tensor:
    """Both sentences of a pair as one text."""
    return torch.tensor(tokenizer(*pair, truncation=True, max_length=LONGEST)["input_ids"])


def pad_pairs(
    tokens: Sequence[Tensor], tokenizer: PreTrainedTokenizerBase, *, width: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens, mask, and which tokens are of the second sentence."""
    ids = torch.full((len(tokens), width), tokenizer.pad_token_id or 0)
    mask = torch.zeros_like(ids)
    for row, each in enumerate(tokens):
        ids[row, : len(each)], mask[row, : len(each)] = each, 1
    ends = ids == tokenizer.sep_token_id
    return ids, mask, (ends.cumsum(dim=1) > 0).long() * ~ends * mask


class EmbeddedJudge:
    """Judges pairs of sentences by the weights that ship with the package."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        tensors = load_tensors(read_bytes("judge.safetensors"))
        reader = {name.removeprefix("reader."): each for name, each in tensors.items() if name.startswith("reader.")}
        self._tagger = EmbeddedTagger(TAGGER, runtime)
        self._encoder = SentenceEncoder(params, runtime)
        add_low_rank(self._encoder.model, {name: each for name, each in tensors.items() if "reader." not in name})
        # In double precision, so that what is rounded afterwards does not depend on which pairs are asked together.
        self._network = PairNetwork(self._encoder.model.get_embedding_dimension() or 0).double()
        self._network.load_state_dict({name: tensors[name].double() for name in self._network.state_dict()})
        self._network.eval()
        self._reader_model = ReaderModel(params, runtime, reader)
        self._scale, self._shift = tensors["calibration"].tolist()
        self._blend = tensors["blend"].double().numpy()
        self._known: dict[str, NDArray[np.float32]] = {}

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
        """How probable it is that each pair is valid, and its parts."""
        if not pairs:
            return []
        texts = sorted({text for pair in pairs for text in pair})
        self._learn(set(texts))
        vectors = torch.from_numpy(np.stack([self._known[text] for text in texts])).double()
        numbers = {text: number for number, text in enumerate(texts)}
        left, right = ([numbers[pair[side]] for pair in pairs] for side in (0, 1))
        with torch.inference_mode():
            odds = np.asarray(self._network(vectors[left], vectors[right]))
        first = odds[:, 0] * self._scale + self._shift
        hopeful = np.flatnonzero(to_probability(first).round(DIGITS) >= READ_FROM)
        if hopeful.size:
            read = self._reader_model.odds([pairs[number] for number in hopeful.tolist()])
            first[hopeful] = blend_odds(odds[hopeful, 0], read[:, 0], self._blend)
            odds[hopeful] = (odds[hopeful] + read) / 2
        odds[:, 0] = first
        return [Judgement(*map(float, row[:5])) for row in to_probability(odds).round(DIGITS)]

    def _learn(self, texts: Set[str]) -> None:
        """Make sure that both vectors of each text are known."""
        if len(self._known.keys() | texts) > KNOWN:
            self._known.clear()
        new = sorted(texts - self._known.keys())
        typed = [replace_entities(text, found) for text, found in zip(new, self._tagger.tag(new), strict=True)]
        vectors = np.stack([self._encoder.encode(new), self._encoder.encode(typed)], axis=1)
        self._known.update(zip(new, vectors, strict=True))


def to_probability(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-odds as probabilities."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
    return found


def blend_odds(
    vectors: NDArray[np.float64], reading: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The calibrated log-odds of pairs that were read, from both opinions: a weight of each, and a constant."""
    found: NDArray[np.float64] = vectors * weights[0] + reading * weights[1] + weights[2]
    return found


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
