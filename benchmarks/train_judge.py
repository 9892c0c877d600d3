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
from collections.abc import Callable, Collection, Mapping, Sequence
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

from situatedgen.models.embedded_judge import (
    OUTPUTS,
    READ_FROM,
    TAGGER,
    PairNetwork,
    PairReader,
    blend_odds,
    pad_pairs,
    replace_entities,
    to_probability,
    token_ids,
)
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
RANK, EPOCHS, READER_EPOCHS, BATCH, RATE = 16, 4, 3, 64, 1e-3
ALIKE = 20
"""Batches whose pairs are sorted by length together, so that little is padded."""
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


def learn_low_rank(matrices: Mapping[str, nn.Linear]) -> dict[str, LowRank]:
    """Let matrices learn by low-rank changes, which come back by the names of the matrices."""
    changes = {name: LowRank(*linear.weight.shape) for name, linear in matrices.items()}
    for name, linear in matrices.items():
        parametrize.register_parametrization(linear, "weight", changes[name])
    return changes


def low_rank_tensors(changes: Mapping[str, LowRank]) -> dict[str, Tensor]:
    """Thin matrices by the names of what they change, in half precision."""
    found: dict[str, Tensor] = {}
    for name, change in changes.items():
        found |= {f"{name}.up": 2 * change.up.detach().half(), f"{name}.down": change.down.detach().half()}
    return found


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
        self.changes = learn_low_rank(matrices)
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
        return found | low_rank_tensors(self.changes) | halve(self.network.state_dict())


def additive(mask: Tensor) -> Tensor:
    """A mask of tokens as attention adds it."""
    return (1.0 - mask[:, None, None, :].float()) * torch.finfo(torch.float32).min


class ReaderTrainee(nn.Module):
    """The encoder that reads both sentences at once: all of its layers learn by low-rank changes."""

    def __init__(self) -> None:
        super().__init__()
        model = SentenceTransformer(str(check_package(PACKAGE) / "model"), device="cpu", local_files_only=True)
        encoder: Any = model[0].auto_model  # Any: a BERT, as transformers types none
        self.tokenizer = model.tokenizer
        encoder.requires_grad_(requires_grad=False)
        encoder.embeddings.token_type_embeddings.requires_grad_(requires_grad=True)
        layers = encoder.encoder.layer
        matrices = {
            f"encoder.layer.{name}": each for name, each in layers.named_modules() if isinstance(each, nn.Linear)
        }
        self.changes = learn_low_rank(matrices)
        self.types = encoder.embeddings.token_type_embeddings
        self.reader = PairReader(encoder, model.get_embedding_dimension() or 0)

    def forward(self, readings: Sequence[Reading], *, swapped: Sequence[bool] = ()) -> Tensor:
        """The log-odds of each output for each pair, read in one order or the other."""
        turns = swapped or [False] * len(readings)
        pairs = [
            (each.right[0], each.left[0]) if turn else (each.left[0], each.right[0])
            for each, turn in zip(readings, turns, strict=True)
        ]
        tokens = [token_ids(self.tokenizer, pair) for pair in pairs]
        odds: Tensor = self.reader(*pad_pairs(tokens, self.tokenizer, width=max(map(len, tokens))))
        return odds

    def tensors(self) -> dict[str, Tensor]:
        """What was learned, in half precision."""
        layers = {f"layers.{name}": each for name, each in self.reader.layers.state_dict().items()}
        found = low_rank_tensors(self.changes) | halve({"token_types": self.types.weight.detach(), **layers})
        return {f"reader.{name}": each for name, each in found.items()}


