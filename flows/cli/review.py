"""The commands `review` and `decisions`: annotation, import, export, gold questions, agreement."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows.cli.build import AsJson, StoreAddress

if TYPE_CHECKING:
    from flows.review.app import Review
    from situatedgen.review.agreement import Agreement, Estimate, Report
    from storage.annotation.log import LogContent

NEXT = {
    "rank": "decisions gold QUESTIONS --decisions {} --out verified",
    "prefer": "evaluate PREDICTIONS… --decisions {}",
}
"""The next command after annotating, by mode, unless it is a build."""


def review(
    dataset: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            exists=True,
            file_okay=False,
            help="The dataset folder to annotate; in mode rank, a folder of questions.",
        ),
    ],
    split: Annotated[
        str, typer.Option("--split", help="The split. Default: test; dev in mode quality.", show_default=False)
    ] = "",
    annotators: Annotated[
        list[str] | None,
        typer.Option("--annotator", metavar="NAME", help="An annotator; repeatable, or names separated by commas."),
    ] = None,
    mode: Annotated[
        Literal["filter", "quality", "adjudicate", "rank", "prefer"],
        typer.Option(
            "--mode",
            help="filter: the paper's five criteria. quality: two questions on a random sample."
            " adjudicate: resolve disagreements. rank: rank the answers of questions."
            " prefer: choose the better of two systems' texts.",
        ),
    ] = "filter",
    settles: Annotated[
        Literal["filter", "quality"], typer.Option("--of", help="The mode whose disagreements to adjudicate.")
    ] = "filter",
    predictions: Annotated[
        list[Path] | None,
        typer.Option(
            "--predictions",
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="In mode prefer: the predictions of a system; repeatable.",
        ),
    ] = None,
    decisions: Annotated[
        Path, typer.Option("--decisions", metavar="DIR", file_okay=False, help="The folder of the decisions.")
    ] = Path("decisions"),
    sample: Annotated[
        int, typer.Option("--sample", min=0, help="Size of a random sample; 0: all pairs (quality: 100).")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", help="The seed of sample and order.")] = 0,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; all but loopback are open to your network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0: any free one.")] = 8765,
    store: StoreAddress = ".situatedgen",
    *,
    show_judge: Annotated[
        bool,
        typer.Option("--show-judge", help="Let annotators reveal the judge's probability of a pair with a key."),
    ] = False,
) -> None:
    """Judge pairs in the browser with one key per answer; every answer is on disk before the next pair is shown.

    Two annotators, each with a secret link, blind to each other; the least probable pairs come first:

        situatedgen review dataset --annotator anna --annotator ben

    The same random sample of 100 pairs for both, to measure their agreement:

        situatedgen review dataset --annotator anna,ben --sample 100

    How good are unfiltered pairs? Two questions on a random sample of dev:

        situatedgen review dataset --mode quality --annotator anna

    Resolve their disagreements, then build without the rejected pairs:

        situatedgen review dataset --mode adjudicate --annotator carol

        situatedgen build --decisions decisions

    Rank the answers of multiple-choice questions, and keep the questions that annotators verified:

        situatedgen review choice --mode rank --annotator anna,ben

        situatedgen decisions gold choice --out verified

    Which of two systems writes better?

        situatedgen review dataset --mode prefer --predictions mine.jsonl --predictions theirs.jsonl

        situatedgen evaluate mine.jsonl theirs.jsonl --decisions decisions
    """
    from flows.review.server import Address, ReviewRequest, open_review, serve
    from situatedgen.review.ballots import Task
    from situatedgen.vocabulary import Mode
    from storage.store import Store

    request = ReviewRequest(
        dataset,
        decisions,
        Store.at(store),
        mode=Task(mode) if mode in set(Task) else Mode(mode),
        settles=Mode(settles),
        split=split,
        annotators=tuple(annotators or ()),
        sample=sample,
        seed=seed,
        shows_judge=show_judge,
        predictions=tuple(predictions or ()),
    )
    opened, console = open_review(request), Console(highlight=False, soft_wrap=True)
    serve(opened, Address(host, port), console)
    _print_next_steps(opened, decisions, console, NEXT.get(mode, "build --decisions {}"))


def _print_next_steps(review: "Review", decisions: Path, console: Console, following: str) -> None:
    """Print where the decisions are, each annotator's progress, and the next command."""
    console.print(f"\ndecisions: [bold]{escape(str(decisions))}[/]")
    for user in review.links.users:
        if user.may_annotate:
            progress = review.service.page(user.name).progress
            console.print(f"  {escape(user.name)}: {progress.done:,} of {progress.total:,} judged")
    console.print(f"next: situatedgen {following.format(decisions)}", markup=False)


