"""Baselines that answer the questions from part or all of a candidate, and the table of their accuracy."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from math import sqrt

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from situatedgen.errors import SchemaError, SettingsError
from situatedgen.filtering.committee import FEATURES, Analysis, Committee, word_sequences
from situatedgen.filtering.pool import (
    POOLS,
    Discriminator,
    Judge,
    Pool,
    Rows,
    Scores,
    assign_parts,
    is_right,
    pool_of,
)
from situatedgen.filtering.settings import BaselineParams
from situatedgen.models.roles import Encoder
from situatedgen.schemas import TEXT, Schema, check
from situatedgen.seeds import generator
from situatedgen.vocabulary import Split

QUESTIONS = Schema(
    {
        "item_id": TEXT,
        "group": TEXT,
        "split": TEXT,
        "candidate": pl.UInt32(),
        "context": TEXT,
        "start": TEXT,
        "ending": TEXT,
    },
    key=("item_id", "candidate"),
)
"""Candidate 0 of a question is the right one. A candidate is a context and a sentence in two parts, of which
ending-only models see the second. `split` is empty where the questions have none.
"""

_WORD = re.compile(r"\S+\s*")


class Sight(StrEnum):
    """The part of a candidate that a model sees."""

    ENDING = "ending"
    SECOND = "second sentence"
    WHOLE = "context and second sentence"


def restrict_to_sight(questions: pl.DataFrame, sight: Sight) -> Pool:
    """The questions restricted to what a model sees; the bilinear model relates their two texts.

    Raises:
        SchemaError: the table does not have the schema, or questions differ in their number of candidates.
    """
    check(questions, QUESTIONS, name="questions")
    if questions.group_by("item_id").len()["len"].n_unique() > 1:
        raise SchemaError("questions: expected the same number of candidates for each question")
    first, second = SEEN[sight]
    rows = [
        (row["item_id"], row["group"], row["candidate"], first(row), second(row))
        for row in questions.iter_rows(named=True)
    ]
    return pool_of(POOLS.frame(rows), wrong=1, population=len(rows), distinct=False)


Text = Callable[[dict[str, str]], str]


def _sentence(row: dict[str, str]) -> str:
    return f"{row['start']} {row['ending']}".strip()


SEEN: dict[Sight, tuple[Text, Text]] = {
    Sight.ENDING: (lambda _: "", lambda row: row["ending"]),
    Sight.SECOND: (lambda row: row["start"], lambda row: row["ending"]),
    Sight.WHOLE: (lambda row: row["context"], _sentence),
}


def tabulate_questions(pool: Pool, asked: Rows, items: Rows, splits: Mapping[str, str]) -> pl.DataFrame:
    """Tabulate some situated-choice questions.

    The context is the first sentence of an answer; the ending is what follows the words with which the second sentences
    of all answers begin.
    """
    return QUESTIONS.frame(
        [
            (item_id, pool.groups[item], splits.get(item_id, ""), *row)
            for item in items.tolist()
            for item_id in [pool.item_ids[item]]
            for row in _candidate_rows(pool, asked[item].tolist())
        ]
    )


def _candidate_rows(pool: Pool, own: Sequence[int]) -> Iterator[tuple[int, str, str, str]]:
    parts = halves([pool.second[row] for row in own])
    for number, (row, (start, ending)) in enumerate(zip(own, parts, strict=True)):
        yield number, pool.first[row], start, ending


def halves(sentences: Sequence[str]) -> list[tuple[str, str]]:
    """Split sentences after their common leading words.

    Example:
        >>> halves(["Lima lies in Peru.", "Lima lies in Chad."])
        [('Lima lies in', 'Peru.'), ('Lima lies in', 'Chad.')]
    """
    words = [_WORD.findall(sentence) for sentence in sentences]
    shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False)))
    return [("".join(one[:shared]).strip(), "".join(one[shared:])) for one in words]


_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Tools:
    """What baselines need to be built."""

    params: BaselineParams
    device: torch.device
    encoder: Callable[[], Encoder]


@dataclass(frozen=True)
class Fixed:
    """A discriminator, and its own judge, whose scores do not depend on training."""

    said: NDArray[np.float32]
    name: str

    @property
    def decides(self) -> str:
        """The only member."""
        return self.name

    @property
    def identity(self) -> str:
        """The name."""
        return self.name

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> "Fixed":  # noqa: ARG002 (it learns nothing)
        """Return itself."""
        return self

    def scores(self, rows: Rows) -> Scores:
        """The fixed scores of candidates."""
        return {self.name: self.said[rows]}


def shortest(pool: Pool, _: Tools) -> Discriminator:
    """Picks the candidate with the fewest words; ties count fractionally."""
    words = [
        -len(_tokenise(first)) - len(_tokenise(second)) for first, second in zip(pool.first, pool.second, strict=True)
    ]
    return Fixed(np.asarray(words, dtype=np.float32), "length")


def bag(pool: Pool, tools: Tools) -> Discriminator:
    """The committee's bag of word embeddings alone."""
    return Alone(_committee(pool, tools, "bag"), "bag")


