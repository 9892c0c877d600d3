"""The tasks of an oversampling: run it, and show what came of each fold."""

from typing import TYPE_CHECKING

from prefect import get_run_logger, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE

from storage.filtering import Listeners, OversampleRequest, WrittenEndings
from storage.filtering import oversample as written

if TYPE_CHECKING:
    from situatedgen.filtering.history import Iteration
    from situatedgen.filtering.oversampling.oversampling import Fold


@task(name="oversample", task_run_name="oversample {order.corpus}", cache_policy=NO_CACHE, persist_result=False)
def oversample(order: OversampleRequest) -> WrittenEndings:
    """The wrong endings of a corpus; folds that were done before are found in the folder."""
    log = get_run_logger()

    def fold(one: "Fold") -> None:
        log.info("fold %s: %s endings of %s rows in %.1f s", one.number, one.fates["kept"], one.asked, one.seconds)

    def iteration(one: "Iteration") -> None:
        log.info("iteration %s: accuracy %.1f %% in %.1f s", one.number, 100 * one.accuracy, one.seconds)

    return written(order, Listeners(fold=fold, iteration=iteration))


@task(name="report", task_run_name="report", cache_policy=NO_CACHE, persist_result=False)
def report(found: WrittenEndings, *, order: OversampleRequest) -> None:
    """What became of the endings of each fold, as a table artifact."""
    rows = [{"fold": one.number, "forward": one.perplexities.forward, **one.fates} for one in found.found.folds]
    told = f"{found.found.pools.height:,} candidates in {order.out}"
    create_table_artifact(key="oversampling", table=rows, description=told)
