"""The leakage certificate: measures how far dev and test are from train."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations as subsets

import numpy as np
import polars as pl
from numpy.typing import NDArray

from situatedgen.vocabulary import Split

DECIMALS = 6


def round_number(value: float) -> float:
    """Round a number to six decimals."""
    return round(float(value), DECIMALS)


def ratio(part: float, whole: float) -> float:
    """Part divided by whole, rounded; 0 if the whole is 0."""
    return round_number(part / whole) if whole else 0.0


NEAR, CLOSE = 0.8, 0.9
"""Near: two masked texts similar enough to form a pair. Close: the same template except for a word or two."""
LOWEST, WIDTH, BINS = 0.4, 0.02, 30
"""The histogram has 30 bins from 0.4 to 1; the first also counts all lower values."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """Distribution of the cosines between a split's masked texts and their nearest neighbours in train.

    The histogram contains the share of values in each of `BINS` bins of `WIDTH`, starting at `LOWEST`.
    """

    count: float
    mean: float
    median: float
    p90: float
    p99: float
    maximum: float
    near_share: float
    close_share: float
    histogram: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Novelty:
    """Distinct keywords of a split, or combinations of `size` keywords within an example, and how many train lacks."""

    size: int
    distinct: float
    unseen: float
    unseen_share: float
    overlap: float
    """Jaccard index of the split and train."""


@dataclass(frozen=True, slots=True)
class SplitLeakage:
    """How far one split is from train.

    `sentences` covers its distinct statements, each with its nearest train statement. `pairs` covers its examples,
    each with the mean cosine of its two statements. That mean is an upper bound on the similarity to any train
    example, however the statements of the two examples are matched.
    """

    split: Split
    sentences: Nearness
    pairs: Nearness
    novelty: tuple[Novelty, ...]


@dataclass(frozen=True, slots=True)
class Hubs:
    """How the slots of all examples (two each) are distributed over statements.

    The top tenth of the statements fills `top_share` of the slots; the most frequent statement occurs in
    `busiest_share` of the examples.
    """

    statements: float
    slots: float
    top_statements: float
    top_share: float
    busiest_share: float


@dataclass(frozen=True, slots=True)
class Balance:
    """Deviation of the splits from the requested shares and from the overall mix; 0 is perfect, 1 the maximum.

    `size`: half the sum of the absolute deviations of the splits' shares. `source`, `context`: total variation
    distance between a split's mix of sources (or context types) and that of all examples, averaged over the splits.
    """

    size: float
    source: float
    context: float


@dataclass(frozen=True, slots=True)
class Certificate:
    """The leakage measures of one assignment to splits, or the mean of several."""

    examples: float
    shared_templates: float
    splits: tuple[SplitLeakage, ...]
    hubs: Hubs
    balance: Balance


@dataclass(frozen=True, slots=True)
class Comparison:
    """The certificate of a build, and the mean certificate of `packings` random packings of the same communities."""

    built: Certificate
    packings: int
    random: Certificate | None


SIZES = (1, 2, 3)
FEW = 1 << 21
WORD = 64
"""Number of bits in a code."""
Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Combinations:
    """All combinations of `size` words within a row, grouped by combination: `row` lists the rows of each.

    `first` is the index in `row` at which the rows of each distinct combination begin.
    """

    size: int
    row: Numbers
    first: Numbers

    @property
    def distinct(self) -> int:
        """Number of distinct combinations."""
        return len(self.first)

    def occurs_in(self, rows: Flags) -> Flags:
        """For each distinct combination, whether it occurs in any of the given rows."""
        occurs = rows[self.row]
        return np.logical_or.reduceat(occurs, self.first) if len(occurs) else occurs


def novelty(combinations: Combinations, rows: Flags, known: Flags) -> Novelty:
    """Share of the combinations in the given rows that occur in none of the known rows."""
    here, there = combinations.occurs_in(rows), combinations.occurs_in(known)
    distinct, unseen = int(here.sum()), int((here & ~there).sum())
    return Novelty(
        combinations.size,
        distinct,
        unseen,
        ratio(unseen, distinct),
        ratio(distinct - unseen, int((here | there).sum())),
    )


def distinct(numbers: Numbers) -> Numbers:
    """Sorted distinct numbers; ten times as fast as NumPy's own way, which uses a hash table.

    Example:
        >>> distinct(np.array([3, 1, 3])).tolist()
        [1, 3]
    """
    ordered = np.sort(numbers)
    return ordered[np.diff(ordered, prepend=ordered[:1] - 1) > 0]


@dataclass(frozen=True, slots=True, eq=False)
class WordSets:
    """Sets of words in long form, sorted by row and word: row number, word number, and the vocabulary size `width`."""

    row: Numbers
    word: Numbers
    width: int


def word_sets(sets: pl.Series) -> WordSets:
    """Encode lists of words as sets, ignoring order and repetition."""
    long = pl.DataFrame({"word": sets}).with_row_index("row").explode("word").drop_nulls()
    words = pl.Enum(long["word"].unique().sort())
    numbers = long["word"].cast(words).to_physical().to_numpy().astype(np.int64)
    width = max(len(words.categories), 1)
    codes = distinct(long["row"].to_numpy().astype(np.int64) * width + numbers)
    return WordSets(codes // width, codes % width, width)


def combinations(sets: WordSets, size: int) -> Combinations:
    """All combinations of `size` distinct words in each set.

    Example:
        >>> found = combinations(word_sets(pl.Series([["a", "b", "a"], ["b", "a", "c"]])), 2)
        >>> found.distinct, found.row.tolist()
        (3, [0, 1, 1, 1])
    """
    lengths = np.bincount(sets.row)
    lots = [
        _combinations_of_length(sets, length, lengths, size)
        for length in sorted(set(lengths.tolist()))
        if length >= size
    ]
    codes = np.concatenate([code for code, _ in lots] or [np.empty(0, np.uint64)])
    rows = np.concatenate([row for _, row in lots] or [np.empty(0, np.int64)])
    ordered, places = _sort_codes(codes)
    return Combinations(size, rows[places], np.flatnonzero(np.diff(ordered, prepend=~ordered[:1])))


def _sort_codes(codes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Numbers]:
    """Sort codes and return them with their original positions.

    Polars sorts many codes on all cores, in half NumPy's time. Fewer codes are sorted with the position packed into
    the low bits of the same number, which takes a third of the time of an argsort.
    """
    bits = len(codes).bit_length()
    if len(codes) > FEW or int(codes.max(initial=0)).bit_length() + bits > WORD:
        places = pl.Series(codes).arg_sort().to_numpy().astype(np.int64)
        return codes[places], places
    placed = np.sort(codes << np.uint64(bits) | np.arange(len(codes), dtype=np.uint64))
    return placed >> np.uint64(bits), (placed & np.uint64((1 << bits) - 1)).astype(np.int64)


def _combinations_of_length(
    sets: WordSets, length: int, lengths: Numbers, size: int
) -> tuple[NDArray[np.uint64], Numbers]:
    """Code and row of each combination in the sets of one length."""
    chosen = np.array(list(subsets(range(length), size)), np.int64)
    words = sets.word[lengths[sets.row] == length].astype(np.uint64).reshape(-1, length).T.copy()
    # Beyond 2.6 million words the codes of triples wrap around; a collision is then possible, but very unlikely.
    places = np.array([pow(sets.width, power, 2**64) for power in range(size)], np.uint64)
    codes = np.zeros((len(chosen), words.shape[1]), np.uint64)
    for place, weight in enumerate(places):
        codes += (words * weight)[chosen[:, place]]
    return codes.ravel(), np.tile(np.flatnonzero(lengths == length), len(chosen))


TRAIN, DEV, TEST, OUT = 0, 1, 2, -1
"""Splits as numbers; OUT marks examples without a split."""
NUMBER = {Split.TRAIN: TRAIN, Split.DEV: DEV, Split.TEST: TEST}


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Arrays of examples (two sentences, context, keyword combinations) and of sentences (source).

    `names` are the sentence ids, in order.
    """

    names: tuple[str, ...]
    left: Numbers
    right: Numbers
    contexts: Numbers
    sources: Numbers
    words: tuple[Combinations, ...]

    def __len__(self) -> int:
        """Number of examples."""
        return len(self.left)