def halve(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors in half precision."""
    return {name: each.half().contiguous() for name, each in tensors.items()}


def train(readings: Sequence[Reading], held_back: Sequence[Reading], *, epochs: int = EPOCHS, seed: int = 0) -> Trainee:
    """A judge by vectors that learned from readings; how well it tells those held back is printed after each epoch."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    trainee = Trainee({sentence for each in (*readings, *held_back) for sentence in (each.left, each.right)})
    fit(trainee, lambda: in_batches(group_readings(readings, chance)), trainee, held_back, epochs=epochs)
    return trainee


def train_reader(
    readings: Sequence[Reading], held_back: Sequence[Reading], *, epochs: int, seed: int = 0
) -> ReaderTrainee:
    """A judge that reads both sentences at once, in an order that is drawn anew each time."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    trainee = ReaderTrainee()

    def ask(batch: Sequence[Reading]) -> Tensor:
        odds: Tensor = trainee(batch, swapped=[chance.random() < 0.5 for _ in batch])
        return odds

    fit(trainee, lambda: alike_batches(readings, chance), ask, held_back, epochs=epochs)
    return trainee


def fit(
    trainee: nn.Module,
    batches: Callable[[], list[Sequence[Reading]]],
    ask: Callable[[Sequence[Reading]], Tensor],
    held_back: Sequence[Reading],
    *,
    epochs: int,
) -> None:
    """Let what may learn of a model learn from batches; a pair counts by the root of the number of its readers."""
    learned = [each for each in trainee.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, RATE, total_steps=epochs * len(batches()), pct_start=0.1, anneal_strategy="linear"
    )
    for epoch in range(epochs):
        trainee.train()
        losses = []
        for batch in batches():
            wanted = torch.tensor([each.found for each in batch])
            sureness = torch.tensor([each.readers for each in batch]).sqrt()
            each_loss = (binary_cross_entropy_with_logits(ask(batch), wanted, reduction="none") * WEIGHTS).sum(1)
            loss = (each_loss * sureness).sum() / sureness.sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        area = roc_auc_score([each.is_valid for each in held_back], predict(trainee, held_back)[:, 0])
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}, area under the curve, held back {area:.3f}", flush=True)


def in_batches(readings: Sequence[Reading]) -> list[Sequence[Reading]]:
    """Readings in their order, some at a time."""
    return [readings[start : start + BATCH] for start in range(0, len(readings), BATCH)]


def alike_batches(readings: Sequence[Reading], chance: random.Random) -> list[Sequence[Reading]]:
    """Batches of pairs of about the same length, in a random order."""
    drawn = chance.sample(list(readings), len(readings))
    parts = [drawn[start : start + ALIKE * BATCH] for start in range(0, len(drawn), ALIKE * BATCH)]
    found = [batch for part in parts for batch in in_batches(sorted(part, key=_letters))]
    chance.shuffle(found)
    return found


def _letters(reading: Reading) -> int:
    return len(reading.left[0]) + len(reading.right[0])


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


def predict(trainee: nn.Module, readings: Sequence[Reading]) -> NDArray[np.float64]:
    """The log-odds of each output for each pair."""
    trainee.eval()
    with torch.inference_mode():
        batches = [trainee(batch) for batch in in_batches(readings)]
    return torch.cat(batches).double().numpy()


def calibrate(odds: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """By what each column of log-odds is multiplied, and what is added, so that they are those of the valid share."""
    both, labels = np.tile(odds, (2, 1)), np.repeat([1, 0], len(odds))
    fitted = LogisticRegression(C=1e6).fit(both, labels, sample_weight=np.concatenate([shares, 1 - shares]))
    return np.append(fitted.coef_[0], fitted.intercept_[0])


@dataclass(frozen=True)
class Blend:
    """How the opinions of both judges become one: calibration of the first, and weights where both are asked."""

    calibration: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def fit(cls, vectors: NDArray[np.float64], reading: NDArray[np.float64], shares: NDArray[np.float64]) -> "Blend":
        """The blend that tells the shares of pairs best."""
        calibration = calibrate(vectors[:, None], shares)
        read = to_probability(vectors * calibration[0] + calibration[1]) >= READ_FROM
        return cls(calibration, calibrate(np.column_stack([vectors, reading])[read], shares[read]))

    def odds(self, vectors: NDArray[np.float64], reading: NDArray[np.float64]) -> NDArray[np.float64]:
        """The calibrated log-odds: of both where the first leaves hope."""
        first = vectors * self.calibration[0] + self.calibration[1]
        return np.where(to_probability(first) >= READ_FROM, blend_odds(vectors, reading, self.weights), first)


def report(readings: Sequence[Reading], odds: NDArray[np.float64]) -> None:
    """Print how well a judge tells valid pairs, by draw, and its precision at thresholds."""
    shares = np.array([each.found[0] for each in readings])
    drawn = np.array([each.draw in ("best", "near", "selected") for each in readings])
    found = np.array([each.found for each in readings])
    for name, rows in (("all", drawn | ~drawn), ("drawn at random", drawn), ("rounds", ~drawn)):
        areas = [roc_auc_score(found[rows, number] > 0.5, odds[rows, number]) for number in range(len(OUTPUTS) - 1)]
        shown = ", ".join(f"{output} {area:.3f}" for output, area in zip(OUTPUTS, areas, strict=False))
        print(f"{name}: {rows.sum():,} pairs, {shares[rows].mean():.1%} valid; area under the curve: {shown}")
    probability = to_probability(odds[:, 0])
    for threshold in THRESHOLDS:
        rows = probability >= threshold
        precision = f"precision {shares[rows].mean():.2f}, expected {probability[rows].mean():.2f}"
        print(f"at {threshold}: {rows.sum():,} pairs, {precision}")


def main() -> None:
    """Train, measure and write the judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True, help="A store of a build of the five sources.")
    parser.add_argument("--out", type=Path, default=OUT, help="Where to write the weights.")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="Epochs of the judge by vectors.")
    parser.add_argument("--reader-epochs", type=int, default=READER_EPOCHS, help="Epochs of the one that reads both.")
    given = parser.parse_args()
    readings = read_labels(given.store, LABELS)
    held_back = [each for each in readings if each.is_held_back]
    learning = [each for each in readings if not each.is_held_back]
    trainee = train(learning, held_back, epochs=given.epochs)
    reader = train_reader(learning, held_back, epochs=given.reader_epochs)
    finish(trainee, reader, held_back, given.out)


def finish(trainee: Trainee, reader: ReaderTrainee, held_back: Sequence[Reading], out: Path) -> None:
    """Calibrate by one half of the pairs held back, measure by the other, and write the weights."""
    odds, read = predict(trainee, held_back), predict(reader, held_back)
    shares = np.array([each.found[0] for each in held_back])
    is_measured = np.array([zlib.crc32(min(each.left, each.right)[0].encode()) % 2 == 1 for each in held_back])
    blend = Blend.fit(odds[~is_measured, 0], read[~is_measured, 0], shares[~is_measured])
    valid = blend.odds(odds[:, 0], read[:, 0])
    odds = (odds + read) / 2
    odds[:, 0] = valid
    report([each for each, measured in zip(held_back, is_measured, strict=True) if measured], odds[is_measured])
    labelled = np.column_stack([to_probability(valid), shares])[is_measured].astype(np.float32)
    tensors = trainee.tensors(blend.calibration.tolist(), labelled) | reader.tensors()
    save_file(tensors | {"blend": torch.tensor(blend.weights.tolist())}, out)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
