"""The commands `evaluate`, `sample` and `leaderboard`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from flows.cli.build import AsJson
from flows.cli.display import draw_table
from flows.cli.review import read_log
from situatedgen.formatting import format_count

if TYPE_CHECKING:
    from situatedgen.evaluation.leaderboard import Board
    from situatedgen.evaluation.results import Case, Evaluation
    from situatedgen.formatting import Rows
    from situatedgen.review.ballots import Ballot

Dataset = Annotated[Path, typer.Option("--dataset", help="The dataset folder with the examples.")]
FEW = 2
"""Up to this many systems, the table shows every test between them."""
SplitName = Annotated[str, typer.Option("--split", help="The split: train, dev or test.")]


def evaluate(
    predictions: Annotated[
        list[Path],
        typer.Argument(
            metavar="PREDICTIONS…",
            help="One file per system: JSONL with example_id and text, a filled-in sheet (.csv), or plain text with one"
            " line per example in the order of the split.",
        ),
    ],
    dataset: Dataset = Path("dataset"),
    split: SplitName = "test",
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metrics", help="A metric, or a set of them: fast (no Java, no model), paper (all eight)."),
    ] = None,
    bert_model: Annotated[
        str, typer.Option("--bert-model", help="The BERTScore model: a name on the hub, or a folder.")
    ] = "roberta-large",
    bert_layer: Annotated[int | None, typer.Option("--bert-layer", help="The layer of that model to use.")] = None,
    bert_baseline: Annotated[
        Path | None,
        typer.Option("--bert-baseline", help="Rescaling file, for a model without one in bert-score."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="The folder for scores.json and the page.")] = Path("scores"),
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--decisions",
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Also report which systems annotators preferred in `review --mode prefer`.",
        ),
    ] = None,
    by: Annotated[
        Literal["context", "source", "keywords"] | None,
        typer.Option("--by", help="Also print the scores by group; scores.json has all groups."),
    ] = None,
    cases: Annotated[list[str] | None, typer.Option("--case", help="The id of an example to show; repeatable.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of intervals, tests and cases.")] = 0,
    *,
    partial: Annotated[bool, typer.Option("--partial", help="Accept JSONL that covers only some examples.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the content of scores.json instead of tables.")
    ] = False,
) -> None:
    """Score predictions with the paper's metrics, and compare systems with each other and with the paper's.

    For example: `situatedgen evaluate mine.jsonl theirs.jsonl --dataset dataset --out scores`
    """
    from situatedgen.evaluation.evaluate import Request, evaluate
    from situatedgen.evaluation.metrics import Settings, chosen_metrics
    from situatedgen.evaluation.page import write_page
    from situatedgen.evaluation.results import to_json, write_evaluation

    request = Request(
        dataset,
        tuple(predictions),
        split=split,
        metrics=chosen_metrics(_split_names(metrics or ["fast"])),
        settings=Settings(bert_model=bert_model, bert_layer=bert_layer, bert_baseline=bert_baseline),
        partial=partial,
        seed=seed,
        cases=tuple(cases or ()),
        ballots=_ballots(decisions),
    )
    found = evaluate(request)
    written = write_evaluation(found, out), write_page(found, out)
    if as_json:
        typer.echo(to_json(found))
    else:
        _draw(found, by)
        typer.echo(f"scores: {written[0]}\npage: {written[1]}")


def sample(
    out: Annotated[Path, typer.Argument(metavar="SHEET.csv", help="The sheet to write.")] = Path("sheet.csv"),
    dataset: Annotated[Path, typer.Option("--dataset", help="The dataset folder to sample from.")] = Path("dataset"),
    split: SplitName = "test",
    count: Annotated[int, typer.Option("--n", min=1, help="Number of examples.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the sample.")] = 0,
) -> None:
    """Sample examples for people to answer: a sheet with keywords and an empty column.

    The filled-in sheet is scored like any system: `situatedgen evaluate sheet.csv`
    """
    from situatedgen.evaluation.predictions import draw_sheet, examples_of, write_sheet

    chosen = draw_sheet(examples_of(dataset, split), count, seed=seed)
    write_sheet(out, chosen)
    typer.echo(
        f"{out}: {format_count(len(chosen), 'example')}; in the column `text`, write two sentences"
        " that use all keywords of the row"
    )


def _ballots(decisions: Path | None) -> "tuple[Ballot, ...]":
    return read_log(decisions).ballots if decisions else ()


def _split_names(options: list[str]) -> list[str]:
    return [name.strip() for option in options for name in option.split(",") if name.strip()]


def _draw(found: "Evaluation", by: str | None) -> None:
    from situatedgen.evaluation.preferences import preference_rows
    from situatedgen.evaluation.results import absences, best_rows, group_rows, score_rows, signatures

    console = Console()
    console.print(_fit_table(score_rows(found), console))
    if by:
        console.print(*(_fit_table(group_rows(found, system, by), console) for system in found.systems), sep="\n")
    if found.tests:
        console.print(_fit_table(best_rows(found), console))
    if len(found.systems) > FEW:
        console.print("for the tests between all systems, see scores.json or the page", style="dim")
    if found.preferences:
        console.print(_fit_table(preference_rows(found.preferences), console))
    for case in found.cases:
        console.print(_case_table(case))
    for metric, reason in absences(found).items():
        console.print(f"{metric} is absent: {reason}", style="yellow", markup=False, soft_wrap=True)
    for signature in signatures(found):
        console.print(signature, style="dim", markup=False, highlight=False, soft_wrap=True)


def _fit_table(rows: "Rows", console: Console) -> Table:
    """Return a table with one line per row if it fits the terminal, otherwise wrapped between words."""
    table = draw_table(rows)
    wanted = console.measure(table, options=console.options.update(max_width=1000)).maximum
    return table if wanted <= console.width else draw_table(rows, narrow=True)


def _case_table(case: "Case") -> Table:
    table = Table("", ", ".join(case.keywords), title=f"Case {escape(case.example_id)}", title_justify="left")
    for text in case.texts:
        shown = Text()
        for part in text.parts:
            shown.append(part.text, style="underline" if part.is_keyword else "")
        table.add_row(escape(text.system), shown)
    return table


def leaderboard(
    folder: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="The folder to search for scores.json files.")
    ],
    by: Annotated[str, typer.Option("--by", help="The metric to sort by.")] = "MATCH",
    out: Annotated[Path | None, typer.Option("--out", help="The page. Default: FOLDER/leaderboard.html.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Show all scored systems beside the paper's, one table per dataset and split, and write the page.

    For example: `situatedgen evaluate baselines/*.jsonl --out scores && situatedgen leaderboard scores`
    """
    from situatedgen.atomic import write
    from situatedgen.evaluation.leaderboard import boards, page

    found = boards(folder, by=by)
    place = out or folder / "leaderboard.html"
    place.parent.mkdir(parents=True, exist_ok=True)
    write(place, page(found).encode("utf-8"))
    if as_json:
        typer.echo(json.dumps([_values(board) for board in found], ensure_ascii=False))
        return
    for board in found:
        _draw_board(board, Console())
    typer.echo(f"page: {place}")


def _values(board: "Board") -> dict[str, object]:
    entries = [asdict(entry) for entry in board.entries]
    return {"dataset": board.dataset.model_dump(), "metrics": board.metrics, "entries": entries}


def _draw_board(board: "Board", console: Console) -> None:
    from situatedgen.evaluation.leaderboard import board_rows, notes

    console.print(draw_table(board_rows(board)))
    for note in notes(board):
        console.print(note, style="dim", markup=False, highlight=False, soft_wrap=True)
