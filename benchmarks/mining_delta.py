"""What candidates cost after a small change, against a full search, on tables made from a seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import polars as pl

from benchmarks.measuring import Cost, measured
from benchmarks.vectors import WIDTH, clustered
from situatedgen.params import CandidateParams
from situatedgen.schemas import ENTITIES, MASKS, STATEMENTS
from situatedgen.stages.candidates import INPUTS, candidates
from situatedgen.stages.previous_run import PreviousRun
from situatedgen.vocabulary import Context, Label, Verdict

SIZES = (5_000, 30_000)
CHANGED = 0.01
# Of the seconds of a full search, where there are so many statements that reading the tables is the lesser part.
REACH, REACHED_FROM = 0.2, 30_000
# Clusters so large that 30,000 texts have nearly four million candidates.
SCALE, PARAMS = 4.8, CandidateParams(floor=0.7)
LABELS = {Context.GEO: Label.GPE, Context.TEMP: Label.DATE, Context.BOTH: Label.EVENT}
CONTEXTS, SHARES = list(LABELS), (0.55, 0.35, 0.1)
WORDS, NAMES, LENGTH = 4_000, 2_000, 9
Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Delta:
    """A full search and one from an earlier run: the rows they found, what each cost, whether they are the same."""

    rows: int
    cold: Cost
    changed: Cost
    is_same: bool


def measured_delta(size: int) -> Delta:
    """The cost of the candidates of so many texts, from nothing and from a run in which some were others."""
    now, before = tables(size), tables(size, others=round(size * CHANGED))
    earlier = PreviousRun(before, PARAMS, _mined(before))
    whole, cold = measured(lambda: _mined(now))
    found, changed = measured(lambda: _mined(now, earlier))
    return Delta(len(whole), cold, changed, whole.equals(found))


def _mined(inputs: Tables, earlier: PreviousRun | None = None) -> pl.DataFrame:
    return candidates(*(inputs[name] for name in INPUTS), params=PARAMS, earlier=earlier)


def tables(size: int, *, others: int = 0) -> Tables:
    """The inputs of the stage: a statement for each text, of which some are `others` than in the rest of the tables."""
    chance = np.random.default_rng(size)
    vectors = clustered(size, scale=SCALE)
    vectors[:others] = vectors[:others][::-1].copy()
    ids = [f"s{number:06}" for number in chance.permutation(size)]
    texts = [f"[UNK] {number:06}{' then' * (number < others)} [UNK]" for number in range(size)]
    contexts = [CONTEXTS[number] for number in chance.choice(len(CONTEXTS), size, p=SHARES)]
    names = [f"Name{number}" for number in chance.integers(0, NAMES, size)]
    words = chance.integers(0, WORDS, (size, LENGTH))
    said = [" ".join([name, *(f"word{word}" for word in row)]) for name, row in zip(names, words, strict=True)]
    rows = list(zip(ids, texts, contexts, names, said, strict=True))
    return {
        "statements": STATEMENTS.frame([(id_, "s", text, "claim", 1.0, Verdict.KEPT) for id_, *_, text in rows]),
        "entities": ENTITIES.frame([(id_, 0, len(name), name, LABELS[kind]) for id_, _, kind, name, _ in rows]),
        "masks": MASKS.frame([(id_, text, 2, kind, Verdict.KEPT) for id_, text, kind, *_ in rows]),
        "embeddings": pl.DataFrame(
            {"masked_text": texts, "vector": vectors},
            schema={"masked_text": pl.String, "vector": pl.Array(pl.Float32, WIDTH)},
        ).sort("masked_text"),
    }


def report(size: int, repeats: int) -> tuple[list[str], list[str]]:
    """The lines about so many texts, of the best of the repeats, and what is out of reach."""
    runs = [_alone(size) for _ in range(repeats)]
    cold = min((run.cold for run in runs), key=lambda cost: cost.seconds)
    changed = min((run.changed for run in runs), key=lambda cost: cost.seconds)
    ratio = changed.seconds / cold.seconds
    lines = [
        f"delta: {size:,} statements, {CHANGED:.0%} of them changed, {runs[0].rows:,} candidates, floor {PARAMS.floor}"
    ]
    lines += _rows((("full search", cold), ("from an earlier run", changed)))
    lines += [f"  ratio {ratio:.3f}, of cpu s {changed.cpu_seconds / cold.cpu_seconds:.3f}"]
    return lines, list(_shortfalls(size, ratio, runs))


def _rows(costs: tuple[tuple[str, Cost], ...]) -> Iterator[str]:
    yield f"  {'':20}{'seconds':>9}{'cpu s':>9}{'MiB beyond':>12}"
    for name, cost in costs:
        yield f"  {name:20}{cost.seconds:9.2f}{cost.cpu_seconds:9.2f}{cost.mebibytes:12.0f}"


def _shortfalls(size: int, ratio: float, runs: list[Delta]) -> Iterator[str]:
    if size >= REACHED_FROM and ratio > REACH:
        yield f"{size:,}: {CHANGED:.0%} changed takes {ratio:.3f} of a full search, reach ≤ {REACH}"
    if not all(run.is_same for run in runs):
        yield f"{size:,}: candidates from an earlier run are not those of a full search"


def _alone(size: int) -> Delta:
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measured_delta, (size,))
