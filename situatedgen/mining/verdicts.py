"""Verdicts of the pair rules on many candidates at once, with Bloom-like bit signatures to skip harmless pairs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.mining.pool import kind_bits
from situatedgen.mining.search import Kinds
from situatedgen.rules.pairs import (
    PAIR_RULES,
    PairRule,
    PairSide,
    is_contained,
    judge,
    lacks_common_kind,
    shares_entity,
)
from situatedgen.schemas import VERDICT
from situatedgen.vocabulary import Verdict

CHUNK = 1 << 18
# Computing a trace takes as long as this many verdicts of the rules.
PAIRS_A_TRACE = 16
# Letters of the prefix and suffix of a word that go into a trace.
END = 2
VERDICTS = pl.Series(list(Verdict), dtype=VERDICT)
CODES = {verdict: code for code, verdict in enumerate(Verdict)}
Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Traces:
    """Bit signatures of statements, one entry per statement: see `traces_of`."""

    held: Bits
    wanted: Bits
    names: Bits
    starts: Bits
    kinds: Kinds


def verdicts(sides: Sequence[PairSide], left: Numbers, right: Numbers, traces: Traces | None = None) -> pl.Series:
    """The verdict of `judge` on each pair of sides, which are given by number; uses the traces if there are any."""
    if traces is None and len(left) >= PAIRS_A_TRACE * len(sides):
        traces = traces_of(sides)
    found = np.full(len(left), CODES[Verdict.KEPT], dtype=np.uint8)
    for start in range(0, len(left), CHUNK):
        part = slice(start, start + CHUNK)
        doubtful = np.flatnonzero(is_doubtful(traces, left[part], right[part]))
        found[start + doubtful] = list(_judge_pairs(sides, left[part][doubtful], right[part][doubtful]))
    return VERDICTS.gather(found)


def _judge_pairs(sides: Sequence[PairSide], left: Numbers, right: Numbers) -> Iterator[int]:
    for one, other in zip(left.tolist(), right.tolist(), strict=True):
        yield CODES[judge(sides[one], sides[other])]


def traces_of(sides: Sequence[PairSide]) -> Traces:
    """The bit signatures of sides.

    `held` are the words of the bare text and their prefixes and suffixes, `wanted` what another text must hold to
    contain it. `names` are the first words of the side's names, `starts` the words of the side with which a name of any
    side begins: if a text contains a name, the first word of that name is among them.
    """
    firsts = {name.split()[0] for side in sides for name in side.names}
    texts = [side.text.split(" ") for side in sides]
    return Traces(
        held=_bits(map(_held_features, texts)),
        wanted=_bits(map(_wanted_features, texts)),
        names=_bits([name.split()[0] for name in side.names] for side in sides),
        starts=_bits(firsts.intersection(side.words.split()) for side in sides),
        kinds=np.array([kind_bits(side.context) for side in sides], dtype=np.uint8),
    )


def _held_features(words: list[str]) -> Iterator[str]:
    for word in words:
        yield from (word, f" {word[:END]}", f"{word[-END:]} ")


def _wanted_features(words: list[str]) -> Iterator[str]:
    """The words between the first and the last, the suffix of the first, and the prefix of the last.

    If a text is part of another, its first word may be the end of a longer word there, and its last one the beginning.
    """
    yield from words[1:-1]
    if len(words) > 1 and len(words[0]) >= END:
        yield f"{words[0][-END:]} "
    if len(words) > 1 and len(words[-1]) >= END:
        yield f" {words[-1][:END]}"


def _bits(sets: Iterable[Iterable[str]]) -> Bits:
    return np.fromiter((_bits_of(words) for words in sets), dtype=np.uint64)


def _bits_of(words: Iterable[str]) -> int:
    bits = 0
    for word in words:
        bits |= 1 << (crc32(word.encode()) & 63)
    return bits


def is_doubtful(traces: Traces | None, left: Numbers, right: Numbers) -> Flags:
    """Whether each pair may break a rule; true for all pairs without traces, or if a rule has no doubt function."""
    doubts = np.zeros(len(left), dtype=np.bool_)
    for _, rule in PAIR_RULES:
        doubts |= DOUBTS[rule](traces, left, right) if traces and rule in DOUBTS else True
    return doubts


def _may_contain(traces: Traces, left: Numbers, right: Numbers) -> Flags:
    within_right = (traces.wanted[left] & ~traces.held[right]) == 0
    within_left = (traces.wanted[right] & ~traces.held[left]) == 0
    return np.asarray(within_right | within_left)


def _may_share(traces: Traces, left: Numbers, right: Numbers) -> Flags:
    shared = (traces.names[left] & traces.starts[right]) | (traces.names[right] & traces.starts[left])
    return np.asarray(shared != 0)


def _shares_no_kind(traces: Traces, left: Numbers, right: Numbers) -> Flags:
    return np.asarray((traces.kinds[left] & traces.kinds[right]) == 0)


Doubt = Callable[[Traces, Numbers, Numbers], Flags]
DOUBTS: Mapping[PairRule, Doubt] = {
    is_contained: _may_contain,
    shares_entity: _may_share,
    lacks_common_kind: _shares_no_kind,
}
