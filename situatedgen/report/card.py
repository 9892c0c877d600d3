"""The dataset card: what the dataset is, what is in it, where it comes from, how it was built."""

import json
import re
from collections.abc import Iterator, Mapping

from situatedgen.report.licences import Origin, hub_licences, origin_rows
from situatedgen.report.rows import Rows, funnel_rows, source_rows, split_rows
from situatedgen.report.statistics import Statistics
from situatedgen.resources import read_text
from situatedgen.vocabulary import Context

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
LARGEST = "n>1M"
HEADER = """\
---
pretty_name: SituatedGen
language:
- en
license:
{licences}
task_categories:
- text-generation
tags:
- commonsense
- contrastive
- geography
- time
size_categories:
- {size}
configs:
- config_name: default
  data_files:
{files}
---"""


def card(
    statistics: Statistics,
    origins: tuple[Origin, ...],
    record: Mapping[str, object],
    manifest: Mapping[str, object],
) -> str:
    """The text of the dataset's README."""
    parts = {
        "header": _header(statistics, origins),
        "record": _record(record),
        "splits": markdown(split_rows(statistics)),
        "contexts": _contexts(statistics),
        "cut": _cut(statistics),
        "sources": markdown(source_rows(statistics)),
        "funnel": markdown(funnel_rows(statistics)),
        "settings": markdown(Rows("", ("stage", "settings"), tuple(_settings(manifest)), frozenset({0, 1}))),
        "versions": markdown(Rows("", ("package", "version"), tuple(_versions(manifest)), frozenset({0, 1}))),
        "origins": markdown(origin_rows(origins)),
    }
    return re.sub(r"<<(\w+)>>", lambda match: parts[match[1]], read_text("card.md"))


def markdown(table: Rows) -> str:
    """A table in Markdown."""
    rule = ["---" if number in table.words else "---:" for number in range(len(table.header))]
    lines = [[cell.replace("|", r"\|") for cell in line] for line in (table.header, rule, *table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _record(record: Mapping[str, object]) -> str:
    """A record as JSON, a field a line."""
    lines = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in record.items()]
    return "\n".join(["{", ",\n".join(lines), "}"])


def _header(statistics: Statistics, origins: tuple[Origin, ...]) -> str:
    """The YAML that dataset hubs read. A split without rows is no file to load."""
    pairs = sum(counts.pairs for counts in statistics.splits)
    size = next((name for limit, name in SIZES if pairs < limit), LARGEST)
    files = [
        f"  - split: {counts.split.value}\n    path: data/{counts.split.value}.parquet"
        for counts in statistics.splits
        if counts.pairs
    ]
    licences = [f"- {name}" for name in hub_licences(origins) or ("unknown",)]
    return HEADER.format(licences="\n".join(licences), size=size, files="\n".join(files))


def _contexts(statistics: Statistics) -> str:
    """Which contexts the pairs share, in one sentence."""
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


def _cut(statistics: Statistics) -> str:
    """What dealing whole communities cost, and that nothing leaks, in one paragraph."""
    graph, leakage = statistics.graph, statistics.leakage
    return (
        f"Of {graph.pairs:,} pairs over {graph.statements:,} statements in {graph.communities:,} "
        f"communities, {graph.cut_pairs:,}\n({100 * graph.cut_share:.1f} %) crossed communities and "
        f"{graph.moved_pairs:,} ({100 * graph.moved_share:.1f} %) were lost so that no masked template "
        "stands in two\ncommunities. What stands in two splits, compared without case and punctuation: "
        f"{leakage.statement_ids} statement ids,\n{leakage.statement_texts} statement texts, "
        f"{leakage.masked_templates} masked templates."
    )


def _settings(manifest: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Each stage with its settings: plain values, and models by name, weights and revision."""
    settings = manifest.get("settings")
    for stage, params in (settings if isinstance(settings, Mapping) else {}).items():
        if isinstance(params, Mapping):
            shown = {name: _setting(value) for name, value in params.items()}
            yield str(stage), ", ".join(f"{name} {value}" for name, value in shown.items() if value)
        elif isinstance(params, str | int | float):
            yield str(stage), str(params)


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        model = [str(value[part]) for part in ("name", "weights", "revision") if value.get(part)]
        return f"`{' '.join(model)}`" if model else ""
    return f"`{value}`" if isinstance(value, str | int | float) else ""


def _versions(manifest: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    versions = manifest.get("versions")
    for package, version in sorted((versions if isinstance(versions, Mapping) else {}).items()):
        yield str(package), str(version)
