"""The commands of `commongen`: build, count and score concept sets, and look them up in ConceptNet."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from flows.cli.build import AsJson, StoreAddress
from flows.cli.display import draw_table, show_build

if TYPE_CHECKING:
    from situatedgen.commongen.params import ConceptSettings
    from storage.builds import Build, Observer

commongen = typer.Typer(help="Build concept sets from captions, as in CommonGen; count, connect and score them.")

Released = Annotated[
    Path,
    typer.Argument(
        metavar="DIR",
        exists=True,
        file_okay=False,
        help="A folder with commongen.{train,dev,test}.jsonl, or from `commongen build`.",
    ),
]


@commongen.command()
def stats(
    folder: Released,
    *,
    sentences: Annotated[
        bool, typer.Option(help="Also lemmatise the sentences of train, which takes half a minute.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Show Table 1 of CommonGen, counted from files in its format, beside the published numbers.

    For example: `situatedgen commongen stats commongen`
    """
    from dataclasses import asdict

    from situatedgen.commongen.examples import read_folder, statistics
    from situatedgen.commongen.tables import describe_differences, table1_rows
    from situatedgen.models.lemmas import Lemmatiser

    found = statistics(read_folder(folder), lemmatiser=Lemmatiser() if sentences else None)
    if as_json:
        typer.echo(json.dumps({split: asdict(column) for split, column in found.items()}))
        return
    Console().print(draw_table(table1_rows(found)))
    for line in describe_differences(found):
        typer.echo(f"differs: {line}")


@commongen.command()
def build(
    captions: Annotated[
        Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="The folder of the captions.")
    ],
    files: Annotated[
        list[str] | None,
        typer.Option("--files", metavar="PATTERN", help="Files to read. Default: all .txt, .jsonl and .parquet."),
    ] = None,
    column: Annotated[str, typer.Option("--column", help="The caption's field in JSONL and Parquet.")] = "caption",
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            "--vocabulary", exists=True, dir_okay=False, help="ConceptNet (relation, head, tail), or one word per line."
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder of the finished dataset.")] = Path("concept-sets"),
    store: StoreAddress = ".commongen",
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a param: `concept_sets.samples=50000`; repeatable."),
    ] = None,
    *,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first malformed record.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Run the same stages without Prefect.")] = False,
) -> None:
    """Build a concept-set dataset from captions. Only what changed since the last build is recomputed.

    For example: `situatedgen commongen build captions --vocabulary conceptnet.tsv --set concept_sets.samples=50000`
    """
    from situatedgen.commongen.folder import FORMAT, filter_kept, measure_folder
    from situatedgen.commongen.tables import counted_rows
    from situatedgen.dataset.folder import check_out
    from storage.builds import read_build_table
    from storage.store import Store

    began = time.perf_counter()
    settings = _settings(captions, files, column, vocabulary, overrides or [])
    check_out(out, kind=FORMAT)
    with show_build(Console(stderr=True)) as observer:
        make = _build_plainly if plain else _build_through_prefect
        finished = make(settings, captions, out, store, observer, strict=strict)
    examples = filter_kept(read_build_table(Store.at(store), finished, "concept_examples"))
    Console().print(draw_table(counted_rows(measure_folder(examples))))
    reused = sum(outcome.reused for outcome in finished.outcomes)
    seconds = time.perf_counter() - began
    typer.echo(f"{len(finished.outcomes)} artifacts, {reused} reused, {seconds:.1f} s\ndataset: {out}")


