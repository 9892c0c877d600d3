"""The command `judge`, which estimates how probably pairs of sentences are valid."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from flows.cli.build import Device, Preset
from flows.cli.display import bars
from situatedgen.formatting import format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from situatedgen.models.roles import Judge, RowModel
    from situatedgen.pair_files import Pair, Scores
    from situatedgen.params import JudgedParams, ModelParams
    from situatedgen.records import Judgement
    from situatedgen.runtime import Runtime

REMOTE_STEP = 64
"""Pairs per request of a remote judge, which takes seconds for each."""


def judge(
    pairs: Annotated[
        Path,
        typer.Argument(metavar="FILE.jsonl|FOLDER", exists=True, help="Pairs of sentences: JSON lines, or a folder."),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", metavar="JUDGED.jsonl", dir_okay=False, help="The file to write.", show_default=False),
    ],
    judge_name: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="embedded, cross-encoder, llm, fake, or your own as module:attribute. Default: the preset's.",
        ),
    ] = None,
    preset: Preset = "embedded",
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Override a param of the stage `judged`: `judged.judge.weights=gpt-4o-mini`; repeatable.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            min=0,
            max=1,
            help="Minimum probability of a chosen pair. Default: judged.min_probability.",
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option("--store", help="Store that caches the answers, such as that of a build. Default: no cache."),
    ] = None,
    device: Device = "auto",
) -> None:
    """Estimate how likely each pair of sentences is valid, whatever dataset it comes from.

    A row has sentence_1 and sentence_2, or statements (a list of two), or statement (two sentences in one text). A
    folder contains some or all of train.jsonl, dev.jsonl and test.jsonl, directly or in its subfolder data; its rows
    get the field split.

        situatedgen judge pairs.jsonl --out judged.jsonl
        situatedgen judge dataset --out judged.jsonl
        situatedgen judge pairs.jsonl --out judged.jsonl --judge llm --set judged.judge.weights=gpt-4o-mini

    Each row is copied, with probability, fluent, antithesis, dependent and common added. If one of these names is
    already a field of the input, the answer is written as judge_probability, judge_fluent and so on, in every row.

    If rows have labels (valid, or all of fluent, antithesis and dependent; each true, false, 1 or 0), the command
    finally reports how well the judge separates valid pairs from others.

    Answers of the judge llm are always cached, so that the same command never pays for one twice. Those of other
    judges are cached with --store.
    """
    from situatedgen.pair_files import answer_names, check_out, pair_files, read_rows, score, write_rows
    from situatedgen.runtime import Runtime

    params, files = _params(preset, judge_name, overrides or []), pair_files(pairs)
    check_out(out, files)
    rows = read_rows(files)
    names = answer_names(rows)
    found = _judge_pairs([row.pair for row in rows], params.judge, Runtime(device=device), store)
    write_rows(out, rows, found, names)
    least = params.min_probability if threshold is None else threshold
    chosen = sum(each.probability >= least for each in found)
    typer.echo(f"{out}: {format_count(len(rows), 'pair')}, {chosen:,} with probability {least:g} or more")
    if scores := score(rows, found, threshold=least):
        _print(scores, least)


def _params(preset: str, name: str | None, overrides: "Sequence[str]") -> "JudgedParams":
    """Return the judge of a preset or a named one, and the threshold."""
    from situatedgen.errors import SettingsError
    from situatedgen.models.registry import REGISTRY, is_played
    from situatedgen.presets import load

    foreign = next((each for each in overrides if not each.strip().startswith("judged.")), None)
    if foreign is not None:
        raise SettingsError(f"--set {foreign}: expected a param of the stage judged, such as judged.judge.weights=…")
    params = load(preset, [*([f"judged.judge.name={name}"] if name else []), *overrides]).judged
    if not is_played("judge", params.judge):
        raise SettingsError(f"no judge is configured; choose one with --judge: {', '.join(REGISTRY['judge'])}")
    return params


def _judge_pairs(
    pairs: "Sequence[Pair]", params: "ModelParams", runtime: "Runtime", store: str | None
) -> "list[Judgement]":
    """Return the judgement of each pair, showing a progress bar."""
    from rich.progress import MofNCompleteColumn, TimeRemainingColumn

    from situatedgen.models.registry import entry
    from situatedgen.pair_files import STEP, ask_judge

    console, model = Console(stderr=True), _model(params, runtime, store)
    if params.name == "llm":
        from situatedgen.models.llm_judge import estimate

        most = estimate(len({frozenset(pair) for pair in pairs}), params)
        console.print(f"at most {most}; cached answers are reused", highlight=False, soft_wrap=True)
    step = REMOTE_STEP if entry("judge", params.name).remote else STEP
    with bars(console, MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        return ask_judge(pairs, model, step=step, progress=progress)


def _model(params: "ModelParams", runtime: "Runtime", store: str | None) -> "Judge | RowModel":
    """Return the judge, memoized if a store is given."""
    if store is None:
        from situatedgen.models.registry import load

        loaded: Judge = load("judge", params, runtime)
        return loaded
    from storage.batches import ModelLoader
    from storage.store import Store

    return ModelLoader(Store.at(store), runtime).model("judge", params)  # type: ignore[return-value]  # the role says which


def _print(scores: "Scores", threshold: float) -> None:
    """Print how well the judge performs."""
    share = scores.valid / scores.labelled
    typer.echo(f"{format_count(scores.labelled, 'labelled pair')}, {share:.1%} of them valid")
    area = "undefined, because all labels are the same" if scores.area is None else f"{scores.area:.3f}"
    typer.echo(f"area under the ROC curve: {area}")
    if not scores.chosen:
        typer.echo(f"precision at {threshold:g}: undefined, because no labelled pair reaches it")
        return
    recall = f", recall {scores.right / scores.valid:.1%}" if scores.valid else ""
    chosen = format_count(scores.chosen, "labelled pair")
    typer.echo(f"precision at {threshold:g}: {scores.right / scores.chosen:.1%} of {chosen}{recall}")