def sheet(examples: pl.DataFrame, sizes: Sequence[int] = SIZES) -> Sheet:
    """Build the sheet of examples with `ids` and `keywords`, and optionally `context`."""
    ids = examples["ids"]
    names = ids.explode().unique().drop_nulls().sort()
    numbered = pl.Enum(names)
    left, right = (ids.list.get(side).cast(numbered).to_physical().to_numpy().astype(np.int64) for side in (0, 1))
    keywords = word_sets(examples["keywords"].list.eval(pl.element().str.to_lowercase()))
    contexts = examples["context"].cast(pl.String) if "context" in examples.columns else _blank_contexts(len(examples))
    sources = pl.Series([name.partition("::")[0] for name in names], dtype=pl.String)
    words = tuple(combinations(keywords, size) for size in sizes)
    return Sheet(tuple(names), left, right, _codes(contexts), _codes(sources), words)


def split_numbers(splits: pl.Series) -> Numbers:
    """The split of each example as a number."""
    found = splits.cast(pl.String).replace_strict(
        {split.value: number for split, number in NUMBER.items()}, default=OUT
    )
    return found.to_numpy().astype(np.int64)


def _blank_contexts(count: int) -> pl.Series:
    return pl.Series([""] * count, dtype=pl.String)


def _codes(values: pl.Series) -> Numbers:
    return values.rank("dense").to_numpy().astype(np.int64) - 1 if len(values) else np.empty(0, np.int64)


