"""Tasks that run adversarial filtering and oversampling, and report the results."""

from typing import TYPE_CHECKING

from prefect import get_run_logger, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE

from situatedgen.filtering.make import Made, Step
from storage.filtering import FilterRequest, Listeners, OversampleRequest, WrittenEndings, filter_dataset
from storage.filtering import oversample as oversample_corpus

if TYPE_CHECKING:
    from situatedgen.filtering.adversarial import Iteration
    from situatedgen.filtering.oversampling.oversample import Fold


@task(name="filter", task_run_name="filter {request.dataset}", cache_policy=NO_CACHE, persist_result=False)
def filter_choice(request: FilterRequest) -> Made:
    """Filter the questions of a dataset; an interrupted run resumes after its last iteration."""
    log = get_run_logger()

    def log_step(step: Step) -> None:
        log.info("step %s: accuracy %.1f %% in %.1f s", step.number, 100 * step.accuracy, step.seconds)

    return filter_dataset(request, listener=log_step)


@task(name="report", task_run_name="report", cache_policy=NO_CACHE, persist_result=False)
def report_filtering(found: Made, *, request: FilterRequest) -> None:
    """Show the accuracies before and after filtering as a table artifact."""
    rows = [{"model": name, "before": before, "after": found.after[name]} for name, before in found.before.items()]
    description = f"{found.questions.height:,} questions in {request.out}"
    create_table_artifact(key="filtering", table=rows, description=description)


@task(name="oversample", task_run_name="oversample {request.corpus}", cache_policy=NO_CACHE, persist_result=False)
def oversample(request: OversampleRequest) -> WrittenEndings:
    """Generate the wrong endings of a corpus; folds finished by an earlier run are reused."""
    log = get_run_logger()

    def log_fold(one: "Fold") -> None:
        log.info("fold %s: %s endings of %s rows in %.1f s", one.number, one.fates["kept"], one.asked, one.seconds)

    def log_iteration(one: "Iteration") -> None:
        log.info("iteration %s: accuracy %.1f %% in %.1f s", one.number, 100 * one.accuracy, one.seconds)

    return oversample_corpus(request, Listeners(fold=log_fold, iteration=log_iteration))


@task(name="report", task_run_name="report", cache_policy=NO_CACHE, persist_result=False)
def report_oversampling(found: WrittenEndings, *, request: OversampleRequest) -> None:
    """Show the verdicts on the endings of each fold as a table artifact."""
    rows = [{"fold": one.number, "forward": one.perplexities.forward, **one.fates} for one in found.found.folds]
    description = f"{found.found.pools.height:,} candidates in {request.out}"
    create_table_artifact(key="oversampling", table=rows, description=description)
