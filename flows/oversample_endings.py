"""The flow that generates many wrong endings for the sentences of a corpus, and filters them."""

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
    """Generate many wrong endings for the rows of a corpus with language models that never saw the right ones.

    An interrupted run resumes with the first unfinished fold.

    Args:
        corpus: A file of sentences, or of rows of context, noun phrase and ending.
        store: The store that caches parses.
        out: The folder of the endings.
        filtering: Choose wrong endings by adversarial filtering.
        settings: How rows are extracted, how endings are generated, and which are kept.
        runtime: Where and how models run.
    """
    request = OversampleRequest(corpus, Store.at(store), out, settings, runtime, is_filtered=filtering)
    found = oversample(request)
    report_oversampling(found, request=request, return_state=True)
    return found
