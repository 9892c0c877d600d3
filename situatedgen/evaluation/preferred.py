"""Which systems people prefer, as an evaluation tells it: a matrix as numbers, as words and as a picture."""

from collections.abc import Mapping, Sequence
from html import escape
from statistics import fmean

from situatedgen.dataset.tables import Rows
from situatedgen.evaluation.cases import REFERENCE
from situatedgen.evaluation.examples import Example
from situatedgen.evaluation.lemmas import Lemmatiser
from situatedgen.evaluation.reading import Predictions
from situatedgen.evaluation.results import Preferences
from situatedgen.review.ballots.ballots import Ballot
from situatedgen.review.ballots.comparing import comparisons, preferences_of

COVERAGE = "COVERAGE"
PICTURE = "preferences.svg"
NONE = "–"
LEFT, TOP, CELL_WIDTH, CELL_HEIGHT = 130, 34, 74, 34


def preferences(
    ballots: Sequence[Ballot],
    examples: Sequence[Example],
    systems: Sequence[Predictions],
    covers: Mapping[str, float],
    lemmatiser: Lemmatiser,
) -> Preferences | None:
    """What people preferred of systems' texts and the reference; none where nobody compared any of them.

    `covers` is the COVERAGE of each system where it was measured: the paper weights the mean share by it.
    """
    found = preferences_of(ballots, comparisons(examples, systems, lemmatiser).duels)
    if not found.comparisons:
        return None
    matrix, names = found.matrix, found.matrix.systems
    known = {**covers, REFERENCE: 100.0}
    return Preferences(
        systems=names,
        shares=tuple(tuple(matrix.shares.get((row, column)) for column in names) for row in names),
        judged=tuple(tuple(matrix.judged.get((row, column), 0) for column in names) for row in names),
        means={name: fmean(matrix.row(name)) for name in names},
        overall=matrix.overall(known) if set(names) <= known.keys() else {},
        judges=len(found.judges),
        comparisons=found.comparisons,
        correlation=found.correlation,
    )


def preference_rows(found: Preferences) -> Rows:
    """A row a system: how often it is preferred to each other, of how many; its mean, and that weighted by coverage."""
    rows = tuple(
        (
            name,
            *(_cell(share, count) for share, count in zip(shares, judged, strict=True)),
            f"{found.means[name]:.1f}",
            f"{found.overall[name]:.1f}" if name in found.overall else NONE,
        )
        for name, shares, judged in zip(found.systems, found.shares, found.judged, strict=True)
    )
    people = f"{found.judges:,} {'person' if found.judges == 1 else 'people'}"
    together = "" if found.correlation is None else f", whose scores correlate by {found.correlation:.3f}"
    title = f"How often, in per cent, the row is preferred to the column: {found.comparisons:,} comparisons by {people}"
    return Rows(f"{title}{together}", ("preferred", *found.systems, "mean", "× COVERAGE"), rows)


def picture(found: Preferences) -> str:
    """The matrix as a drawing: the darker a cell, the oftener its row is preferred to its column."""
    width, height = LEFT + CELL_WIDTH * len(found.systems), TOP + CELL_HEIGHT * len(found.systems)
    heads = [_text(LEFT + CELL_WIDTH * (n + 0.5), TOP - 12, name) for n, name in enumerate(found.systems)]
    sides = [_text(LEFT - 10, TOP + CELL_HEIGHT * (n + 0.6), name, "end") for n, name in enumerate(found.systems)]
    cells = [
        _drawn(row, column, share)
        for row, shares in enumerate(found.shares)
        for column, share in enumerate(shares)
        if share is not None
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="system-ui, sans-serif" font-size="13" role="img"'
        ' aria-label="How often the system of a row is preferred to that of a column">'
        f"{''.join([*heads, *sides, *cells])}</svg>"
    )


def _cell(share: float | None, count: int) -> str:
    return NONE if share is None else f"{share:.1f} [{count:,}]"


def _drawn(row: int, column: int, share: float) -> str:
    x, y = LEFT + CELL_WIDTH * column, TOP + CELL_HEIGHT * row
    box = f'<rect x="{x + 1}" y="{y + 1}" width="{CELL_WIDTH - 2}" height="{CELL_HEIGHT - 2}" rx="4"'
    shade = f'fill="#1d5fa8" fill-opacity="{share / 100:.3f}" stroke="#1d5fa8" stroke-opacity=".35"/>'
    ink = "#ffffff" if share > 55 else "#16191d"
    return f"{box} {shade}{_text(x + CELL_WIDTH / 2, y + CELL_HEIGHT * 0.62, f'{share:.1f}', ink=ink)}"


def _text(x: float, y: float, words: str, anchor: str = "middle", ink: str = "currentColor") -> str:
    shown = words if len(words) <= 16 else f"{words[:15]}…"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{ink}">{escape(shown)}</text>'
