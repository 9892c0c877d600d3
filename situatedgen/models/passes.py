"""Passes of fixed shapes through a model, so that an answer never depends on what else is asked.

On a processor the last bits of an answer depend on how the libraries cut up the matrices it passed through:
on the padding, on the number of rows, and on the threads they are shared among. So every text goes through
in one shape that depends on its own length alone: padded to a fixed width, in a pass of a fixed number of
rows (filled up where texts run out), on one thread. Passes, not matrices, are shared among the threads.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import torch

# Long texts are few: they share widths and go by few rows, so that passes fill up.
EXACT_WIDTH, WIDTH_STEP = 24, 8
ROWS_UP_TO_WIDTH = {16: 16, EXACT_WIDTH: 8}
ROWS_BEYOND = 4
# An accelerator is slow on small passes.
ACCELERATOR_FACTOR = 16


@dataclass(frozen=True, slots=True)
class Pass:
    """Texts that go through the model together, by number, and the shape they are filled up to."""

    rows: int
    width: int
    texts: list[int]

    @property
    def filled(self) -> list[int]:
        """The number of the text in each row; the last one fills up what is left."""
        return self.texts + self.texts[-1:] * (self.rows - len(self.texts))


def cut_passes(lengths: Sequence[int], *, longest: int | None, device: torch.device) -> list[Pass]:
    """Texts of so many tokens, by number, in passes of one width, the widest first; `longest` is what a model takes."""
    factor = 1 if device.type == "cpu" else ACCELERATOR_FACTOR
    by_width: dict[int, list[int]] = defaultdict(list)
    for number, length in enumerate(lengths):
        by_width[_width(length, longest)].append(number)
    return [
        one
        for width, texts in sorted(by_width.items(), reverse=True)
        for one in _passes_of(texts, width, factor * _rows(width))
    ]


def count_workers(device: torch.device) -> int:
    """How many passes go at once: on a processor as many as this thread lets torch have threads."""
    return torch.get_num_threads() if device.type == "cpu" else 1


@contextmanager
def single_threaded(workers: int) -> Iterator[ThreadPoolExecutor]:
    """Workers on each of which torch uses one thread; afterwards as many as before."""
    before = torch.get_num_threads()
    try:
        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield pool
    finally:
        torch.set_num_threads(before)


def _width(length: int, longest: int | None) -> int:
    """The width that a text of so many tokens is padded to."""
    stepped = length if length <= EXACT_WIDTH else -(-length // WIDTH_STEP) * WIDTH_STEP
    return min(stepped, longest or stepped)


def _passes_of(texts: list[int], width: int, rows: int) -> Iterator[Pass]:
    for start in range(0, len(texts), rows):
        yield Pass(rows, width, texts[start : start + rows])


def _rows(width: int) -> int:
    """How many texts of a width go through together: enough to be fast, few enough to fill."""
    return next((rows for limit, rows in ROWS_UP_TO_WIDTH.items() if width <= limit), ROWS_BEYOND)
