"""The committee of stylistic models used as discriminator: language model, features, members (Zellers et al. 2018)."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from situatedgen.filtering.adversarial import write_table
from situatedgen.filtering.pool import Pool, Rows, Scores, assign_parts
from situatedgen.filtering.settings import CommitteeParams, LanguageParams
from situatedgen.models.weights import prepare
from situatedgen.runtime import Runtime
from situatedgen.seeds import generator

PAD, UNKNOWN, START, BETWEEN, END = range(5)
SPECIAL = 5


@dataclass(frozen=True, slots=True)
class Analysis:
    """The lowercased words of a text and their part-of-speech tags."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


def analyses(texts: Iterable[str]) -> dict[str, Analysis]:
    """Analyse every distinct text with the small spaCy model."""
    # Loads spaCy.
    from situatedgen.models.spacy_models import parse  # noqa: PLC0415

    distinct = sorted(set(texts))
    docs = parse(distinct, disable=("parser", "ner", "attribute_ruler"))
    return {
        text: Analysis(tuple(token.lower_ for token in doc), tuple(token.tag_ for token in doc))
        for text, doc in zip(distinct, docs, strict=True)
    }


@dataclass(frozen=True)
class Sequences:
    """Word ids, one row per candidate: first text, separator, second text, zero padding.

    `border` is where the second text begins, `lengths` where it ends.
    """

    ids: NDArray[np.int64]
    border: NDArray[np.int64]
    lengths: NDArray[np.int64]
    vocabulary: int


def commonest(texts: Iterable[Sequence[str]], size: int) -> dict[str, int]:
    """Ids of the `size` most frequent words; ties are broken alphabetically."""
    counts = Counter(word for words in texts for word in words)
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:size]
    return {word: number for number, (word, _) in enumerate(ranked, SPECIAL)}


def sequences(firsts: Sequence[Sequence[int]], seconds: Sequence[Sequence[int]], vocabulary: int) -> Sequences:
    """Pack the word ids of both texts into one padded array."""
    whole = [[START, *first, BETWEEN, *second, END] for first, second in zip(firsts, seconds, strict=True)]
    lengths = np.asarray([len(one) for one in whole], dtype=np.int64)
    ids = np.zeros((len(whole), int(lengths.max(initial=1))), dtype=np.int64)
    for row, one in enumerate(whole):
        ids[row, : len(one)] = one
    border = np.asarray([len(first) + 2 for first in firsts], dtype=np.int64)
    return Sequences(ids, border, lengths, vocabulary)


def word_sequences(pool: Pool, found: dict[str, Analysis], *, size: int, longest: int, both: bool) -> Sequences:
    """Candidates as word ids, with the most frequent words as vocabulary.

    Words are counted over right and wrong candidates alike; otherwise an unknown word would give a wrong one away.
    """
    known = commonest(_texts(pool, found), size)
    return _sequences(
        pool, {text: _ids(one.words, known) for text, one in found.items()}, SPECIAL + size, longest, both
    )


def tag_sequences(pool: Pool, found: dict[str, Analysis], *, common: int, longest: int, both: bool) -> Sequences:
    """Candidates as ids: the most frequent words themselves, and the tags of all others."""
    words = commonest(_texts(pool, found), common)
    named = sorted({tag for one in found.values() for tag in one.tags})
    tags = {tag: number for number, tag in enumerate(named, SPECIAL + len(words))}
    forms = {
        text: [words.get(word, tags[tag]) for word, tag in zip(one.words, one.tags, strict=True)]
        for text, one in found.items()
    }
    return _sequences(pool, forms, SPECIAL + len(words) + len(tags), longest, both)


def _texts(pool: Pool, found: dict[str, Analysis]) -> Iterator[Sequence[str]]:
    return (found[text].words for text in chain(pool.first, pool.second))


def _ids(words: Sequence[str], known: dict[str, int]) -> list[int]:
    return [known.get(word, UNKNOWN) for word in words]