def bilstm(pool: Pool, tools: Tools) -> Discriminator:
    """The committee's LSTM alone, over words instead of tags."""
    return Alone(_committee(pool, tools, "lstm"), "lstm")


@dataclass(frozen=True)
class Alone:
    """A committee in which a single member decides."""

    committee: Committee
    member: str

    @property
    def decides(self) -> str:
        """The member."""
        return self.member

    @property
    def identity(self) -> str:
        """The identity of the committee."""
        return self.committee.identity

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> Judge:
        """Train a judge on questions."""
        return self.committee.fit(pool, questions, seed=seed)


def _committee(pool: Pool, tools: Tools, member: str) -> Committee:
    params = tools.params.committee("bag" if member == "bag" else "lstm")
    found = {text: Analysis(_tokenise(text), ()) for text in {*pool.first, *pool.second}}
    words = word_sequences(pool, found, size=params.vocabulary, longest=params.max_tokens, both=True)
    nothing = np.zeros((len(pool.first), len(FEATURES)), dtype=np.float32)
    return Committee(pool=pool, words=words, tags=words, features=nothing, params=params, device=tools.device)


def _tokenise(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text.lower()))


class BilinearLayer(nn.Module):
    """Bilinear compatibility of two vectors, each extended by a constant 1 so that either also counts alone."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(first + 1, second + 1))

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """One score per row."""
        return torch.einsum("ri,ij,rj->r", _append_one(first), self.weight, _append_one(second))


def _append_one(vectors: Tensor) -> Tensor:
    return functional.pad(vectors, (0, 1), value=1.0)


@dataclass(frozen=True)
class Bilinear:
    """A bilinear layer between the sentence embeddings of a candidate's two texts."""

    first: Tensor
    second: Tensor
    params: BaselineParams

    @property
    def decides(self) -> str:
        """The only member."""
        return "bilinear"

    @property
    def identity(self) -> str:
        """The settings."""
        return f"bilinear {self.params.model_dump_json()}"

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> "Fixed":  # noqa: ARG002 (the vectors are those of its pool)
        """Train a judge on questions."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            layer = BilinearLayer(self.first.shape[1], self.second.shape[1]).to(self.first.device)
            self._train(layer, questions)
        with torch.inference_mode():
            return Fixed(layer(self.first, self.second).cpu().numpy(), self.decides)

    def _train(self, layer: BilinearLayer, questions: Rows) -> None:
        optimizer = torch.optim.AdamW(layer.parameters(), lr=self.params.learning_rate, weight_decay=self.params.decay)
        steps = max(1, round(len(questions) / self.params.batch_size))
        for _ in range(self.params.bilinear_epochs):
            for part in np.array_split(questions[torch.randperm(len(questions)).numpy()], steps):
                rows = torch.from_numpy(part.ravel()).to(self.first.device)
                scores = layer(self.first[rows], self.second[rows]).reshape(part.shape)
                truth = torch.zeros(len(part), dtype=torch.long, device=scores.device)
                optimizer.zero_grad()
                functional.cross_entropy(scores, truth).backward()  # type: ignore[no-untyped-call]
                optimizer.step()


def bilinear(pool: Pool, tools: Tools) -> Discriminator:
    """The bilinear model on the pipeline's encoder; an empty text becomes the zero vector."""
    first, second = (torch.from_numpy(each).to(tools.device) for each in _vectors(pool, tools.encoder()))
    return Bilinear(first, second, tools.params)


def _vectors(pool: Pool, encoder: Encoder) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    distinct = sorted({*pool.first, *pool.second} - {""})
    encoded = encoder.encode(distinct)
    known = np.concatenate([np.zeros((1, encoded.shape[1]), dtype=np.float32), encoded])
    places = {"": 0, **{text: number for number, text in enumerate(distinct, 1)}}
    return _look_up(known, places, pool.first), _look_up(known, places, pool.second)


def _look_up(known: NDArray[np.float32], places: dict[str, int], texts: Sequence[str]) -> NDArray[np.float32]:
    return np.ascontiguousarray(known[[places[text] for text in texts]])


MODELS: dict[str, Callable[[Pool, Tools], Discriminator]] = {
    "length": shortest,
    "bag": bag,
    "bilstm": bilstm,
    "bilinear": bilinear,
}


HELD_OUT = "held out"
NORMAL = 1.96
"""Standard deviations either side of the mean that cover 95 %."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Accuracy of a model on a part, with a 95 % Wilson interval that assumes independent questions."""

    model: str
    sight: str
    part: str
    questions: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class Trial:
    """Items to train on, and items to answer by part."""

    train: Rows
    asked: dict[str, Rows]


