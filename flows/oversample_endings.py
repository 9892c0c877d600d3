"""The flow that writes many wrong endings for the sentences of a corpus, and filters them."""

from pathlib import Path

from prefect import flow

from flows.errors import user_errors
from situatedgen.filtering.oversampling.settings import OversampleSettings
from situatedgen.runtime import Runtime
from storage.filtering import OversampleRequest, WrittenEndings
from storage.store import Store
from tasks.filtering import oversample, report_oversampling


@flow(name="oversample-endings", flow_run_name="{corpus} → {out}", persist_result=False)
@user_errors
def oversample_endings(
    corpus: Path,
    store: str = ".situatedgen",
    out: Path = Path("endings"),
    filtering: bool = False,
    settings: OversampleSettings = OversampleSettings(),  # noqa: B008 (frozen)
    runtime: Runtime = Runtime(),  # noqa: B008 (frozen)
) -> WrittenEndings:
    """Write many wrong endings for the rows of a corpus, by language models that never saw the right ones.

    A run that was cut short goes on with the fold that was not done when it is started again.

    Args:
        corpus: A file of sentences, or of rows of context, noun phrase and ending.
        store: The store that remembers parses.
        out: The folder of the endings.
        filtering: Choose wrong endings by adversarial filtering.
        settings: What becomes a row, who writes endings, and which stay.
        runtime: Where and how models run.
    """
    request = OversampleRequest(corpus, Store.at(store), out, settings, runtime, is_filtered=filtering)
    found = oversample(request)
    report_oversampling(found, request=request, return_state=True)
    return found
