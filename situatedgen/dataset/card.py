"""Generate the card (README), the datasheet and the licence page of a dataset."""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping

import polars as pl

from situatedgen.dataset.facts import PAPER, SUMMARY, Facts, hub_licences, origin_rows
from situatedgen.dataset.metadata import header
from situatedgen.dataset.statistics import Statistics
from situatedgen.dataset.tables import (
    funnel_rows,
    moved_rows,
    review_words,
    source_rows,
    split_rows,
    stability_words,
    validity_sentence,
)
from situatedgen.formatting import Rows
from situatedgen.leakage.released import authors
from situatedgen.leakage.tables import leakage_rows
from situatedgen.resources import read_lines, read_text
from situatedgen.rules.licences import GROUPS, OTHER, UNSTATED, hub_licence, spdx_address
from situatedgen.vocabulary import Context, Split

WIDTH = 120


def card(facts: Facts) -> str:
    """The text of the dataset's README."""
    statistics, manifest = facts.statistics, facts.manifest
    parts = {
        "header": header(facts),
        "summary": wrap(SUMMARY),
        "paper": wrap(f"Built by situatedgen, after: {PAPER}"),
        "record": _record(facts.record),
        "configurations": markdown(configuration_rows(facts)),
        "fields": "\n\n".join(_fields(facts)),
        "splits": markdown(split_rows(statistics)),
        "validity": _validity(statistics),
        "contexts": _contexts(statistics),
        "cut": _split_summary(statistics),
        "stability": _stability(statistics),
        "leakage": _leakage(statistics),
        "sources": markdown(source_rows(statistics)),
        "funnel": markdown(funnel_rows(statistics)),
        "review": _review(statistics),
        "settings": markdown(settings_rows(facts)),
        "versions": markdown(Rows("", ("package", "version"), tuple(_versions(manifest)), frozenset({0, 1}))),
        "origins": markdown(origin_rows(facts.origins)),
        "limits": "\n".join(limits()),
    }
    return re.sub(r"<<(\w+)>>", lambda match: parts[match[1]], read_text("card.md"))


