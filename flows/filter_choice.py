"""The flow that turns a dataset into multiple-choice questions and filters them adversarially."""

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
    """Turn a dataset into four-way multiple-choice questions, and filter them until style-based models fail.

    An interrupted run resumes after its last iteration.

    Args:
        dataset: The folder of a finished dataset.
        store: The store that the dataset was built in.
        out: The folder of the questions and the curve.
        settings: The questions, the filtering method, and its models.
        runtime: Where and how models run.
    """
    request = FilterRequest(dataset, Store.at(store), out, settings, runtime)
    found = filtering.filter_choice(request)
    filtering.report_filtering(found, request=request, return_state=True)
    return found
