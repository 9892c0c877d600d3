"""Train the embedded judge on the pairs that were read, and measure it on sentences that it never saw.

python -m benchmarks.train_judge --store STORE [--out situatedgen/resources/judge.safetensors]

STORE is a store of a finished build of the five sources: labels name statements by id and by a digest of their texts,
and the texts come from there. One sentence in eight is held back, with every pair that it stands in: by one half of
these pairs the probabilities are calibrated; the other half is measured, and written beside the weights, for the
certificate of a dataset.
"""

import argparse
import json
import random
import zlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, normalize
from torch.nn.utils import parametrize

from situatedgen.models.embedded_judge import OUTPUTS, TAGGER, PairNetwork, replace_entities
from situatedgen.models.readings import TENSOR
from situatedgen.models.sentence_encoder import PACKAGE
from situatedgen.models.spacy_models import EmbeddedTagger
from situatedgen.models.weights import check_package
from situatedgen.runtime import Runtime

LABELS = Path(__file__).parent / "labels" / "judge.jsonl"
OUT = Path("situatedgen/resources/judge.safetensors")
HELD_BACK = 8
"""One sentence in so many never trains."""
FROZEN = 1
"""Layers of the encoder that do not learn, so that each sentence goes through them once for all epochs."""
RANK, EPOCHS, BATCH, RATE = 16, 4, 64, 1e-3
GROUP = 32
"""Pairs of a batch that share sentences, as far as there are any: each sentence is encoded once a batch."""
WEIGHTS = torch.tensor([2.0, 0.5, 1.0, 1.0, 0.5, 0.3])
"""How much each output counts in the loss."""
DROPOUT = 0.3
LENIENT, MIXED = "again", frozenset({"careful", "disputed", "round 6"})
"""A list of pairs that are mostly good makes readers lenient, a mixed one does not."""
SECOND = ("again", "careful", "disputed")
"""Readings of pairs that had been read before."""
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
Sentence = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A pair that was read: its sentences, each as it is and with its entities replaced, and what readers found.

    Where several have read it, `found` is the share of them, and `draw` how it was drawn first.
    """

    left: Sentence
    right: Sentence
    found: tuple[float, ...]
    draw: str
    readers: int

    @property
    def is_valid(self) -> bool:
        """Whether most who have read it found it valid."""
        return self.found[0] > 0.5

    @property
    def is_held_back(self) -> bool:
        """Whether one of its sentences never trains."""
        return any(
            zlib.crc32(text.lower().encode()) % HELD_BACK == HELD_BACK - 1 for text, _ in (self.left, self.right)
        )


def read_labels(store: Path, labels: Path) -> list[Reading]:
    """The readings whose sentences are in the store as they were read."""
    paths = sorted((store / "artifacts" / "statements").glob("*.parquet"))
    texts = dict(pl.read_parquet(paths, columns=["statement_id", "text"]).iter_rows())
    rows = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    same = [row for row in rows if row["texts"] == _digest(texts.get(row["left_id"]), texts.get(row["right_id"]))]
    print(f"{len(same):,} of {len(rows):,} readings are of sentences as they are now")
    used = sorted({texts[row[side]] for row in same for side in ("left_id", "right_id")})
    found = EmbeddedTagger(TAGGER, Runtime()).tag(used)
    typed = {text: (text, replace_entities(text, entities)) for text, entities in zip(used, found, strict=True)}
    readings: dict[tuple[Sentence, Sentence], list[dict[str, Any]]] = defaultdict(list)
    for row in same:
        left, right = sorted(typed[texts[row[side]]] for side in ("left_id", "right_id"))
        readings[left, right].append(row)
    return [_combine(*pair, rows) for pair, rows in readings.items()]


def _combine(left: Sentence, right: Sentence, rows: Sequence[dict[str, Any]]) -> Reading:
    """A pair and what its readers found; lenient readings count only where there is no other of a mixed list."""
    is_mixed = any(row["draw"] in MIXED for row in rows)
    counted = [row for row in rows if row["draw"] != LENIENT or not is_mixed]
    return Reading(left, right, _shares(counted), _first_draw(rows), len(counted))


def _digest(left: str | None, right: str | None) -> str:
    return sha256(f"{left}\x1f{right}".encode()).hexdigest()[:16]


def _first_draw(rows: Sequence[dict[str, Any]]) -> str:
    return str(next((row["draw"] for row in rows if not row["draw"].endswith(SECOND)), rows[0]["draw"]))


def _shares(rows: Sequence[dict[str, Any]]) -> tuple[float, ...]:
    """The share of the readers of a pair who found each output."""
    for row in rows:
        row["valid"] = row["fluent"] and row["antithesis"] and row["dependent"]
    return tuple(fmean(row[name] for row in rows) for name in OUTPUTS)


class LowRank(nn.Module):
    """A matrix that learns by the product of two thin ones."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.down = nn.Parameter(torch.randn(RANK, columns) / columns**0.5)
        self.up = nn.Parameter(torch.zeros(rows, RANK))

    def forward(self, weight: Tensor) -> Tensor:
        """The matrix with what was learned."""
        return weight + 2 * self.up @ self.down


