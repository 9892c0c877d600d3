"""The tasks that show a build beside its run; never cached, for they say what changed since."""

from pathlib import Path

from prefect import task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE

from situatedgen.report import statistics
from situatedgen.report.rows import Rows, funnel_rows, source_rows, split_rows
from situatedgen.report.statistics import Statistics
from situatedgen.vocabulary import Split
from storage.outcomes import Build
from storage.plan.steps import summary
from storage.plan.walking import plan
from storage.planning import Order
from storage.store import Store
from tasks.lineage import lineage

TABLES = {"table-1": source_rows, "funnel": funnel_rows, "table-2": split_rows}


@task(name="plan", task_run_name="plan", cache_policy=NO_CACHE, persist_result=False)
def report_plan(order: Order, *, store: Store) -> str:
    """What a build will do with each artifact, as a table artifact; and in one line."""
    steps = plan(order, store)
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
    return summary(steps)


@task(name="report", task_run_name="report", cache_policy=NO_CACHE, persist_result=False)
def report_build(build: Build, *, folder: Path) -> str:
    """What was built, as artifacts: both tables, the funnel, the lineage, and where the dataset is; in one line."""
    told = statistics.read(folder / "stats.json")
    for key, rows_of in TABLES.items():
        rows = rows_of(told)
        create_table_artifact(key=key, table=as_table(rows), description=rows.title)
    create_markdown_artifact(key="lineage", markdown=lineage(build), description=counted(build))
    create_markdown_artifact(key="dataset", markdown=where(folder, told), description=str(folder))
    return counted(build)


def as_table(rows: Rows) -> list[dict[str, str]]:
    """The rows of a report as Prefect's tables take them."""
    header = [name or "measure" for name in rows.header]
    return [dict(zip(header, row, strict=True)) for row in rows.rows]


def counted(build: Build) -> str:
    """What was made and what was reused, in one line."""
    reused = sum(outcome.reused for outcome in build.outcomes)
    return f"{len(build.outcomes)} artifacts, {reused} reused"


def where(folder: Path, told: Statistics) -> str:
    """Where a dataset is, as Markdown: its folder and its files."""
    root = folder.resolve()
    pairs = {counts.split: counts.pairs for counts in told.splits}
    files = [
        f"- [`data/{split}.jsonl`]({(root / f'data/{split}.jsonl').as_uri()}): {pairs[split]:,} pairs"
        for split in Split
    ]
    more = [f"- [`{name}`]({(root / name).as_uri()})" for name in ("README.md", "stats.json", "manifest.json")]
    return "\n".join([f"The dataset is in [`{root}`]({root.as_uri()}) on the machine that built it.\n", *files, *more])
