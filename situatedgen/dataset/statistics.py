"""The values of `stats.json`: what is told of a dataset."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter

from situatedgen.errors import SettingsError
from situatedgen.leakage.certificate import (
    Comparison,
)
from situatedgen.rules.splits import SplitChange
from situatedgen.vocabulary import Context, Split, Verdict


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """A row of Table 1: a source's items and sentences, and how many of these name places, times, or both."""

    source: str
    items: int
    sentences: int
    geo: int
    temp: int
    both: int
    valid: int


@dataclass(frozen=True, slots=True)
class SplitCounts:
    """A column of Table 2."""

    split: Split
    pairs: int
    unique_sentences: int
    sentences_per_pair: float
    unique_keywords: int
    average_keywords: float
    average_tokens: float


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """How many rows of a stage have a verdict."""

    stage: str
    verdict: Verdict
    rows: int


@dataclass(frozen=True, slots=True)
class ContextCount:
    """How many pairs of a split share a context."""

    split: Split
    context: Context
    pairs: int


@dataclass(frozen=True, slots=True)
class KeywordBin:
    """How many examples of a split have so many keywords."""

    split: Split
    keywords: int
    examples: int


@dataclass(frozen=True, slots=True)
class KeywordCounts:
    """How many keywords the examples have: mean and skewness over all splits, and the histogram."""

    mean: float
    skewness: float
    histogram: tuple[KeywordBin, ...]


@dataclass(frozen=True, slots=True)
class SimilarityBin:
    """How many candidates that break no rule have a similarity of so many percent and less than one more."""

    percent: int
    kept: int
    too_dissimilar: int


@dataclass(frozen=True, slots=True)
class CommunitySize:
    """The statements of a community, and the pairs that are left in it with the split of most of them."""

    community: int
    statements: int
    pairs: int
    split: Split | None


@dataclass(frozen=True, slots=True)
class CommunityLink:
    """How many pairs were cut between two communities."""

    left: int
    right: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph of statements and pairs, and what dealing it in communities cost; of its links the strongest."""

    statements: int
    pairs: int
    communities: int
    cut_pairs: int
    cut_share: float
    moved_pairs: int
    moved_share: float
    sizes: tuple[CommunitySize, ...]
    links: tuple[CommunityLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Leakage:
    """How many ids, texts and templates stand in two splits. All are zero, or the build had failed."""

    statement_ids: int
    statement_texts: int
    masked_templates: int


@dataclass(frozen=True, slots=True)
class MoveCount:
    """How many statements of an earlier dataset went from one split to another."""

    old_split: Split
    new_split: Split
    statements: int


@dataclass(frozen=True, slots=True)
class Stability:
    """How the splits follow those of an earlier dataset.

    Of its statements, so many kept their split, moved to another or are gone; and so many stand here that it
    did not have. Pairs were cut where their two statements keep different splits.
    """

    statements: int
    kept: int
    gone: int
    new: int
    cut_pairs: int
    counts: tuple[MoveCount, ...]
    moved: tuple[SplitChange, ...]


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How many pairs are out because people found that they fail a criterion; a pair may fail several."""

    criterion: str
    pairs: int


@dataclass(frozen=True, slots=True)
class Review:
    """What people decided: decisions that stand, of so many people about so many pairs.

    Some pairs are `absent` from this build, and their decisions wait; some were dropped; about some people are evenly
    divided, and they stay.
    """

    decisions: int
    people: int
    pairs: int
    absent: int
    dropped: int
    tied: int
    faults: tuple[FaultCount, ...]


class Basis(StrEnum):
    """What corrects the judge's probabilities: decisions about a random sample, readings held back, or nothing."""

    DECISIONS = "decisions"
    HELD_BACK = "held-back readings"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Validity:
    """The estimated share of valid pairs: its interval (95 %), from so many labelled pairs, and by split.

    Where nothing corrects the judge, the share is what it expects, and has no interval.
    """

    value: float
    low: float | None
    high: float | None
    labelled: int
    basis: Basis
    splits: Mapping[Split, float]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Everything that is told of a dataset.

    `stability` only where its splits follow an earlier one; the leakage `certificate` only of a finished dataset;
    `review` only where people decided; `validity` only where a judge was asked.
    """

    sources: tuple[SourceCounts, ...]
    all_sources: SourceCounts
    splits: tuple[SplitCounts, ...]
    funnel: tuple[FunnelStep, ...]
    contexts: tuple[ContextCount, ...]
    keywords: KeywordCounts
    graph: Graph
    leakage: Leakage
    similarities: tuple[SimilarityBin, ...] = ()
    stability: Stability | None = None
    certificate: Comparison | None = None
    review: Review | None = None
    validity: Validity | None = None


_STATISTICS = TypeAdapter(Statistics)


def to_json(statistics: Statistics) -> str:
    """The text of `stats.json`."""
    optional = ("stability", "certificate", "review", "validity")
    left_out = {name for name in optional if getattr(statistics, name) is None}
    return _STATISTICS.dump_json(statistics, indent=2, exclude=left_out).decode("utf-8") + "\n"


def from_values(values: object) -> Statistics:
    """The statistics back from parsed JSON."""
    return _STATISTICS.validate_python(values)


def read(path: Path) -> Statistics:
    """The statistics of a `stats.json`."""
    return _STATISTICS.validate_json(path.read_bytes())


def read_certificate(out: Path) -> Comparison:
    """The certificate that a dataset folder holds.

    Raises:
        SettingsError: the folder is no dataset, or holds no certificate.
    """
    try:
        found = read(out / "stats.json").certificate
    except (OSError, ValueError) as error:
        raise SettingsError(f"{out} is no dataset folder: its stats.json cannot be read: {error}") from error
    if found is None:
        raise SettingsError(f"{out} holds no leakage certificate; build it again")
    return found