class Trainee(nn.Module):
    """The encoder, whose upper layers learn by low-rank changes alone, and the network on top of it."""

    def __init__(self, sentences: Collection[Sentence]) -> None:
        super().__init__()
        self.encoder = SentenceTransformer(str(check_package(PACKAGE) / "model"), device="cpu", local_files_only=True)
        self.encoder.requires_grad_(requires_grad=False)
        layers = self.encoder[0].auto_model.encoder.layer
        self.upper = layers[FROZEN:]
        learning = {id(each) for each in self.upper.modules() if isinstance(each, nn.Linear)}
        matrices = {name: each for name, each in self.encoder.named_modules() if id(each) in learning}
        self.hidden = self._pass_lower(sorted({text for sentence in sentences for text in sentence}))
        self.changes = {name: LowRank(*linear.weight.shape) for name, linear in matrices.items()}
        for name, linear in matrices.items():
            parametrize.register_parametrization(linear, "weight", self.changes[name])
        self.network = PairNetwork(self.encoder.get_embedding_dimension() or 0, dropout=DROPOUT)

    def _pass_lower(self, texts: Sequence[str]) -> dict[str, Tensor]:
        """What comes out of the frozen layers for each text, a row a token."""
        bert = self.encoder[0].auto_model
        found: dict[str, Tensor] = {}
        with torch.inference_mode():
            for start in range(0, len(texts), BATCH):
                part = texts[start : start + BATCH]
                features = self.encoder.preprocess(part)
                mask, hidden = features["attention_mask"], bert.embeddings(features["input_ids"])
                for layer in bert.encoder.layer[:FROZEN]:
                    hidden = layer(hidden, additive(mask))[0]
                lengths = mask.sum(dim=1).tolist()
                found |= {text: row[:n].clone() for text, row, n in zip(part, hidden, lengths, strict=True)}
        return found

    def encode(self, texts: Sequence[str]) -> Tensor:
        """The vector of each text: the mean of its tokens, of unit length."""
        rows = [self.hidden[text] for text in texts]
        hidden = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        mask = nn.utils.rnn.pad_sequence([torch.ones(len(row)) for row in rows], batch_first=True)
        for layer in self.upper:
            hidden = layer(hidden, additive(mask))[0]
        return normalize((hidden * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True), dim=1)

    def forward(self, readings: Sequence[Reading]) -> Tensor:
        """The log-odds of each output for each pair."""
        sentences = sorted({sentence for each in readings for sentence in (each.left, each.right)})
        numbers = {sentence: number for number, sentence in enumerate(sentences)}
        both = self.encode([text for sentence in sentences for text in sentence]).reshape(len(sentences), 2, -1)
        left, right = ([numbers[getattr(each, side)] for each in readings] for side in ("left", "right"))
        odds: Tensor = self.network(both[left], both[right])
        return odds

    def tensors(self, calibration: Sequence[float], held_back: NDArray[np.float32]) -> dict[str, Tensor]:
        """What was learned, in half precision: thin matrices by the names of what they change, and the network.

        Beside it, what the certificate of a dataset is made from: probability and label of each reading held back.
        """
        found = {"calibration": torch.tensor(calibration), TENSOR: torch.from_numpy(held_back)}
        for name, change in self.changes.items():
            found |= {f"{name}.up": 2 * change.up.detach().half(), f"{name}.down": change.down.detach().half()}
        found |= {name: tensor.half() for name, tensor in self.network.state_dict().items()}
        return {name: tensor.contiguous() for name, tensor in found.items()}


def additive(mask: Tensor) -> Tensor:
    """A mask of tokens as attention adds it."""
    return (1.0 - mask[:, None, None, :].float()) * torch.finfo(torch.float32).min


