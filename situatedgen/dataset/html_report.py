"""The HTML report: a single self-contained page that works offline and can search all examples."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from situatedgen.dataset.card import settings_rows
from situatedgen.dataset.facts import Facts, origin_rows
from situatedgen.dataset.figures import Drawing
from situatedgen.dataset.statistics import Review, Statistics, Validity
from situatedgen.dataset.tables import (
    funnel_rows,
    moved_rows,
    percent,
    source_rows,
    split_rows,
    stability_words,
    validity_basis,
    validity_interval,
)
from situatedgen.formatting import Rows
from situatedgen.leakage.released import authors
from situatedgen.leakage.tables import leakage_rows
from situatedgen.resources import read_text
from situatedgen.vocabulary import Context, Split

PARTS = 10_000
"""Similarity and probability are stored as integers, in ten-thousandths."""
SEPARATOR = "::"


def embed_examples(examples: pl.DataFrame) -> str:
    """Encode all examples as JSON: each text is stored once, and examples refer to texts by index.

    `<` is escaped, so the JSON can be embedded in an HTML page as is.
    """
    ids, keywords = _unique_values(examples["ids"]), _unique_values(examples["keywords"])
    texts = _texts(examples)
    columns: dict[str, pl.Series | list[str]] = {
        "ids": ids,
        "texts": [texts[each] for each in ids],
        "keywords": keywords,
        "splits": [split.value for split in Split],
        "contexts": [context.value for context in Context],
        **_columns(examples, ids, keywords),
        **_probabilities(examples),
    }
    return "{" + ",".join(f'"{name}":{_json(values)}' for name, values in columns.items()) + "}"


def _json(values: pl.Series | list[str]) -> str:
    """Encode texts or integers as JSON; Polars formats long integer columns much faster than `json`."""
    if isinstance(values, pl.Series):
        return f"[{values.cast(pl.String).fill_null('null').str.join(',').item()}]"
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _columns(examples: pl.DataFrame, ids: Sequence[str], keywords: Sequence[str]) -> dict[str, pl.Series]:
    """The examples by column; each of `words` is twice the keyword's index plus the side (0 or 1) it belongs to."""
    sides = [_indices(examples["ids"].list.get(side), ids) for side in (0, 1)]
    words = _indices(examples["keywords"].explode(empty_as_null=False), keywords)
    sides_of_words = examples["keywords_pos"].explode(empty_as_null=False).cast(pl.Int64)
    return {
        "left": sides[0],
        "right": sides[1],
        "split": _indices(examples["split"], list(Split)),
        "context": _indices(examples["context"], list(Context)),
        "similarity": _to_parts(examples["similarity"]),
        "counts": examples["keywords"].list.len(),
        "words": 2 * words + sides_of_words,
    }


def _probabilities(examples: pl.DataFrame) -> dict[str, pl.Series | list[str]]:
    """The judge's probability for each example; empty if no judge was used."""
    if "probability" not in examples.columns or examples["probability"].is_null().all():
        return {}
    return {"probability": _to_parts(examples["probability"])}


def _texts(examples: pl.DataFrame) -> dict[str, str]:
    pairs = examples.select("ids", "statements").explode("ids", "statements", empty_as_null=False)
    return dict(pairs.unique("ids").iter_rows())


def _unique_values(lists: pl.Series) -> list[str]:
    return lists.explode(empty_as_null=False).cast(pl.String).unique().sort().to_list()


def _indices(values: pl.Series, known: Sequence[str]) -> pl.Series:
    """Index of each value in the list of known values."""
    places = {str(value): number for number, value in enumerate(known)}
    texts = values.cast(pl.String)
    return texts.replace_strict(places, return_dtype=pl.Int64) if places else texts.cast(pl.Int64)


def _to_parts(values: pl.Series) -> pl.Series:
    return (values.cast(pl.Float64) * PARTS).round().cast(pl.Int64)


FUNNEL = (
    "Nothing is dropped silently: every rejected row has a reason. Sentences are masked, and all pairs of them are"
    " compared; the pairs that pass the rules, the judge and the selection are assigned to the splits."
)
LICENCES = (
    "The sentences come from the sources below, or were made from their questions and answers. Each source's licence"
    " still applies to its sentences."
)
LEAKAGE = (
    "Each sentence of dev and test is compared with its nearest sentence in train, by cosine with their keywords"
    " masked. For comparison: random packings of the same communities, and the authors' train split."
)
BUILT = "With these settings and versions, the same sources give the same dataset, byte for byte."
FOLLOWED = " That requires the splits to follow the same earlier dataset."


@dataclass(frozen=True)
class Section:
    """A section of the page: anchor, title and text, followed by figures (by name) and tables."""

    anchor: str
    title: str
    text: str = ""
    figures: tuple[str, ...] = ()
    tables: tuple[Rows, ...] = ()


def sections(facts: Facts) -> tuple[Section, ...]:
    """All non-empty sections, in page order."""
    found = facts.statistics
    return (
        Section("numbers", "In numbers", "", ("keywords", "contexts"), (split_rows(found),)),
        Section("splits", "The splits", _describe_splits(found), ("communities",), _moved_tables(found)),
        *_leakage_section(found),
        *_review_section(found.review),
        Section("funnel", "From sources to pairs", FUNNEL, ("funnel", "similarities"), (funnel_rows(found),)),
        Section(
            "sources", "Sources and licences", LICENCES, ("sources",), (source_rows(found), origin_rows(facts.origins))
        ),
        *_build_section(facts),
    )


