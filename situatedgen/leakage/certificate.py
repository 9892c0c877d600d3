"""The leakage certificate: what is told of how far dev and test are from train. Plain values, ready for JSON."""

from dataclasses import dataclass

from situatedgen.vocabulary import Split

NEAR, CLOSE = 0.8, 0.9
"""Near: two masked texts so alike that they would make a pair. Close: the same template but for a word or two."""
LOWEST, WIDTH, BINS = 0.4, 0.02, 30
"""The histogram has 30 bins from 0.4 to 1; the first also takes whatever lies below."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near things of a split come to train, as cosines of masked texts with the nearest in train.

    The histogram holds the share of things in each of `BINS` bins of `WIDTH` from `LOWEST` up.
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
    """The distinct keywords of a split, or their combinations of `size` within an example, and how many train lacks."""

    size: int
    distinct: float
    unseen: float
    unseen_share: float
    overlap: float
    """What split and train share, of all that stands in either (Jaccard)."""


@dataclass(frozen=True, slots=True)
class SplitLeakage:
    """How far one split is from train.

    `sentences` are its distinct statements, each with its nearest train statement. `pairs` are its examples, each
    with the mean of what its two statements have: no train example is nearer than that to it, however the two
    statements of each are put side by side.
    """

    split: Split
    sentences: Nearness
    pairs: Nearness
    novelty: tuple[Novelty, ...]


@dataclass(frozen=True, slots=True)
class Hubs:
    """How the slots of all examples, two each, spread over statements.

    The top tenth of the statements fills `top_share` of the slots; the busiest statement stands in `busiest_share`
    of the examples.
    """

    statements: float
    slots: float
    top_statements: float
    top_share: float
    busiest_share: float


@dataclass(frozen=True, slots=True)
class Balance:
    """How far the splits are from what was asked, or from one another; 0 is perfect, 1 as far as can be.

    `size`: half the sum of what the splits' shares are off. `source`, `context`: how far the mix of sources (of
    context types) of a split is from that of all examples, as total variation, on average over the splits.
    """

    size: float
    source: float
    context: float


@dataclass(frozen=True, slots=True)
class Certificate:
    """One dataset, dealt in one way (or the mean of several)."""

    examples: float
    shared_templates: float
    splits: tuple[SplitLeakage, ...]
    hubs: Hubs
    balance: Balance


@dataclass(frozen=True, slots=True)
class Comparison:
    """A dataset as it was built beside `packings` random packings of the same communities, as a mean."""

    built: Certificate
    packings: int
    random: Certificate | None
