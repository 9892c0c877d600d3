"""The tables that a build shows in the terminal."""

from rich.table import Table

from situatedgen.report.rows import Rows, funnel_rows, moved_rows, source_rows, split_rows, stability_words
from situatedgen.report.statistics import Stability, Statistics, from_values


def build_tables(values: object) -> tuple[Table, ...]:
    """Sources, funnel and splits, and what moved, from statistics or from the parsed `stats.json`."""
    statistics = values if isinstance(values, Statistics) else from_values(values)
    always = source_table(statistics), funnel_table(statistics), split_table(statistics)
    stability = statistics.stability
    return (*always, moved_table(stability)) if stability and stability.moved else always


def stability_line(found: Stability) -> str:
    """How the splits follow the earlier dataset, in one line."""
    return f"earlier dataset: {stability_words(found)}"


def source_table(statistics: Statistics) -> Table:
    """Table 1, its total set apart."""
    return shown(source_rows(statistics), with_total=True)


def funnel_table(statistics: Statistics) -> Table:
    """A row a stage: rows in, rows kept, and why the others are out."""
    return shown(funnel_rows(statistics))


def split_table(statistics: Statistics) -> Table:
    """Table 2, a column a split."""
    return shown(split_rows(statistics))


def moved_table(stability: Stability) -> Table:
    """The first statements that left the split they had, and why."""
    return shown(moved_rows(stability))


def shown(words: Rows, *, with_total: bool = False) -> Table:
    """A table of words for the terminal; the last row set apart where it is a total."""
    table = Table(title=words.title, title_justify="left")
    for number, name in enumerate(words.header):
        table.add_column(name, justify="left" if number in words.words else "right", overflow="fold")
    for number, row in enumerate(words.rows):
        table.add_row(*row, end_section=with_total and number == len(words.rows) - 2)
    return table