def _describe_splits(statistics: Statistics) -> str:
    """Text on how the splits were made and how many pairs that cost."""
    graph, leakage, followed = statistics.graph, statistics.leakage, statistics.stability
    followed_text = f" They follow those of an earlier dataset: {stability_words(followed)}." if followed else ""
    return (
        "Sentences are the nodes of a graph and pairs its edges; whole communities of that graph went to one split"
        f" each. Of {graph.pairs:,} pairs over {graph.statements:,} sentences, {graph.cut_pairs:,}"
        f" ({100 * graph.cut_share:.1f} %) crossed communities and were dropped."
        f" Found in two splits: {leakage.statement_ids} statement ids,"
        f" {leakage.statement_texts} statement texts and {leakage.masked_templates} masked templates.{followed_text}"
    )


def _moved_tables(statistics: Statistics) -> tuple[Rows, ...]:
    """Table of statements that changed their split since the earlier dataset, if any."""
    found = statistics.stability
    return (moved_rows(found),) if found and found.moved else ()


def _leakage_section(statistics: Statistics) -> Iterator[Section]:
    if statistics.certificate:
        rows = leakage_rows(statistics.certificate, authors())
        yield Section("leakage", "Leakage", LEAKAGE, ("leakage",), (rows,))


def _review_section(review: Review | None) -> Iterator[Section]:
    if review is None:
        return
    text = (
        f"Annotators made {review.decisions:,} decisions about {review.pairs:,} pairs; {review.dropped:,} pairs were"
        f" dropped as invalid, and {review.tied:,} are tied."
    )
    rows = tuple((fault.criterion, f"{fault.pairs:,}") for fault in review.faults)
    tables = (Rows("Why pairs were dropped", ("criterion", "pairs"), rows),) if rows else ()
    yield Section("review", "Human review", text, (), tables)


def _build_section(facts: Facts) -> Iterator[Section]:
    versions = facts.manifest.get("versions")
    known = sorted(versions.items()) if isinstance(versions, Mapping) else []
    packages = Rows("Versions", ("package", "version"), tuple((str(a), str(b)) for a, b in known), frozenset({0, 1}))
    settings = settings_rows(facts)
    cells = tuple(tuple(cell.replace("`", "") for cell in row) for row in settings.rows)
    plain = Rows(settings.title, settings.header, cells, settings.words)
    if known or plain.rows:
        text = BUILT + FOLLOWED if facts.statistics.stability else BUILT
        yield Section("built", "How it was built", text, (), (plain, packages))


FILE = "report.html"


def page(facts: Facts, figures: Mapping[str, Drawing], examples: pl.DataFrame) -> str:
    """Render the page; all texts from the data are escaped."""
    style, script = read_text("report/report.css"), read_text("report/report.js")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(read_text("report/report.html")).render(
        policy=_policy(style, script),
        style=Markup(style),  # from the package
        script=Markup(script),  # from the package
        data=Markup(embed_examples(examples)),  # `<` is escaped in it
        statistics=facts.statistics,
        tiles=_tiles(facts.statistics),
        record=facts.record,
        sections=sections(facts),
        figures=figures,
        image=_image,
        digest=_digest(facts.manifest),
    )


def _policy(style: str, script: str) -> str:
    """Content security policy that allows only the page's own style, script and images, and no network access."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _image(drawing: Drawing) -> str:
    """Encode a figure as a data URL, so that its styles and ids cannot clash with those of the page."""
    return "data:image/svg+xml;base64," + base64.b64encode(drawing.svg).decode("ascii")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _tiles(statistics: Statistics) -> tuple[tuple[str, str, str], ...]:
    """The key figures at the top of the page: value, name and note."""
    pairs = {counts.split.value: counts.pairs for counts in statistics.splits}
    used = sum(counts.unique_sentences for counts in statistics.splits)
    total = statistics.all_sources
    parts = " · ".join(f"{count:,} {split}" for split, count in pairs.items())
    return (
        (f"{sum(pairs.values()):,}", "examples", parts),
        *_validity_tile(statistics.validity),
        (f"{used:,}", "sentences in them", f"of {total.sentences:,} from {len(statistics.sources)} sources"),
        (f"{statistics.keywords.mean:.1f}", "keywords per example", "on average, shuffled"),
        (f"{statistics.graph.communities:,}", "communities", "each wholly in one split"),
    )


def _validity_tile(found: Validity | None) -> Iterator[tuple[str, str, str]]:
    if found:
        note = ", ".join(filter(None, (validity_interval(found), validity_basis(found))))
        yield percent(found.value), "of the pairs are valid", note


def _digest(manifest: Mapping[str, object]) -> str:
    """Digest of the examples; empty if the manifest has none."""
    stages = manifest.get("stages")
    entry = stages.get("examples") if isinstance(stages, Mapping) else None
    return str(entry["digest"]) if isinstance(entry, Mapping) else ""
