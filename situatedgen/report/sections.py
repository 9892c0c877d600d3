"""The parts of the report: what is said, which figures and tables stand there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from situatedgen.leakage.authors import authors
from situatedgen.leakage.rows import leakage_rows
from situatedgen.report.card import settings_rows
from situatedgen.report.facts import Facts
from situatedgen.report.licences import origin_rows
from situatedgen.report.rows import Rows, funnel_rows, moved_rows, source_rows, split_rows, stability_words
from situatedgen.report.statistics import Review, Statistics

FUNNEL = (
    "Nothing is dropped in silence: every row that a stage turned down has a reason. Sentences become masked sentences,"
    " all pairs of which are compared; what the rules, a judge and the selection leave is dealt to the splits."
)
LICENCES = (
    "The sentences are those of the sources below or were made from their questions and answers. Each source's licence"
    " goes on holding for its sentences."
)
LEAKAGE = (
    "Each sentence of dev and test has a nearest sentence in train, by the cosine of the two with their keywords"
    " masked. The same communities packed at random stand beside it, and what was measured of the authors' train split."
)
BUILT = "With these settings and versions the same sources give the same dataset, to the byte."
FOLLOWED = " They do so where the splits follow the same earlier dataset."


@dataclass(frozen=True)
class Section:
    """A part of the page: its anchor and title, what is said, then figures by name, then tables."""

    anchor: str
    title: str
    text: str = ""
    figures: tuple[str, ...] = ()
    tables: tuple[Rows, ...] = ()


def sections(facts: Facts) -> tuple[Section, ...]:
    """Every part that there is something to say in, in the order of the page."""
    found = facts.statistics
    return (
        Section("numbers", "In numbers", "", ("keywords", "contexts"), (split_rows(found),)),
        Section("splits", "The splits", _splits(found), ("communities",), _moved(found)),
        *_leakage(found),
        *_review(found.review),
        Section("funnel", "From sources to pairs", FUNNEL, ("funnel", "similarities"), (funnel_rows(found),)),
        Section(
            "sources", "Sources and licences", LICENCES, ("sources",), (source_rows(found), origin_rows(facts.origins))
        ),
        *_built(facts),
    )


def _splits(statistics: Statistics) -> str:
    """How the splits were made and what that cost, in a few sentences."""
    graph, leakage, followed = statistics.graph, statistics.leakage, statistics.stability
    told = f" They follow those of an earlier dataset: {stability_words(followed)}." if followed else ""
    return (
        "Sentences are the nodes of a graph and pairs its edges; whole communities of that graph went to one split"
        f" each. Of {graph.pairs:,} pairs over {graph.statements:,} sentences, {graph.cut_pairs:,}"
        f" ({100 * graph.cut_share:.1f} %) crossed communities and are out."
        f" In two splits stand {leakage.statement_ids} statement ids,"
        f" {leakage.statement_texts} statement texts and {leakage.masked_templates} masked templates.{told}"
    )


def _moved(statistics: Statistics) -> tuple[Rows, ...]:
    """What left the split that it had in the earlier dataset, where something did."""
    found = statistics.stability
    return (moved_rows(found),) if found and found.moved else ()


def _leakage(statistics: Statistics) -> Iterator[Section]:
    if statistics.certificate:
        rows = leakage_rows(statistics.certificate, authors())
        yield Section("leakage", "Leakage", LEAKAGE, ("leakage",), (rows,))


def _review(review: Review | None) -> Iterator[Section]:
    if review is None:
        return
    text = (
        f"People made {review.decisions:,} decisions about {review.pairs:,} pairs; {review.dropped:,} pairs are out for"
        f" them, and about {review.tied:,} people are evenly divided."
    )
    rows = tuple((fault.criterion, f"{fault.pairs:,}") for fault in review.faults)
    tables = (Rows("Why pairs are out", ("criterion", "pairs"), rows),) if rows else ()
    yield Section("review", "Judged by people", text, (), tables)


def _built(facts: Facts) -> Iterator[Section]:
    versions = facts.manifest.get("versions")
    known = sorted(versions.items()) if isinstance(versions, Mapping) else []
    packages = Rows("Versions", ("package", "version"), tuple((str(a), str(b)) for a, b in known), frozenset({0, 1}))
    settings = settings_rows(facts)
    cells = tuple(tuple(cell.replace("`", "") for cell in row) for row in settings.rows)
    plain = Rows(settings.title, settings.header, cells, settings.words)
    if known or plain.rows:
        told = BUILT + FOLLOWED if facts.statistics.stability else BUILT
        yield Section("built", "How it was built", told, (), (plain, packages))