def markdown(table: Rows) -> str:
    """Render a table in Markdown."""
    rule = ["---" if number in table.words else "---:" for number in range(len(table.header))]
    lines = [[cell.replace("|", r"\|") for cell in line] for line in (table.header, rule, *table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _record(record: Mapping[str, object]) -> str:
    """Format a record as JSON, one field per line."""
    lines = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in record.items()]
    return "\n".join(["{", ",\n".join(lines), "}"])


def limits() -> list[str]:
    """Limitations of the dataset, as the items of a Markdown list."""
    return [wrap(f"- {line}", indent="  ") for line in read_lines("limits.txt")]


def wrap(text: str, indent: str = "") -> str:
    """Wrap a text to the page width."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def configuration_rows(facts: Facts) -> Rows:
    """One row per configuration: its meaning, its folder and its number of rows in each split."""
    rows = tuple(
        (
            f"`{each.configuration.name}`",
            each.configuration.meaning,
            f"`{each.configuration.folder}/`",
            *(f"{part.height:,}" for part in each.parts.values()),
        )
        for each in facts.released
    )
    header = ("configuration", "description", "files", *(split.value for split in Split))
    return Rows("Configurations", header, rows, frozenset({0, 1, 2}))


def _fields(facts: Facts) -> Iterator[str]:
    """Yield a section per configuration with a table of its fields."""
    for each in facts.released:
        named = each.configuration.fields.items()
        rows = tuple((f"`{name}`", field.meaning) for name, field in named)
        table = markdown(Rows("", ("field", "description"), rows, frozenset({0, 1})))
        yield f"### `{each.configuration.name}`: {each.configuration.title}\n\n{table}"


def _validity(statistics: Statistics) -> str:
    """Paragraph on the share of valid pairs; empty if no judge was used."""
    return f"\n{wrap(validity_sentence(statistics.validity))}\n" if statistics.validity else ""


def _contexts(statistics: Statistics) -> str:
    """Sentences on the shared contexts of the pairs and on keywords per example."""
    pairs = {
        context: sum(count.pairs for count in statistics.contexts if count.context is context)
        for context in Context
        if context is not Context.NONE
    }
    total = sum(pairs.values()) or 1
    shares = [f"{100 * count / total:.1f} % {context.value}" for context, count in pairs.items()]
    mean, skewness = statistics.keywords.mean, statistics.keywords.skewness
    return (
        f"Of all pairs, {', '.join(shares)}. An example has {mean:.2f} keywords on average (skewness {skewness:.2f})."
    )


def _split_summary(statistics: Statistics) -> str:
    """Paragraph on the pairs lost by splitting along communities, and on content shared between splits."""
    graph, leakage = statistics.graph, statistics.leakage
    return (
        f"Of {graph.pairs:,} pairs over {graph.statements:,} statements in {graph.communities:,} "
        f"communities, {graph.cut_pairs:,}\n({100 * graph.cut_share:.1f} %) crossed communities and "
        f"{graph.moved_pairs:,} ({100 * graph.moved_share:.1f} %) were lost so that no masked template "
        "is in two\ncommunities. Found in two splits, ignoring case and punctuation: "
        f"{leakage.statement_ids} statement ids,\n{leakage.statement_texts} statement texts, "
        f"{leakage.masked_templates} masked templates."
    )


def _stability(statistics: Statistics) -> str:
    """Section on stability relative to the earlier dataset; empty if there is none."""
    found = statistics.stability
    if found is None:
        return ""
    text = wrap(f"The splits follow those of an earlier dataset: {stability_words(found)}.")
    moved = moved_rows(found)
    return f"\n{text}\n" + (f"\n{moved.title}:\n\n{markdown(moved)}\n" if moved.rows else "")


def _review(statistics: Statistics) -> str:
    """Paragraph on the annotators' decisions; empty if there are none."""
    if statistics.review is None:
        return ""
    text = f"Annotators judged pairs: {review_words(statistics.review)}. A pair may fail several criteria."
    return f"\n{wrap(text)}\n"


def _leakage(statistics: Statistics) -> str:
    """The leakage table and figure, or a note that leakage was not measured."""
    if statistics.certificate is None:
        return "Not measured."
    table = markdown(leakage_rows(statistics.certificate, authors()))
    return f"{table}\n\n![Leakage](figures/leakage.png)"


def settings_rows(facts: Facts) -> Rows:
    """One row per stage that has settings."""
    return Rows("Settings", ("stage", "settings"), tuple(_settings(facts.manifest)), frozenset({0, 1}))


def _settings(manifest: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield each stage with its settings: plain values, and models by name, weights and revision."""
    settings = manifest.get("settings")
    for stage, params in (settings if isinstance(settings, Mapping) else {}).items():
        if isinstance(params, Mapping):
            shown = {name: _format_setting(value) for name, value in params.items()}
            yield str(stage), ", ".join(f"{name} {value}" for name, value in shown.items() if value)
        elif isinstance(params, str | int | float):
            yield str(stage), f"`{params}`"
        elif isinstance(params, list) and params and all(isinstance(value, str) for value in params):
            yield str(stage), f"`{', '.join(params)}`"


def _format_setting(value: object) -> str:
    if isinstance(value, Mapping):
        model = [str(value[part]) for part in ("name", "weights", "revision") if value.get(part)]
        return f"`{' '.join(model)}`" if model else ""
    return f"`{value}`" if isinstance(value, str | int | float) else ""


def _versions(manifest: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    versions = manifest.get("versions")
    for package, version in sorted((versions if isinstance(versions, Mapping) else {}).items()):
        yield str(package), str(version)


def datasheet(facts: Facts) -> str:
    """The text of the datasheet."""
    graph = facts.statistics.graph
    parts = {
        "summary": SUMMARY,
        "paper": PAPER,
        "version": facts.version,
        "configurations": " ".join(
            f"In `{each.configuration.name}`: {each.configuration.title} ({each.rows:,} rows)."
            for each in facts.released
        ),
        "splits": markdown(split_rows(facts.statistics)),
        "funnel": markdown(funnel_rows(facts.statistics)),
        "statements": f"{graph.statements:,}",
        "communities": f"{graph.communities:,}",
        "limits": "\n".join(limits()),
        "sources": markdown(source_rows(facts.statistics)),
        "settings": markdown(settings_rows(facts)),
        "licences": f"In this build: {', '.join(hub_licences(facts.origins)) or 'none'}.",
    }
    return re.sub(r"<<(\w+)>>", lambda match: parts[match[1]], read_text("datasheet.md"))


ASKS = {
    "public-domain": "nothing",
    "permissive": "name the authors, and keep the licence's notice",
    "share-alike": "name the authors, and share adaptations under the same licence",
    "non-commercial": "name the authors, and do not use it commercially",
}
UNCLEAR = {
    UNSTATED: "ask the authors: no licence is stated, so no permission is given",
    OTHER: "read it: situatedgen does not know this licence",
}


def licences(facts: Facts) -> str:
    """The text of the licence page."""
    page = read_text("licences.md").replace("<<sources>>", markdown(_source_rows(facts)))
    page = page.replace("<<examples>>", markdown(_example_rows(facts)))
    return page.replace("<<groups>>", markdown(_group_rows()))


def licence_terms(licence: str) -> str:
    """What a licence, given by its hub name, requires of users of the data.

    Example:
        >>> licence_terms("cc0-1.0")
        'nothing'
    """
    return next((ASKS[group] for group, names in GROUPS.items() if licence in names), UNCLEAR.get(licence, ""))


def _source_rows(facts: Facts) -> Rows:
    """One row per source used in the dataset."""
    rows = tuple(
        (
            each.source,
            f"{each.statements:,}",
            _link_licence(each.licence),
            licence_terms(hub_licence(each.licence)),
            each.citation,
        )
        for each in facts.used
    )
    header = ("source", "statements", "licence", "requires you to", "citation")
    return Rows("", header, rows, frozenset({0, 2, 3, 4}))


def _link_licence(licence: str) -> str:
    """Format a licence as a link to its text, if it is a known one."""
    address = spdx_address(hub_licence(licence))
    return f"[{licence}]({address})" if address else licence


def _example_rows(facts: Facts) -> Rows:
    """Number of examples per combination of licences."""
    counts: Counter[tuple[str, ...]] = Counter()
    for part in facts.released[0].parts.values() if facts.released else ():
        together = part.select(pl.col("licences").list.unique().list.sort().list.join(" and ").alias("licences"))
        counts.update(dict(together["licences"].value_counts().iter_rows()))
    rows = tuple(
        (str(names), f"{count:,}") for names, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    )
    return Rows("", ("licences of the two statements", "examples"), rows)


def _group_rows() -> Rows:
    """The licence groups that a build can be restricted to, each with the licences it adds to the previous one."""
    before: frozenset[str] = frozenset()
    rows = []
    for group, names in GROUPS.items():
        rows.append((f"`--licences {group}`", ", ".join(sorted(names - before))))
        before = names
    return Rows("", ("build", "licences, in addition to those above"), tuple(rows), frozenset({0, 1}))
