"""The language models that write endings, one a fold, each kept in a file when it has learned."""

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

from situatedgen.atomic import write
from situatedgen.filtering.committee.language import LanguageModel, Trained, trained
from situatedgen.filtering.committee.words import END, START, Sequences, sequences
from situatedgen.filtering.oversampling.params import WriterParams
from situatedgen.filtering.oversampling.rows import Corpus, Row
from situatedgen.filtering.oversampling.vocabulary import Vocabulary
from situatedgen.seeds import generator

KEY, TOLD = "made from", "told"


@dataclass(frozen=True, slots=True)
class Perplexities:
    """How well a model foresees rows that it never saw: all words either way, and endings after what is before."""

    forward: float
    backward: float
    ending: float


@dataclass(frozen=True)
class Writers:
    """The models of a corpus in a folder: asked for, one is read there, or learns and is kept."""

    corpus: Corpus
    fold: NDArray[np.int64]
    params: WriterParams
    folder: Path
    device: torch.device

    def writer(self, number: int) -> tuple[Trained, Perplexities]:
        """The model of a fold, which never saw the rows of it, and how well it foresees them."""
        path, key = self.folder / f"writer-{number}.safetensors", self.key(number)
        if (known := self._known(path, key)) is not None:
            return known[0], Perplexities(**json.loads(known[1]))
        texts = row_sequences(self.corpus.rows, self.corpus.words)
        begun = self._begun()
        seed = generator(self.params.seed, "writer", str(number)).getrandbits(31)
        rows, held = np.flatnonzero(self.fold != number), np.flatnonzero(self.fold == number)
        found = trained(texts, rows, self.params, seed=seed, device=self.device, begun=begun)
        told = perplexities(found, texts, held)
        _keep(path, found.model, key, json.dumps(asdict(told)))
        return found, told

    def key(self, number: int) -> str:
        """The digest of all that the model of a fold depends on, and the rows of the fold."""
        folds = " ".join(map(str, self.fold.tolist()))
        return self._digest(self.params.model_dump_json(), self.corpus.digest, str(number), folds)

    def _digest(self, *parts: str) -> str:
        told = ("\x1e".join(self.corpus.words.words), *parts)
        return hashlib.sha256("\x1f".join(told).encode("utf-8")).hexdigest()

    def _begun(self) -> LanguageModel | None:
        """The model that all folds go on from: it read texts of the corpus that gave no row, and no ending of one."""
        if not self.params.pretraining or not self.corpus.others:
            return None
        told = self.params.model_dump_json(exclude={"epochs", "folds"})
        path = self.folder / "pretrained.safetensors"
        key = self._digest(told, *map(" ".join, self.corpus.others))
        if (known := self._known(path, key)) is not None:
            return known[0].model
        texts = plain_sequences(
            [self.corpus.words.numbers(words) for words in self.corpus.others], len(self.corpus.words)
        )
        params = self.params.model_copy(update={"epochs": self.params.pretraining})
        seed = generator(self.params.seed, "pretraining").getrandbits(31)
        found = trained(texts, np.arange(len(self.corpus.others)), params, seed=seed, device=self.device)
        _keep(path, found.model, key, "{}")
        return found.model

    def _known(self, path: Path, key: str) -> tuple[Trained, str] | None:
        """A model that was kept, when it was made from just this, and what was told of it."""
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
    """Rows as models read them: the words before, a mark, the ending."""
    before = [vocabulary.numbers(row.before) for row in rows]
    after = [vocabulary.numbers(row.after) for row in rows]
    return sequences(before, after, len(vocabulary))


def plain_sequences(texts: Sequence[Sequence[int]], vocabulary: int) -> Sequences:
    """Texts without a mark in them."""
    lengths = np.asarray([len(text) + 2 for text in texts], dtype=np.int64)
    ids = np.zeros((len(texts), int(lengths.max(initial=1))), dtype=np.int64)
    for row, text in enumerate(texts):
        ids[row, : len(text) + 2] = [START, *text, END]
    return Sequences(ids, lengths, lengths, vocabulary)


def perplexities(writer: Trained, texts: Sequences, rows: NDArray[np.int64]) -> Perplexities:
    """How well a model foresees rows: the exponential of what a word costs it in the mean."""
    forward, backward = (writer.costs(texts, rows, direction) for direction in range(2))
    words = max(int((texts.lengths[rows] - 1).sum()), 1)
    places = np.arange(forward.shape[1])[None, :] >= texts.border[rows][:, None] - 1
    endings = max(int((texts.lengths[rows] - texts.border[rows]).sum()), 1)
    costs = forward.sum() / words, backward.sum() / words, (forward * places).sum() / endings
    return Perplexities(*(round(float(np.exp(cost)), 3) for cost in costs))


def _keep(path: Path, model: LanguageModel, key: str, told: str) -> None:
    weights = {name: tensor.cpu().contiguous() for name, tensor in model.state_dict().items()}
    write(path, save(weights, metadata={KEY: key, TOLD: told}))
