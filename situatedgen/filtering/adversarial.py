"""Adversarial filtering (Algorithm 1): train on most items, make the held-out ones harder, until accuracy plateaus."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.atomic import write
from situatedgen.errors import SettingsError
from situatedgen.filtering.pool import (
    Discriminator,
    Judge,
    Pool,
    Rows,
    Scores,
    State,
    accuracy,
    assign_parts,
    first_assignment,
    questions,
    replace_easy,
    update_opinions,
)
from situatedgen.filtering.settings import STOPPING, FilterParams
from situatedgen.seeds import generator


@dataclass(frozen=True, slots=True)
class Iteration:
    """Result of an iteration: accuracies on the held-out items, measured before any replacement."""

    number: int
    accuracy: float
    members: dict[str, float]
    learned_from: int
    held_out: int
    replaced: int
    seconds: float


def is_over(history: Sequence[Iteration], params: FilterParams) -> bool:
    """Whether accuracy has stopped falling, or the maximum number of iterations is reached."""
    since = since_lowest(by_cycle(history, params.cycle), params.min_fall)
    return len(history) >= params.max_iterations or since >= params.patience


def by_cycle(history: Sequence[Iteration], cycle: int) -> list[float]:
    """Accuracy over every window of `cycle` iterations, in which each item is held out about once.

    Example:
        >>> points = [Iteration(n, accuracy, {}, 8, 2, 0, 0.0) for n, accuracy in enumerate([0.6, 0.4, 0.3, 0.5])]
        >>> by_cycle(points, 2)
        [0.5, 0.35, 0.4]
    """
    return [_mean(history[start : start + cycle]) for start in range(len(history) - cycle + 1)]


def _mean(history: Sequence[Iteration]) -> float:
    held = sum(iteration.held_out for iteration in history)
    return round(sum(iteration.accuracy * iteration.held_out for iteration in history) / max(held, 1), 6)


def best_of(history: Sequence[Iteration], cycle: int) -> int:
    """Last iteration of the cycle with the lowest accuracy; the latest iteration if no cycle is complete."""
    found = by_cycle(history, cycle)
    return found.index(min(found)) + cycle - 1 if found else len(history) - 1


def since_lowest(accuracies: Sequence[float], min_fall: float) -> int:
    """Number of accuracies since the last one that fell below the minimum by more than `min_fall`.

    Example:
        >>> since_lowest([0.6, 0.4, 0.398, 0.41], 0.005)
        2
    """
    lowest, since = float("inf"), 0
    for each in accuracies:
        since = 0 if each < lowest - min_fall else since + 1
        lowest = min(lowest, each) if since == 0 else lowest
    return since


RECORD, FOLDER, KEY = "filtering.json", "iterations", "iteration"
COLUMNS = pl.Schema({"item_id": pl.String(), "wrong": pl.List(pl.UInt32()), "opinions": pl.List(pl.Float32())})


@dataclass(frozen=True)
class Checkpoints:
    """The folder of a filtering: its settings, and the state after each iteration."""

    root: Path
    pool: Pool

    def claim(self, asked: dict[str, object]) -> None:
        """Claim the folder for a filtering, whether new or resumed.

        Raises:
            SettingsError: the folder holds another filtering, or something else.
        """
        record = json.dumps({**asked, "pool": self.pool.digest}, indent=2, sort_keys=True) + "\n"
        path = self.root / RECORD
        if not path.is_file() and self.root.exists() and (not self.root.is_dir() or any(self.root.iterdir())):
            raise SettingsError(f"{self.root} contains files but no filtering; choose another folder")
        if path.is_file() and path.read_text(encoding="utf-8") != record:
            raise SettingsError(f"{self.root} contains a filtering of other items or settings; choose another folder")
        (self.root / FOLDER).mkdir(parents=True, exist_ok=True)
        write(path, record.encode("utf-8"))

    def keep(self, iteration: Iteration, state: State) -> None:
        """Write the state after an iteration, atomically."""
        write_table(self._path(iteration.number), self._table(state), {KEY: json.dumps(asdict(iteration))})

    def read(self, *, upto: int | None = None) -> Iterator[tuple[Iteration, State]]:
        """Yield the states of all complete iterations from the first on, then delete any files that follow."""
        number = 0
        while (upto is None or number <= upto) and (state := self._state(number)) is not None:
            yield state
            number += 1
        for path in (self.root / FOLDER).glob("*.parquet"):
            if int(path.stem) >= number:
                path.unlink()

    def _path(self, number: int) -> Path:
        return self.root / FOLDER / f"{number:05d}.parquet"

    def _table(self, state: State) -> pl.DataFrame:
        own = (state.assignment - self.pool.truths[:, None]).tolist()
        opinions = [each.tolist() for each in np.split(state.opinions, self.pool.starts[1:-1])]
        return pl.DataFrame({"item_id": self.pool.item_ids, "wrong": own, "opinions": opinions}, schema=COLUMNS)

    def _state(self, number: int) -> tuple[Iteration, State] | None:
        path = self._path(number)
        try:
            metadata = pl.read_parquet_metadata(path)[KEY]
            table = pl.read_parquet(path)
            own = np.asarray(table["wrong"].to_list(), dtype=np.int64)
            opinions = table["opinions"].explode(empty_as_null=False).to_numpy().astype(np.float32)
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException, KeyError):
            return None
        return Iteration(**json.loads(metadata)), State(own + self.pool.truths[:, None], opinions)


def write_table(path: Path, table: pl.DataFrame, about: dict[str, str]) -> None:
    """Write a Parquet file atomically, with metadata."""
    content = BytesIO()
    table.write_parquet(content, metadata=about)
    write(path, content.getvalue())


Listener = Callable[[Iteration], None]


@dataclass(frozen=True)
class Filtering:
    """Result of a filtering: each item's wrong candidates before and after the best iteration, and all iterations.

    The best iteration is the last of the cycle in which accuracy was lowest.
    """

    first: Rows
    last: Rows
    best: int
    history: tuple[Iteration, ...]


def filter_pool(
    pool: Pool,
    discriminator: Discriminator,
    params: FilterParams,
    *,
    folder: Path | None = None,
    upto: int | None = None,
    listener: Listener = lambda _: None,
) -> Filtering:
    """Choose wrong candidates that a discriminator cannot tell from the right ones (section 3.2).

    With a folder, every iteration is saved, and a repeated call resumes from the last one; `upto` resumes from an
    earlier one and deletes those after it. The result is the same as without interruption. The stopping criterion may
    change between calls: finished iterations are kept, and more follow if needed.

    Raises:
        SettingsError: the pool cannot be split, or the folder holds another filtering.
    """
    check_pool(pool)
    checkpoints = Checkpoints(folder, pool) if folder else None
    first = first_assignment(pool, wrong=params.wrong, seed=params.seed)
    history, states = _resume(checkpoints, discriminator, params, upto) if checkpoints else ([], [])
    untouched = State(first, np.full(len(pool.first), np.nan, dtype=np.float32))
    last, best = (states[-1], states[best_of(history, params.cycle)]) if states else (untouched, untouched)
    while not is_over(history, params):
        iteration, last = _iterate(pool, discriminator, params, len(history), last)
        history.append(iteration)
        best = last if best_of(history, params.cycle) == iteration.number else best
        if checkpoints:
            checkpoints.keep(iteration, last)
        listener(iteration)
    return Filtering(first, best.assignment, best_of(history, params.cycle), tuple(history))


def check_pool(pool: Pool) -> None:
    """Raise if a pool cannot be split.

    Raises:
        SettingsError: all items are in one group, or there are none.
    """
    if len(set(pool.groups)) < 2:
        raise SettingsError(
            f"found {len(pool)} items with enough wrong candidates, in {len(set(pool.groups))} groups;"
            " filtering needs at least two groups: use more items"
        )


def _resume(
    checkpoints: Checkpoints, discriminator: Discriminator, params: FilterParams, upto: int | None
) -> tuple[list[Iteration], list[State]]:
    settings = params.model_dump(mode="json", exclude=set(STOPPING))
    checkpoints.claim({"discriminator": discriminator.identity, "params": settings})
    states = list(checkpoints.read(upto=upto))
    return [iteration for iteration, _ in states], [state for _, state in states]


def _split_items(groups: Sequence[str], params: FilterParams, number: int, purpose: str = "") -> tuple[Rows, Rows]:
    """Train and held-out items of an iteration; every item is held out once per cycle."""
    cycle = min(params.cycle, len(set(groups)))
    part = assign_parts(groups, count=cycle, seed=params.seed, purpose=f"{purpose}{number // cycle}")
    return np.flatnonzero(part != number % cycle), np.flatnonzero(part == number % cycle)


def _iterate(
    pool: Pool, discriminator: Discriminator, params: FilterParams, number: int, state: State
) -> tuple[Iteration, State]:
    """Run one iteration and return it with the new state."""
    began = time.perf_counter()
    train, held = _split_items(pool.groups, params, number)
    asked = questions(pool, state.assignment)
    judge = discriminator.fit(pool, asked[train], seed=_seed(params.seed, "fit", str(number)))
    scores = judge.scores(np.concatenate([pool.of(item) for item in held]))
    after = _replace_easiest(pool, held, state, scores[discriminator.decides], params)
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


def _replace_easiest(pool: Pool, held: Rows, state: State, scores: NDArray[np.float32], params: FilterParams) -> State:
    """Replace the easiest wrong candidates of the held-out items, after updating their opinions."""
    rows = np.concatenate([pool.of(item) for item in held])
    ends = np.cumsum(pool.sizes[held] + 1)
    truths = np.repeat(np.concatenate([[0], ends[:-1]]), pool.sizes[held] + 1)
    thought = update_opinions(state.opinions[rows], scores, truths, memory=params.memory)
    after, opinions = state.assignment.copy(), state.opinions.copy()
    opinions[rows] = thought
    for item, own in zip(held, np.split(thought, ends[:-1]), strict=True):
        start = pool.starts[item]
        after[item] = replace_easy(state.assignment[item] - start, own, most=params.replacements) + start
    return State(after, opinions)


def _accuracy(pool: Pool, held: Rows, asked: Rows, scores: NDArray[np.float32]) -> float:
    starts = np.concatenate([[0], np.cumsum(pool.sizes[held] + 1)[:-1]])
    own = asked[held] - pool.truths[held][:, None] + starts[:, None]
    return round(accuracy(scores[own]), 6)


def _seed(seed: int, *purpose: str) -> int:
    return generator(seed, *purpose).getrandbits(31)


def audit_pool(
    pool: Pool,
    discriminator: Discriminator,
    assignment: Rows,
    params: FilterParams,
    *,
    times: int,
    purpose: str,
    items: Rows | None = None,
) -> dict[str, float]:
    """Accuracy of each member with the given wrong candidates; every item is held out `times` times."""
    asked = questions(pool, assignment)[items if items is not None else slice(None)]
    groups = [pool.groups[item] for item in (items if items is not None else np.arange(len(pool))).tolist()]
    found: list[tuple[int, dict[str, float]]] = []
    for number in range(times * min(params.cycle, len(set(groups)))):
        train, held = _split_items(groups, params, number, purpose)
        judge = discriminator.fit(pool, asked[train], seed=_seed(params.seed, "fit", f"{purpose} {number}"))
        found.append((len(held), _member_accuracies(judge, asked[held])))
    total = sum(size for size, _ in found)
    return {member: round(sum(size * members[member] for size, members in found) / total, 6) for member in found[0][1]}


def _member_accuracies(judge: Judge, asked: Rows) -> dict[str, float]:
    scores: Scores = judge.scores(asked.ravel())
    return {member: accuracy(found.reshape(asked.shape)) for member, found in scores.items()}
