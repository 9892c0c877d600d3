"""The command `leakage`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from flows.cli.building import Preset

if TYPE_CHECKING:
    from situatedgen.leakage.authors import Authors
    from situatedgen.leakage.certificate import Certificate, Comparison
    from situatedgen.models.roles import Encoder
    from situatedgen.report.rows import Rows

    Told = Authors | Certificate | Comparison


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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Show how far dev and test are from train: nearest neighbours, unseen keywords, hubs, balance.

    A dataset folder, beside random packings of its communities and the authors' release:

        situatedgen leakage dataset

    Files in the authors' format, one against the other; a file named dev is dev, any other is test:

        situatedgen leakage dev.jsonl test.jsonl --against train.jsonl

    One file alone: each sentence against the others, and random cuts of its examples:

        situatedgen leakage train.jsonl
    """
    told, rows = _measured(paths, against or [], preset)
    if as_json:
        typer.echo(json.dumps(asdict(told), ensure_ascii=False))
        return
    from situatedgen.report.tables import shown

    Console().print(shown(rows))


def _measured(paths: list[Path], against: list[Path], preset: str) -> "tuple[Told, Rows]":
    """What is told of the paths, as values and as a table."""
    from situatedgen.leakage.authors import authors
    from situatedgen.leakage.reading import read_known, read_placed
    from situatedgen.leakage.released import against_itself, against_train, release
    from situatedgen.leakage.rows import certificate_rows, leakage_rows, release_rows
    from situatedgen.leakage.sheets import split_numbers

    if len(paths) == 1 and paths[0].is_dir() and not against:
        known = read_known(paths[0])
        return known, leakage_rows(known, authors())
    examples = read_placed(paths, against)
    found = release(examples, _encoder(preset))
    if not against:
        alone = against_itself(found)
        return alone, release_rows(alone)
    certified = against_train(found, split_numbers(examples["split"]))
    return certified, certificate_rows(certified)


def _encoder(preset: str) -> "Encoder":
    """The encoder of a preset."""
    from situatedgen.models.registry import load as load_model
    from situatedgen.presets import load
    from situatedgen.runtime import Runtime

    encoder: Encoder = load_model("encoder", load(preset).embeddings.encoder, Runtime())
    return encoder
