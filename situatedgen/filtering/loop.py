"""The loop of Algorithm 1: learn from most items, make the others harder, until accuracy no longer falls."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from situatedgen.errors import SettingsError
from situatedgen.filtering.assigning import State, accuracy, dealt, first_assignment, questions, remembered, replaced
from situatedgen.filtering.checkpoints import Checkpoints
from situatedgen.filtering.discriminator import Discriminator, Judge, Scores
from situatedgen.filtering.history import Iteration, best_of, is_over
from situatedgen.filtering.params import STOPPING, FilterParams
from situatedgen.filtering.pool import Pool, Rows
from situatedgen.seeds import generator

Listener = Callable[[Iteration], None]


@dataclass(frozen=True)
class Filtering:
    """What came of a filtering: the wrong candidates of each item before, after the best iteration, and all iterations.

    The best is the last of the cycle in which accuracy was lowest.
    """

    first: Rows
    last: Rows
    best: int
    history: tuple[Iteration, ...]


def filtered(
    pool: Pool,
    discriminator: Discriminator,
    params: FilterParams,
    *,
    folder: Path | None = None,
    upto: int | None = None,
    listener: Listener = lambda _: None,
) -> Filtering:
    """The wrong candidates with which a discriminator can no longer tell the right ones (section 3.2).

    With a folder, every iteration is kept there, and the same call after one that was cut short goes on from the
    last; `upto` goes on from an earlier one and forgets those after it. The end is the same either way. When to stop
    may be another than before: what was done stays, and more follows where it is not enough.

    Raises:
        SettingsError: the pool cannot be split, or the folder holds another filtering.
    """
    check_pool(pool)
    checkpoints = Checkpoints(folder, pool) if folder else None
    first = first_assignment(pool, wrong=params.wrong, seed=params.seed)
    history, states = _begun(checkpoints, discriminator, params, upto) if checkpoints else ([], [])
    nobody = State(first, np.full(len(pool.first), np.nan, dtype=np.float32))
    last, best = (states[-1], states[best_of(history, params.cycle)]) if states else (nobody, nobody)
    while not is_over(history, params):
        iteration, last = _iterated(pool, discriminator, params, len(history), last)
        history.append(iteration)
        best = last if best_of(history, params.cycle) == iteration.number else best
        if checkpoints:
            checkpoints.keep(iteration, last)
        listener(iteration)
    return Filtering(first, best.assignment, best_of(history, params.cycle), tuple(history))


def check_pool(pool: Pool) -> None:
    """Refuse a pool that cannot be split.

    Raises:
        SettingsError: its items are of one group, or there are none.
    """
    if len(set(pool.groups)) < 2:
        raise SettingsError(
            f"{len(pool)} items with enough wrong candidates, in {len(set(pool.groups))} groups;"
            " filtering needs two groups at least: take more items"
        )


def _begun(
    checkpoints: Checkpoints, discriminator: Discriminator, params: FilterParams, upto: int | None
) -> tuple[list[Iteration], list[State]]:
    told = params.model_dump(mode="json", exclude=set(STOPPING))
    checkpoints.claim({"discriminator": discriminator.identity, "params": told})
    states = list(checkpoints.read(upto=upto))
    return [iteration for iteration, _ in states], [state for _, state in states]


def _halves(groups: Sequence[str], params: FilterParams, number: int, purpose: str = "") -> tuple[Rows, Rows]:
    """The items to learn from in an iteration and those held out; in every cycle each is held out once."""
    cycle = min(params.cycle, len(set(groups)))
    part = dealt(groups, count=cycle, seed=params.seed, purpose=f"{purpose}{number // cycle}")
    return np.flatnonzero(part != number % cycle), np.flatnonzero(part == number % cycle)


def _iterated(
    pool: Pool, discriminator: Discriminator, params: FilterParams, number: int, state: State
) -> tuple[Iteration, State]:
    """An iteration, and the state after it."""
    began = time.perf_counter()
    train, held = _halves(pool.groups, params, number)
    asked = questions(pool, state.assignment)
    judge = discriminator.fit(pool, asked[train], seed=_seed(params.seed, "fit", str(number)))
    scores = judge.scores(np.concatenate([pool.of(item) for item in held]))
    after = _harder(pool, held, state, scores[discriminator.decides], params)
    members = {member: _accuracy(pool, held, asked, found) for member, found in scores.items()}
    iteration = Iteration(
        number=number,
        accuracy=members[discriminator.decides],
        members=members,
        learned_from=len(train),
        held_out=len(held),
        replaced=len(np.setdiff1d(after.assignment, state.assignment)),
        seconds=round(time.perf_counter() - began, 3),
    )
    return iteration, after


def _harder(pool: Pool, held: Rows, state: State, scores: NDArray[np.float32], params: FilterParams) -> State:
    """The state after the held-out items were made harder, by what is thought of their candidates now."""
    rows = np.concatenate([pool.of(item) for item in held])
    ends = np.cumsum(pool.sizes[held] + 1)
    truths = np.repeat(np.concatenate([[0], ends[:-1]]), pool.sizes[held] + 1)
    thought = remembered(state.opinions[rows], scores, truths, memory=params.memory)
    after, opinions = state.assignment.copy(), state.opinions.copy()
    opinions[rows] = thought
    for item, own in zip(held, np.split(thought, ends[:-1]), strict=True):
        start = pool.starts[item]
        after[item] = replaced(state.assignment[item] - start, own, most=params.replacements) + start
    return State(after, opinions)


def _accuracy(pool: Pool, held: Rows, asked: Rows, scores: NDArray[np.float32]) -> float:
    starts = np.concatenate([[0], np.cumsum(pool.sizes[held] + 1)[:-1]])
    own = asked[held] - pool.truths[held][:, None] + starts[:, None]
    return round(accuracy(scores[own]), 6)


def _seed(seed: int, *purpose: str) -> int:
    return generator(seed, *purpose).getrandbits(31)


def audited(
    pool: Pool,
    discriminator: Discriminator,
    assignment: Rows,
    params: FilterParams,
    *,
    times: int,
    purpose: str,
    items: Rows | None = None,
) -> dict[str, float]:
    """The accuracy of each member with wrong candidates as they are; every item is held out so many times."""
    asked = questions(pool, assignment)[items if items is not None else slice(None)]
    groups = [pool.groups[item] for item in (items if items is not None else np.arange(len(pool))).tolist()]
    found: list[tuple[int, dict[str, float]]] = []
    for number in range(times * min(params.cycle, len(set(groups)))):
        train, held = _halves(groups, params, number, purpose)
        judge = discriminator.fit(pool, asked[train], seed=_seed(params.seed, "fit", f"{purpose} {number}"))
        found.append((len(held), _judged(judge, asked[held])))
    total = sum(size for size, _ in found)
    return {member: round(sum(size * members[member] for size, members in found) / total, 6) for member in found[0][1]}


def _judged(judge: Judge, asked: Rows) -> dict[str, float]:
    scores: Scores = judge.scores(asked.ravel())
    return {member: accuracy(found.reshape(asked.shape)) for member, found in scores.items()}