Cosines = NDArray[np.float32]
HELD_BACK = (Split.DEV, Split.TEST)
TOP = 10
"""One in TOP statements counts as a hub."""


def certificate(
    sheet: Sheet, splits: Numbers, near: Cosines, *, shares: tuple[float, float, float], shared_templates: int = 0
) -> Certificate:
    """Compute a certificate from each example's split and each sentence's cosine with its nearest in train."""
    assigned = splits != OUT
    return Certificate(
        examples=int(assigned.sum()),
        shared_templates=shared_templates,
        splits=tuple(split_leakage(sheet, splits, near, split) for split in HELD_BACK),
        hubs=hubs(sheet, assigned),
        balance=balance(sheet, splits, shares),
    )


def split_leakage(sheet: Sheet, splits: Numbers, near: Cosines, split: Split) -> SplitLeakage:
    """Measure how far one split is from train."""
    own = splits == NUMBER[split]
    left, right = sheet.left[own], sheet.right[own]
    sentences = distinct(np.concatenate([left, right]))
    return SplitLeakage(
        split=split,
        sentences=nearness(near[sentences]),
        pairs=nearness((near[left].astype(np.float64) + near[right]) / 2),
        novelty=tuple(novelty(words, own, splits == TRAIN) for words in sheet.words),
    )


def nearness(cosines: NDArray[np.floating]) -> Nearness:
    """Summarise cosines with the nearest neighbours in train."""
    if not len(cosines):
        return Nearness(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, (0.0,) * BINS)
    values = cosines.astype(np.float64)
    median, p90, p99 = (round_number(value) for value in np.quantile(values, (0.5, 0.9, 0.99)))
    return Nearness(
        count=len(values),
        mean=round_number(values.mean()),
        median=median,
        p90=p90,
        p99=p99,
        maximum=round_number(values.max()),
        near_share=ratio(int((values >= NEAR).sum()), len(values)),
        close_share=ratio(int((values >= CLOSE).sum()), len(values)),
        histogram=_histogram(values),
    )


def _histogram(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Share of values in each bin; values below the first bin are counted in it."""
    places = np.floor((values - LOWEST) / WIDTH + 1e-9).astype(np.int64).clip(0, BINS - 1)
    return tuple(ratio(int(count), len(values)) for count in np.bincount(places, minlength=BINS))


def hubs(sheet: Sheet, assigned: NDArray[np.bool_]) -> Hubs:
    """How the slots of the examples that have a split are distributed over statements."""
    slots = np.bincount(np.concatenate([sheet.left[assigned], sheet.right[assigned]]), minlength=len(sheet.names))
    used = np.sort(slots[slots > 0])[::-1]
    top = -(-len(used) // TOP)
    total = int(used.sum())
    return Hubs(
        statements=len(used),
        slots=total,
        top_statements=top,
        top_share=ratio(int(used[:top].sum()), total),
        busiest_share=ratio(int(used.max(initial=0)), int(assigned.sum())),
    )


def balance(sheet: Sheet, splits: Numbers, shares: tuple[float, float, float]) -> Balance:
    """How well an assignment meets the shares of train, dev and test, and keeps the mix of sources and contexts."""
    counts = np.array([int((splits == number).sum()) for number in NUMBER.values()])
    off = np.abs(counts / max(counts.sum(), 1) - np.array(shares)).sum() / 2
    both = np.concatenate([sheet.sources[sheet.left], sheet.sources[sheet.right]])
    return Balance(
        size=round_number(off if counts.sum() else 0.0),
        source=_distance(np.concatenate([splits, splits]), both),
        context=_distance(splits, sheet.contexts),
    )


def _distance(splits: Numbers, kinds: Numbers) -> float:
    """Total variation distance between a split's mix of kinds and the overall mix, averaged over non-empty splits."""
    width = int(kinds.max(initial=-1)) + 1
    mixes = [np.bincount(kinds[splits == number], minlength=width) for number in NUMBER.values()]
    every = np.sum(mixes, axis=0) / max(int(np.sum(mixes)), 1)
    distances = [np.abs(mix / mix.sum() - every).sum() / 2 for mix in mixes if mix.sum()]
    return round_number(np.mean(distances)) if distances else 0.0
