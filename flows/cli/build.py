"""The command `build`, and the options it shares with other commands."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer
from rich.console import Console

from flows.cli.display import show_build
from situatedgen.rules.licences import Group

if TYPE_CHECKING:
    from situatedgen.runtime import Runtime
    from storage.builds import Build, Observer

ExcludeSource = Annotated[
    list[str] | None,
    typer.Option("--exclude-source", metavar="NAME", help="Exclude a source; repeatable."),
]
LICENCES = (
    f"Use only sources with a licence in this group or a more permissive one: {', '.join(get_args(Group)[1:])}; or any."
)
Licences = Annotated[Group | None, typer.Option("--licences", metavar="GROUP", help=LICENCES)]


def source_overrides(excluded: Sequence[str] | None, licences: str | None) -> tuple[str, ...]:
    """Convert options to overrides of settings."""
    sources = [f"exclude_sources={json.dumps(list(excluded))}"] if excluded else []
    groups = [f"licences={licences}"] if licences else []
    return (*sources, *groups)


Sources = Annotated[
    Path | None,
    typer.Option(
        "--sources",
        exists=True,
        file_okay=False,
        help="Folder with the source collections (creak/, strategyqa/, …). Default: the bundled sample.",
    ),
]
StoreAddress = Annotated[
    str,
    typer.Option("--store", help="Folder that caches artifacts between builds, or s3://bucket/prefix, gs:// or az://."),
]
Preset = Annotated[
    str, typer.Option("--preset", help="Name of a preset (embedded, strict, paper, tiny), or a TOML file.")
]
Out = Annotated[Path, typer.Option("--out", help="Folder of the finished dataset.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a param: `pairs.min_similarity=0.85`; repeatable."),
]
StableWith = Annotated[
    Path | None,
    typer.Option(
        "--stable-with",
        metavar="DIR",
        help="Folder of an earlier dataset whose splits are kept. Default: the dataset in --out, if any.",
    ),
]
FreshSplits = Annotated[
    bool,
    typer.Option("--fresh-splits", help="Assign new splits instead of keeping those of the dataset in --out."),
]
Decisions = Annotated[
    Path | None,
    typer.Option(
        "--decisions", metavar="DIR", help="Folder of annotators' decisions; pairs they judged invalid are excluded."
    ),
]
MinValidity = Annotated[
    float,
    typer.Option(
        "--min-validity",
        min=0,
        max=1,
        metavar="SHARE",
        help="Fail and leave OUT unchanged if the estimated share of valid pairs is smaller.",
    ),
]
Device = Annotated[Literal["auto", "cpu", "cuda", "mps"], typer.Option("--device", help="Where models run.")]
Threads = Annotated[int, typer.Option("--threads", min=0, help="Threads for numeric libraries; 0: their default.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]

Runner = Annotated[
    Literal["threads", "processes", "dask"],
    typer.Option(
        "--runner",
        metavar="NAME",
        help="Where tasks run: `threads` of this process, `processes` on this machine, or a `dask` cluster.",
    ),
]
Scheduler = Annotated[
    str,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://10.0.0.5:8786. Default: a local cluster."
    ),
]


def build(
    sources: Sources = None,
    preset: Preset = "embedded",
    store: StoreAddress = ".situatedgen",
    out: Out = Path("dataset"),
    overrides: Overrides = None,
    exclude_source: ExcludeSource = None,
    licences: Licences = None,
    stable_with: StableWith = None,
    decisions: Decisions = None,
    min_validity: MinValidity = 0.0,
    device: Device = "auto",
    batch_size: Annotated[
        int, typer.Option("--batch-size", min=1, help="Texts per call of a flair or sequence-to-sequence model.")
    ] = 64,
    workers: Annotated[int, typer.Option("--workers", min=0, help="Worker processes; 0: one per core.")] = 0,
    threads: Threads = 0,
    runner: Runner = "threads",
    scheduler: Scheduler = "",
    *,
    fresh_splits: FreshSplits = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first malformed record.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Run the same stages without Prefect.")] = False,
    as_json: AsJson = False,
) -> None:
    """Build a dataset. Only what changed since the last build in the same store is recomputed.

    Without options, the bundled sample is built into ./dataset:

        situatedgen build

    Your own sources, with a different threshold:

        situatedgen build --sources data --out mine --set pairs.min_similarity=0.85

    Only what may be redistributed under permissive licences, or all sources but one:

        situatedgen build --sources data --out free --licences permissive
        situatedgen build --sources data --out rest --exclude-source arc

    Statements keep their split in the dataset in OUT, or in another dataset; or all get new splits:

        situatedgen build --sources data --out new --stable-with mine
        situatedgen build --sources data --out mine --fresh-splits

    Exclude what annotators judged invalid in `situatedgen review`; a new decision only recomputes the examples:

        situatedgen build --sources data --out mine --decisions decisions

    Only if at least 70 % of the pairs are estimated to be valid:

        situatedgen build --sources data --out mine --min-validity 0.7

    Distribute the work to the workers of a Dask cluster:

        situatedgen build --sources data --runner dask --scheduler tcp://10.0.0.5:8786
    """
    began = time.perf_counter()
    from situatedgen.errors import SettingsError
    from situatedgen.runtime import Runtime

    chosen = (*(overrides or ()), *source_overrides(exclude_source, licences))
    address = _address(store)
    if scheduler and runner != "dask":
        raise SettingsError(f"--scheduler has no effect with `--runner {runner}`; add `--runner dask`")
    runtime = Runtime(
        device=device, batch_size=batch_size, workers=workers, threads=threads, runner=runner, scheduler=scheduler
    )
    splits = stable_with, fresh_splits
    request = Request(sources, preset, chosen, address, out, strict, *splits, decisions, min_validity, runtime)
    _check_request(request)
    with show_build(Console(stderr=True, quiet=as_json)) as observer:
        finished = _build_plainly(request, observer) if plain else _build_through_prefect(request, observer)
    report = _print_summary if as_json else _print_tables
    report(finished, request, time.perf_counter() - began)


@dataclass(frozen=True)
class Request:
    """What was requested on the command line."""

    sources: Path | None
    preset: str
    overrides: tuple[str, ...]
    store: str
    out: Path
    strict: bool
    stable_with: Path | None
    fresh_splits: bool
    decisions: Path | None
    min_validity: float
    runtime: "Runtime"


def _address(store: str) -> str:
    """Return the full address of a store, refusing an invalid one before any work."""
    from storage.filesystem import locate

    return str(locate(store))


def _check_request(request: Request) -> None:
    """Refuse invalid settings, output folder, earlier dataset or decisions before any work."""
    from situatedgen.dataset.folder import check_out
    from situatedgen.presets import load
    from storage import inputs

    load(request.preset, request.overrides)
    check_out(request.out)
    inputs.find_splits(request.out, request.stable_with, fresh=request.fresh_splits)
    if request.decisions is not None:
        from storage.inputs import read_decisions

        read_decisions(request.decisions, strict=request.strict)


def _build_plainly(request: Request, observer: "Observer") -> "Build":
    """Build without Prefect."""
    from situatedgen.presets import load
    from storage.inputs import find_splits
    from storage.locks import BUILDS, shared_lock
    from storage.plain import build_dataset
    from storage.requests import make_request
    from storage.store import Store

    store, settings = Store.at(request.store), load(request.preset, request.overrides)
    with shared_lock(store.root, BUILDS):
        earlier = find_splits(request.out, request.stable_with, fresh=request.fresh_splits)
        wanted = make_request(settings, request.sources, store, earlier, request.decisions, strict=request.strict)
        return build_dataset(
            wanted,
            store=store,
            out=request.out,
            runtime=request.runtime,
            observer=observer,
            min_validity=request.min_validity,
        )


def _build_through_prefect(request: Request, observer: "Observer") -> "Build":
    """Build with the deployed Prefect flow, on the configured server or on a temporary one."""
    from flows.local_server import api
    from situatedgen.presets import nest_overrides

    given = vars(request) | {"params": nest_overrides(request.overrides)}
    with api():
        from flows.build_dataset import build_dataset  # Prefect reads its settings on import
        from flows.runs import use_observer
        from tasks.runners import runner_for

        flow = build_dataset.with_options(task_runner=runner_for(request.runtime))
        with use_observer(observer):
            finished: Build = flow(**{name: given[name] for name in given if name != "overrides"})
        return finished


def _print_tables(build: "Build", request: Request, seconds: float) -> None:
    """Print the paper's two tables, the funnel, and what was reused."""
    from situatedgen.dataset.statistics import from_values
    from situatedgen.dataset.tables import build_tables, review_words, stability_line, validity_words

    console, statistics = Console(), from_values(_statistics(request))
    for table in build_tables(statistics):
        console.print(table)
    if statistics.stability:
        console.print(stability_line(statistics.stability), highlight=False, soft_wrap=True)
    if statistics.validity:
        console.print(f"valid: {validity_words(statistics.validity)}", highlight=False, soft_wrap=True)
    if statistics.review:
        console.print(review_words(statistics.review), highlight=False, soft_wrap=True)
    reused = sum(outcome.reused for outcome in build.outcomes)
    console.print(f"{len(build.outcomes)} artifacts, {reused} reused, {seconds:.1f} s", highlight=False)
    console.print(f"dataset: [bold]{request.out}[/]", highlight=False)


def _print_summary(build: "Build", request: Request, seconds: float) -> None:
    """Print the build as JSON."""
    summary = {
        "out": str(request.out),
        "store": str(request.store),
        "seconds": round(seconds, 3),
        "artifacts": [outcome.model_dump(mode="json") for outcome in build.outcomes],
        "stats": _statistics(request),
    }
    typer.echo(json.dumps(summary, ensure_ascii=False))


def _statistics(request: Request) -> dict[str, object]:
    found: dict[str, object] = json.loads((request.out / "stats.json").read_text(encoding="utf-8"))
    return found
