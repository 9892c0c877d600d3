"""Language models that write endings, one per fold, and the word-by-word sampling of endings."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from situatedgen.atomic import write
from situatedgen.filtering.committee import (
    BETWEEN,
    END,
    PAD,
    START,
    LanguageModel,
    Sequences,
    Trained,
    sequences,
    train_language_model,
)
from situatedgen.filtering.oversampling.corpus import Corpus, Row, Vocabulary
from situatedgen.filtering.oversampling.settings import SamplingParams, WriterParams
from situatedgen.seeds import generator

KEY, TOLD = "made from", "told"


@dataclass(frozen=True, slots=True)
class Perplexities:
    """Perplexities on held-out rows: all words forward, all words backward, and endings given what precedes them."""

    forward: float
    backward: float
    ending: float


@dataclass(frozen=True)
class Writers:
    """The models of a corpus, trained on demand and cached in a folder."""

    corpus: Corpus
    fold: NDArray[np.int64]
    params: WriterParams
    folder: Path
    device: torch.device

    def writer(self, number: int) -> tuple[Trained, Perplexities]:
        """The model of a fold, which never saw the rows of that fold, and its perplexities on them."""
        path, key = self.folder / f"writer-{number}.safetensors", self.key(number)
        if (known := self._known(path, key)) is not None:
            return known[0], Perplexities(**json.loads(known[1]))
        texts = row_sequences(self.corpus.rows, self.corpus.words)
        begun = self._begun()
        seed = generator(self.params.seed, "writer", str(number)).getrandbits(31)
        rows, held = np.flatnonzero(self.fold != number), np.flatnonzero(self.fold == number)
        found = train_language_model(texts, rows, self.params, seed=seed, device=self.device, begun=begun)
        measured = perplexities(found, texts, held)
        _save(path, found.model, key, json.dumps(asdict(measured)))
        return found, measured

    def key(self, number: int) -> str:
        """Cache key of a fold's model: a digest of everything it depends on, including the folds."""
        folds = " ".join(map(str, self.fold.tolist()))
        return self._digest(self.params.model_dump_json(), self.corpus.digest, str(number), folds)

    def _digest(self, *parts: str) -> str:
        content = ("\x1e".join(self.corpus.words.words), *parts)
        return hashlib.sha256("\x1f".join(content).encode("utf-8")).hexdigest()

    def _begun(self) -> LanguageModel | None:
        """The pretrained model that all folds start from: it read texts without rows and no row's ending."""
        if not self.params.pretraining or not self.corpus.others:
            return None
        settings = self.params.model_dump_json(exclude={"epochs", "folds"})
        path = self.folder / "pretrained.safetensors"
        key = self._digest(settings, *map(" ".join, self.corpus.others))
        if (known := self._known(path, key)) is not None:
            return known[0].model
        texts = plain_sequences(
            [self.corpus.words.numbers(words) for words in self.corpus.others], len(self.corpus.words)
        )
        params = self.params.model_copy(update={"epochs": self.params.pretraining})
        seed = generator(self.params.seed, "pretraining").getrandbits(31)
        found = train_language_model(texts, np.arange(len(self.corpus.others)), params, seed=seed, device=self.device)
        _save(path, found.model, key, "{}")
        return found.model

    def _known(self, path: Path, key: str) -> tuple[Trained, str] | None:
        """Load a cached model and its metadata; None if it is missing or has another key."""
        try:
            with safe_open(path, framework="pt") as file:
                about = file.metadata() or {}
                if about.get(KEY) != key:
                    return None
                weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        except (OSError, SafetensorError):
            return None
        model = LanguageModel(len(self.corpus.words), self.params)
        model.load_state_dict(weights)
        return Trained(model.to(self.device).eval(), self.device), about[TOLD]


def row_sequences(rows: Sequence[Row], vocabulary: Vocabulary) -> Sequences:
    """Rows as model input: the words before the ending, a separator, the ending."""
    before = [vocabulary.numbers(row.before) for row in rows]
    after = [vocabulary.numbers(row.after) for row in rows]
    return sequences(before, after, len(vocabulary))


def plain_sequences(texts: Sequence[Sequence[int]], vocabulary: int) -> Sequences:
    """Texts as model input, without a separator."""
    lengths = np.asarray([len(text) + 2 for text in texts], dtype=np.int64)
    ids = np.zeros((len(texts), int(lengths.max(initial=1))), dtype=np.int64)
    for row, text in enumerate(texts):
        ids[row, : len(text) + 2] = [START, *text, END]
    return Sequences(ids, lengths, lengths, vocabulary)


