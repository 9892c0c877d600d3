"""How concepts are linked, as tables of words: Figures 2 and 3, and Table 2."""

from situatedgen.commongen.connecting import CATEGORIES, OTHER, Connectivity, Hop
from situatedgen.commongen.published import published
from situatedgen.dataset.tables import Rows

HEADER = ("one hop", "two hops")


def linked_rows(found: Connectivity, what: str) -> Rows:
    """Figure 2: the share of the sets with so many pairs linked."""
    hops = (found.one_hop, found.two_hops)
    most = max((count for hop in hops for count in hop.linked), default=0)
    rows = tuple(
        (str(count), *(f"{100 * hop.linked.get(count, 0) / max(found.sets, 1):.1f}" for hop in hops))
        for count in range(most + 1)
    )
    return Rows(f"{found.sets:,} {what}: % of them by linked pairs", ("linked pairs", *HEADER), rows)


def relation_rows(found: Connectivity, what: str) -> Rows:
    """Figure 3: how often a relation stands in a link, in per cent of the links."""
    hops = (found.one_hop, found.two_hops)
    names = sorted({*hops[0].relations, *hops[1].relations}, key=lambda name: (-hops[1].relations.get(name, 0), name))
    rows = tuple((name, *(_share(hop, hop.relations.get(name, 0)) for hop in hops)) for name in names)
    return Rows(f"Relations, {what}: % of the links", ("relation", *HEADER), rows)


def category_rows(found: Connectivity, what: str) -> Rows:
    """Table 2, the published shares beside each."""
    hops = (found.one_hop, found.two_hops)
    header = ("category", *(name for hop in HEADER for name in (hop, "published")))
    rows = tuple((name, *_beside(name, hops)) for name in (*CATEGORIES, OTHER) if name != OTHER or _has_other(hops))
    linked = " and ".join(
        f"{hop.linked_pairs:,} linked by {name} ({hop.links:,} links)" for hop, name in zip(hops, HEADER, strict=True)
    )
    return Rows(f"{what}: {hops[0].pairs:,} pairs, {linked} (Table 2, % of the links)", header, rows)


def _beside(name: str, hops: tuple[Hop, Hop]) -> tuple[str, ...]:
    quoted = published()["table2"].get(name)
    cells = (
        (_share(hop, hop.categories.get(name, 0)), f"{quoted[i]:.2f}" if quoted else "–") for i, hop in enumerate(hops)
    )
    return tuple(cell for both in cells for cell in both)


def _has_other(hops: tuple[Hop, Hop]) -> bool:
    return any(OTHER in hop.categories for hop in hops)


def _share(hop: Hop, count: int) -> str:
    return f"{hop.share(count):.2f}"
