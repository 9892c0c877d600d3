"""What a flow run displays: the state of each stage, and the plan, tables and funnel as Prefect artifacts."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from prefect import task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from situatedgen.dataset.card import markdown
from situatedgen.dataset.statistics import Statistics
from situatedgen.dataset.statistics import read as read_statistics
from situatedgen.dataset.tables import funnel_rows, source_rows, split_rows, stability_words
from situatedgen.formatting import Rows
from situatedgen.vocabulary import Split
from storage.builds import Build, Outcome
from storage.plan.planner import plan, summary
from storage.requests import BuildRequest
from storage.store import Store


def state_of(outcome: Outcome) -> State[Outcome]:
    """Return the final state of a task run, with its outcome: `Cached`, `PartiallyCached` or `Completed`."""
    name = "Cached" if outcome.reused else "PartiallyCached" if outcome.recalled else "Completed"
    return Completed(name=name, message=describe_outcome(outcome), data=outcome)


def describe_outcome(outcome: Outcome) -> str:
    """Describe briefly how an artifact was obtained."""
    if outcome.reused:
        return f"{outcome.ref.rows:,} rows reused"
    if outcome.recalled:
        return f"{outcome.computed:,} of {outcome.computed + outcome.recalled:,} rows computed"
    return f"{outcome.ref.rows:,} rows made in {outcome.seconds:.1f} s"


def build_state(build: Build, folder: Path) -> State[Build]:
    """Return the final state of a build run: what was published, and how much of it was reused."""
    return Completed(message=f"{describe_published(build, folder)}; {summarise_build(build)}", data=build)


def concepts_state(build: Build, folder: Path) -> State[Build]:
    """Return the final state of a concept-set build run."""
    found = sum(ref.rows for ref in build.refs("concept_examples"))
    return Completed(message=f"up to {found:,} concept sets in {folder}; {summarise_build(build)}", data=build)


def describe_published(build: Build, folder: Path) -> str:
    """Describe in one line how many examples were published, and where."""
    return f"{sum(ref.rows for ref in build.refs('examples')):,} examples in {folder}"


def summarise_build(build: Build) -> str:
    """Count in one line the artifacts of a build and how many were reused."""
    reused = sum(outcome.reused for outcome in build.outcomes)
    return f"{len(build.outcomes)} artifacts, {reused} reused"


TABLES = {"table-1": source_rows, "funnel": funnel_rows, "table-2": split_rows}
FILES = {
    "README.md": "the dataset card",
    "stats.json": "tables, funnel and counts",
    "manifest.json": "key, digest and cost of every artifact",
    "figures": "plots of the counts",
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
    """Show a build as Prefect artifacts (both tables, the funnel, the dataset folder) and return a one-line summary."""
    statistics = read_statistics(folder / "stats.json")
    for key, rows_of in TABLES.items():
        rows = rows_of(statistics)
        title = f"{key.replace('-', ' ').capitalize()}: {rows.title}"
        create_table_artifact(key=key, table=as_table(rows), description=title)
    create_markdown_artifact(
        key="dataset", markdown=describe_folder(folder, statistics), description=describe_published(build, folder)
    )
    return summarise_build(build)


def as_table(rows: Rows) -> list[dict[str, str]]:
    """Convert the rows of a report to a Prefect table."""
    header = [name or "measure" for name in rows.header]
    return [dict(zip(header, row, strict=True)) for row in rows.rows]


def describe_folder(folder: Path, statistics: Statistics) -> str:
    """Describe a dataset folder in Markdown: its path, its files, and an example of each split."""
    files = [(f"data/{counts.split}.jsonl", f"{counts.pairs:,} pairs") for counts in statistics.splits]
    rows = tuple((f"`{name}`", content) for name, content in (*files, *FILES.items()))
    parts = [
        f"The dataset is in `{folder.resolve()}`, on the machine that built it.",
        *(
            [f"Its splits follow an earlier dataset: {stability_words(statistics.stability)}."]
            if statistics.stability
            else []
        ),
        markdown(Rows("", ("file", "content"), rows, frozenset({0, 1}))),
        "One example of each split:",
        markdown(Rows("", ("split", "keywords", "statement"), tuple(_examples(folder)), frozenset({0, 1, 2}))),
    ]
    return "\n\n".join(parts)


def _examples(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the first example of each non-empty split: its split, keywords and statement."""
    for split in Split:
        with (folder / f"data/{split}.jsonl").open(encoding="utf-8") as lines:
            for example in map(json.loads, islice(lines, 1)):
                yield split.value, ", ".join(example["keywords"]), example["statement"]
