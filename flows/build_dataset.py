"""The flow that turns sources into a published dataset."""

from functools import partial
from pathlib import Path
from typing import Any, cast

from prefect import flow
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage.locks import BUILDS, sharing
from storage.outcomes import Build
from storage.planning import Order
from storage.precedents import keep
from storage.runner import build
from storage.store import Store
from tasks.publishing import publish
from tasks.reporting import report_plan
from tasks.stages import run_stage

# Models keep all cores busy by themselves, and some share their memory.
ONE_AT_A_TIME = cast("TaskRunner[PrefectFuture[Any]]", ThreadPoolTaskRunner[Any](max_workers=1))


@flow(
    name="build-dataset",
    flow_run_name="{preset} → {out}",
    persist_result=False,
    task_runner=ONE_AT_A_TIME,
)
def build_dataset(
    sources: Path | None = None,
    preset: str = "embedded",
    overrides: tuple[str, ...] = (),
    store: Path = Path(".situatedgen"),
    out: Path = Path("dataset"),
    strict: bool = False,
    stable_with: Path | None = None,
    runtime: Runtime = Runtime(),  # noqa: B008 (frozen)
) -> Build:
    """Build a dataset and publish it into a folder; only what changed is made again.

    Args:
        sources: The folder of the source collections; the shipped sample when left out.
        preset: The name of a preset, or the path of a TOML file.
        overrides: Params to set over the preset, as `stage.param=value`.
        store: The folder that keeps the artifacts.
        out: The folder of the dataset.
        strict: Stop at the first malformed record instead of setting it aside.
        stable_with: The folder of an earlier dataset whose splits are kept wherever nothing would leak.
        runtime: Where and how models run; changes no row.
    """
    artifacts = Store(store.resolve())
    settings = load(preset, overrides)
    with sharing(artifacts.root, BUILDS):
        order = Order(settings, sources or sample_folder(), strict=strict, precedent=keep(artifacts, stable_with))
        report_plan(order, store=artifacts, return_state=True)
        finished = build(order, artifacts, partial(run_stage, store=artifacts, runtime=runtime))
        publish(finished, store=artifacts, out=out)
    return finished
