"""What would take over where all pairs are too many, and what it would lose: recall of the pairs of an exact search.

    python -m benchmarks.approximate [--vectors FILE.npy] [--texts N] [--cells N]

On vectors of masked texts (of the benchmark's corpus, or rows of unit length in a file), the exact pairs are found
first. Then, for an inverted file (cells around centres; a text is compared with those of its nearest cells), for
random hyperplanes (texts of one bucket of any table are compared), and for a cap on neighbours, this tells which
share of the exact pairs would be found and which share of all products would be made. Recall comes from the cells
and buckets of the exact pairs, so no approximate search is timed.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.scale_corpus import PlantedEncoder, groups_of
from situatedgen.mining.search import Hits, within
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

Vectors = NDArray[np.float32]
Cells = NDArray[np.int64]
FLOOR = 0.8
ROUNDS = 8
PROBES = (1, 2, 4, 8, 16, 32, 64)
TABLES = ((12, 8), (12, 32), (16, 32), (16, 128))
CAPS = (5, 10, 20, 50)


@dataclass(frozen=True, slots=True)
class Trial:
    """A way to look at fewer pairs: the share of the pairs that it finds, and of the products that it makes."""

    name: str
    recall: float
    products: float


def trials(vectors: Vectors, cells: int) -> Iterator[Trial]:
    """Every way on the same vectors, with so many cells."""
    hits = within(vectors, floor=FLOOR)
    yield Trial(f"exact: {len(hits):,} pairs of {len(vectors):,} texts", 1.0, 1.0)
    nearest = nearest_cells(vectors, centres(vectors, cells), max(PROBES))
    for probes in (each for each in PROBES if each <= cells):
        yield inverted_file(hits, nearest[:, :probes], cells)
    for bits, tables in TABLES:
        yield hyperplanes(hits, vectors, bits, tables)
    for cap in CAPS:
        yield Trial(f"at most {cap} neighbours a text", kept_share(hits, len(vectors), cap), 1.0)


def centres(vectors: Vectors, count: int) -> Vectors:
    """Centres of cells: k-means on the sphere, from vectors drawn by a seed."""
    chance = np.random.default_rng(0)
    found = vectors[chance.choice(len(vectors), count, replace=False)]
    for _ in range(ROUNDS):
        cells = nearest_cells(vectors, found, 1)[:, 0]
        sums = np.zeros_like(found)
        np.add.at(sums, cells, vectors)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        found = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), found)
    return found


def nearest_cells(vectors: Vectors, middles: Vectors, count: int) -> Cells:
    """The numbers of the nearest cells of each vector, nearest first."""
    count = min(count, len(middles))
    parts = []
    for start in range(0, len(vectors), 4096):
        near = vectors[start : start + 4096] @ middles.T
        top = np.argpartition(-near, count - 1, axis=1)[:, :count]
        order = np.argsort(-np.take_along_axis(near, top, axis=1), axis=1)
        parts.append(np.take_along_axis(top, order, axis=1))
    return np.concatenate(parts)


def inverted_file(hits: Hits, probed: Cells, cells: int) -> Trial:
    """A pair is found when the cell of one is among those that the other looks into."""
    own, count = probed[:, 0], len(probed)
    found = (probed[hits.left] == own[hits.right, None]).any(axis=1)
    found |= (probed[hits.right] == own[hits.left, None]).any(axis=1)
    sizes = np.bincount(own, minlength=cells)
    # Each text with the centres, then with those of the cells that it looks into, in either order.
    products = count * cells + sizes[probed].sum() / (1 if probed.shape[1] > 1 else 2)
    return Trial(f"inverted file, {cells} cells, {probed.shape[1]} probed", _mean(found), _share(products, count))


def hyperplanes(hits: Hits, vectors: Vectors, bits: int, tables: int) -> Trial:
    """A pair is found when both lie on the same side of all planes of a table."""
    chance, found, products = np.random.default_rng(bits), np.zeros(len(hits), dtype=np.bool_), 0.0
    for _ in range(tables):
        planes = chance.standard_normal((vectors.shape[1], bits), dtype=np.float32)
        buckets = (vectors @ planes > 0) @ (1 << np.arange(bits))
        found |= buckets[hits.left] == buckets[hits.right]
        sizes = np.bincount(buckets)
        products += float((sizes * (sizes - 1)).sum() / 2) + len(vectors) * bits
    return Trial(f"{tables} tables of {bits} hyperplanes", _mean(found), _share(products, len(vectors)))


def kept_share(hits: Hits, count: int, cap: int) -> float:
    """The share of pairs that are among the most similar so many of either of their texts."""
    ends = np.concatenate([hits.left, hits.right])
    order = np.lexsort((-np.tile(hits.similarity, 2), ends))
    firsts = np.searchsorted(ends[order], np.arange(count))
    ranks = np.empty(len(ends), dtype=np.int64)
    ranks[order] = np.arange(len(ends)) - firsts[ends[order]]
    return _mean((ranks[: len(hits)] < cap) | (ranks[len(hits) :] < cap))


def _share(products: float, count: int) -> float:
    return products / max(1, count * (count - 1) / 2)


def _mean(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if len(flags) else 1.0


def planted(count: int) -> Vectors:
    """The vectors of so many distinct masked texts of the benchmark's corpus."""
    texts = [f"g{group}t{number}" for number, group in enumerate(groups_of(count))]
    return PlantedEncoder(ModelParams(name="planted"), Runtime()).encode(texts)


def main() -> None:
    """Try every way, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, help="a file of numpy's with a row of unit length a text")
    parser.add_argument("--texts", type=int, default=20_000, help="how many texts of the corpus, without a file")
    parser.add_argument("--cells", type=int, help="cells of the inverted file; else the root of the number of texts")
    asked = parser.parse_args()
    vectors = np.load(asked.vectors, allow_pickle=False) if asked.vectors else planted(asked.texts)
    print(f"{'':44}{'recall':>8}{'products':>10}")
    for trial in trials(vectors, asked.cells or round(len(vectors) ** 0.5)):
        print(f"{trial.name:44}{trial.recall:>8.1%}{trial.products:>10.2%}", flush=True)


if __name__ == "__main__":
    main()
