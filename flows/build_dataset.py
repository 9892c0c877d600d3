"""The flow that turns sources into a published dataset."""

from functools import partial
from pathlib import Path
from typing import Any, cast

from prefect import flow
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.failing import failing_in_words
from flows.naming import build_name
from flows.options import Overrides, Preset, StoreAddress, chosen
from situatedgen.preset_files import DEFAULT
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage.locks import BUILDS, sharing
from storage.outcomes import Build
from storage.planning import Order
from storage.precedents import keep
from storage.runner import build
from storage.store import Store
from tasks.publishing import publish
from tasks.reporting import report_build, report_plan
from tasks.stages import run_stage

# Models keep all cores busy by themselves, and some share their memory.
ONE_AT_A_TIME = cast("TaskRunner[PrefectFuture[Any]]", ThreadPoolTaskRunner[Any](max_workers=1))


@flow(name="build-dataset", flow_run_name=build_name, persist_result=False, task_runner=ONE_AT_A_TIME)
@failing_in_words
def build_dataset(
    sources: Path | None = None,
    preset: Preset = DEFAULT,
    params: Overrides = Overrides(),  # noqa: B008 (frozen)
    store: StoreAddress = ".situatedgen",
    out: Path = Path("dataset"),
    strict: bool = False,
    stable_with: Path | None = None,
    runtime: Runtime = Runtime(),  # noqa: B008 (frozen)
) -> Build:
    """Build a dataset and publish it into a folder; only what changed is made again.

    Args:
        sources: The folder of the source collections; the shipped sample when left out.
        preset: The name of a shipped preset, or the path of a TOML file.
        params: What is set over the preset, stage by stage; what is left out stays as the preset says.
        store: The folder that keeps the artifacts, or `s3://bucket/prefix`.
        out: The folder of the dataset.
        strict: Stop at the first malformed record instead of setting it aside.
        stable_with: The folder of an earlier dataset whose splits are kept wherever nothing would leak.
        runtime: Where and how models run; changes no row.
    """
    artifacts = Store.at(store)
    settings = chosen(preset, params)
    with sharing(artifacts.root, BUILDS):
        order = Order(settings, sources or sample_folder(), strict=strict, precedent=keep(artifacts, stable_with))
        report_plan(order, store=artifacts, return_state=True)
        finished = build(order, artifacts, partial(run_stage, store=artifacts, runtime=runtime))
        folder = publish(finished, store=artifacts, out=out)
    report_build(finished, folder=folder, return_state=True)
    return finished
