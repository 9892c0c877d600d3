"""The flow that builds a concept-set dataset from captions, with one task run per artifact; reuses cached ones."""

from pathlib import Path
from typing import cast

from prefect import flow, unmapped

from flows.errors import user_errors
from flows.form import Machine, StoreAddress
from flows.runs import concepts_name, observer
from situatedgen.commongen.params import ConceptSettings
from situatedgen.runtime import Runtime
from storage.builds import Build
from storage.locks import BUILDS, shared_lock
from storage.plain import concepts_request
from storage.requests import BuildContext
from storage.store import Store
from tasks import stages
from tasks.artifacts import concepts_state, report_plan
from tasks.batches import BatchRuns
from tasks.dataset import publish_concepts
from tasks.runners import has_runner_for, run_again, runner_for


@flow(name="build-commongen", flow_run_name=concepts_name, persist_result=False, task_runner=runner_for(Runtime()))
@user_errors
def build_commongen(
    captions: Path,
    settings: ConceptSettings,
    out: Path = Path("concept-sets"),
    store: StoreAddress = ".commongen",
    strict: bool = False,
    runtime: Machine = Runtime(),  # noqa: B008 (frozen)
) -> Build:
    """Build a concept-set dataset and publish it into a folder; only what changed is recomputed.

    Args:
        captions: The folder of the captions.
        settings: Which caption files to read, and the params of every stage.
        out: The folder of the dataset.
        store: The folder that stores the artifacts, or s3://bucket/prefix, gs:// or az://.
        strict: Stop at the first malformed record instead of skipping it.
        runtime: Where and how models run, and how the work is distributed; does not change the result.
    """
    if not has_runner_for(runtime):
        return cast("Build", run_again(build_commongen, runtime))
    kept = Store.at(store)
    with shared_lock(kept.root, BUILDS):
        request = concepts_request(settings, captions, strict=strict)
        report_plan(request, store=kept, return_state=True)
        build = BuildContext.start(request, kept, runtime, observer())

        items = stages.items.map(unmapped(build), source=build.sources)
        work = BatchRuns(build)
        lemmas = work.answers("concepts", items=items)
        concepts = stages.concepts.submit(build, items=items, answers=lemmas)
        counts = stages.concept_counts.submit(build, concepts=concepts)
        sets = stages.concept_sets.submit(build, concepts=concepts, concept_counts=counts)
        splits = stages.concept_splits.submit(build, concept_sets=sets)
        examples = stages.concept_examples.submit(build, concepts=concepts, concept_splits=splits)

        made = [items, concepts, counts, sets, splits, examples]
        work.raise_failures(*made)
        finished, folder = publish_concepts(build, made, out=out)
    # Return a state instead of a value; the caller of the flow still gets the value.
    return cast("Build", concepts_state(finished, folder))
