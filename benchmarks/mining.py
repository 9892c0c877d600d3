"""How fast all similar pairs are found, against the peers.

    python -m benchmarks.mining [SIZE …] [--delta SIZE …]

Each contender runs in a process of its own on the same vectors: texts in clusters of uneven size, with
duplicates and near-duplicates, made from a seed. Then candidates are made from nothing, and from an earlier
run since which one statement in a hundred changed. Seconds are the best of the repeats; read the ratios.
Exits with 1 when a number is out of reach.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing import get_context

import numpy as np

from benchmarks import mining_delta
from benchmarks.measuring import Cost, measured
from benchmarks.vectors import WIDTH, Vectors, clustered
from situatedgen.mining.search import within

FLOOR = 0.8
SIZES = (5_000, 50_000)
PEERS_UP_TO = 100_000
LIMIT_SECONDS = 600.0
PRODUCT_BLOCK = 2048
SPEED_UP, PRODUCT_RATIO, MEMORY_MIB = 5.0, 1.2, 2048.0


@dataclass(frozen=True, slots=True)
class Found:
    """What a contender found: how many pairs, and the most that one vector is in."""

    pairs: int
    most: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A contender's answer and what it cost."""

    name: str
    found: Found
    cost: Cost


def ours(vectors: Vectors, _: Found) -> Found:
    """The search of this project."""
    hits = within(vectors, floor=FLOOR)
    degrees = np.bincount(hits.left, minlength=len(vectors)) + np.bincount(hits.right, minlength=len(vectors))
    return Found(len(hits), int(degrees.max()))


def product(vectors: Vectors, _: Found) -> Found:
    """The blocked matrix product over all pairs and nothing else: no pair is looked for."""
    block = np.empty((PRODUCT_BLOCK, PRODUCT_BLOCK), dtype=np.float32)
    for row in range(0, len(vectors), PRODUCT_BLOCK):
        top = vectors[row : row + PRODUCT_BLOCK]
        for column in range(row, len(vectors), PRODUCT_BLOCK):
            side = vectors[column : column + PRODUCT_BLOCK]
            np.matmul(top, side.T, out=block[: len(top), : len(side)])
    return Found(0)


def mining_by_default(vectors: Vectors, _: Found) -> Found:
    """`paraphrase_mining_embeddings` with its default limits."""
    return _paraphrases(vectors, top_k=100, max_pairs=500_000)


def mining_complete(vectors: Vectors, known: Found) -> Found:
    """`paraphrase_mining_embeddings` with the smallest limits that lose no pair, told to it beforehand."""
    return _paraphrases(vectors, top_k=known.most, max_pairs=2 * known.pairs + 2)


def faiss_range(vectors: Vectors, _: Found) -> Found:
    """faiss: exact range search."""
    import faiss  # noqa: PLC0415

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    limits, _scores, _ids = index.range_search(vectors, FLOOR)
    return Found((int(limits[-1]) - len(vectors)) // 2)


Contender = Callable[[Vectors, Found], Found]
PEERS: tuple[Contender, ...] = (faiss_range, mining_by_default, mining_complete)


def _paraphrases(vectors: Vectors, *, top_k: int, max_pairs: int) -> Found:
    import torch  # noqa: PLC0415
    from sentence_transformers.util import paraphrase_mining_embeddings  # noqa: PLC0415

    pairs = paraphrase_mining_embeddings(torch.from_numpy(vectors), top_k=top_k, max_pairs=max_pairs)
    return Found(sum(score >= FLOOR for score, *_ in pairs))


def _run(contender: Contender, size: int, known: Found) -> Result:
    vectors = clustered(size)
    contender(vectors[:500], Found(10_000, 100))  # imports and first calls are not what is measured
    found, cost = measured(lambda: contender(vectors, known))
    return Result(contender.__name__, found, cost)


def _best(contender: Contender, size: int, known: Found, repeats: int) -> Result | None:
    """The fastest of the repeats, each in a process of its own; nothing when it takes too long."""
    results = [_alone(contender, size, known) for _ in range(repeats)]
    return min((one for one in results if one), key=lambda one: one.cost.seconds, default=None)


def _alone(contender: Contender, size: int, known: Found) -> Result | None:
    with get_context("spawn").Pool(1) as pool:
        waiting = pool.apply_async(_run, (contender, size, known))
        waiting.wait(LIMIT_SECONDS)
        return waiting.get() if waiting.ready() else None


def results(size: int, repeats: int) -> Iterator[Result]:
    """Ours, the bare product, and the peers where they can be expected to come back."""
    first = _best(ours, size, Found(0), repeats)
    bare = _best(product, size, Found(0), repeats)
    if first is None or bare is None:
        raise SystemExit(f"{size:,} vectors take more than {LIMIT_SECONDS:.0f} s here")
    yield from (first, bare)
    for peer in PEERS if size <= PEERS_UP_TO else ():
        if peer is faiss_range and find_spec("faiss") is None:
            continue
        result = _best(peer, size, first.found, 1)
        if result is not None:
            yield result


def table(size: int, measured_results: list[Result]) -> Iterator[str]:
    """The results as lines, each against ours."""
    first = measured_results[0]
    yield f"{size:,} vectors of {WIDTH} dimensions, floor {FLOOR}"
    yield f"  {'':20}{'seconds':>9}{'cpu s':>9}{'× ours':>8}{'pairs':>12}{'missed':>8}{'MiB beyond':>12}"
    for one in measured_results:
        pairs, missed = f"{one.found.pairs:,}", f"{max(0, 1 - one.found.pairs / first.found.pairs):.1%}"
        if one.name == product.__name__:
            pairs, missed = "–", "–"
        times = one.cost.seconds / first.cost.seconds
        yield (
            f"  {one.name:20}{one.cost.seconds:9.2f}{one.cost.cpu_seconds:9.2f}{times:8.2f}"
            f"{pairs:>12}{missed:>8}{one.cost.mebibytes:12.0f}"
        )


def shortfalls(size: int, measured_results: list[Result]) -> Iterator[str]:
    """What is out of reach."""
    by_name = {one.name: one for one in measured_results}
    first = by_name[ours.__name__]
    ratio = first.cost.seconds / by_name[product.__name__].cost.seconds
    if size >= 100_000 and ratio > PRODUCT_RATIO:
        yield f"{size:,}: ours takes {ratio:.2f} × the bare product, reach ≤ {PRODUCT_RATIO}"
    if first.cost.mebibytes > MEMORY_MIB:
        yield f"{size:,}: {first.cost.mebibytes:.0f} MiB beyond the vectors, reach ≤ {MEMORY_MIB:.0f}"
    complete = by_name.get(mining_complete.__name__)
    if complete is not None and complete.cost.seconds < SPEED_UP * first.cost.seconds:
        yield f"{size:,}: less than {SPEED_UP:.0f} × faster than paraphrase mining made complete"


def main() -> None:
    """Measure, print, and say what is out of reach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="how many vectors, each in turn")
    parser.add_argument(
        "--delta", nargs="*", type=int, default=mining_delta.SIZES, help="how many statements, likewise"
    )
    parser.add_argument("--repeats", type=int, default=3, help="runs of ours and of the bare product")
    given = parser.parse_args()
    missed: list[str] = []
    for size in given.sizes:
        found = list(results(size, given.repeats))
        print("\n".join(table(size, found)), flush=True)
        missed += shortfalls(size, found)
    for size in given.delta:
        lines, out_of_reach = mining_delta.report(size, given.repeats)
        print("\n".join(lines), flush=True)
        missed += out_of_reach
    print("\n".join(missed) or "all within reach")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