decisions = typer.Typer(help="Annotators' decisions: agreement, verified questions, import and export.")

Folder = Annotated[
    Path, typer.Option("--decisions", metavar="DIR", file_okay=False, help="The folder of the decisions.")
]
PairMode = Annotated[
    Literal["filter", "quality"], typer.Option("--mode", help="The mode of the decisions: filter or quality.")
]
AnyMode = Annotated[
    Literal["filter", "quality", "rank", "prefer"],
    typer.Option("--mode", help="The mode of the decisions: filter, quality, rank or prefer."),
]
Dataset = Annotated[
    Path | None, typer.Option("--dataset", metavar="OUT", exists=True, file_okay=False, help="A dataset folder.")
]
DEFAULT_FOLDER = Path("decisions")
NOUNS = {"rank": "rankings", "prefer": "comparisons"}
WORDS = ("", "between", "annotator", "split", "verdict", "answers")


@decisions.command("agreement")
def agreement(
    folder: Folder = DEFAULT_FOLDER,
    mode: AnyMode = "filter",
    seed: Annotated[int, typer.Option("--seed", help="The seed of the bootstrap intervals.")] = 1,
    *,
    as_json: AsJson = False,
) -> None:
    """Show the agreement of annotators: percent, Cohen's kappa, Krippendorff's alpha, with 95 % intervals.

    For example: `situatedgen decisions agreement --mode quality`
    """
    from situatedgen.review.agreement import agreement as measure_agreement
    from situatedgen.review.ballot_results import ballot_agreement
    from situatedgen.review.ballots import Task
    from situatedgen.vocabulary import Mode

    log = read_log(folder)
    if mode in set(Task):
        report = ballot_agreement(log.ballots, Task(mode), seed=seed)
    else:
        report = measure_agreement(log.decisions, mode=Mode(mode), seed=seed)
    if as_json:
        typer.echo(json.dumps(asdict(report), ensure_ascii=False))
    else:
        _draw(report)