def train(readings: Sequence[Reading], held_back: Sequence[Reading], *, epochs: int = EPOCHS, seed: int = 0) -> Trainee:
    """A judge that learned from readings; how well it tells those held back is printed after each epoch."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    trainee = Trainee({sentence for each in (*readings, *held_back) for sentence in (each.left, each.right)})
    learned = [each for each in trainee.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=RATE, weight_decay=0.01)
    steps = epochs * -(-len(readings) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, RATE, total_steps=steps, pct_start=0.1, anneal_strategy="linear"
    )
    for epoch in range(epochs):
        trainee.train()
        order, losses = group_readings(readings, chance), []
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            wanted = torch.tensor([each.found for each in batch])
            sureness = torch.tensor([each.readers for each in batch]).sqrt()
            losses_of = (binary_cross_entropy_with_logits(trainee(batch), wanted, reduction="none") * WEIGHTS).sum(1)
            loss = (losses_of * sureness).sum() / sureness.sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        area = roc_auc_score([each.is_valid for each in held_back], predict(trainee, held_back)[:, 0])
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}, area under the curve, held back {area:.3f}", flush=True)
    return trainee


def group_readings(readings: Sequence[Reading], chance: random.Random) -> list[Reading]:
    """Readings in a random order of groups, of which each is as far as possible of neighbouring pairs."""
    by_sentence: dict[Sentence, list[Reading]] = defaultdict(list)
    for each in chance.sample(list(readings), len(readings)):
        by_sentence[each.left].append(each)
        by_sentence[each.right].append(each)
    groups: list[list[Reading]] = [[]]
    waiting, taken = list(by_sentence), set[int]()
    chance.shuffle(waiting)
    while waiting:
        for each in by_sentence.pop(waiting.pop(), []):
            if id(each) not in taken:
                taken.add(id(each))
                groups[-1].append(each)
                waiting += [each.left, each.right]
        if len(groups[-1]) >= GROUP:
            groups.append([])
            chance.shuffle(waiting)
    chance.shuffle(groups)
    return [each for group in groups for each in group]


def predict(trainee: Trainee, readings: Sequence[Reading]) -> NDArray[np.float64]:
    """The log-odds of each output for each pair."""
    trainee.eval()
    with torch.inference_mode():
        batches = [trainee(readings[start : start + BATCH]) for start in range(0, len(readings), BATCH)]
    return torch.cat(batches).double().numpy()


def calibrate(odds: NDArray[np.float64], shares: NDArray[np.float64]) -> tuple[float, float]:
    """By what log-odds are multiplied, and what is added, so that they are those of the share that is valid."""
    both, labels = np.tile(odds[:, None], (2, 1)), np.repeat([1, 0], len(odds))
    fitted = LogisticRegression(C=1e6).fit(both, labels, sample_weight=np.concatenate([shares, 1 - shares]))
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def report(readings: Sequence[Reading], odds: NDArray[np.float64]) -> None:
    """Print how well a judge tells valid pairs, by draw, and its precision at thresholds."""
    shares = np.array([each.found[0] for each in readings])
    drawn = np.array([each.draw in ("best", "near", "selected") for each in readings])
    found = np.array([each.found for each in readings])
    for name, rows in (("all", drawn | ~drawn), ("drawn at random", drawn), ("rounds", ~drawn)):
        areas = [roc_auc_score(found[rows, number] > 0.5, odds[rows, number]) for number in range(len(OUTPUTS) - 1)]
        shown = ", ".join(f"{output} {area:.3f}" for output, area in zip(OUTPUTS, areas, strict=False))
        print(f"{name}: {rows.sum():,} pairs, {shares[rows].mean():.1%} valid; area under the curve: {shown}")
    probability = 1 / (1 + np.exp(-odds[:, 0]))
    for threshold in THRESHOLDS:
        rows = probability >= threshold
        precision = f"precision {shares[rows].mean():.2f}, expected {probability[rows].mean():.2f}"
        print(f"at {threshold}: {rows.sum():,} pairs, {precision}")


def main() -> None:
    """Train, measure and write the judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True, help="A store of a build of the five sources.")
    parser.add_argument("--out", type=Path, default=OUT, help="Where to write the weights.")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    given = parser.parse_args()
    readings = read_labels(given.store, LABELS)
    held_back = [each for each in readings if each.is_held_back]
    trainee = train([each for each in readings if not each.is_held_back], held_back, epochs=given.epochs)
    odds = predict(trainee, held_back)
    shares = np.array([each.found[0] for each in held_back])
    is_measured = np.array([zlib.crc32(min(each.left, each.right)[0].encode()) % 2 == 1 for each in held_back])
    scale, shift = calibrate(odds[~is_measured, 0], shares[~is_measured])
    odds[:, 0] = odds[:, 0] * scale + shift
    report([each for each, measured in zip(held_back, is_measured, strict=True) if measured], odds[is_measured])
    labelled = np.column_stack([1 / (1 + np.exp(-odds[:, 0])), shares])[is_measured].astype(np.float32)
    save_file(trainee.tensors((scale, shift), labelled), given.out)
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
