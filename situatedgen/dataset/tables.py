"""Dataset statistics as text tables and sentences, for both the terminal and the card."""

from collections import Counter
from collections.abc import Callable, Sequence

from rich.table import Table

from situatedgen.dataset.statistics import (
    Basis,
    FunnelStep,
    Review,
    SplitCounts,
    Stability,
    Statistics,
    Validity,
    from_values,
)
from situatedgen.formatting import Rows, format_count
from situatedgen.rules.splits import Reason
from situatedgen.vocabulary import Verdict

SPLIT_ROWS: tuple[tuple[str, Callable[[SplitCounts], str]], ...] = (
    ("pairs", lambda counts: f"{counts.pairs:,}"),
    ("unique sentences", lambda counts: f"{counts.unique_sentences:,}"),
    ("unique sentences per pair", lambda counts: f"{counts.sentences_per_pair:.2f}"),
    ("unique keywords", lambda counts: f"{counts.unique_keywords:,}"),
    ("average input keywords", lambda counts: f"{counts.average_keywords:.2f}"),
    ("average output tokens", lambda counts: f"{counts.average_tokens:.2f}"),
)
SHOWN_MOVES = 10
LABELLED = {
    Basis.DECISIONS: "annotated pairs of a random sample",
    Basis.HELD_BACK: "labelled pairs held out from the judge's training",
}


def source_rows(statistics: Statistics) -> Rows:
    """Table 1; the last row is the total."""
    rows = tuple(
        (
            row.source,
            *(f"{count:,}" for count in (row.items, row.sentences, row.geo, row.temp, row.both, row.valid)),
        )
        for row in (*statistics.sources, statistics.all_sources)
    )
    header = ("source", "items", "sentences", "GEO only", "TEMP only", "both", "valid")
    return Rows("Sentences with a place or a time", header, rows)


def split_rows(statistics: Statistics) -> Rows:
    """Table 2, one column per split."""
    columns = statistics.splits
    rows = tuple((name, *(shown(counts) for counts in columns)) for name, shown in SPLIT_ROWS)
    validity = statistics.validity
    if validity:
        how = "expected by the judge" if validity.basis is Basis.JUDGE else "estimated"
        shares = {split: percent(share) for split, share in validity.splits.items()}
        rows += ((f"valid pairs, {how}", *(shares.get(counts.split, "–") for counts in columns)),)
    return Rows("Dataset", ("", *(counts.split.value for counts in columns)), rows)


def funnel_rows(statistics: Statistics) -> Rows:
    """One row per stage: input rows, kept rows, and the reasons why the others are excluded."""
    stages = dict.fromkeys(step.stage for step in statistics.funnel)
    rows = tuple(_funnel_row(stage, statistics.funnel) for stage in stages)
    return Rows("Rows kept and rejected", ("stage", "rows", "kept", "rejected"), rows, frozenset({0, 3}))


def moved_rows(stability: Stability) -> Rows:
    """The first statements that changed their split, with the reason and the statement they had to follow."""
    counts = (f"{count.old_split} → {count.new_split} {count.statements:,}" for count in stability.counts)
    more = f"; the first {SHOWN_MOVES}" if len(stability.moved) > SHOWN_MOVES else ""
    title = f"Moved to another split: {', '.join(counts)}{more}"
    rows = tuple(
        (move.statement_id, move.old_split.value, move.new_split.value, f"{move.reason.value} with {move.with_id}")
        for move in stability.moved[:SHOWN_MOVES]
    )
    return Rows(title, ("statement", "from", "to", "because"), rows, frozenset(range(4)))


def stability_words(found: Stability) -> str:
    """Stability relative to the earlier dataset, in one line."""
    reasons = Counter(move.reason for move in found.moved)
    why = ", ".join(f"{reason.value} {reasons[reason]:,}" for reason in Reason if reasons[reason])
    cut = f"; {format_count(found.cut_pairs, 'pair')} cut between splits" if found.cut_pairs else ""
    return (
        f"{format_count(found.statements, 'statement')}, {found.kept:,} kept their split,"
        f" {len(found.moved):,} moved{f' ({why})' if why else ''}, {found.gone:,} removed; {found.new:,} new{cut}"
    )


