"""The report: one page that opens from disk, asks nothing of any network, and finds every example."""

import base64
import hashlib
from collections.abc import Iterator, Mapping

import polars as pl
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from situatedgen.report.embedded import embedded
from situatedgen.report.facts import Facts
from situatedgen.report.figures import Drawing
from situatedgen.report.rows import percent, validity_basis, validity_interval
from situatedgen.report.sections import sections
from situatedgen.report.statistics import Statistics, Validity
from situatedgen.resources import read_text

FILE = "report.html"


def page(facts: Facts, figures: Mapping[str, Drawing], examples: pl.DataFrame) -> str:
    """The text of the page; texts of the data are escaped wherever they stand."""
    style, script = read_text("report/report.css"), read_text("report/report.js")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(read_text("report/report.html")).render(
        policy=_policy(style, script),
        style=Markup(style),  # ours
        script=Markup(script),  # ours
        data=Markup(embedded(examples)),  # no tag can begin in it
        statistics=facts.statistics,
        tiles=_tiles(facts.statistics),
        record=facts.record,
        sections=sections(facts),
        figures=figures,
        image=_image,
        digest=_digest(facts.manifest),
    )


def _policy(style: str, script: str) -> str:
    """A content policy under which only the page's own style, script and images work, and nothing is ever fetched."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _image(drawing: Drawing) -> str:
    """A figure as the address of an image: no style or name in it meets those of the page."""
    return "data:image/svg+xml;base64," + base64.b64encode(drawing.svg).decode("ascii")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _tiles(statistics: Statistics) -> tuple[tuple[str, str, str], ...]:
    """The first numbers to know: value, name, and a word on it."""
    pairs = {counts.split.value: counts.pairs for counts in statistics.splits}
    used = sum(counts.unique_sentences for counts in statistics.splits)
    total = statistics.all_sources
    parts = " · ".join(f"{count:,} {split}" for split, count in pairs.items())
    return (
        (f"{sum(pairs.values()):,}", "examples", parts),
        *_valid(statistics.validity),
        (f"{used:,}", "sentences in them", f"of {total.sentences:,} from {len(statistics.sources)} sources"),
        (f"{statistics.keywords.mean:.1f}", "keywords an example", "on average, shuffled"),
        (f"{statistics.graph.communities:,}", "communities", "each wholly in one split"),
    )


def _valid(found: Validity | None) -> Iterator[tuple[str, str, str]]:
    if found:
        note = ", ".join(filter(None, (validity_interval(found), validity_basis(found))))
        yield percent(found.value), "of the pairs valid", note


def _digest(manifest: Mapping[str, object]) -> str:
    """The content digest of the examples, where the manifest tells."""
    stages = manifest.get("stages")
    entry = stages.get("examples") if isinstance(stages, Mapping) else None
    return str(entry["digest"]) if isinstance(entry, Mapping) else ""