def _sequences(pool: Pool, ids: dict[str, list[int]], vocabulary: int, longest: int, both: bool) -> Sequences:
    firsts = [ids[text][: longest // 2] if both else [] for text in pool.first]
    return sequences(firsts, [ids[text][: longest // 2] for text in pool.second], vocabulary)


MOST_AT_ONCE = 512


class LanguageModel(nn.Module):
    """A forward and a backward LSTM; both share the embeddings, which are tied to the output layer."""

    def __init__(self, vocabulary: int, params: LanguageParams) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, params.size, padding_idx=PAD)
        self.readers = nn.ModuleList(nn.LSTM(params.size, params.size, batch_first=True) for _ in range(2))
        self.dropout = nn.Dropout(params.dropout)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        nn.init.normal_(self.embedding.weight, std=params.size**-0.5)

    def forward(self, ids: Tensor, direction: int) -> Tensor:
        """Negative log-likelihood of each word given those before it; one column fewer than words."""
        states, _ = self.readers[direction](self.dropout(self.embedding(ids[:, :-1])))
        words, is_word = ids[:, 1:], ids[:, 1:] != PAD
        logits = self.logits(self.dropout(states)[is_word])
        costs = torch.zeros(words.shape, dtype=logits.dtype, device=logits.device)
        return costs.masked_scatter(is_word, functional.cross_entropy(logits, words[is_word], reduction="none"))

    def logits(self, states: Tensor) -> Tensor:
        """Logits over the vocabulary for the next word."""
        return functional.linear(states, self.embedding.weight, self.bias)


@dataclass(frozen=True)
class Trained:
    """A trained language model and its device."""

    model: LanguageModel
    device: torch.device

    def costs(self, texts: Sequences, rows: NDArray[np.int64], direction: int) -> NDArray[np.float32]:
        """Negative log-likelihood of each word, in reading order: 0 forward, 1 backward."""
        parts = [
            self._costs(texts, rows[start : start + MOST_AT_ONCE], direction)
            for start in range(0, len(rows), MOST_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, texts.ids.shape[1] - 1), dtype=np.float32)

    def _costs(self, texts: Sequences, rows: NDArray[np.int64], direction: int) -> NDArray[np.float32]:
        whole = np.zeros((len(rows), texts.ids.shape[1] - 1), dtype=np.float32)
        ids = read(texts, rows, direction).to(self.device)
        with torch.inference_mode():
            whole[:, : ids.shape[1] - 1] = self.model(ids, direction).cpu().numpy()
        return whole


def train_language_model(
    texts: Sequences,
    rows: NDArray[np.int64],
    params: LanguageParams,
    *,
    seed: int,
    device: torch.device,
    begun: LanguageModel | None = None,
) -> Trained:
    """Train a language model on the rows in both directions, optionally starting from `begun`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = (LanguageModel(texts.vocabulary, params) if begun is None else deepcopy(begun)).to(device).train()
        optimizer = torch.optim.Adam(model.parameters(), lr=params.learning_rate)
        steps = max(1, round(len(rows) / params.batch_size))
        for _ in range(params.epochs):
            for part in np.array_split(rows[torch.randperm(len(rows)).numpy()], steps):
                _train_step(model, optimizer, texts, part, device)
    return Trained(model.eval(), device)


def _train_step(
    model: LanguageModel,
    optimizer: torch.optim.Optimizer,
    texts: Sequences,
    rows: NDArray[np.int64],
    device: torch.device,
) -> None:
    both = [read(texts, rows, direction).to(device) for direction in range(2)]
    words = (both[0][:, 1:] != PAD).sum()
    loss = torch.stack([model(ids, direction).sum() for direction, ids in enumerate(both)]).sum() / words
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def read(texts: Sequences, rows: NDArray[np.int64], direction: int) -> Tensor:
    """Batch of texts in one reading direction, trimmed to the longest."""
    lengths = texts.lengths[rows]
    ids = texts.ids[rows, : int(lengths.max())]
    if direction:
        places = np.arange(ids.shape[1])[None, :]
        ids = np.where(
            places < lengths[:, None], np.take_along_axis(ids, (lengths[:, None] - 1 - places) % ids.shape[1], 1), PAD
        )
    return torch.from_numpy(np.ascontiguousarray(ids))


FEATURES = (
    "first, forward",
    "second after first, forward",
    "first after second, backward",
    "second, backward",
    "last word",
    "words of first",
    "words of second",
)


def features(pool: Pool, texts: Sequences, params: LanguageParams, *, device: torch.device) -> NDArray[np.float32]:
    """Features, one row per candidate, from a language model that never saw the right candidates of its fold."""
    fold = assign_parts(pool.groups, count=params.folds, seed=params.seed, purpose="folds")
    found = np.zeros((len(pool.first), len(FEATURES)), dtype=np.float32)
    for number in range(params.folds):
        items = np.flatnonzero(fold == number)
        if len(items) in (0, len(pool)):
            continue
        seed = generator(params.seed, "language", str(number)).getrandbits(31)
        model = train_language_model(texts, pool.truths[fold != number], params, seed=seed, device=device)
        rows = np.concatenate([pool.of(item) for item in items.tolist()])
        found[rows] = measure_candidates([model.costs(texts, rows, direction) for direction in range(2)], texts, rows)
    return found


def measure_candidates(costs: Sequence[NDArray[np.float32]], texts: Sequences, rows: Rows) -> NDArray[np.float32]:
    """Features of candidates from their word costs, forward and backward; perplexities are logarithms.

    Forward, column c is the cost of word c + 1; backward, the words come in reverse order.
    """
    forward, backward = costs
    border, lengths = texts.border[rows], texts.lengths[rows]
    after = lengths - border
    return np.stack(
        [
            _mean(forward, np.zeros_like(border), border - 1),
            _mean(forward, border - 1, lengths - 1),
            _mean(backward, after, lengths - 1),
            _mean(backward, np.zeros_like(border), after),
            -forward[np.arange(len(rows)), np.maximum(lengths - 3, 0)],
            (border - 2).astype(np.float32),
            (after - 1).astype(np.float32),
        ],
        axis=1,
    ).astype(np.float32)


def _mean(costs: NDArray[np.float32], starts: Rows, ends: Rows) -> NDArray[np.float32]:
    """Mean cost of the columns from start to end, per row."""
    places = np.arange(costs.shape[1])[None, :]
    inside = (places >= starts[:, None]) & (places < ends[:, None])
    return np.asarray((costs * inside).sum(axis=1) / np.maximum(inside.sum(axis=1), 1), dtype=np.float32)


@dataclass(frozen=True)
class Batch:
    """A batch of candidates: features, word ids, tag ids, and where their texts begin and end."""

    features: Tensor
    words: Tensor
    tags: Tensor
    border: Tensor
    lengths: Tensor


class Mlp(nn.Module):
    """A two-layer perceptron on perplexities and lengths."""

    def __init__(self, features: int, params: CommitteeParams) -> None:
        super().__init__()
        size = params.size
        self.layers = nn.Sequential(nn.Linear(features, size), nn.ReLU(), nn.Linear(size, size), nn.ReLU())

    def forward(self, batch: Batch) -> Tensor:
        """One vector per candidate."""
        said: Tensor = self.layers(batch.features)
        return said


class Bag(nn.Module):
    """Mean word embedding of each text, passed through one layer and summed over both texts."""

    def __init__(self, vocabulary: int, params: CommitteeParams) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, params.size, padding_idx=PAD)
        self.layer = nn.Linear(params.size, params.size)

    def forward(self, batch: Batch) -> Tensor:
        """One vector per candidate."""
        places = torch.arange(batch.words.shape[1], device=batch.words.device)[None, :]
        is_first = places < batch.border[:, None]
        is_second = ~is_first & (places < batch.lengths[:, None])
        embedded = self.embedding(batch.words)
        return self._embed_text(embedded, is_first) + self._embed_text(embedded, is_second)

    def _embed_text(self, embedded: Tensor, inside: Tensor) -> Tensor:
        mean = (embedded * inside[:, :, None]).sum(dim=1) / inside.sum(dim=1, keepdim=True).clamp(min=1)
        return torch.relu(self.layer(mean))


class Cnn(nn.Module):
    """One convolutional layer with filters of several widths, max-pooled."""

    def __init__(self, vocabulary: int, params: CommitteeParams) -> None:
        super().__init__()
        size, widths = params.size, params.widths
        self.embedding = nn.Embedding(vocabulary, size, padding_idx=PAD)
        self.filters = nn.ModuleList(nn.Conv1d(size, size, width, padding=width - 1) for width in widths)
        self.layer = nn.Linear(size * len(widths), size)

    def forward(self, batch: Batch) -> Tensor:
        """One vector per candidate."""
        embedded = self.embedding(batch.words).transpose(1, 2)
        highest = [self._max_pool(each(embedded), batch.lengths) for each in self.filters]
        return torch.relu(self.layer(torch.cat(highest, dim=1)))

    def _max_pool(self, found: Tensor, lengths: Tensor) -> Tensor:
        """Maximum of each filter over the positions up to the last word, ignoring padding."""
        places = torch.arange(found.shape[2], device=found.device)[None, :]
        beyond = places >= lengths[:, None]
        return torch.relu(found).masked_fill(beyond[:, None, :], 0.0).amax(dim=2)


class TagLstm(nn.Module):
    """A bidirectional LSTM over frequent words and the tags of all others, max-pooled."""

    def __init__(self, vocabulary: int, params: CommitteeParams) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, params.size, padding_idx=PAD)
        self.reader = nn.LSTM(params.size, params.size, batch_first=True, bidirectional=True)
        self.layer = nn.Linear(2 * params.size, params.size)

    def forward(self, batch: Batch) -> Tensor:
        """One vector per candidate."""
        packed = pack_padded_sequence(
            self.embedding(batch.tags), batch.lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.reader(packed)[0], batch_first=True, padding_value=float("-inf"))
        return torch.relu(self.layer(states.amax(dim=1)))


class Ensemble(nn.Module):
    """All members, each with its own head, and a perceptron over their concatenated vectors."""

    def __init__(self, members: dict[str, nn.Module], params: CommitteeParams) -> None:
        super().__init__()
        self.members = nn.ModuleDict(members)
        self.heads = nn.ModuleDict({name: nn.Linear(params.size, 1) for name in members})
        self.dropout = nn.Dropout(params.dropout)
        self.together = nn.Sequential(
            nn.Linear(params.size * len(members), params.size), nn.ReLU(), nn.Linear(params.size, 1)
        )

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """The score of each candidate by each member and by the ensemble."""
        said = {name: self.dropout(member(batch)) for name, member in self.members.items()}
        scores = {name: self.heads[name](vector).squeeze(1) for name, vector in said.items()}
        return {**scores, ENSEMBLE: self.together(torch.cat(list(said.values()), dim=1)).squeeze(1)}


ENSEMBLE = "ensemble"


MEMBERS: dict[str, type[Mlp] | type[Bag] | type[Cnn] | type[TagLstm]] = {
    "mlp": Mlp,
    "bag": Bag,
    "cnn": Cnn,
    "lstm": TagLstm,
}
CANDIDATES_AT_ONCE = 1024
DECIMALS = 4
"""Scores are rounded to this precision, so that the rest of a batch cannot change their order."""


@dataclass(frozen=True)
class Committee:
    """The four models and their ensemble for one pool; the MLP's features are standardised."""

    pool: Pool
    words: Sequences
    tags: Sequences
    features: NDArray[np.float32]
    params: CommitteeParams
    device: torch.device

    @property
    def decides(self) -> str:
        """The ensemble."""
        return ENSEMBLE

    @property
    def identity(self) -> str:
        """The settings; the device does not matter."""
        return f"committee {self.params.model_dump_json()}"

    def fit(self, pool: Pool, questions: Rows, *, seed: int) -> "CommitteeJudge":
        """Train a judge on questions: all members and the ensemble jointly, each with its own loss."""
        if pool is not self.pool:
            raise ValueError("a committee can only judge the pool it was built for")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = self._ensemble().to(self.device).train()
            self._train(model, questions)
        return CommitteeJudge(self, model.eval())

    def batch(self, rows: Rows) -> Batch:
        """Inputs of the members for some candidates."""
        longest = int(self.words.lengths[rows].max())
        inputs = (
            self.features[rows],
            self.words.ids[rows, :longest],
            self.tags.ids[rows, :longest],
            self.words.border[rows],
            self.words.lengths[rows],
        )
        return Batch(*(torch.from_numpy(one).to(self.device) for one in inputs))

    def _train(self, model: Ensemble, questions: Rows) -> None:
        params = self.params
        optimizer = torch.optim.Adam(model.parameters(), lr=params.learning_rate)
        for _ in range(params.epochs):
            for part in np.array_split(questions[torch.randperm(len(questions)).numpy()], self._steps(questions)):
                optimizer.zero_grad()
                _loss(model(self.batch(part.ravel())), part.shape[1]).backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()

    def _steps(self, questions: Rows) -> int:
        return max(1, round(len(questions) / self.params.batch_size))

    def _ensemble(self) -> Ensemble:
        sizes = {"mlp": len(FEATURES), "lstm": self.tags.vocabulary}
        made: dict[str, nn.Module] = {
            name: MEMBERS[name](sizes.get(name, self.words.vocabulary), self.params) for name in self.params.members
        }
        return Ensemble(made, self.params)


@dataclass(frozen=True)
class CommitteeJudge:
    """A trained committee."""

    committee: Committee
    model: Ensemble

    def scores(self, rows: Rows) -> Scores:
        """Scores of candidates by member."""
        parts = [
            self._scores(rows[start : start + CANDIDATES_AT_ONCE]) for start in range(0, len(rows), CANDIDATES_AT_ONCE)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _scores(self, rows: Rows) -> dict[str, NDArray[np.float32]]:
        with torch.inference_mode():
            found = self.model(self.committee.batch(rows))
        return {name: np.round(said.cpu().numpy(), DECIMALS) for name, said in found.items()}


def _loss(scores: dict[str, Tensor], width: int) -> Tensor:
    """Cross-entropy of the right candidate, which is first in its row, summed over members and ensemble."""
    losses = []
    for said in scores.values():
        rows = said.reshape(-1, width)
        losses.append(functional.cross_entropy(rows, torch.zeros(len(rows), dtype=torch.long, device=rows.device)))
    return torch.stack(losses).sum()


WORDS, MEASURES, KEY = "words.parquet", "perplexities.parquet", "made from"


def prepare_committee(pool: Pool, params: CommitteeParams, *, folder: Path, runtime: Runtime) -> Committee:
    """Build the committee of a pool, caching analyses and features in `folder`."""
    device = prepare(runtime)
    found = _load_or_analyse(pool, folder)
    language, longest, both = params.language, params.max_tokens, params.reads == "both"

    def measures() -> NDArray[np.float32]:
        texts = word_sequences(pool, found, size=language.vocabulary, longest=longest, both=True)
        return features(pool, texts, language, device=device)

    known = _read_cached(folder / MEASURES, made := _key(pool, language.model_dump_json(), str(longest)))
    measured = measures() if known is None else np.ascontiguousarray(known.to_numpy(), dtype=np.float32)
    if known is None:
        write_table(folder / MEASURES, pl.DataFrame(measured, schema=list(FEATURES)), {KEY: made})
    return Committee(
        pool=pool,
        words=word_sequences(pool, found, size=params.vocabulary, longest=longest, both=both),
        tags=tag_sequences(pool, found, common=params.common_words, longest=longest, both=both),
        features=np.asarray(
            (measured - measured.mean(axis=0)) / np.maximum(measured.std(axis=0), 1e-6), dtype=np.float32
        ),
        params=params,
        device=device,
    )


def _load_or_analyse(pool: Pool, folder: Path) -> dict[str, Analysis]:
    known = _read_cached(folder / WORDS, made := _key(pool))
    if known is not None:
        return {text: Analysis(tuple(words), tuple(tags)) for text, words, tags in known.iter_rows()}
    found = analyses([*pool.first, *pool.second])
    rows = [(text, list(one.words), list(one.tags)) for text, one in found.items()]
    texts = pl.List(pl.String)
    table = pl.DataFrame(rows, schema={"text": pl.String, "words": texts, "tags": texts}, orient="row")
    write_table(folder / WORDS, table, {KEY: made})
    return found


def _key(pool: Pool, *parts: str) -> str:
    return hashlib.sha256("\x1f".join((pool.digest, *parts)).encode("utf-8")).hexdigest()


def _read_cached(path: Path, made: str) -> pl.DataFrame | None:
    """Read a cached table; None if it is missing or has another key."""
    try:
        return pl.read_parquet(path) if pl.read_parquet_metadata(path).get(KEY) == made else None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