def review_words(found: Review) -> str:
    """Summary of the annotators' decisions, in one line."""
    said = [
        format_count(found.decisions, "decision"),
        "of",
        f"{found.people:,} {'person' if found.people == 1 else 'people'}",
    ]
    faults = ", ".join(f"{each.criterion} {each.pairs:,}" for each in found.faults)
    parts = [f"{found.dropped:,} dropped{f' ({faults})' if faults else ''}"]
    parts += [f"{found.tied:,} undecided"] if found.tied else []
    parts += [f"{found.absent:,} not in this dataset"] if found.absent else []
    return f"{' '.join(said)} about {format_count(found.pairs, 'pair')}; {', '.join(parts)}"


def validity_words(found: Validity) -> str:
    """Estimated share of valid pairs and the basis of the estimate, in one line."""
    interval = validity_interval(found)
    return f"{percent(found.value)}{f' ({interval})' if interval else ''}, {validity_basis(found)}"


def validity_sentence(found: Validity) -> str:
    """Estimated share of valid pairs as a full sentence."""
    if found.basis is Basis.JUDGE:
        return f"The judge expects {percent(found.value)} of the pairs to be valid; no labelled pairs correct this."
    return (
        f"An estimated {percent(found.value)} of the pairs are valid (95 % interval: {validity_interval(found)} %):"
        f" the judge's expectation, corrected by its errors on {found.labelled:,} {LABELLED[found.basis]}."
    )


def validity_interval(found: Validity) -> str:
    """The interval of the share in percent; empty if there is none."""
    return "" if found.low is None or found.high is None else f"{100 * found.low:.0f} to {100 * found.high:.0f}"


def validity_basis(found: Validity) -> str:
    """The basis of the estimate, in words."""
    if found.basis is Basis.JUDGE:
        return "expected by the judge"
    return f"from {found.labelled:,} {LABELLED[found.basis]}"


def percent(share: float) -> str:
    """Format a share in whole percent."""
    return f"{100 * share:.0f} %"


def _funnel_row(stage: str, steps: Sequence[FunnelStep]) -> tuple[str, ...]:
    counts = {step.verdict: step.rows for step in steps if step.stage == stage}
    kept = counts.pop(Verdict.KEPT)
    reasons = ", ".join(f"{verdict.value} {rows:,}" for verdict, rows in counts.items())
    return stage, f"{kept + sum(counts.values()):,}", f"{kept:,}", reasons


def build_tables(values: object) -> tuple[Table, ...]:
    """Terminal tables of sources, funnel, splits and moved statements, from statistics or a parsed `stats.json`."""
    statistics = values if isinstance(values, Statistics) else from_values(values)
    always = source_table(statistics), funnel_table(statistics), split_table(statistics)
    stability = statistics.stability
    return (*always, moved_table(stability)) if stability and stability.moved else always


def stability_line(found: Stability) -> str:
    """Stability relative to the earlier dataset, in one labelled line."""
    return f"earlier dataset: {stability_words(found)}"


def source_table(statistics: Statistics) -> Table:
    """Table 1, with the total in a section of its own."""
    return format_cell(source_rows(statistics), with_total=True)


def funnel_table(statistics: Statistics) -> Table:
    """One row per stage: input rows, kept rows, and the reasons why the others are excluded."""
    return format_cell(funnel_rows(statistics))


def split_table(statistics: Statistics) -> Table:
    """Table 2, one column per split."""
    return format_cell(split_rows(statistics))


def moved_table(stability: Stability) -> Table:
    """The first statements that changed their split, with the reason."""
    return format_cell(moved_rows(stability))


def format_cell(words: Rows, *, with_total: bool = False) -> Table:
    """Render a text table for the terminal; a total in the last row gets a section of its own."""
    table = Table(title=words.title, title_justify="left")
    for number, name in enumerate(words.header):
        table.add_column(name, justify="left" if number in words.words else "right", overflow="fold")
    for number, row in enumerate(words.rows):
        table.add_row(*row, end_section=with_total and number == len(words.rows) - 2)
    return table
