"""The command `leakage`, which measures how far dev and test are from train."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from flows.cli.build import AsJson, Preset

if TYPE_CHECKING:
    from situatedgen.formatting import Rows
    from situatedgen.leakage.certificate import Certificate, Comparison
    from situatedgen.leakage.released import Authors
    from situatedgen.models.roles import Encoder

    Measured = Authors | Certificate | Comparison


def leakage(
    paths: Annotated[
        list[Path], typer.Argument(metavar="OUT|FILE…", exists=True, help="Dataset folder, or example files.")
    ],
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", exists=True, help="Training examples to compare with: a file, or a dataset folder."),
    ] = None,
    preset: Preset = "embedded",
    *,
    as_json: AsJson = False,
) -> None:
    """Show how far dev and test are from train: nearest neighbours, unseen keywords, hubs, balance.

    A dataset folder, compared with random packings of its communities and the authors' release:

        situatedgen leakage dataset

    Files in the authors' format, compared with each other; a file named dev is dev, any other is test:

        situatedgen leakage dev.jsonl test.jsonl --against train.jsonl

    A single file: each sentence against the others, and random splits of its examples:

        situatedgen leakage train.jsonl
    """
    measured = _measure(paths, against or [], preset)
    if as_json:
        typer.echo(json.dumps(asdict(measured), ensure_ascii=False))
    else:
        _draw(measured)


def _measure(paths: list[Path], against: list[Path], preset: str) -> "Measured":
    """Measure the leakage of the paths."""
    from situatedgen.dataset.statistics import read_certificate
    from situatedgen.leakage.certificate import split_numbers
    from situatedgen.leakage.released import against_itself, against_train, read_placed, release

    if len(paths) == 1 and paths[0].is_dir() and not against:
        return read_certificate(paths[0])
    examples = read_placed(paths, against)
    found = release(examples, _encoder(preset))
    return against_train(found, split_numbers(examples["split"])) if against else against_itself(found)


def _draw(measured: "Measured") -> None:
    """Print two tables that fit 80 columns, and a legend of their columns."""
    from situatedgen.leakage.certificate import Comparison
    from situatedgen.leakage.released import authors
    from situatedgen.leakage.tables import legend, near_rows, variants_of, whole_rows

    console = Console(highlight=False)
    dealings = variants_of(measured, authors() if isinstance(measured, Comparison) else None)
    console.print(_table(near_rows(dealings)), _table(whole_rows(dealings)), sep="\n")
    for line in legend(dealings):
        console.print(line, style="dim", markup=False)


def _table(rows: "Rows") -> Table:
    table = Table(title=rows.title, title_justify="left", min_width=len(rows.title))
    table.box, table.padding, table.pad_edge = SIMPLE_HEAD, (0, 1, 0, 0), False
    for number, name in enumerate(rows.header):
        table.add_column(name.replace(" ", "\n"), justify="right" if number else "left", vertical="bottom")
    for row in rows.rows:
        table.add_row(*row)
    return table


def _encoder(preset: str) -> "Encoder":
    """Load the encoder of a preset."""
    from situatedgen.models.registry import load as load_model
    from situatedgen.presets import load
    from situatedgen.runtime import Runtime

    encoder: Encoder = load_model("encoder", load(preset).embeddings.encoder, Runtime())
    return encoder
