"""What a run shows: the state of each artifact, and plan, tables and funnel as Prefect artifacts."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from prefect import task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from situatedgen.dataset import statistics
from situatedgen.dataset.card import markdown
from situatedgen.dataset.statistics import Statistics
from situatedgen.dataset.tables import funnel_rows, source_rows, split_rows, stability_words
from situatedgen.formatting import Rows
from situatedgen.vocabulary import Split
from storage.builds import Build, Outcome
from storage.plan.planner import plan, summary
from storage.requests import BuildRequest
from storage.store import Store


def state_of(outcome: Outcome) -> State[Outcome]:
    """The state that a task run ends in, with its outcome: `Cached`, `PartiallyCached` or `Completed`."""
    name = "Cached" if outcome.reused else "PartiallyCached" if outcome.recalled else "Completed"
    return Completed(name=name, message=words(outcome), data=outcome)


def words(outcome: Outcome) -> str:
    """How an artifact came to be there, in a few words."""
    if outcome.reused:
        return f"{outcome.ref.rows:,} rows reused"
    if outcome.recalled:
        return f"{outcome.computed:,} of {outcome.computed + outcome.recalled:,} rows computed"
    return f"{outcome.ref.rows:,} rows made in {outcome.seconds:.1f} s"


def done(build: Build, folder: Path) -> State[Build]:
    """The state that the run of a build ends in: what was published, and how much of it was reused."""
    return Completed(message=f"{published(build, folder)}; {summarise_build(build)}", data=build)


def concepts_done(build: Build, folder: Path) -> State[Build]:
    """The state that the run of a build of concept sets ends in."""
    found = sum(ref.rows for ref in build.refs("concept_examples"))
    return Completed(message=f"up to {found:,} concept sets in {folder}; {summarise_build(build)}", data=build)


def published(build: Build, folder: Path) -> str:
    """How many examples are where, in one line."""
    return f"{sum(ref.rows for ref in build.refs('examples')):,} examples in {folder}"


def summarise_build(build: Build) -> str:
    """What was made and what was reused, in one line."""
    reused = sum(outcome.reused for outcome in build.outcomes)
    return f"{len(build.outcomes)} artifacts, {reused} reused"


TABLES = {"table-1": source_rows, "funnel": funnel_rows, "table-2": split_rows}
FILES = {
    "README.md": "the dataset card",
    "stats.json": "tables, funnel and counts",
    "manifest.json": "key, digest and cost of every artifact",
    "figures": "pictures of the counts",
}


@task(name="plan", task_run_name="plan", cache_policy=NO_CACHE, persist_result=False)
def report_plan(request: BuildRequest, *, store: Store) -> None:
    """Show what a build will do with each artifact, as a table artifact."""
    steps = plan(request, store)
    rows = [
        {
            "artifact": step.artifact,
            "plan": step.status.value,
            "to compute": step.amount,
            "why": "; ".join(step.reasons),
        }
        for step in steps
    ]
    create_table_artifact(key="plan", table=rows, description=summary(steps))


@task(name="report", task_run_name="report", cache_policy=NO_CACHE, persist_result=False)
def report_build(build: Build, *, folder: Path) -> str:
    """What was built, as artifacts: both tables, the funnel, and where the dataset is; in one line."""
    told = statistics.read(folder / "stats.json")
    for key, rows_of in TABLES.items():
        rows = rows_of(told)
        title = f"{key.replace('-', ' ').capitalize()}: {rows.title}"
        create_table_artifact(key=key, table=as_table(rows), description=title)
    create_markdown_artifact(key="dataset", markdown=where(folder, told), description=published(build, folder))
    return summarise_build(build)


def as_table(rows: Rows) -> list[dict[str, str]]:
    """The rows of a report as Prefect's tables take them."""
    header = [name or "measure" for name in rows.header]
    return [dict(zip(header, row, strict=True)) for row in rows.rows]


def where(folder: Path, told: Statistics) -> str:
    """Where a dataset is, as Markdown: its folder, its files, and an example of each split."""
    files = [(f"data/{counts.split}.jsonl", f"{counts.pairs:,} pairs") for counts in told.splits]
    rows = tuple((f"`{name}`", holds) for name, holds in (*files, *FILES.items()))
    parts = [
        f"The dataset is in `{folder.resolve()}`, on the machine that built it.",
        *([f"Its splits follow an earlier dataset: {stability_words(told.stability)}."] if told.stability else []),
        markdown(Rows("", ("file", "holds"), rows, frozenset({0, 1}))),
        "One example of each split:",
        markdown(Rows("", ("split", "keywords", "statement"), tuple(_examples(folder)), frozenset({0, 1, 2}))),
    ]
    return "\n\n".join(parts)


def _examples(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The first example of each split that has one: its split, its keywords and its statement."""
    for split in Split:
        with (folder / f"data/{split}.jsonl").open(encoding="utf-8") as lines:
            for example in map(json.loads, islice(lines, 1)):
                yield split.value, ", ".join(example["keywords"]), example["statement"]
