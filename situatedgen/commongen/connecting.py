"""How the concepts of a set are linked in a graph of knowledge (CommonGen, section 3.3)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations

from situatedgen.commongen.knowledge import Knowledge, Link

# Table 2. The names of ConceptNet 4 and 5 stand side by side; what the paper does not name is set beside what it does,
# and negations beside what they negate.
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

    `linked[n]` counts the sets of which n pairs are linked. A pair may have several links, and a link of two hops has
    two relations: their shares of the links sum to 200 %.
    """

    linked: Mapping[int, int]
    pairs: int
    linked_pairs: int
    links: int
    relations: Mapping[str, int]
    categories: Mapping[str, int]

    def share(self, count: int) -> float:
        """A count of relations, in per cent of the links."""
        return 100 * count / self.links if self.links else 0.0


@dataclass(frozen=True, slots=True)
class Connectivity:
    """How the words of sets are linked: by one hop, and by two; and how many of them the graph knows."""

    sets: int
    words: int
    known_words: int
    one_hop: Hop
    two_hops: Hop


def connectivity(sets: Sequence[Set[str]], graph: Knowledge) -> Connectivity:
    """How the words of each set are linked in a graph."""
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
        relations=_counted(links),
        categories=_counted([_CATEGORY.get(name, OTHER) for name in link] for link in links),
    )


def _counted(named: Iterable[Sequence[str]]) -> dict[str, int]:
    """How often each name stands, the commonest first."""
    counts = Counter(name for names in named for name in names)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
