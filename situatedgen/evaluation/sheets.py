"""The sheet that people fill, to be scored like any system."""

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from situatedgen.dataset.configuration import KEYWORD_SEPARATOR
from situatedgen.errors import SettingsError
from situatedgen.evaluation.examples import Example
from situatedgen.evaluation.reading import ID, SHEET, TEXT
from situatedgen.seeds import generator

KEYWORDS = "keywords"


def drawn(examples: Sequence[Example], count: int, *, seed: int) -> list[Example]:
    """So many examples, drawn by the seed whatever their order.

    Raises:
        SettingsError: there are not so many.
    """
    if not 0 < count <= len(examples):
        raise SettingsError(
            f"asked for {count:,} of {len(examples):,} examples; choose a number from 1 to {len(examples):,}"
        )
    ordered = sorted(examples, key=lambda example: example.example_id)
    return generator(seed, "sample").sample(ordered, count)


def write_sheet(path: Path, examples: Sequence[Example]) -> None:
    """Write the sheet: an id and the keywords a row, and an empty column for two sentences that use them.

    Raises:
        SettingsError: the file is not called `.csv`, or is there already: what people wrote is not overwritten.
    """
    if path.suffix != SHEET:
        raise SettingsError(f"{path} is no name for a sheet; call it {path.stem}{SHEET}")
    sheet = StringIO()
    writer = csv.writer(sheet)
    writer.writerow([ID, KEYWORDS, TEXT])
    writer.writerows([each.example_id, KEYWORD_SEPARATOR.join(each.keywords), ""] for each in examples)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8-sig", newline="") as stream:
            stream.write(sheet.getvalue())
    except FileExistsError as error:
        raise SettingsError(f"{path} is there already and may hold answers; choose another name") from error
