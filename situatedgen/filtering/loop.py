"""The loop of Algorithm 1: learn from most items, make the others harder, until accuracy no longer falls."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from situatedgen.errors import SettingsError
from situatedgen.filtering.assigning import accuracy, first_assignment, parts, questions, replaced
from situatedgen.filtering.checkpoints import Checkpoints
from situatedgen.filtering.discriminator import Discriminator, Judge, Scores
from situatedgen.filtering.history import Iteration, is_over
from situatedgen.filtering.params import STOPPING, FilterParams
from situatedgen.filtering.pool import Pool, Rows
from situatedgen.seeds import generator

Listener = Callable[[Iteration], None]


@dataclass(frozen=True)
class Filtering:
    """What came of a filtering: the wrong candidates of each item, before and after, and all iterations."""

    first: Rows
    last: Rows
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
    _check(pool)
    checkpoints = Checkpoints(folder, pool) if folder else None
    first = first_assignment(pool, wrong=params.wrong, seed=params.seed)
    history, assignment = _begun(checkpoints, discriminator, params, upto) if checkpoints else ([], None)
    last = first if assignment is None else assignment
    while not is_over(history, params):
        iteration, last = _iterated(pool, discriminator, params, len(history), last)
        history.append(iteration)
        if checkpoints:
            checkpoints.keep(iteration, last)
        listener(iteration)
    return Filtering(first, last, tuple(history))


def _check(pool: Pool) -> None:
    if len(set(pool.groups)) < 2:
        raise SettingsError(
            f"{len(pool)} items with enough wrong candidates, in {len(set(pool.groups))} groups;"
            " filtering needs two groups at least: take more items"
        )


def _begun(
    checkpoints: Checkpoints, discriminator: Discriminator, params: FilterParams, upto: int | None
) -> tuple[list[Iteration], Rows | None]:
    told = params.model_dump(mode="json", exclude=set(STOPPING))
    checkpoints.claim({"discriminator": discriminator.identity, "params": told})
    states = list(checkpoints.read(upto=upto))
    return [iteration for iteration, _ in states], states[-1][1] if states else None


def _iterated(
    pool: Pool, discriminator: Discriminator, params: FilterParams, number: int, assignment: Rows
) -> tuple[Iteration, Rows]:
    """An iteration, and the wrong candidates after it."""
    began = time.perf_counter()
    train, held = parts(pool.groups, train_share=params.train_share, seed=params.seed, purpose=str(number))
    asked = questions(pool, assignment)
    judge = discriminator.fit(pool, asked[train], seed=_seed(params.seed, "fit", str(number)))
    scores = judge.scores(np.concatenate([pool.of(item) for item in held]))
    after = _harder(pool, held, assignment, scores[discriminator.decides], params.replacements)
    members = {member: _accuracy(pool, held, asked, found) for member, found in scores.items()}
    iteration = Iteration(
        number=number,
        accuracy=members[discriminator.decides],
        members=members,
        learned_from=len(train),
        held_out=len(held),
        replaced=len(np.setdiff1d(after, assignment)),
        seconds=round(time.perf_counter() - began, 3),
    )
    return iteration, after


def _harder(pool: Pool, held: Rows, assignment: Rows, scores: NDArray[np.float32], most: int) -> Rows:
    """The wrong candidates of all items after the held-out ones were made harder."""
    after = assignment.copy()
    ends = np.cumsum(pool.sizes[held] + 1)
    for item, own in zip(held, np.split(scores, ends[:-1]), strict=True):
        start = pool.starts[item]
        after[item] = replaced(assignment[item] - start, own, most=most) + start
    return after


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
    """The accuracy of each member on held-out items, with wrong candidates as they are, over several fresh splits."""
    asked = questions(pool, assignment)[items if items is not None else slice(None)]
    groups = [pool.groups[item] for item in (items if items is not None else np.arange(len(pool))).tolist()]
    found: list[tuple[int, dict[str, float]]] = []
    for number in range(times):
        name = f"{purpose} {number}"
        train, held = parts(groups, train_share=params.train_share, seed=params.seed, purpose=name)
        judge = discriminator.fit(pool, asked[train], seed=_seed(params.seed, "fit", name))
        found.append((len(held), _judged(judge, asked[held])))
    total = sum(size for size, _ in found)
    return {member: round(sum(size * members[member] for size, members in found) / total, 6) for member in found[0][1]}


def _judged(judge: Judge, asked: Rows) -> dict[str, float]:
    scores: Scores = judge.scores(asked.ravel())
    return {member: accuracy(found.reshape(asked.shape)) for member, found in scores.items()}
