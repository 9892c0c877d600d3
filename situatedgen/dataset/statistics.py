"""Dataset statistics, as stored in `stats.json`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter

from situatedgen.errors import SettingsError
from situatedgen.leakage.certificate import Comparison
from situatedgen.rules.splits import SplitChange
from situatedgen.vocabulary import Context, Split, Verdict


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """A row of Table 1: a source's items and sentences, and how many sentences name places, times, or both."""

    source: str
    items: int
    sentences: int
    geo: int
    temp: int
    both: int
    valid: int


@dataclass(frozen=True, slots=True)
class SplitCounts:
    """A column of Table 2: the counts of one split."""

    split: Split
    pairs: int
    unique_sentences: int
    sentences_per_pair: float
    unique_keywords: int
    average_keywords: float
    average_tokens: float


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """Number of rows of a stage with a given verdict."""

    stage: str
    verdict: Verdict
    rows: int


@dataclass(frozen=True, slots=True)
class ContextCount:
    """Number of pairs in a split that share a given context."""

    split: Split
    context: Context
    pairs: int


@dataclass(frozen=True, slots=True)
class KeywordBin:
    """Number of examples in a split with a given number of keywords."""

    split: Split
    keywords: int
    examples: int


@dataclass(frozen=True, slots=True)
class KeywordCounts:
    """Distribution of keywords per example: mean and skewness over all splits, and the histogram."""

    mean: float
    skewness: float
    histogram: tuple[KeywordBin, ...]


@dataclass(frozen=True, slots=True)
class SimilarityBin:
    """Number of candidates that break no rule with a similarity from `percent` up to (excluding) `percent` + 1."""

    percent: int
    kept: int
    too_dissimilar: int


@dataclass(frozen=True, slots=True)
class CommunitySize:
    """Number of statements and remaining pairs of a community, and the split of most of these pairs."""

    community: int
    statements: int
    pairs: int
    split: Split | None


@dataclass(frozen=True, slots=True)
class CommunityLink:
    """Number of pairs cut between two communities."""

    left: int
    right: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Graph:
    """Size of the graph of statements and pairs, the pairs lost by splitting it, and its strongest links."""

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
    """Number of ids, texts and templates that occur in two splits; all zero, or else the build fails."""

    statement_ids: int
    statement_texts: int
    masked_templates: int


@dataclass(frozen=True, slots=True)
class MoveCount:
    """Number of statements that moved from one split of an earlier dataset to another split."""

    old_split: Split
    new_split: Split
    statements: int


@dataclass(frozen=True, slots=True)
class Stability:
    """How closely the splits follow those of an earlier dataset.

    Counts the earlier statements that kept their split, moved or are gone, and the statements that are new. A pair
    is cut if its two statements keep different splits.
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
    """Number of pairs excluded because annotators found that they fail a criterion; a pair may fail several."""

    criterion: str
    pairs: int


@dataclass(frozen=True, slots=True)
class Review:
    """Summary of the active decisions: their number, and the number of annotators and pairs.

    Pairs that are `absent` do not occur in this build, so their decisions have no effect yet. Pairs that are `dropped`
    were excluded. Pairs that are `tied` stay, because their annotators are evenly divided.
    """

    decisions: int
    people: int
    pairs: int
    absent: int
    dropped: int
    tied: int
    faults: tuple[FaultCount, ...]


class Basis(StrEnum):
    """What corrects the judge's probabilities: decisions on a random sample, held-out readings, or nothing."""

    DECISIONS = "decisions"
    HELD_BACK = "held-back readings"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Validity:
    """Estimated share of valid pairs with its 95 % interval, the number of labelled pairs, and the share per split.

    If nothing corrects the judge, the share is the judge's expectation and has no interval.
    """

    value: float
    low: float | None
    high: float | None
    labelled: int
    basis: Basis
    splits: Mapping[Split, float]


@dataclass(frozen=True, slots=True)
class Statistics:
    """All statistics of a dataset.

    `stability` is present only if the splits follow an earlier dataset, the leakage `certificate` only for a finished
    dataset, `review` only if there are annotator decisions, and `validity` only if a judge was used.
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
    """Serialise the statistics as the text of `stats.json`."""
    optional = ("stability", "certificate", "review", "validity")
    left_out = {name for name in optional if getattr(statistics, name) is None}
    return _STATISTICS.dump_json(statistics, indent=2, exclude=left_out).decode("utf-8") + "\n"


def from_values(values: object) -> Statistics:
    """Validate parsed JSON and return the statistics."""
    return _STATISTICS.validate_python(values)


def read(path: Path) -> Statistics:
    """Read a `stats.json` file."""
    return _STATISTICS.validate_json(path.read_bytes())


def read_certificate(out: Path) -> Comparison:
    """Read the leakage certificate of a dataset folder.

    Raises:
        SettingsError: the folder is not a dataset, or has no certificate.
    """
    try:
        found = read(out / "stats.json").certificate
    except (OSError, ValueError) as error:
        raise SettingsError(f"{out} is not a situatedgen dataset: its stats.json cannot be read: {error}") from error
    if found is None:
        raise SettingsError(f"{out} has no leakage certificate; build it again")
    return found
