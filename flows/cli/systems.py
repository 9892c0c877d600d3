"""Options that the commands about systems share."""

from pathlib import Path
from typing import Annotated

import typer

Dataset = Annotated[Path, typer.Option("--dataset", exists=True, file_okay=False, help="A finished dataset folder.")]
SplitName = Annotated[str, typer.Option("--split", help="train, dev or test.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all chance.")]