@decisions.command("gold")
def gold(
    questions: Annotated[
        Path, typer.Argument(metavar="QUESTIONS", exists=True, file_okay=False, help="The folder of ranked questions.")
    ],
    folder: Folder = DEFAULT_FOLDER,
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the verified questions.")] = Path(
        "verified"
    ),
    wrong: Annotated[int, typer.Option("--wrong", min=1, help="Wrong answers per question.")] = 3,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the choice and order of wrong answers.")] = 0,
    *,
    only_unlikely: Annotated[
        bool, typer.Option("--only-unlikely", help="Do not use answers rated likely as wrong answers.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write the questions whose right answer annotators ranked first or second, and the verdicts on the others.

    For example: `situatedgen decisions gold choice --out verified`
    """
    from situatedgen.review.ballot_results import GoldRules
    from storage.annotation.gold import verify
    from storage.annotation.log import Log

    read_log(folder)
    found = verify(questions, Log(folder), out, GoldRules(wrong=wrong, only_unlikely=only_unlikely), seed=seed)
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False))
        return
    fates = _table("Items", "split", "verdict", "items")
    for split, counts in found.fates.items():
        for fate, count in counts.items():
            fates.add_row(split, fate, f"{count:,}")
    judged = _table("Ratings", "answers", *next(iter(found.distribution.values()), {}))
    for kind, shares in found.distribution.items():
        judged.add_row(kind, *(f"{share:.1%}" for share in shares.values()))
    Console().print(fates, judged)
    typer.echo(f"questions: {out}: {found.questions:,}")


@decisions.command("export")
def export(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="NAME.csv, or NAME.json for Label Studio.")],
    folder: Folder = DEFAULT_FOLDER,
    mode: PairMode = "filter",
    dataset: Dataset = None,
    split: Annotated[str, typer.Option("--split", help="With --dataset: only this split.")] = "",
) -> None:
    """Write the decisions in force as CSV, or as Label Studio tasks with a labeling configuration beside them.

    With `--dataset`, pairs without a decision in that mode are written, too, to be judged elsewhere:

        situatedgen decisions export to-judge.json --dataset dataset --split test
    """
    from situatedgen.vocabulary import Mode
    from storage.annotation.exchange import dataset_pairs, export_decisions

    pairs = dataset_pairs(dataset, split) if dataset else []
    log = read_log(folder) if folder.is_dir() or not dataset else None
    for path in export_decisions(log.decisions if log else (), out, mode=Mode(mode), pairs=pairs):
        typer.echo(f"{path}: written")


@decisions.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", exists=True, dir_okay=False, help="NAME.csv, or NAME.json as Label Studio exports it."
        ),
    ],
    folder: Folder = DEFAULT_FOLDER,
    dataset: Dataset = None,
    people: Annotated[
        list[str] | None,
        typer.Option("--person", metavar="FROM=NAME", help="Rename an annotator, such as user-3=anna; repeatable."),
    ] = None,
    *,
    keep_unknown: Annotated[
        bool, typer.Option("--keep-unknown", help="Accept decisions about pairs that are not in the dataset.")
    ] = False,
) -> None:
    """Import decisions from a file, all or none; those imported before are skipped.

    A decision about a pair that is neither in the dataset nor was judged here before is refused, naming its line:

        situatedgen decisions import judged.csv --dataset dataset
    """
    from situatedgen.errors import SettingsError
    from situatedgen.review.exchange import rename_person
    from storage.annotation.exchange import dataset_pairs, import_decisions
    from storage.annotation.log import Log

    if dataset is None and not keep_unknown:
        raise SettingsError("give --dataset OUT to check the pairs, or --keep-unknown to accept any")
    known = None if keep_unknown or dataset is None else {pair.key for pair in dataset_pairs(dataset)}
    taken = import_decisions(Log(folder), file, known=known, people=rename_person(people or ()))
    typer.echo(f"{taken.new:,} new, {taken.known:,} already present, {taken.blank:,} without an answer")


def read_log(folder: Path) -> "LogContent":
    """Return the content of a decisions folder, and print its malformed lines."""
    from storage.annotation.log import open_log

    content = open_log(folder).read()
    for fault in content.faults:
        typer.echo(f"ignored: {fault}", err=True)
    return content


def _draw(report: "Report") -> None:
    console = Console()
    noun = NOUNS.get(report.mode.value, "pairs")
    whole = _table(f"Agreement, {report.mode.value}", "", noun, "agree", "alpha")
    for each in (report.overall, *report.criteria):
        whole.add_row(each.criterion, f"{each.pairs:,}", _format_estimate(each.percent), _format_estimate(each.alpha))
    console.print(whole)
    if report.overall.between:
        console.print(_pairwise_table((report.overall, *report.criteria), noun))
    people = _table("Annotators", "annotator", "decisions", "valid", "median seconds")
    for person in report.people:
        valid = "–" if person.valid is None else f"{person.valid:,}"
        people.add_row(escape(person.annotator), f"{person.decisions:,}", valid, f"{person.median_seconds:.1f}")
    console.print(people)


def _pairwise_table(found: "tuple[Agreement, ...]", noun: str) -> Table:
    table = _table("Pairwise agreement", "", "between", noun, "agree", "kappa")
    for each in found:
        for two in each.between:
            names = escape(f"{two.left}, {two.right}")
            table.add_row(
                each.criterion, names, f"{two.pairs:,}", _format_estimate(two.percent), _format_estimate(two.kappa)
            )
    return table


def _table(title: str, *columns: str) -> Table:
    """Create a table with text aligned left and numbers right."""
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="left" if name in WORDS else "right")
    return table


def _format_estimate(found: "Estimate") -> str:
    """Format an estimate with its interval; a dash if it is undefined."""
    if found.value is None:
        return "–"
    interval = "" if found.low is None or found.high is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return escape(f"{found.value:.2f}{interval}")
