"""Progress displays (a build by artifact, other work as bars) and tables of a report."""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TaskID, TextColumn
from rich.table import Table

if TYPE_CHECKING:
    from situatedgen.formatting import Rows
    from storage.builds import Observer, Outcome


class Display:
    """An observer that draws each artifact's progress in the terminal."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._lines: dict[str, TaskID] = {}
        self._began: dict[str, float] = {}
        self._done: dict[str, int] = {}
        self._lock = threading.Lock()

    def start(self, name: str, rows: int) -> None:
        """Draw a new line, with a bar if the number of rows is known."""
        with self._lock:
            self._line(name, rows)

    def advance(self, name: str, rows: int) -> None:
        """Advance the bar and show the rate."""
        with self._lock:
            line = self._line(name, 0)
            self._done[name] += rows
            rate = self._done[name] / max(time.monotonic() - self._began[name], 1e-3)
            self._progress.update(line, advance=rows, note=f"{self._done[name]:,} rows done, {rate:,.0f}/s")

    def _line(self, name: str, rows: int) -> TaskID:
        """Return the line of an artifact, drawing it on first use."""
        if name not in self._lines:
            self._began[name], self._done[name] = time.monotonic(), 0
            self._lines[name] = self._progress.add_task(name, total=rows or None, note="")
        elif rows:
            self._progress.update(self._lines[name], total=rows)
        return self._lines[name]

    def finish(self, outcome: "Outcome") -> None:
        """Complete the bar and show the result."""
        name, rows = outcome.ref.name, outcome.ref.rows
        with self._lock:
            line = self._line(name, rows)
        self._progress.update(line, total=1, completed=1, note=f"{rows:>9,} rows  {describe_outcome(outcome)}")


class Lines:
    """An observer for output that is not a terminal: one plain line per artifact."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def start(self, name: str, rows: int) -> None:
        """Print nothing yet."""

    def advance(self, name: str, rows: int) -> None:
        """Print nothing yet."""

    def finish(self, outcome: "Outcome") -> None:
        """Print the result."""
        self._console.print(
            f"{outcome.ref.name:<26}{outcome.ref.rows:>9,} rows  {describe_outcome(outcome)}", highlight=False
        )


def describe_outcome(outcome: "Outcome") -> str:
    """Describe how an artifact was obtained: reused, or computed and how much of it."""
    if outcome.reused:
        return "reused"
    made = f"made in {outcome.seconds:.1f} s"
    return f"{made}: {outcome.computed:,} computed, {outcome.recalled:,} cached" if outcome.recalled else made


@contextmanager
def show_build(console: Console) -> Iterator["Observer"]:
    """Yield an observer that shows a build on a console: live in a terminal, line by line elsewhere."""
    if not console.is_terminal:
        yield Lines(console)
        return
    columns = (SpinnerColumn(finished_text="[green]✓"), TextColumn("{task.description:<24}"), BarColumn(24))
    with Progress(*columns, TextColumn("{task.fields[note]}"), console=console) as progress:
        yield Display(progress)


class Bars:
    """Progress bars in a terminal; messages are printed above them, and also without a terminal."""

    def __init__(self, drawn: Progress) -> None:
        self._drawn = drawn
        self._bars: dict[str, TaskID] = {}

    def start(self, name: str, total: int | None, done: int = 0) -> None:
        """Draw a bar, or reset it to where the work resumes."""
        if name not in self._bars:
            self._bars[name] = self._drawn.add_task(name, note="")
        self._drawn.update(self._bars[name], completed=done, total=total, visible=True)

    def advance(self, name: str, steps: int, note: str = "") -> None:
        """Advance the bar."""
        self._drawn.update(self._bars[name], advance=steps, note=note)

    def tell(self, line: str) -> None:
        """Print a line above the bars."""
        self._drawn.console.print(escape(line), highlight=False, soft_wrap=True)

    def finish(self, name: str) -> None:
        """Complete the bar."""
        task = self._drawn.tasks[self._bars[name]]
        self._drawn.update(task.id, total=task.completed)


@contextmanager
def bars(console: Console, *columns: ProgressColumn) -> Iterator[Bars]:
    """Show progress bars on a console within this block; nothing is drawn unless it is a terminal."""
    shown = (TextColumn("{task.description}"), BarColumn(32), *columns)
    with Progress(*shown, console=console, disable=not console.is_terminal) as drawn:
        yield Bars(drawn)


def draw_table(rows: "Rows", *, narrow: bool = False) -> Table:
    """Convert rows to a terminal table; if narrow, cells wrap between words, never within one."""
    table = Table(title=escape(rows.title), title_justify="left")
    for number, name in enumerate(rows.header):
        width = _longest_word([name, *(row[number] for row in rows.rows)]) if narrow else None
        side: JustifyMethod = "left" if number in rows.words else "right"
        table.add_column(name, justify=side, overflow="fold", max_width=width)
    for row in rows.rows:
        table.add_row(*map(escape, row), style="italic dim" if "quoted" in row else None)
    return table


def _longest_word(cells: Iterable[str]) -> int:
    """Return the column width at which no word is broken."""
    return max(len(word) for cell in cells for word in cell.split())
