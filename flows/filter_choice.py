"""The flow that makes a multiple choice of a dataset and filters it."""

from pathlib import Path

from prefect import flow

from flows.errors import user_errors
from situatedgen.filtering.make import Made
from situatedgen.filtering.settings import FilterSettings
from situatedgen.runtime import Runtime
from storage.filtering import FilterRequest
from storage.store import Store
from tasks import filtering


@flow(name="filter-choice", flow_run_name="{dataset} → {out}", persist_result=False)
@user_errors
def filter_choice(
    dataset: Path = Path("dataset"),
    store: str = ".situatedgen",
    out: Path = Path("choice"),
    settings: FilterSettings = FilterSettings(),  # noqa: B008 (frozen)
    runtime: Runtime = Runtime(),  # noqa: B008 (frozen)
) -> Made:
    """Make a four-way multiple choice of a dataset, and filter it until models of style cannot answer it.

    A run that was cut short goes on from its last iteration when it is started again.

    Args:
        dataset: The folder of a finished dataset.
        store: The store that it was built in.
        out: The folder of the questions and the curve.
        settings: What is asked, how it is filtered, and by whom.
        runtime: Where and how models run.
    """
    request = FilterRequest(dataset, Store.at(store), out, settings, runtime)
    found = filtering.filter_choice(request)
    filtering.report_filtering(found, request=request, return_state=True)
    return found
