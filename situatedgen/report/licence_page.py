"""`LICENCES.md`: which licence holds for which sentences, and what it asks of those who use them."""

from collections import Counter

import polars as pl

from situatedgen.report.card import markdown
from situatedgen.report.facts import Facts
from situatedgen.report.rows import Rows
from situatedgen.resources import read_text
from situatedgen.rules.licences import GROUPS, OTHER, UNSTATED, hub_licence, spdx_address

ASKS = {
    "public-domain": "nothing",
    "permissive": "name the authors, and keep the licence's notice",
    "share-alike": "name the authors, and pass what you make of it on under the same licence",
    "non-commercial": "name the authors, and make no money with it",
}
UNCLEAR = {
    UNSTATED: "ask the authors: no licence was stated, so that no permission was given",
    OTHER: "read it: its name is not one that we know",
}


def licences(facts: Facts) -> str:
    """The text of the page."""
    page = read_text("licences.md").replace("<<sources>>", markdown(_source_rows(facts)))
    page = page.replace("<<examples>>", markdown(_example_rows(facts)))
    return page.replace("<<groups>>", markdown(_group_rows()))


def asked(licence: str) -> str:
    """What a licence, by the name that hubs know, asks of those who use the data.

    Example:
        >>> asked("cc0-1.0")
        'nothing'
    """
    return next((ASKS[group] for group, names in GROUPS.items() if licence in names), UNCLEAR.get(licence, ""))


def _source_rows(facts: Facts) -> Rows:
    """A row a source of the dataset."""
    rows = tuple(
        (each.source, f"{each.statements:,}", _linked(each.licence), asked(hub_licence(each.licence)), each.citation)
        for each in facts.used
    )
    header = ("source", "statements", "licence", "asks you to", "citation")
    return Rows("", header, rows, frozenset({0, 2, 3, 4}))


def _linked(licence: str) -> str:
    """A licence with a link to its text, where it is a known one."""
    address = spdx_address(hub_licence(licence))
    return f"[{licence}]({address})" if address else licence


def _example_rows(facts: Facts) -> Rows:
    """How many examples are under which licences."""
    counts: Counter[tuple[str, ...]] = Counter()
    for part in facts.released[0].parts.values() if facts.released else ():
        together = part.select(pl.col("licences").list.unique().list.sort().list.join(" and ").alias("licences"))
        counts.update(dict(together["licences"].value_counts().iter_rows()))
    rows = tuple(
        (str(names), f"{count:,}") for names, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    )
    return Rows("", ("licences of the two statements", "examples"), rows)


def _group_rows() -> Rows:
    """The groups that a build can be held to, each with what it adds to the one before it."""
    before: frozenset[str] = frozenset()
    rows = []
    for group, names in GROUPS.items():
        rows.append((f"`--licences {group}`", ", ".join(sorted(names - before))))
        before = names
    return Rows("", ("build", "licences, beside those of the lines above"), tuple(rows), frozenset({0, 1}))
