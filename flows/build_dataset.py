"""The flow that builds a SituatedGen dataset from QA collections, one task run per artifact; reuses cached ones."""

from pathlib import Path
from typing import cast

from prefect import flow, unmapped

from flows.errors import user_errors
from flows.form import UNFILLED, Folder, Machine, Overrides, Preset, Share, StoreAddress, chosen_options
from flows.runs import build_name, observer
from situatedgen.preset_files import DEFAULT
from situatedgen.runtime import Runtime
from storage.builds import Build
from storage.inputs import find_splits
from storage.locks import BUILDS, shared_lock
from storage.requests import BuildContext, make_request
from storage.store import Store
from tasks import stages
from tasks.artifacts import build_state, report_build, report_plan
from tasks.batches import BatchRuns
from tasks.dataset import publish
from tasks.runners import has_runner_for, run_again, runner_for


@flow(name="build-dataset", flow_run_name=build_name, persist_result=False, task_runner=runner_for(Runtime()))
@user_errors
def build_dataset(
    sources: Folder = UNFILLED,
    preset: Preset = DEFAULT,
    out: Path = Path("dataset"),
    store: StoreAddress = ".situatedgen",
    strict: bool = False,
    stable_with: Folder = UNFILLED,
    fresh_splits: bool = False,
    decisions: Folder = UNFILLED,
    min_validity: Share = 0.0,
    params: Overrides = Overrides(),  # noqa: B008 (frozen)
    runtime: Machine = Runtime(),  # noqa: B008 (frozen)
) -> Build:
    """Build a dataset and publish it into a folder; only what changed is recomputed.

    Args:
        sources: The folder of the source collections; default: the bundled sample.
        preset: The name of a built-in preset, or the path of a TOML file.
        out: The folder of the dataset.
        store: The folder that stores the artifacts, or s3://bucket/prefix, gs:// or az://.
        strict: Stop at the first malformed record instead of skipping it.
        stable_with: The folder of a dataset whose splits are kept wherever nothing would leak; default: `out`.
        fresh_splits: Assign all statements to new splits instead of keeping those of the dataset in `out`.
        decisions: The folder of the annotators' decisions; what they judged invalid is excluded.
        min_validity: Fail and leave the folder unchanged if a smaller share of the pairs seems to be valid; 0 to 1.
        params: Overrides of the preset, by stage; anything left out keeps the preset's value.
        runtime: Where and how models run, and how the work is distributed; does not change the result.
    """
    if not has_runner_for(runtime):
        return cast("Build", run_again(build_dataset, runtime))
    kept = Store.at(store)
    with shared_lock(kept.root, BUILDS):
        earlier = find_splits(out, stable_with, fresh=fresh_splits)
        request = make_request(chosen_options(preset, params), sources, kept, earlier, decisions, strict=strict)
        report_plan(request, store=kept, return_state=True)
        build = BuildContext.start(request, kept, runtime, observer())
        each, work = unmapped(build), BatchRuns(build)
        items = stages.items.map(each, source=build.sources)
        terms = stages.terms.submit(build, items=items)
        converted = work.answers("statements", items=items)
        statements = stages.statements.map(each, source=build.sources, items=items, answers=unmapped(converted))
        tagged = work.answers("entities", statements=statements)
        entities = stages.entities.submit(build, statements=statements, answers=tagged)
        nouns = work.answers("keywords", statements=statements, entities=entities)
        keywords = stages.keywords.submit(build, statements=statements, entities=entities, answers=nouns)
        masks = stages.masks.submit(build, statements=statements, entities=entities, keywords=keywords)
        work.raise_failures(keywords)
        parsed = work.answers("parses", statements=statements, masks=masks)
        parses = stages.parses.submit(build, statements=statements, masks=masks, answers=parsed)
        encoded = work.answers("embeddings", masks=masks)
        embeddings = stages.embeddings.submit(build, masks=masks, answers=encoded)
        texts = {"statements": statements, "entities": entities, "masks": masks, "embeddings": embeddings}
        candidates = stages.candidates.submit(build, **texts, tiles=work.tiles(**texts))
        pairs = stages.pairs.submit(build, masks=masks, candidates=candidates)
        weighed = work.answers("shortlist", statements=statements, pairs=pairs)
        shortlist = stages.shortlist.submit(build, statements=statements, pairs=pairs, answers=weighed)
        answers = work.answers("judged", statements=statements, shortlist=shortlist)
        judged = stages.judged.submit(build, statements=statements, shortlist=shortlist, answers=answers)
        selected = stages.selected.submit(build, statements=statements, parses=parses, judged=judged)
        paired = {"statements": statements, "selected": selected}
        communities = stages.communities.submit(build, selected=selected)
        grouped = {"masks": masks, "parses": parses, "communities": communities}
        splits = stages.splits.submit(build, **paired, pairs=pairs, **grouped)
        judgements = stages.judgements.submit(build, **paired, splits=splits)
        examples = stages.examples.submit(build, **paired, terms=terms, keywords=keywords, judgements=judgements)
        leakage = stages.leakage.submit(build, examples=examples, masks=masks, embeddings=embeddings)
        made = [items, statements, terms, entities, keywords, masks, parses, embeddings, candidates, pairs]
        made += [shortlist, judged, selected, communities, splits, judgements, examples, leakage]
        work.raise_failures(*made)
        finished, folder = publish(build, made, out=out, min_validity=min_validity)
    report_build(finished, folder=folder, return_state=True)
    return cast("Build", build_state(finished, folder))  # a state; the caller of the flow still gets the value
