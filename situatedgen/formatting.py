"""Counts and tables as text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rows:
    """A table of words: its title, header and rows, and which columns are not numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[int] = frozenset({0})


def format_count(count: int, thing: str) -> str:
    """A number of things, with the plural where there is not just one.

    Example:
        >>> format_count(1, "line"), format_count(1200, "line")
        ('1 line', '1,200 lines')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