@commongen.command()
def connect(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", exists=True, file_okay=False, help="Concept sets, or a SituatedGen dataset."),
    ],
    graph: Annotated[
        Path, typer.Option("--graph", exists=True, dir_okay=False, help="ConceptNet: relation, head, tail.")
    ],
    size: Annotated[int, typer.Option("--size", min=0, help="Set size in the first table; 0: all sizes.")] = 5,
    *,
    as_json: AsJson = False,
) -> None:
    """Show how the words of a set are linked in ConceptNet: Figures 2 and 3 and Table 2 of CommonGen.

    The first table covers the test split, the others dev and test. It works for the keywords of a SituatedGen
    dataset, too:

        situatedgen commongen connect dataset --graph conceptnet.tsv --size 0
    """
    from dataclasses import asdict

    from situatedgen.commongen.knowledge import (
        category_rows,
        connectivity,
        linked_rows,
        of_splits,
        read_knowledge,
        relation_rows,
        word_sets,
    )

    sets, known = word_sets(folder), read_knowledge(graph)
    some = connectivity(of_splits(sets, ["test"], size), known)
    both = connectivity(of_splits(sets, ["dev", "test"]), known)
    if as_json:
        typer.echo(json.dumps({"test": asdict(some), "dev and test": asdict(both)}))
        return
    console = Console()
    what = f"test sets of {size} words" if size else "test sets"
    for rows in (linked_rows(some, what), category_rows(both, "dev and test"), relation_rows(both, "dev and test")):
        console.print(draw_table(rows))
    typer.echo(f"{both.known_words:,} of {both.words:,} words are in the graph")


@commongen.command()
def score(
    folder: Released,
    predictions: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PREDICTIONS…", help="One file per system: one sentence per line, in split order."),
    ] = None,
    split: Annotated[str, typer.Option("--split", help="The split: train, dev or test.")] = "test",
    bert_model: Annotated[
        str, typer.Option("--bert-model", help="The PivotBERT model: a name on the hub, or a folder.")
    ] = "roberta-large",
    *,
    as_json: AsJson = False,
) -> None:
    """Score sentences for concept sets, and each sentence of the dataset against the others (the human bound).

    For example: `situatedgen commongen score commongen mine.txt`
    """
    from dataclasses import asdict

    from situatedgen.commongen.examples import read_folder
    from situatedgen.commongen.metrics import human_bound, replies_of, score_concepts
    from situatedgen.commongen.tables import score_rows
    from situatedgen.evaluation.metrics import Settings
    from situatedgen.models.registry import load
    from situatedgen.params import ModelParams
    from situatedgen.runtime import Runtime

    examples, settings = read_folder(folder)[split], Settings(bert_model=bert_model)
    asked = {"human bound": human_bound(examples)} | {
        path.stem: replies_of(path, examples) for path in predictions or []
    }
    parser = load("parser", ModelParams(name="spacy"), Runtime())
    found = {system: score_concepts(replies, parser, settings) for system, replies in asked.items()}
    if as_json:
        typer.echo(json.dumps({system: asdict(scores) for system, scores in found.items()}))
        return
    Console().print(draw_table(score_rows(found)))
    for metric, reason in next(iter(found.values())).absent.items():
        typer.echo(f"{metric} is absent: {reason}")


def _settings(
    captions: Path, files: list[str] | None, column: str, vocabulary: Path | None, overrides: list[str]
) -> "ConceptSettings":
    """Convert options to settings."""
    from situatedgen.commongen.params import ConceptSettings, caption_sources, concept_settings
    from situatedgen.preset_files import merge_tables
    from situatedgen.presets import nest_overrides

    known = {"name": "conceptnet", "weights": str(vocabulary.resolve())} if vocabulary else {"name": "any"}
    given = {"sources": caption_sources(captions, files, column), "concepts": {"vocabulary": known}}
    return concept_settings(merge_tables(given, nest_overrides(overrides, ConceptSettings)))


def _build_plainly(
    settings: "ConceptSettings", captions: Path, out: Path, store: str, observer: "Observer", *, strict: bool
) -> "Build":
    from situatedgen.runtime import Runtime
    from storage.plain import build_concepts, concepts_request
    from storage.store import Store

    request = concepts_request(settings, captions, strict=strict)
    return build_concepts(request, store=Store.at(store), out=out, runtime=Runtime(), observer=observer)


def _build_through_prefect(
    settings: "ConceptSettings", captions: Path, out: Path, store: str, observer: "Observer", *, strict: bool
) -> "Build":
    from flows.local_server import api

    with api():
        from flows.build_commongen import build_commongen  # Prefect reads its settings on import
        from flows.runs import use_observer

        with use_observer(observer):
            finished: Build = build_commongen(captions, settings, out=out, store=store, strict=strict)
        return finished