def measure_baselines(questions: pl.DataFrame, tools: Tools) -> tuple[Accuracy, ...]:
    """Accuracy of every baseline on every held-out part, for everything that it may see.

    Models train on train and answer dev and test, if the questions have splits. Otherwise, or if folds are requested,
    whole groups are held out in turn, and every question is answered once.
    """
    found: list[Accuracy] = []
    for sight in Sight:
        pool = restrict_to_sight(questions, sight)
        trials = list(_trials(questions, pool, tools.params))
        found += [one for name in tools.params.models for one in _measure_model(name, sight, pool, trials, tools)]
    return tuple(found)


def _trials(questions: pl.DataFrame, pool: Pool, params: BaselineParams) -> Iterator[Trial]:
    splits_by_item = dict(questions.select("item_id", "split").iter_rows())
    splits = np.asarray([splits_by_item[item_id] for item_id in pool.item_ids])
    train = np.flatnonzero(splits == Split.TRAIN.value)
    asked = {split.value: np.flatnonzero(splits == split.value) for split in (Split.DEV, Split.TEST)}
    if params.folds == 0 and len(train) and any(map(len, asked.values())):
        yield Trial(train, {name: items for name, items in asked.items() if len(items)})
        return
    yield from _cross_validate(pool, params)


def _cross_validate(pool: Pool, params: BaselineParams) -> Iterator[Trial]:
    count = min(params.folds or 5, len(set(pool.groups)))
    if count < 2:
        raise SettingsError(
            f"baselines: found {len(pool)} questions in {count} groups, without splits; at least two groups are needed"
        )
    part = assign_parts(pool.groups, count=count, seed=params.seed, purpose="baselines")
    for number in range(count):
        yield Trial(np.flatnonzero(part != number), {HELD_OUT: np.flatnonzero(part == number)})


def _measure_model(name: str, sight: Sight, pool: Pool, trials: Sequence[Trial], tools: Tools) -> Iterator[Accuracy]:
    model = MODELS[name](pool, tools)
    rights: dict[str, list[NDArray[np.float64]]] = {}
    for number, trial in enumerate(trials):
        for part, right in _correct_shares(model, pool, trial, tools.params, f"{sight} {number}").items():
            rights.setdefault(part, []).append(right)
    for part, each in rights.items():
        yield describe_trials(name, sight, part, np.concatenate(each))


def _correct_shares(
    model: Discriminator, pool: Pool, trial: Trial, params: BaselineParams, purpose: str
) -> dict[str, NDArray[np.float64]]:
    """Per question of each part, the share of runs that answered it correctly."""
    rows = np.stack([pool.of(item) for item in range(len(pool))])
    found = {part: np.zeros(len(items)) for part, items in trial.asked.items()}
    for run in range(params.runs):
        seed = generator(params.seed, "baselines", model.identity, purpose, str(run)).getrandbits(31)
        judge = model.fit(pool, rows[trial.train], seed=seed)
        for part, items in trial.asked.items():
            scores = judge.scores(rows[items].ravel())[model.decides].reshape(len(items), -1)
            found[part] += is_right(scores) / params.runs
    return found


def describe_trials(model: str, sight: str, part: str, right: NDArray[np.float64]) -> Accuracy:
    """Summarise the shares of correct answers as an accuracy."""
    low, high = interval(float(right.mean()), len(right))
    return Accuracy(model, str(sight), part, len(right), round(float(right.mean()), 4), round(low, 4), round(high, 4))


def interval(share: float, count: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927).

    Example:
        >>> [round(bound, 3) for bound in interval(0.25, 100)]
        [0.175, 0.343]
    """
    square = NORMAL**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    width = NORMAL / (1 + square / count) * sqrt(share * (1 - share) / count + square / (4 * count**2))
    return max(0.0, middle - width), min(1.0, middle + width)


Results = Mapping[str, "Sequence[Accuracy]"]
"""Accuracies by time of measurement: before and after."""


def header(results: Results) -> tuple[str, ...]:
    """The column names."""
    return ("model", "questions", *(f"{sight}, {when}" for sight in Sight for when in results))


def rows(results: Results) -> Iterator[tuple[str, ...]]:
    """One row per model and part."""
    found = {(one.model, one.part, one.sight, when): one for when, each in results.items() for one in each}
    for model, part in dict.fromkeys((model, part) for model, part, _, _ in found):
        columns = [found.get((model, part, sight, when)) for sight in Sight for when in results]
        yield model, f"{part} ({_counts(columns)})", *(cell(one) if one else "–" for one in columns)


def _counts(columns: "Iterable[Accuracy | None]") -> str:
    """Number of questions; both numbers where a filter dropped some."""
    return " → ".join(dict.fromkeys(f"{one.questions:,}" for one in columns if one))


def cell(one: "Accuracy") -> str:
    """Format an accuracy with its interval.

    Example:
        >>> from situatedgen.filtering.baselines import Accuracy
        >>> cell(Accuracy("bag", "ending", "test", 100, 0.25, 0.175, 0.343))
        '25.0 % (18–34)'
    """
    return f"{100 * one.accuracy:.1f} % ({100 * one.low:.0f}–{100 * one.high:.0f})"
