"""The flow that turns captions into a published dataset of concept sets."""

from functools import partial
from pathlib import Path
from typing import cast

from prefect import flow

from flows.build_dataset import ONE_AT_A_TIME
from flows.failing import failing_in_words
from flows.naming import concepts_name
from flows.options import Machine, StoreAddress
from situatedgen.commongen.params import ConceptSettings
from situatedgen.runtime import Runtime
from storage.concepts import concept_order
from storage.locks import BUILDS, sharing
from storage.outcomes import Build
from storage.runner import build
from storage.store import Store
from tasks.clusters import elsewhere
from tasks.publishing import publish_concepts
from tasks.reporting import report_plan
from tasks.showing import concepts_done
from tasks.stages import run_stage


@flow(name="build-commongen", flow_run_name=concepts_name, persist_result=False, task_runner=ONE_AT_A_TIME)
@failing_in_words
def build_commongen(
    captions: Path,
    settings: ConceptSettings,
    out: Path = Path("concept-sets"),
    store: StoreAddress = ".commongen",
    strict: bool = False,
    runtime: Machine = Runtime(),  # noqa: B008 (frozen)
) -> Build:
    """Build a dataset of concept sets and publish it into a folder; only what changed is made again.

    Args:
        captions: The folder of the captions.
        settings: Which files of it are read, and the params of every stage.
        out: The folder of the dataset.
        store: The folder that keeps the artifacts, or s3://bucket/prefix, gs:// or az://.
        strict: Stop at the first malformed record instead of setting it aside.
        runtime: Where and how models run, and what shares the work; changes no row.
    """
    artifacts = Store.at(store)
    order = concept_order(settings, captions, strict=strict)
    with sharing(artifacts.root, BUILDS):
        report_plan(order, store=artifacts, return_state=True)
        with elsewhere(runtime) as away:
            finished = build(order, artifacts, partial(run_stage, store=artifacts, runtime=runtime, away=away))
        folder = publish_concepts(finished, store=artifacts, out=out)
    # A state in place of a value: whoever calls the flow gets the value.
    return cast("Build", concepts_done(finished, folder))
