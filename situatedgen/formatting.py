"""Formatting of counts and tables as text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rows:
    """A text table: title, header, rows, and the indices of the columns that hold words instead of numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[int] = frozenset({0})


def format_count(count: int, thing: str) -> str:
    """Format a count with its noun, which is pluralised unless the count is 1.

    Example:
        >>> format_count(1, "line"), format_count(1200, "line")
        ('1 line', '1,200 lines')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
