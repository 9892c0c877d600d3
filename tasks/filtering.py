"""The tasks of a filtering: run it, and show its curve."""

from prefect import get_run_logger, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE

from situatedgen.filtering.making import Made, Step
from storage.filtering import FilterRequest, filter_dataset


@task(name="filter", task_run_name="filter {order.dataset}", cache_policy=NO_CACHE, persist_result=False)
def filter_choice(order: FilterRequest) -> Made:
    """The filtered questions of a dataset; a filtering that was cut short goes on from its last iteration."""
    log = get_run_logger()

    def tell(step: Step) -> None:
        log.info("step %s: accuracy %.1f %% in %.1f s", step.number, 100 * step.accuracy, step.seconds)

    return filter_dataset(order, listener=tell)


@task(name="report", task_run_name="report", cache_policy=NO_CACHE, persist_result=False)
def report(found: Made, *, order: FilterRequest) -> None:
    """The accuracies before and after as a table artifact."""
    rows = [{"model": name, "before": before, "after": found.after[name]} for name, before in found.before.items()]
    told = f"{found.questions.height:,} questions in {order.out}"
    create_table_artifact(key="filtering", table=rows, description=told)
