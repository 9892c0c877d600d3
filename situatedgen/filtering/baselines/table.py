"""The accuracy table of baselines as words: a row a model, a column for what it sees and when it was asked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from situatedgen.filtering.baselines.sights import Sight

if TYPE_CHECKING:
    from situatedgen.filtering.baselines.measuring import Accuracy

Results = Mapping[str, "Sequence[Accuracy]"]
"""The accuracies by when they were measured: before and after."""


def header(results: Results) -> tuple[str, ...]:
    """The names of the columns."""
    return ("model", "asked", *(f"{sight}, {when}" for sight in Sight for when in results))


def rows(results: Results) -> Iterator[tuple[str, ...]]:
    """A row for each model and part."""
    found = {(one.model, one.part, one.sight, when): one for when, each in results.items() for one in each}
    for model, part in dict.fromkeys((model, part) for model, part, _, _ in found):
        columns = [found.get((model, part, sight, when)) for sight in Sight for when in results]
        yield model, f"{part} ({_counts(columns)})", *(cell(one) if one else "–" for one in columns)


def _counts(columns: "Iterable[Accuracy | None]") -> str:
    """How many questions were asked; both numbers where a filter left some out."""
    return " → ".join(dict.fromkeys(f"{one.questions:,}" for one in columns if one))


def cell(one: "Accuracy") -> str:
    """An accuracy with its interval.

    Example:
        >>> from situatedgen.filtering.baselines.measuring import Accuracy
        >>> cell(Accuracy("bag", "ending", "test", 100, 0.25, 0.175, 0.343))
        '25.0 % (18–34)'
    """
    return f"{100 * one.accuracy:.1f} % ({100 * one.low:.0f}–{100 * one.high:.0f})"
