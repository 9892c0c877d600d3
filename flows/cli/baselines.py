"""The commands of `baseline`: systems to compare with."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from flows.cli.building import Device, Preset
from flows.cli.leading import leaderboard
from flows.cli.prompting import prompt
from flows.cli.systems import Dataset, Seed, SplitName
from situatedgen.counting import counted

baseline = typer.Typer(help="Baselines: systems to compare with.")
baseline.command()(prompt)


@baseline.command()
def run(
    name: Annotated[str, typer.Argument(help="copied, halves, one-sentence, nearest, grouped, or all.")],
    dataset: Dataset = Path("dataset"),
    split: SplitName = "test",
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the predictions.")] = Path("baselines"),
    seed: Seed = 0,
    preset: Preset = "embedded",
    device: Device = "auto",
    *,
    score: Annotated[bool, typer.Option("--score", help="Score them too: OUT/scores.json, table, page.")] = False,
) -> None:
    """Write what baselines without weights of their own make of a split: OUT/NAME.jsonl (`example_id`, `text`).

    `copied` gives the keywords back; `halves` shuffles them into two lines; `nearest` puts them into the sentences of
    the nearest training pair, `one-sentence` into the first of these alone; `grouped` puts together those that mean
    like things. The encoder is that of the preset.

        situatedgen baseline run all --dataset dataset --out baselines --score
    """
    from situatedgen.baselines.registry import chosen, written
    from situatedgen.dataset.folder import read_examples
    from situatedgen.evaluation.reading import write_predictions
    from situatedgen.models.registry import load as model
    from situatedgen.presets import load
    from situatedgen.runtime import Runtime

    names, params = chosen(name), load(preset).embeddings.encoder
    examples = read_examples(dataset)
    runtime = Runtime(device=device)
    texts = written(names, examples, split=split, seed=seed, encoder=lambda: model("encoder", params, runtime))
    for each, predictions in texts.items():
        write_predictions(out / f"{each}.jsonl", predictions)
        typer.echo(f"{out / each}.jsonl: {counted(len(predictions), 'prediction')}")
    if score:
        _score(dataset, split, out, names)


def _score(dataset: Path, split: str, out: Path, names: Sequence[str]) -> None:
    """Score predictions by what needs no Java and no model, and show them beside the paper's systems."""
    from situatedgen.evaluation.evaluating import Request, evaluated
    from situatedgen.evaluation.results import write_evaluation

    request = Request(dataset, tuple(out / f"{name}.jsonl" for name in names), split=split)
    write_evaluation(evaluated(request), out)
    leaderboard(out)
