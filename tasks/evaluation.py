"""Tasks that score predictions and show the scores in the Prefect UI; never cached, because they are fast."""

from pathlib import Path

from prefect import task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE

from situatedgen.evaluation.evaluate import Request
from situatedgen.evaluation.evaluate import evaluate as evaluate_systems
from situatedgen.evaluation.page import write_page
from situatedgen.evaluation.results import Evaluation, absences, score_rows, signatures, write_evaluation
from tasks.artifacts import as_table


@task(name="evaluate", task_run_name="evaluate", cache_policy=NO_CACHE, persist_result=False)
def evaluate(request: Request, *, out: Path) -> Evaluation:
    """Score predictions, and write `scores.json` and the HTML page."""
    found = evaluate_systems(request)
    write_evaluation(found, out)
    write_page(found, out)
    return found


@task(name="show scores", task_run_name="show scores", cache_policy=NO_CACHE, persist_result=False)
def show_scores(found: Evaluation, *, out: Path) -> None:
    """Show the scores as a table artifact, and their signatures and location as a Markdown artifact."""
    rows = score_rows(found)
    create_table_artifact(key="scores", table=as_table(rows), description=rows.title)
    create_markdown_artifact(key="scores-signatures", markdown=_notes(found, out), description=str(out))


def _notes(found: Evaluation, out: Path) -> str:
    missing = [f"- {metric} is absent: {reason}" for metric, reason in absences(found).items()]
    return "\n".join(
        [f"The scores are in `{out.resolve()}`.\n", *missing, *(f"- `{each}`" for each in signatures(found))]
    )
