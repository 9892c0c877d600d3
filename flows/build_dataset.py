"""The flow that turns sources into a published dataset."""

from functools import partial
from pathlib import Path
from typing import Any, cast

from prefect import flow
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.failing import failing_in_words
from flows.naming import build_name
from flows.options import UNFILLED, Folder, Machine, Overrides, Preset, StoreAddress, chosen
from situatedgen.preset_files import DEFAULT
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage import deciding, precedents
from storage.locks import BUILDS, sharing
from storage.outcomes import Build
from storage.planning import Order
from storage.runner import build
from storage.store import Store
from tasks.clusters import elsewhere
from tasks.publishing import publish
from tasks.reporting import report_build, report_plan
from tasks.showing import done
from tasks.stages import run_stage

# Models keep all cores busy by themselves, and some share their memory.
ONE_AT_A_TIME = cast("TaskRunner[PrefectFuture[Any]]", ThreadPoolTaskRunner[Any](max_workers=1))


@flow(name="build-dataset", flow_run_name=build_name, persist_result=False, task_runner=ONE_AT_A_TIME)
@failing_in_words
def build_dataset(
    sources: Folder = UNFILLED,
    preset: Preset = DEFAULT,
    out: Path = Path("dataset"),
    store: StoreAddress = ".situatedgen",
    strict: bool = False,
    stable_with: Folder = UNFILLED,
    decisions: Folder = UNFILLED,
    params: Overrides = Overrides(),  # noqa: B008 (frozen)
    runtime: Machine = Runtime(),  # noqa: B008 (frozen)
) -> Build:
    """Build a dataset and publish it into a folder; only what changed is made again.

    Args:
        sources: The folder of the source collections; the shipped sample when left out.
        preset: The name of a shipped preset, or the path of a TOML file.
        out: The folder of the dataset.
        store: The folder that keeps the artifacts, or s3://bucket/prefix, gs:// or az://.
        strict: Stop at the first malformed record instead of setting it aside.
        stable_with: The folder of an earlier dataset whose splits are kept wherever nothing would leak.
        decisions: The folder of what people decided; what they judged invalid is out.
        params: What is set over the preset, stage by stage; what is left out stays as the preset says.
        runtime: Where and how models run, and what shares the work; changes no row.
    """
    artifacts = Store.at(store)
    settings = chosen(preset, params)
    with sharing(artifacts.root, BUILDS):
        order = Order(
            settings,
            sources or sample_folder(),
            strict=strict,
            precedent=precedents.keep(artifacts, stable_with),
            decisions=deciding.keep(artifacts, decisions, strict=strict),
        )
        report_plan(order, store=artifacts, return_state=True)
        with elsewhere(runtime) as away:
            finished = build(order, artifacts, partial(run_stage, store=artifacts, runtime=runtime, away=away))
        folder = publish(finished, store=artifacts, out=out)
    report_build(finished, folder=folder, return_state=True)
    # A state in place of a value: whoever calls the flow gets the value.
    return cast("Build", done(finished, folder))
