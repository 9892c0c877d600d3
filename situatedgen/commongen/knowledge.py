"""How the concepts of a set are linked in a knowledge graph such as ConceptNet (CommonGen, section 3.3)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from situatedgen.commongen.examples import read_folder
from situatedgen.commongen.tables import published_numbers
from situatedgen.dataset.folder import read_examples, read_manifest
from situatedgen.errors import RecordError, SettingsError
from situatedgen.formatting import Rows
from situatedgen.vocabulary import Split

Link = tuple[str, ...]
"""The relations on a path between two words."""
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Knowledge:
    """A knowledge graph: the relations between two words, in either direction, and the neighbours of each word."""

    relations: dict[tuple[str, str], frozenset[str]]
    neighbours: dict[str, frozenset[str]] = field(default_factory=dict)

    def one_hop(self, left: str, right: str) -> list[Link]:
        """The relations that link two words directly."""
        return [(relation,) for relation in sorted(self._between(left, right))]

    def two_hops(self, left: str, right: str) -> list[Link]:
        """The relations of each path that links two words via a third."""
        shared = self.neighbours.get(left, NOTHING) & self.neighbours.get(right, NOTHING)
        return [
            (first, second)
            for middle in sorted(shared - {left, right})
            for first in sorted(self._between(left, middle))
            for second in sorted(self._between(middle, right))
        ]

    def _between(self, left: str, right: str) -> frozenset[str]:
        return self.relations.get(_sorted_pair(left, right), NOTHING)


def read_knowledge(path: Path) -> Knowledge:
    """Read a graph from a file with one fact `relation TAB head TAB tail` per line; further columns are ignored.

    Raises:
        SettingsError: the file cannot be read.
        RecordError: a line has fewer than three fields.
    """
    found: dict[tuple[str, str], set[str]] = {}
    near: dict[str, set[str]] = {}
    for relation, head, tail in _facts(path):
        found.setdefault(_sorted_pair(head, tail), set()).add(relation)
        near.setdefault(head, set()).add(tail)
        near.setdefault(tail, set()).add(head)
    return Knowledge(
        {pair: frozenset(names) for pair, names in found.items()},
        {word: frozenset(others) for word, others in near.items()},
    )


def _facts(path: Path) -> Iterator[tuple[str, str, str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SettingsError(f"the graph {path} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        fields = [each.strip() for each in line.split("\t")]
        if len(fields) < 3:
            raise RecordError(
                f"{path}, line {number}: expected relation, head and tail between tabs, found {line!r:.80}"
            )
        if fields[1].lower() != fields[2].lower():
            yield fields[0], fields[1].lower(), fields[2].lower()


def _sorted_pair(left: str, right: str) -> tuple[str, str]:
    return (left, right) if left < right else (right, left)


# Table 2, with the relation names of both ConceptNet 4 and 5. Relations that the paper does not list are in the
# category of similar ones, and negations in that of what they negate.
CATEGORIES = {
    "spatial knowledge": ("AtLocation", "LocatedNear", "LocationOfAction"),
    "object properties": (
        *("UsedFor", "CapableOf", "PartOf", "ReceivesAction", "MadeOf", "FormOf", "HasProperty", "HasA", "CreatedBy"),
        *("NotCapableOf", "NotMadeOf", "NotHasProperty", "NotHasA", "SymbolOf", "InheritsFrom"),
        *("HasPainIntensity", "HasPainCharacter"),
    ),
    "human behaviours": ("CausesDesire", "MotivatedByGoal", "Desires", "NotDesires", "DesireOf", "MannerOf"),
    "temporal knowledge": ("HasSubevent", "HasPrerequisite", "HasFirstSubevent", "HasLastSubevent", "Causes"),
    "general": (
        *("RelatedTo", "Synonym", "Antonym", "DistinctFrom", "IsA", "NotIsA", "HasContext", "SimilarTo"),
        *("DefinedAs", "InstanceOf"),
    ),
}
_CATEGORY = {relation: category for category, relations in CATEGORIES.items() for relation in relations}
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Hop:
    """Links of one length: how many pairs of each set are linked, and by which relations.

    `linked[n]` counts the sets with n linked pairs. A pair may have several links, and a two-hop link has two
    relations, whose shares of the links sum to 200 %.
    """

    linked: Mapping[int, int]
    pairs: int
    linked_pairs: int
    links: int
    relations: Mapping[str, int]
    categories: Mapping[str, int]

    def share(self, count: int) -> float:
        """A count of relations as a percentage of the links."""
        return 100 * count / self.links if self.links else 0.0


@dataclass(frozen=True, slots=True)
class Connectivity:
    """One-hop and two-hop links between the words of sets, and how many words the graph knows."""

    sets: int
    words: int
    known_words: int
    one_hop: Hop
    two_hops: Hop


def connectivity(sets: Sequence[Set[str]], graph: Knowledge) -> Connectivity:
    """Measure how the words of each set are linked in a graph."""
    words = frozenset[str]().union(*sets)
    pairs = [list(combinations(sorted(each), 2)) for each in sets]
    return Connectivity(
        sets=len(sets),
        words=len(words),
        known_words=sum(word in graph.neighbours for word in words),
        one_hop=_hop([[graph.one_hop(*pair) for pair in each] for each in pairs]),
        two_hops=_hop([[graph.two_hops(*pair) for pair in each] for each in pairs]),
    )


def _hop(found: Sequence[Sequence[Sequence[Link]]]) -> Hop:
    links = [link for pairs in found for pair in pairs for link in pair]
    return Hop(
        linked=dict(sorted(Counter(sum(map(bool, each)) for each in found).items())),
        pairs=sum(map(len, found)),
        linked_pairs=sum(bool(pair) for pairs in found for pair in pairs),
        links=len(links),
        relations=_count_names(links),
        categories=_count_names([_CATEGORY.get(name, OTHER) for name in link] for link in links),
    )


def _count_names(named: Iterable[Sequence[str]]) -> dict[str, int]:
    """Count names, most frequent first."""
    counts = Counter(name for names in named for name in names)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


HEADER = ("one hop", "two hops")


def linked_rows(found: Connectivity, what: str) -> Rows:
    """Figure 2: share of sets by number of linked pairs."""
    hops = (found.one_hop, found.two_hops)
    most = max((count for hop in hops for count in hop.linked), default=0)
    rows = tuple(
        (str(count), *(f"{100 * hop.linked.get(count, 0) / max(found.sets, 1):.1f}" for hop in hops))
        for count in range(most + 1)
    )
    return Rows(f"{found.sets:,} {what}: % of them by linked pairs", ("linked pairs", *HEADER), rows)


def relation_rows(found: Connectivity, what: str) -> Rows:
    """Figure 3: frequency of each relation, as a percentage of the links."""
    hops = (found.one_hop, found.two_hops)
    names = sorted({*hops[0].relations, *hops[1].relations}, key=lambda name: (-hops[1].relations.get(name, 0), name))
    rows = tuple((name, *(_share(hop, hop.relations.get(name, 0)) for hop in hops)) for name in names)
    return Rows(f"Relations, {what}: % of the links", ("relation", *HEADER), rows)


def category_rows(found: Connectivity, what: str) -> Rows:
    """Table 2, with the published shares alongside."""
    hops = (found.one_hop, found.two_hops)
    header = ("category", *(name for hop in HEADER for name in (hop, "published")))
    rows = tuple(
        (name, *_share_and_published(name, hops)) for name in (*CATEGORIES, OTHER) if name != OTHER or _has_other(hops)
    )
    linked = " and ".join(
        f"{hop.linked_pairs:,} linked by {name} ({hop.links:,} links)" for hop, name in zip(hops, HEADER, strict=True)
    )
    return Rows(f"{what}: {hops[0].pairs:,} pairs, {linked} (Table 2, % of the links)", header, rows)


def _share_and_published(name: str, hops: tuple[Hop, Hop]) -> tuple[str, ...]:
    quoted = published_numbers()["table2"].get(name)
    cells = (
        (_share(hop, hop.categories.get(name, 0)), f"{quoted[i]:.2f}" if quoted else "–") for i, hop in enumerate(hops)
    )
    return tuple(cell for both in cells for cell in both)


def _has_other(hops: tuple[Hop, Hop]) -> bool:
    return any(OTHER in hop.categories for hop in hops)


def _share(hop: Hop, count: int) -> str:
    return f"{hop.share(count):.2f}"


ARTICLES = ("the ", "a ", "an ")

Words = frozenset[str]


def word_sets(folder: Path) -> dict[str, list[Words]]:
    """The words of every set, by split: concepts without part of speech, or keywords without article.

    Raises:
        SourceError: the folder contains neither concept sets nor a situatedgen dataset.
    """
    if not read_manifest(folder):
        return {split: [frozenset(each.words) for each in examples] for split, examples in read_folder(folder).items()}
    found: dict[str, list[Words]] = {split.value: [] for split in Split}
    for split, keywords in read_examples(folder).select("split", "keywords").iter_rows():
        found[split].append(frozenset(map(plain, keywords)))
    return found


def plain(keyword: str) -> str:
    """A keyword as a graph would spell it: lowercased, without article.

    Example:
        >>> plain("The Sahara")
        'sahara'
    """
    lowered = keyword.lower().strip()
    article = next((each for each in ARTICLES if lowered.startswith(each)), "")
    return lowered.removeprefix(article)


def of_splits(sets: Mapping[str, Sequence[Words]], splits: Sequence[str], size: int = 0) -> list[Words]:
    """The sets of some splits; only those of one size if given."""
    chosen = (each for split in splits for each in sets[split])
    return [each for each in chosen if size in (0, len(each))]