def perplexities(writer: Trained, texts: Sequences, rows: NDArray[np.int64]) -> Perplexities:
    """Perplexities of rows: the exponential of the mean cost per word."""
    forward, backward = (writer.costs(texts, rows, direction) for direction in range(2))
    words = max(int((texts.lengths[rows] - 1).sum()), 1)
    places = np.arange(forward.shape[1])[None, :] >= texts.border[rows][:, None] - 1
    endings = max(int((texts.lengths[rows] - texts.border[rows]).sum()), 1)
    costs = forward.sum() / words, backward.sum() / words, (forward * places).sum() / endings
    return Perplexities(*(round(float(np.exp(cost)), 3) for cost in costs))


def _save(path: Path, model: LanguageModel, key: str, measured: str) -> None:
    weights = {name: tensor.cpu().contiguous() for name, tensor in model.state_dict().items()}
    write(path, save(weights, metadata={KEY: key, TOLD: measured}))


NEVER = (PAD, START, BETWEEN)
NEARLY = 1 - 2**-20
"""Upper bound of the random numbers: with 1, rounding could pick a word of probability zero."""
State = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Draw:
    """A sampled ending: word ids, whether the model ended it itself, and the mean cost per word."""

    words: tuple[int, ...]
    is_finished: bool
    cost: float


def draw_endings(
    writer: Trained, before: list[int], params: SamplingParams, *, longest: int, purpose: str
) -> list[Draw]:
    """Sample endings after the given words, none longer than `longest`; duplicates are possible."""
    count = draw_count(params)
    seed = generator(params.seed, "endings", purpose).getrandbits(63)
    chances = np.random.default_rng(seed).random((longest + 1, count)).clip(max=NEARLY).astype(np.float32)
    with torch.inference_mode():
        words, costs = _sample_words(writer, before, params, torch.from_numpy(chances))
    return [_to_draw(row, cost) for row, cost in zip(words.T.tolist(), costs.T.tolist(), strict=True)]


def draw_count(params: SamplingParams) -> int:
    """Number of endings sampled per row."""
    return round(params.population * params.surplus)


def _sample_words(writer: Trained, before: list[int], params: SamplingParams, chances: Tensor) -> tuple[Tensor, Tensor]:
    """Sample word ids and costs, one column per ending, zero after its end; `chances` has one row per word."""
    model, device = writer.model, writer.device
    words, costs = torch.zeros(chances.shape, dtype=torch.long), torch.zeros(chances.shape)
    active = torch.arange(chances.shape[1])
    state, output = _encode_prefix(model, torch.tensor([[START, *before, BETWEEN]], device=device), len(active))
    for place in range(len(chances)):
        chosen, cost = _sample_next(model.logits(output), chances[place, active].to(device), params)
        words[place, active], costs[place, active] = chosen.cpu(), cost.cpu()
        goes_on = chosen != END
        active, chosen = active[goes_on.cpu()], chosen[goes_on]
        if not len(active):
            break
        read, state = model.readers[0](model.embedding(chosen)[:, None], tuple(part[:, goes_on] for part in state))
        output = read[:, 0]
    return words, costs


def _encode_prefix(model: LanguageModel, ids: Tensor, count: int) -> tuple[State, Tensor]:
    """The model's state and output after some words, repeated for each ending to sample."""
    read, (hidden, cell) = model.readers[0](model.embedding(ids))
    state = hidden.expand(-1, count, -1).contiguous(), cell.expand(-1, count, -1).contiguous()
    return state, read[0, -1:].expand(count, -1)


def _sample_next(logits: Tensor, chances: Tensor, params: SamplingParams) -> tuple[Tensor, Tensor]:
    """Sample one word each, where the cumulative probability reaches the random number, and its cost."""
    logits[:, list(NEVER)] = -torch.inf
    scaled = logits / params.temperature
    if 0 < params.top_k < scaled.shape[1]:
        least = scaled.topk(params.top_k, dim=1).values[:, -1:]
        scaled = scaled.masked_fill(scaled < least, -torch.inf)
    sums = torch.softmax(scaled, dim=1).cumsum(dim=1)
    chosen = torch.searchsorted(sums, (chances * sums[:, -1])[:, None], right=True)[:, 0]
    costs = -torch.log_softmax(logits, dim=1).gather(1, chosen[:, None])[:, 0]
    return chosen, costs


def _to_draw(words: list[int], costs: list[float]) -> Draw:
    is_finished = END in words
    length = words.index(END) if is_finished else len(words)
    own = costs[: length + is_finished]
    return Draw(tuple(words[:length]), is_finished, sum(own) / len(own))
