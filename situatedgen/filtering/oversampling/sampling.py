"""Endings drawn from a language model word by word: a row's endings depend on the row, the model and the seed alone."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from situatedgen.filtering.committee.language import LanguageModel, Trained
from situatedgen.filtering.committee.words import BETWEEN, END, PAD, START
from situatedgen.filtering.oversampling.params import SamplingParams
from situatedgen.seeds import generator

NEVER = (PAD, START, BETWEEN)
NEARLY = 1 - 2**-20
"""The highest chance: with 1, rounding could take a word that is never to be taken."""
State = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Draw:
    """An ending as numbers of words, whether the model ended it, and the mean cost of its words."""

    words: tuple[int, ...]
    is_finished: bool
    cost: float


def drawn(writer: Trained, before: list[int], params: SamplingParams, *, longest: int, purpose: str) -> list[Draw]:
    """So many endings after the words before, none longer than the longest; some may be the same."""
    count = draw_count(params)
    seed = generator(params.seed, "endings", purpose).getrandbits(63)
    chances = np.random.default_rng(seed).random((longest + 1, count)).clip(max=NEARLY).astype(np.float32)
    with torch.inference_mode():
        words, costs = _written(writer, before, params, torch.from_numpy(chances))
    return [_draw(row, cost) for row, cost in zip(words.T.tolist(), costs.T.tolist(), strict=True)]


def draw_count(params: SamplingParams) -> int:
    """How many endings are drawn for a row."""
    return round(params.population * params.surplus)


def _written(writer: Trained, before: list[int], params: SamplingParams, chances: Tensor) -> tuple[Tensor, Tensor]:
    """A column an ending: its words and what each costs, zeros after its end; chances have a row a word."""
    model, device = writer.model, writer.device
    words, costs = torch.zeros(chances.shape, dtype=torch.long), torch.zeros(chances.shape)
    active = torch.arange(chances.shape[1])
    state, output = _read(model, torch.tensor([[START, *before, BETWEEN]], device=device), len(active))
    for place in range(len(chances)):
        chosen, cost = _chosen(model.logits(output), chances[place, active].to(device), params)
        words[place, active], costs[place, active] = chosen.cpu(), cost.cpu()
        goes_on = chosen != END
        active, chosen = active[goes_on.cpu()], chosen[goes_on]
        if not len(active):
            break
        read, state = model.readers[0](model.embedding(chosen)[:, None], tuple(part[:, goes_on] for part in state))
        output = read[:, 0]
    return words, costs


def _read(model: LanguageModel, ids: Tensor, count: int) -> tuple[State, Tensor]:
    """The model's state after some words, and what it says of the next, as often as endings are to follow."""
    read, (hidden, cell) = model.readers[0](model.embedding(ids))
    state = hidden.expand(-1, count, -1).contiguous(), cell.expand(-1, count, -1).contiguous()
    return state, read[0, -1:].expand(count, -1)


def _chosen(logits: Tensor, chances: Tensor, params: SamplingParams) -> tuple[Tensor, Tensor]:
    """A word each, where the running sum of likelihoods reaches the chance; and what it costs."""
    logits[:, list(NEVER)] = -torch.inf
    scaled = logits / params.temperature
    if 0 < params.top_k < scaled.shape[1]:
        least = scaled.topk(params.top_k, dim=1).values[:, -1:]
        scaled = scaled.masked_fill(scaled < least, -torch.inf)
    sums = torch.softmax(scaled, dim=1).cumsum(dim=1)
    chosen = torch.searchsorted(sums, (chances * sums[:, -1])[:, None], right=True)[:, 0]
    costs = -torch.log_softmax(logits, dim=1).gather(1, chosen[:, None])[:, 0]
    return chosen, costs


def _draw(words: list[int], costs: list[float]) -> Draw:
    is_finished = END in words
    length = words.index(END) if is_finished else len(words)
    own = costs[: length + is_finished]
    return Draw(tuple(words[:length]), is_finished, sum(own) / len(own))
